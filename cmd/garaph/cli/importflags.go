package cli

import (
	"strings"

	"github.com/spf13/pflag"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/ingest"
)

// importFlags say how edge lists are read. They are those of `garaph import`,
// and of `garaph run` for edge files.
type importFlags struct {
	format, ids, weights                           *string
	undirected, dedup, dropSelfLoops, skipBadLines *bool
	names                                          []string // of all of them
}

func newImportFlags(fs *pflag.FlagSet) *importFlags {
	formats := []string{string(ingest.Auto)}
	for _, f := range ingest.Formats() {
		formats = append(formats, string(f))
	}
	f := &importFlags{
		format:        enumFlag(fs, "format", "auto", formats, "format of the edge files"),
		ids:           enumFlag(fs, "ids", "auto", words(ingest.IDsAuto, ingest.IDsDense, ingest.IDsInt, ingest.IDsString), "kind of vertex ids"),
		weights:       enumFlag(fs, "weights", "auto", words(ingest.WeightsAuto, ingest.WeightsYes, ingest.WeightsNo), "whether edges have weights"),
		undirected:    fs.Bool("undirected", false, "store both directions of every edge"),
		dedup:         fs.Bool("dedup", false, "keep one of parallel edges, the lightest"),
		dropSelfLoops: fs.Bool("drop-self-loops", false, "leave out edges from a vertex to itself"),
		skipBadLines:  fs.Bool("skip-bad-lines", false, "count lines that cannot be read instead of ending at the first"),
	}
	fs.VisitAll(func(flag *pflag.Flag) { f.names = append(f.names, flag.Name) })
	return f
}

func words[T ~string](values ...T) []string {
	list := make([]string, 0, len(values))
	for _, v := range values {
		list = append(list, string(v))
	}
	return list
}

func (f *importFlags) options() garaph.ImportOptions {
	return garaph.ImportOptions{
		Format: ingest.Format(*f.format), IDs: ingest.IDMode(*f.ids), Weights: ingest.WeightMode(*f.weights),
		Undirected: *f.undirected, Dedup: *f.dedup, DropSelfLoops: *f.dropSelfLoops, SkipBadLines: *f.skipBadLines,
	}
}

// given lists those that are on the command line, as in "--dedup and --ids".
func (f *importFlags) given(flags *pflag.FlagSet) string {
	var list []string
	for _, name := range f.names {
		if flags.Changed(name) {
			list = append(list, "--"+name)
		}
	}
	return strings.Join(list, ", ")
}
