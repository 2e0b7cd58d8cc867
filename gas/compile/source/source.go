// Package source reads Go packages and finds the vertex programs in them, in
// the form that compilers want: go/types for types, go/ssa for the code of
// methods.
package source

import (
	"go/token"
	"go/types"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
)

// GeneratedSuffix ends the names of the files that compilation writes. Loading
// treats these files as absent, so that a stale one, or one that was written in
// part, is never in the way of its own replacement.
const GeneratedSuffix = "_garaph.go"

// Program is one vertex program: a type with the methods of gas.Program.
// A generic type is as many programs as its type parameters have instances.
type Program struct {
	Name     string     // as in Go, within its package: "BFS", "PageRank[float32]"
	TypeName string     // without type arguments: "PageRank"
	Type     types.Type // the type, instantiated
	Pointer  bool       // only the pointer to Type has all methods
	V, A     types.Type // vertex value and accumulator

	Pkg  *packages.Package // where the type is declared
	File string            // the source file that declares it
	Pos  token.Pos         // of the declaration

	// Methods are the six of gas.Program, and those of Saturated, Settled,
	// Aggregate, Result and Direction that the program has with the signature
	// of an ability. They are built and concrete, whatever the type is made of;
	// a promoted method is a wrapper around the embedded type's.
	Methods map[string]*ssa.Function

	dir string
}

// Position reports where pos is, with the file's name relative to the directory
// of [Load] if it lies below.
func (p *Program) Position(pos token.Pos) token.Position {
	return position(p.Pkg.Fset, p.dir, pos)
}

func position(fset *token.FileSet, dir string, pos token.Pos) token.Position {
	at := fset.Position(pos)
	at.Filename = relative(dir, at.Filename)
	return at
}

func relative(dir, file string) string {
	if r, err := filepath.Rel(dir, file); err == nil && r != ".." &&
		!strings.HasPrefix(r, ".."+string(filepath.Separator)) {
		return r
	}
	return file
}
