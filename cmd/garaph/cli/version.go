package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func (a *app) versionCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  exactly("no argument", 0),
	}
	cmd.RunE = a.job(func(*cobra.Command, []string) error {
		_, err := fmt.Fprintf(a.stdout, "garaph %s %s %s/%s\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
		return err
	})
	return cmd
}

// version is that of this module, which is the main one or one that a user's
// program was built with.
func version() string {
	const module = "github.com/garaph/garaph"
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(unknown)"
	}
	for _, m := range append(info.Deps, &info.Main) {
		if m.Path == module && m.Version != "" {
			return m.Version
		}
	}
	return "(devel)"
}
