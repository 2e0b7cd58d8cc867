package cli

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/internal/builtins"
	"github.com/garaph/garaph/internal/flags"
	"github.com/garaph/garaph/internal/registry"
	"github.com/garaph/garaph/store"
)

var updateReadme = flag.Bool("update", false, "write the table of programs to README.md")

// tableBegin and tableEnd are the lines around the rows of the table in README.md.
const (
	tableBegin = "| program | result | flags |\n|---|---|---|\n"
	tableEnd   = "\n\nOf several sources"
)

// programTable returns the rows of the table.
func programTable() string {
	var rows []string
	for _, p := range builtinPrograms() {
		fs := pflag.NewFlagSet("", pflag.ContinueOnError)
		fs.SortFlags = false
		p.Setup(fs)
		var names []string
		fs.VisitAll(func(f *pflag.Flag) { names = append(names, "`--"+f.Name+"`") })
		if names == nil {
			names = []string{"–"}
		}
		rows = append(rows, "| `"+p.Name+"` | "+p.Short+" | "+strings.Join(names, ", ")+" |")
	}
	return strings.Join(rows, "\n")
}

// TestReadme checks the table of programs in README.md. With -update, it writes the table.
func TestReadme(t *testing.T) {
	path := filepath.Join("..", "..", "..", "README.md")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begun := strings.Cut(string(b), tableBegin)
	rows, after, ended := strings.Cut(rest, tableEnd)
	if !begun || !ended {
		t.Fatalf("README.md has no table between %q and %q", tableBegin, tableEnd)
	}
	if rows == programTable() {
		return
	}
	if !*updateReadme {
		t.Fatal("the programs have changed: go test ./cmd/garaph/cli -run TestReadme -update writes the table")
	}
	if err := os.WriteFile(path, []byte(before+tableBegin+programTable()+tableEnd+after), 0o666); err != nil {
		t.Fatal(err)
	}
}

// A new vertex program takes two files, its own and the generated one with its loops, and a line in
// builtins.All. A new algorithm takes its own file and a line.

// inDegreeCommand describes a program that counts in-edges.
var inDegreeCommand = registry.Command{
	Name: "indegree", Value: inDegree{}, Short: "number of in-edges",
	Setup: func(fs *pflag.FlagSet) registry.Make {
		flags.Enum(fs, "count", "all", []string{"all", "some"}, "edges to count")
		return func(registry.Env) (any, error) { return inDegree{}, nil }
	},
}

// ones is an algorithm that gives every vertex a 1.
type ones struct{}

func (ones) ColumnName() string { return "one" }

func (ones) Plan(g *store.Catalogue, _ int) algorithms.Plan {
	return algorithms.Plan{Arrays: []algorithms.Array{{Name: "ones", Bytes: 8 * int64(g.Vertices)}}}
}

func (ones) Run(_ context.Context, e *algorithms.Env) ([]int64, error) {
	list, err := algorithms.Make[int64](e, int(e.Graph.Vertices))
	for i := range list {
		list[i] = 1
	}
	return list, err
}

var onesCommand = registry.Command{
	Name: "ones", Value: ones{}, Short: "1 for every vertex", Setup: registry.Fixed(ones{}),
}

// TestNewProgram checks that a program and an algorithm are offered everywhere once they are in builtins.All.
func TestNewProgram(t *testing.T) {
	old := builtins.All
	defer func() { builtins.All = old }()
	builtins.All = append(slices.Clone(old), builtins.Vertex(inDegreeCommand, builtins.On[uint32, uint32]),
		builtins.Algorithm(onesCommand))
	t.Chdir(t.TempDir())
	if err := os.WriteFile("edges.txt", []byte("0 1\n1 2\n0 2\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"run --help":                                "indegree",
		"run indegree --help":                       "--count all|some",
		"run ones --help":                           "ones: 1 for every vertex.",
		"programs":                                  "indegree",
		"programs --json":                           `"column":"one"`,
		"__complete run ind":                        "indegree\tnumber of in-edges",
		"__complete run indegree --count s":         "some",
		"run indegree edges.txt --output - -q":      "2\t2",
		"run ones edges.txt --output - -q":          "2\t1",
		"run indegree edges.txt --count all --json": `{"name":"indegree",`,
	} {
		var stdout, stderr bytes.Buffer
		if code := Run(t.Context(), strings.Fields(line), nil, &stdout, &stderr); code != exitDone ||
			!strings.Contains(stdout.String(), want) {
			t.Errorf("%s: exit code %d\n%s%s", line, code, stdout.String(), stderr.String())
		}
	}
	for _, row := range []string{
		"| `indegree` | number of in-edges | `--count` |", "| `ones` | 1 for every vertex | – |",
	} {
		if !strings.Contains(programTable(), row) {
			t.Errorf("the table has no %s", row)
		}
	}
}
