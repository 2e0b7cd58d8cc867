package source_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/garaph/garaph/gas/compile/source"
)

// TestPrograms loads the programs that come with garaph, with what they can do.
func TestPrograms(t *testing.T) {
	programs, err := source.Load("../../..", []string{"./programs"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, p := range programs {
		var names []string
		for _, name := range []string{"Saturated", "Settled", "Aggregate", "Result", "Direction"} {
			if p.Methods[name] != nil {
				names = append(names, name)
			}
		}
		got[p.Name] = p.V.String() + " " + p.A.String() + " " + filepath.Base(p.File) + " " + strings.Join(names, " ")
		for _, name := range []string{"Init", "Zero", "Gather", "Sum", "Apply", "Activate"} {
			if f := p.Methods[name]; f == nil || len(f.Blocks) == 0 {
				t.Errorf("%s.%s has no body", p.Name, name)
			}
		}
	}
	for name, want := range map[string]string{
		"BFS":               "uint32 uint32 bfs.go Saturated Settled Result",
		"WCC":               "uint32 uint32 wcc.go Result Direction",
		"SSSP[float32]":     "float32 float32 sssp.go ",
		"SSSP[float64]":     "float64 float64 sssp.go ",
		"PageRank[float32]": "float32 int64 pagerank.go Aggregate Result",
		"PageRank[float64]": "float64 int64 pagerank.go Aggregate Result",
	} {
		if diff := cmp.Diff(want, got[name]); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// rest returns what a program over V and A needs besides Gather.
func rest(receiver, v, a string) string {
	return strings.NewReplacer("RECEIVER", receiver, "VALUE", v, "ACC", a).Replace(`
func (RECEIVER) Init(gas.Vertex) (x VALUE, active bool) { return x, true }
func (RECEIVER) Zero() (a ACC) { return a }
func (RECEIVER) Sum(a, b ACC) ACC { return a }
func (RECEIVER) Apply(_ gas.Vertex, old VALUE, _ ACC, _ gas.Step) VALUE { return old }
func (RECEIVER) Activate(_ gas.Vertex, old, new VALUE) bool { return false }
func (RECEIVER) Gather(src VALUE, _ gas.Edge, _ VALUE) (a ACC) { return a }
`)
}

// module writes a module beside this one and returns its directory.
func module(t *testing.T, files map[string]string) string {
	t.Helper()
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	files["go.mod"] = "module example.com/p\n\ngo 1.26.0\n\nrequire github.com/garaph/garaph v0.0.0\n\nreplace " +
		"github.com/garaph/garaph => " + root + "\n"
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const header = "package p\n\nimport \"github.com/garaph/garaph/gas\"\n\n"

func names(programs []*source.Program) (list []string) {
	for _, p := range programs {
		list = append(list, p.Name)
	}
	return list
}

// TestLoad checks what counts as a program, and in which order.
func TestLoad(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		types []string
		want  []string
	}{
		"order of declarations": {
			files: map[string]string{
				"b.go": header + "type C struct{}\n" + rest("C", "int32", "int32") +
					"type A struct{}\n" + rest("A", "int32", "int32"),
				"a.go": header + "type Z struct{}\n" + rest("Z", "int32", "int32"),
			},
			want: []string{"Z", "C", "A"},
		},
		"instances": {
			files: map[string]string{"a.go": header +
				"type Number interface { ~int32 | ~float32; String() string }\ntype W interface { uint32 | uint64 }\n" +
				"type P[V W, A float32 | W] struct{}\n" + rest("P[V, A]", "V", "A")},
			want: []string{"P[uint32, float32]", "P[uint32, uint32]", "P[uint32, uint64]", "P[uint64, float32]",
				"P[uint64, uint32]", "P[uint64, uint64]"},
		},
		"by name of the type": {
			files: map[string]string{"a.go": header + "type P[V uint32 | uint64] struct{}\n" + rest("P[V]", "V", "V") +
				"type Q struct{}\n" + rest("Q", "int64", "int64")},
			types: []string{"P"},
			want:  []string{"P[uint32]", "P[uint64]"},
		},
		"by name of an instance": {
			files: map[string]string{"a.go": header + "type P[V uint32 | uint64] struct{}\n" + rest("P[V]", "V", "V")},
			types: []string{"P[uint64]"},
			want:  []string{"P[uint64]"},
		},
		"pointers, embedded and unexported types": {
			files: map[string]string{
				"a.go":   header + "type P struct{}\n" + rest("*P", "uint32", "uint32") + "type q struct{ P }\ntype alias = P\n",
				"r/r.go": "package r\n\nimport \"example.com/p\"\n\ntype R struct{ p.P }\n",
			},
			want: []string{"P", "q", "R"},
		},
		"not programs": {
			files: map[string]string{"a.go": header +
				"type P struct{}\nfunc (P) Zero() int32 { return 0 }\ntype I interface { gas.Program[int32, int32] }\n" +
				"type G[T any] struct{}\n"},
		},
		"no gas at all": {
			files: map[string]string{"a.go": "package p\n\ntype P struct{}\n"},
		},
		"stale and broken generated files": {
			files: map[string]string{
				"a.go":        header + "type P struct{}\n" + rest("P", "uint32", "uint32"),
				"p_garaph.go": header + "func (P) Loops() gas.Loops[P, Gone] {",
				"q_garaph.go": "not Go at all",
				"r_garaph.go": "package p\n\nfunc (P) Init() {}\n",
			},
			want: []string{"P"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			programs, err := source.Load(module(t, c.files), []string{"./..."}, c.types)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, names(programs)); diff != "" {
				t.Error(diff)
			}
			for _, p := range programs {
				for name, f := range p.Methods {
					if len(f.Blocks) == 0 {
						t.Errorf("%s.%s has no body", p.Name, name)
					}
				}
			}
		})
	}
}

// TestLoadErrors checks what can't be loaded, and where.
func TestLoadErrors(t *testing.T) {
	for name, c := range map[string]struct {
		source string
		types  []string
		want   string
	}{
		"infinite constraint": {
			source: "type P[V any] struct{}\n" + rest("P[V]", "V", "V"),
			want: "a.go:5:6: type parameter V of a vertex program is constrained by any, which lists no types; write the " +
				"types that it may be, as in [V float32 | float64]",
		},
		"type error": {
			source: "var x int32 = \"\"\nvar _ gas.Step",
			want:   "a.go:5:15: cannot use \"\" (untyped string constant) as int32 value in variable declaration",
		},
		"no such type": {
			source: "var _ gas.Step",
			types:  []string{"P"},
			want:   "no type P in example.com/p",
		},
		"methods missing": {
			source: "type P struct{}\nfunc (P) Zero() int32 { return 0 }\nvar _ gas.Step",
			types:  []string{"P"},
			want:   "a.go:5:6: P is no vertex program: it has no method Init, Gather, Sum, Apply, Activate",
		},
		"a value of no fixed size": {
			source: "type P struct{}\n" + rest("P", "int", "int32"),
			want: "a.go:5:6: P: value: type int is not plain data of fixed size: use bool, sized numbers, and arrays or " +
				"structs of them",
		},
		"an accumulator with a pointer": {
			source: "type A struct{ N [2]struct{ At *int32 } }\ntype P struct{}\n" + rest("P", "int32", "A"),
			want: "a.go:6:6: P: accumulator: field N: field At: type *int32 is not plain data of fixed size: use bool, " +
				"sized numbers, and arrays or structs of them",
		},
		"an instance that is not plain": {
			source: "type P[V uint32 | uint] struct{}\n" + rest("P[V]", "V", "V"),
			want: "a.go:5:6: P[uint]: value: type uint is not plain data of fixed size: use bool, sized numbers, and arrays " +
				"or structs of them",
		},
		"methods of other types": {
			source: "type P struct{}\n" + strings.Replace(rest("P", "int32", "int32"),
				"(x int32, active bool) { return x, true }", "(x, active int32) { return x, x }", 1),
			types: []string{"P"},
			want: "a.go:5:6: P is no vertex program: its methods don't fit gas.Program for any V and A; write `var _ " +
				"gas.Program[V, A] = P{}` to have the Go compiler say why",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := source.Load(module(t, map[string]string{"a.go": header + c.source}), []string{"."}, c.types)
			if err == nil || err.Error() != c.want {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
}
