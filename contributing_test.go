package garaph_test

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/go/packages"
)

const module = "github.com/garaph/garaph"

// row is a row of a table of the map: a package, its job, what it imports.
var row = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| [^|]+ \\| ([^|]+) \\| ([^|]+) \\|$")

// TestMap: the packages of CONTRIBUTING.md are those that there are, and import
// what it says.
func TestMap(t *testing.T) {
	text, err := os.ReadFile("CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	claimed := map[string][]string{}
	for _, m := range row.FindAllStringSubmatch(string(text), -1) {
		imports := []string{}
		for i, prefix := range []string{"", "internal/"} {
			if m[2+i] == "–" {
				continue
			}
			for name := range strings.SplitSeq(m[2+i], ", ") {
				imports = append(imports, prefix+name)
			}
		}
		slices.Sort(imports)
		claimed[m[1]] = imports
	}
	list, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedImports}, "./...")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string][]string{}
	for _, p := range list {
		imports := []string{}
		for _, path := range slices.Sorted(maps.Keys(p.Imports)) {
			if name, ours := inModule(path); ours {
				imports = append(imports, name)
			}
		}
		name, _ := inModule(p.PkgPath)
		slices.Sort(imports)
		found[name] = imports
	}
	if diff := cmp.Diff(found, claimed); diff != "" {
		t.Errorf("the map of CONTRIBUTING.md (-go list +map):\n%s", diff)
	}
}

// inModule is the name of a package of this module in the map.
func inModule(path string) (name string, ours bool) {
	if path == module {
		return "garaph", true
	}
	return strings.CutPrefix(path, module+"/")
}

// TestWalk: every file that CONTRIBUTING.md names is there, and the walk of an edge
// enters each once.
func TestWalk(t *testing.T) {
	text, err := os.ReadFile("CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	_, walk, _ := strings.Cut(string(text), "| step | file |")
	walk, _, _ = strings.Cut(walk, "\n\n")
	var entered []string
	for _, m := range regexp.MustCompile("(?m)\\| `([^`]+\\.go)` \\|$").FindAllStringSubmatch(walk, -1) {
		if slices.Contains(entered, m[1]) {
			t.Errorf("%s is entered twice", m[1])
		}
		entered = append(entered, m[1])
	}
	if len(entered) != strings.Count(walk, "\n")-1 {
		t.Errorf("%d files in %d steps", len(entered), strings.Count(walk, "\n")-1)
	}
	for _, m := range regexp.MustCompile("`([a-z_/]+/[a-z_]+\\.(go|tmpl))`").FindAllStringSubmatch(string(text), -1) {
		if _, err := os.Stat(m[1]); err != nil {
			t.Errorf("CONTRIBUTING.md names %v", err)
		}
	}
}
