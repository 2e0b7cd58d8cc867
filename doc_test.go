package garaph_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"strings"
	"testing"
)

// TestTypesDocumented: go doc shows the fields of a type, or where they are: an exported type that is another name of a type of
// another package says so in its comment, with a link. Options are structs of this package.
func TestTypesDocumented(t *testing.T) {
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, e := range entries {
		if name := e.Name(); !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), e.Name(), nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.TYPE {
				for _, spec := range g.Specs {
					n++
					checkTypeDoc(t, g, spec.(*ast.TypeSpec))
				}
			}
		}
	}
	if n == 0 {
		t.Error("the package has no types")
	}
}

func checkTypeDoc(t *testing.T, d *ast.GenDecl, s *ast.TypeSpec) {
	name, of := s.Name.Name, types.ExprString(s.Type)
	if !s.Name.IsExported() || !s.Assign.IsValid() {
		return
	}
	if strings.HasSuffix(name, "Options") {
		t.Errorf("%s is %s: go doc does not show its fields", name, of)
	}
	doc := s.Doc
	if doc == nil {
		doc = d.Doc
	}
	if !strings.Contains(doc.Text(), "["+of+"]") {
		t.Errorf("%s is %s, and its comment does not name that: %s", name, of, doc.Text())
	}
}
