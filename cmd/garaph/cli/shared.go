package cli

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

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
