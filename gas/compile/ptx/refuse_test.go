package ptx_test

import (
	"errors"
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/garaph/garaph/gas/compile/ptx"
	"github.com/garaph/garaph/gas/compile/source"
)

// refused are constructs outside the subset: declarations, the body of Apply,
// and what is said about it, with positions that count from the body's or the
// declarations' first line.
var refused = []struct{ name, declarations, body, want string }{
	{"make of a map", "", "m := make(map[uint32]float32)\n_ = m\nreturn old",
		"1:6: a map; write an array of fixed size instead"},
	{"package map", "var m map[uint32]float32", "return m[v.ID]", "1:8: the package variable m; write a constant, or a " +
		"field of the program instead\n1:9: a map; write an array of fixed size instead"},
	{"make of a slice", "", "s := make([]float32, v.In)\n_ = s\nreturn old",
		"1:6: a slice; write an array of fixed size instead"},
	{"slicing", "", "var a [4]float32\nreturn largest(a[1:])",
		"source:31:14: a slice; write an array of fixed size instead\n2:17: a slice; write an array of fixed size instead"},
	{"string", "", "name := \"a\" + string(rune(v.ID))\nif name == \"ab\" { return 1 }\nreturn old",
		"1:13: a string; write a number instead\n2:9: a string; write a number instead"},
	{"pointer field", "", "return *p.Ref", "1:11: a pointer in a variable; write the value itself, or an index instead"},
	{"complex number", "", "c := complex(old, old)\nreturn real(c)", "1:6: a complex number; write a struct of two " +
		"floats instead\n2:8: a complex number; write a struct of two floats instead"},
	{"unsafe pointer", "", "return *(*float32)(unsafe.Pointer(&old))", "1:9: a value of type unsafe.Pointer; write an " +
		"integer of 32 or 64 bits instead\n1:20: a pointer in a variable; write the value itself, or an index instead"},
	{"channel", "", "c := make(chan float32, 1)\nc <- old\nreturn <-c", "1:6: a channel; write a method that only " +
		"calculates instead\n2:3: a channel; write a method that only calculates instead\n3:8: a channel; write a method " +
		"that only calculates instead"},
	{"select", "", "select { default: }\nvar c chan int\nselect { case <-c: case c <- 1: }\nreturn old",
		"1:1: a channel; write a method that only calculates instead\n3:1: a channel; write a method that only " +
			"calculates instead"},
	{"go", "", "go largest(nil)\nreturn old", "1:1: a go statement; write a method that only calculates instead"},
	{"defer", "", "defer largest(nil)\nreturn old", "1:1: a defer statement; write the call where it is due instead"},
	{"closure", "", "x := old\nf := func() { x++ }\nf()\nreturn x",
		"3:1: a function literal that captures variables; write a function of the package with parameters instead"},
	{"function value", "", "return pick(v.ID)(old)", "source:33:63: a function value; write a direct call of a function " +
		"of the package instead\n1:8: a call of a function value; write a call of a function of the package instead\n1:8: " +
		"a function value; write a direct call of a function of the package instead"},
	{"interface call",
		"type shape interface { area() float32 }\ntype square float32\nfunc (s square) area() float32 { return " +
			"float32(s * s) }",
		"var s shape = square(old)\nreturn s.area()",
		"2:8: a call of area by way of interface p.shape; write a call of a method of a concrete type instead\n2:8: a " +
			"conversion of p.square to interface type p.shape; write code for the concrete type instead"},
	{"type switch", "", "switch any(old).(type) { case float32: return 1 }\nreturn old",
		"1:8: a conversion of float32 to interface type any; write code for the concrete type instead\n1:26: a type " +
			"assertion; write a type parameter instead"},
	{"package variable", "var counter float32", "return counter",
		"1:8: the package variable counter; write a constant, or a field of the program instead"},
	{"recursion", "func fib(n uint32) float32 { if n < 2 { return 1 }; return fib(n-1) + fib(n-2) }", "return fib(v.ID)",
		"declarations:1:60: a recursive call of fib; write a loop with a bound instead"},
	{"range over a map", "", "for range map[int]int{} { old++ }\nreturn old", "1:1: a range over a map; write an array " +
		"of fixed size and a loop over its indices instead\n1:22: a map; write an array of fixed size instead"},
	{"range over a function", "", "for x := range seq { old += float32(x) }\nreturn old",
		"source:34:10: a function value; write a direct call of a function of the package instead\nsource:34:63: a call of " +
			"a function value; write a call of a function of the package instead\ndeclarations:2:32: a function literal that " +
			"captures variables; write a function of the package with parameters instead"},
	{"math without PTX", "", "return float32(math.Sin(float64(old)))", "1:16: a call of math.Sin; write it with those " +
		"that a device has: math.Abs, Ceil, Copysign, Exp, FMA, Floor, Inf, IsInf, IsNaN, Log, Max, Min, NaN, Signbit, " +
		"Sqrt, Tanh, Trunc, the conversions to and from bits, and bits.LeadingZeros, OnesCount, TrailingZeros and Reverse " +
		"of 32 or 64 bits, instead"},
	{"other package", "", "if strings.Contains(\"a\", \"b\") { return 1 }\nreturn old",
		"1:4: a call of strings.Contains; write a function of the package instead"},
	{"pointer by condition", "", "a, b := old, acc\nq := &a\nif old > 1 { q = &b }\n*q = 1\nreturn a + b",
		"2:1: a pointer that depends on the way to it; write an index, or the value itself instead"},
	{"comparison of pointers", "", "a, b := old, acc\nif &a == &b { return 1 }\nreturn old",
		"2:7: a comparison of pointers; write a comparison of values or indices instead"},
	{"large array", "", "var a [100]float32\na[v.ID%100] = old\nreturn a[v.N%100]",
		"1:5: a value of type [100]float32, of more than 64 scalars; write a smaller array or struct instead"},
	{"linked struct", "type node struct { next *node; x float32 }", "var n node\nn.x = old\nn.next = &n\nreturn n.next.x",
		"1:5: a pointer in a variable, field next of p.node,; write the value itself, or an index instead\n3:3: a pointer " +
			"in a variable; write the value itself, or an index instead\n4:10: a pointer in a variable; write the value " +
			"itself, or an index instead\n4:10: a pointer in a variable, field next of p.node,; write the value itself, or an " +
			"index instead"},
	{"three at once", "", "println(old)\nm := map[int]int{}\n_ = m\nreturn float32(math.Cos(float64(old)))",
		"1:1: a call of println; write a method that only calculates instead\n2:17: a map; write an array of fixed size " +
			"instead\n4:16: a call of math.Cos; write it with those that a device has: math.Abs, Ceil, Copysign, Exp, FMA, " +
			"Floor, Inf, IsInf, IsNaN, Log, Max, Min, NaN, Signbit, Sqrt, Tanh, Trunc, the conversions to and from bits, and " +
			"bits.LeadingZeros, OnesCount, TrailingZeros and Reverse of 32 or 64 bits, instead"},
}

