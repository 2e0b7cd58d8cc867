package garaph_test

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/go/packages"
)

const module = "github.com/garaph/garaph"

var update = flag.Bool("update", false, "write the imports of the packages into the map of CONTRIBUTING.md")

// row is a row of a table of the map: a package, its job, what it imports.
var row = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| ([^|]+) \\| [^|]+ \\| [^|]+ \\|$")

// TestMap: the packages of CONTRIBUTING.md are those that there are, and import
// what it says.
func TestMap(t *testing.T) {
	text, err := os.ReadFile("CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	list, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedImports}, "./...")
	if err != nil {
		t.Fatal(err)
	}
	imports := map[string]string{} // as two columns
	for _, p := range list {
		var outer, inner []string
		for path := range p.Imports {
			if name, ours := inModule(path); !ours {
				continue
			} else if name, internal := strings.CutPrefix(name, "internal/"); internal {
				inner = append(inner, name)
			} else {
				outer = append(outer, name)
			}
		}
		name, _ := inModule(p.PkgPath)
		imports[name] = cell(outer) + " | " + cell(inner)
	}
	want := row.ReplaceAllStringFunc(string(text), func(line string) string {
		m := row.FindStringSubmatch(line)
		columns, there := imports[m[1]]
		if delete(imports, m[1]); !there {
			t.Errorf("CONTRIBUTING.md has a package %s that is not there, or twice", m[1])
		}
		return fmt.Sprintf("| `%s` | %s | %s |", m[1], m[2], columns)
	})
	for name := range imports {
		t.Errorf("CONTRIBUTING.md lacks the package %s", name)
	}
	if *update {
		if err := os.WriteFile("CONTRIBUTING.md", []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("the map of CONTRIBUTING.md is not that of the imports (-imports +map); -update writes them:\n%s", diff)
	}
}

func cell(names []string) string {
	if len(names) == 0 {
		return "–"
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
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
