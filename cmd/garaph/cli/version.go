package cli

import (
	"fmt"
	"regexp"
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
	cmd.RunE = a.job(func(*cobra.Command, []string) error { return a.printVersion() })
	return cmd
}

func (a *app) printVersion() error {
	_, err := fmt.Fprintln(a.stdout, versionText())
	return err
}

// modulePath is this module.
const modulePath = "github.com/garaph/garaph"

// versionText is what `garaph version` prints.
func versionText() string {
	v := "(devel)"
	if m := ownModule(); m != nil && m.Version != "" {
		v = m.Version
	}
	if c := commit(); c != "" {
		v += " (commit " + c + ")"
	}
	return fmt.Sprintf("garaph %s %s %s/%s", v, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// ownModule is this module as the binary has it: the main one, or one that a
// user's program was built with. It is nil when the binary does not say.
func ownModule() *debug.Module {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return nil
	}
	for _, m := range append(info.Deps, &info.Main) {
		if m.Path == modulePath {
			return m
		}
	}
	return nil
}

var tagged = regexp.MustCompile(`^v[0-9]+\.[0-9]+\.[0-9]+$`)

// released is the version of this module if the go command can fetch it, and ""
// for what was built in a clone, other than at a tag.
func released() string {
	m := ownModule()
	if m == nil || m.Replace != nil || m.Sum == "" && !tagged.MatchString(m.Version) {
		return ""
	}
	return m.Version
}

// commit is that of the source of this module, if it was built in a clone;
// "+changes" stands for files that were not committed.
func commit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Path != modulePath {
		return ""
	}
	revision, changes := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			changes = "+changes"
		}
	}
	if revision == "" {
		return ""
	}
	return revision[:min(12, len(revision))] + changes
}
