package cli

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/garaph/garaph/cmd/garaph/cli/output"
	"github.com/garaph/garaph/gpuengine"
	"github.com/garaph/garaph/internal/flags"
	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/internal/results"
)

// threadsFlag declares --threads.
func threadsFlag(fs *pflag.FlagSet) *int {
	return flags.Range(fs, "threads", 0, 0, hostmem.MaxThreads, "goroutines; 0: one for each processor")
}

// streamsFlag declares --streams.
func streamsFlag(fs *pflag.FlagSet, usage string) *int {
	return flags.Range(fs, "streams", 0, 0, gpuengine.MaxStreams, usage+"; 0: 4, or 2 where edges are streamed")
}

// completeEnums lets shells complete the words of cmd's flags.
func completeEnums(cmd *cobra.Command) {
	for _, fs := range []*pflag.FlagSet{cmd.Flags(), cmd.PersistentFlags()} {
		fs.VisitAll(func(f *pflag.Flag) {
			words := flags.WordsOf(f)
			if f.Name == "output-format" {
				words = results.Formats()
			}
			if words != nil { // an error says that it was done before
				_ = cmd.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
			}
		})
	}
}

// outputFlag declares --output.
func outputFlag(fs *pflag.FlagSet, value, usage string) *string {
	return fs.StringP("output", "o", value, usage)
}

// formatFlag declares --output-format.
func formatFlag(fs *pflag.FlagSet) *string {
	check := func(s string) error {
		_, err := results.ParseFormat(s)
		return err
	}
	return flags.Text(fs, "output-format", "FORMAT", check,
		"tsv, csv, ndjson (each also with .gz or .zst), parquet, arrow (- and pipes: a stream), arrows (a stream) or npy "+
			"(default by the name of the file, tsv for -, devices and pipes)")
}

// destination returns the destination of results, and reports, before the job, the error that writing there
// would end with.
func (a *app) destination(path, format string, inputs []string) (output.Destination, error) {
	d, err := output.New(path, format)
	if err == nil && d.Format.Binary() && a.stdout.IsTerminal(path) {
		err = Usagef(
			"format %s is binary, and the output is a terminal: name a file with --output, or choose --output-format tsv",
			d.Format,
		)
	}
	if err == nil && path != "" && path != "-" {
		err = output.CheckBeside("the results", path, inputs)
	}
	return d, err
}
