package loops

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
)

// TestUsesField checks that a field counts as read when a result may depend on it, also by
// another function; what is done with the whole struct, or with its address,
// counts for every field.
func TestUsesField(t *testing.T) {
	const text = `package p
type V struct{ A, B, C uint32 }
var kept V
func _none(V) uint32 { return 1 }
func b_(v V) uint32 { return v.B }
func ac_branch(v V) uint32 { if v.A > 2 { return v.C }; return 0 }
func b_called(v V) uint32 { return b_(v) + _none(v) }
func ab_called(v V) uint32 { return b_(v) + v.A }
func c_recursive(v V, n int) uint32 { if n > 0 { return c_recursive(v, n-1) }; return v.C }
func b_method(v V) uint32 { return v.second() }
func (v V) second() uint32 { return v.B }
func b_copied(v V) uint32 { w := v; return w.B }
func abc_compared(v V) bool { return v == V{} }
func abc_kept(v V) uint32 { kept = v; return 0 }
func abc_pointer(v V) uint32 { return first(&v) }
func first(v *V) uint32 { return v.A }
func abc_dynamic(v V) uint32 { return dynamic(v) }
var dynamic = b_
func a_changed(v V) uint32 { v.A++; return v.A }
func a_part(v V) uint32 { p := &v.A; return *p }
`
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", text, 0)
	if err != nil {
		t.Fatal(err)
	}
	pkg, _, err := ssautil.BuildPackage(&types.Config{Importer: importer.Default()}, fset, types.NewPackage("p", ""),
		[]*ast.File{file}, ssa.InstantiateGenerics)
	if err != nil {
		t.Fatal(err)
	}
	functions := 0
	for name, member := range pkg.Members {
		f, ok := member.(*ssa.Function)
		want, _, named := strings.Cut(name, "_") // the fields are in the name
		if !ok || !named {
			continue
		}
		functions++
		got := ""
		for i, field := range []string{"a", "b", "c"} {
			if usesField(f, 0, i) {
				got += field
			}
		}
		if got != want {
			t.Errorf("%s reads %q", name, got)
		}
		if uses(f, 0) != (want != "") {
			t.Errorf("%s uses the parameter: %v", name, uses(f, 0))
		}
	}
	if functions != 14 {
		t.Errorf("only %d functions were found", functions)
	}
}
