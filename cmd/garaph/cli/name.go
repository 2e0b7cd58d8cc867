package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
)

// nameOf is what the command calls itself: garaph, or, with programs of one's
// own, the name of the file that runs.
func nameOf(programs []Program) string {
	if len(programs) == 0 || len(os.Args) == 0 {
		return "garaph"
	}
	return strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")
}

var commandLines = regexp.MustCompile(`\bgaraph (import|export|subgraph|run|resume|path|neighbors|jobs|info|verify|programs|devices|bench|generate|community|compile|new|version)\b`)

// named puts the command's own name into the command lines of a text.
func (a *app) named(text string) string {
	if a.name == "garaph" {
		return text
	}
	return commandLines.ReplaceAllString(text, a.name+" $1")
}

// nameTexts does so in the help of a command and those under it.
func (a *app) nameTexts(cmd *cobra.Command) {
	cmd.Long, cmd.Example = a.named(cmd.Long), a.named(cmd.Example)
	for _, c := range cmd.Commands() {
		a.nameTexts(c)
	}
}