const refusedSource = `package p

import (
	"math"
	"slices"
	"strings"
	"unsafe"

	"github.com/garaph/garaph/gas"
)

var (
	_ = math.Pi
	_ = strings.Contains
	_ unsafe.Pointer
	_ = slices.Max[[]int]
)

type P struct {
	Name string
	List []float32
	Ref  *float32
	F    func(float32) float32
}

func (P) Init(gas.Vertex) (float32, bool)                   { return 0, true }
func (P) Zero() float32                                     { return 0 }
func (P) Gather(src float32, _ gas.Edge, _ float32) float32 { return src }
func (P) Sum(a, b float32) float32                          { return a + b }
func (P) Activate(_ gas.Vertex, old, new float32) bool      { return old != new }
func largest(list []float32) float32                        { return list[0] }
func named(s string) float32                                { return float32(len(s)) }
func pick(n uint32) func(float32) float32                   { return nil }
func seq(yield func(int) bool)                              { yield(1) }
DECLARATIONS
func (p P) Apply(v gas.Vertex, old, acc float32, step gas.Step) float32 {
BODY
}
`

// TestRefusals checks the text and the place of the error for each construct.
func TestRefusals(t *testing.T) {
	files := map[string]string{}
	for i, c := range refused {
		files[fmt.Sprintf("c%02d/p.go",
			i)] = strings.NewReplacer("DECLARATIONS", c.declarations, "BODY", c.body).Replace(refusedSource)
	}
	dir := module(t, files)
	list, err := source.Load(dir, []string{"./..."}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != len(refused) {
		t.Fatalf("%d programs", len(list))
	}
	for i, p := range list {
		c := refused[i]
		t.Run(c.name, func(t *testing.T) {
			_, err := ptx.Compile(p)
			var all ptx.Refusals
			if !errors.As(err, &all) {
				t.Fatalf("got %v", err)
			}
			before, _, _ := strings.Cut(refusedSource, "DECLARATIONS")
			first := strings.Count(before, "\n") + 1
			body := first + strings.Count(c.declarations, "\n") + 2
			var got []string
			for _, r := range all {
				name := fmt.Sprintf("c%02d/p.go", i)
				if filepath.ToSlash(r.Pos.Filename) != name {
					t.Errorf("%s is not in %s", r.Pos, name)
				}
				switch {
				case r.Pos.Line >= body:
					r.Pos = token.Position{Line: r.Pos.Line - body + 1, Column: r.Pos.Column}
				case r.Pos.Line >= first:
					r.Pos = token.Position{Filename: "declarations", Line: r.Pos.Line - first + 1, Column: r.Pos.Column}
				default:
					r.Pos.Filename = "source"
				}
				got = append(got, r.Error())
			}
			if got, want := strings.Join(got, "\n"), c.want; got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
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
