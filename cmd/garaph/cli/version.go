package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"

	"github.com/spf13/cobra"

	"github.com/garaph/garaph/gpuengine/device"
)

func versionCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  exactly("no argument", 0),
	}
	asJSON := cmd.Flags().Bool("json", false, "print it as one JSON object")
	cmd.RunE = a.job(func(*cobra.Command, []string) error {
		if *asJSON {
			return json.NewEncoder(a.stdout).Encode(newVersionReport())
		}
		_, err := fmt.Fprintln(a.stdout, versionText())
		return err
	})
	return cmd
}

// modulePath is this module.
const modulePath = "github.com/garaph/garaph"

// version is set by the build of a release, with -ldflags "-X …".
var version string

// versionReport is `garaph version` as JSON.
type versionReport struct {
	Version string `json:"version"`
	Commit  string `json:"commit"` // "" if not known
	Go      string `json:"go"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`
	CUDA    bool   `json:"cuda"` // the executable is garaph-cuda
}

func newVersionReport() versionReport {
	r := versionReport{Version: "(devel)", Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
	r.CUDA = slices.ContainsFunc(device.Drivers(), func(d device.Driver) bool { return d.Name == "cuda" })
	if m := ownModule(); m != nil {
		r.Version = cmp.Or(m.Version, r.Version)
	}
	r.Version = cmp.Or(version, r.Version)
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Path != modulePath {
		return r
	}
	changes := ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			r.Commit = s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			changes = "+changes" // files that were not committed
		}
	}
	if r.Commit != "" {
		r.Commit += changes
	}
	return r
}

// versionText returns the output of `garaph version`.
func versionText() string {
	r := newVersionReport()
	if r.Commit != "" {
		r.Version += " (commit " + r.Commit + ")"
	}
	return fmt.Sprintf("garaph %s %s %s/%s", r.Version, r.Go, r.OS, r.Arch)
}

// ownModule returns this module as the binary has it: the main one, or one that a
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

// released returns the version of this module if the go command can fetch it, and ""
// for a build in a clone that is not at a tag.
func released() string {
	if tagged.MatchString(version) {
		return version
	}
	m := ownModule()
	if m == nil || m.Replace != nil || m.Sum == "" && !tagged.MatchString(m.Version) {
		return ""
	}
	return m.Version
}
