package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/garaph/garaph/internal/testsize"
)

// mostBytes is how large the command may be.
const mostBytes = 30_000_000

// TestSize: the command, without symbols as in a release, stays below its bar.
func TestSize(t *testing.T) {
	testsize.OnlyLong(t, "it builds the command")
	path := filepath.Join(t.TempDir(), "garaph")
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", path, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	s, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%.1f MB", float64(s.Size())/1e6)
	if s.Size() > mostBytes {
		t.Errorf("the command has %d bytes, more than %d: see docs/decisions.md for what keeps it small", s.Size(), mostBytes)
	}
}

// TestLight: what makes a command large is not among its packages. Templates have
// methods called by name, so that the linker keeps every method of every type;
// cobra's are linked only where something sets one.
func TestLight(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{.ImportPath}}: {{join .Imports \" \"}}", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	heavy := map[string][]string{ // and who may import it
		"text/template":     {"github.com/spf13/cobra"},
		"html/template":     nil,
		"go/types":          nil,
		"gonum.org/v1/plot": nil,
		"image/png":         nil,
	}
	for line := range strings.Lines(string(out)) {
		importer, imports, _ := strings.Cut(strings.TrimSpace(line), ": ")
		for path := range strings.FieldsSeq(imports) {
			if may, is := heavy[path]; is && !slices.Contains(may, importer) {
				t.Errorf("%s imports %s", importer, path)
			}
		}
	}
}
