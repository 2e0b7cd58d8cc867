package flags

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// IDLines describes the lines of a file of ids.
const IDLines = "an id a line, in quotes or not; lines that begin with # are comments, unless the graph has " +
	"that very id"

// Vertex declares a flag for the id of one vertex, which must be given.
func Vertex(fs *pflag.FlagSet, name, usage string) {
	fs.String(name, "", "`ID` of the vertex "+usage+" (required)")
	Require(fs, name)
}

// Sources declares --source, which may be repeated, and --sources.
func Sources(fs *pflag.FlagSet, usage string) {
	fs.StringArray("source", nil, "`ID` of the vertex "+usage+"; again for several")
	fs.String("sources", "", "`FILE` with such vertices, "+IDLines)
}

// needed marks flags of which one must be given.
const needed = "garaph_needed"

// RequiredSources declares --source and --sources, one of which must be given.
func RequiredSources(fs *pflag.FlagSet, usage string) {
	Sources(fs, usage)
	RequireOne(fs, "source", "sources")
}

// RequireOne marks flags one of which must be given.
func RequireOne(fs *pflag.FlagSet, names ...string) {
	for _, name := range names {
		if err := fs.SetAnnotation(name, needed, nil); err != nil {
			panic(err) // there is no such flag
		}
	}
}

// Missing returns the flags of which one is required, joined by " or ", or "" if one is set.
func Missing(cmd *cobra.Command) string {
	var names []string
	given := false
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if _, ok := f.Annotations[needed]; ok {
			names = append(names, "--"+f.Name)
			given = given || f.Changed
		}
	})
	if given {
		return ""
	}
	return strings.Join(names, " or ")
}

// Along declares --along for the edges of a vertex.
func Along(fs *pflag.FlagSet, usage string) *string {
	return Enum(fs, "along", "both", []string{"in", "out", "both"}, usage)
}
