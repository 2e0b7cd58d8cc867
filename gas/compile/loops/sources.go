package loops

import (
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing/fstest"

	"golang.org/x/tools/go/ssa"

	"github.com/garaph/garaph/gas/compile/source"
	"github.com/garaph/garaph/gas/compiled"
)

// Packages that generated files import beside gas.
var (
	embedPackage    = types.NewPackage("embed", "embed")
	packedPackage   = types.NewPackage("github.com/garaph/garaph/shard/packed", "packed")
	compiledPackage = types.NewPackage("github.com/garaph/garaph/gas/compiled", "compiled")
)

// sourcesOf lists the files of the program's own package that its loops depend
// on, and returns their hash: the files of its type and of the functions that its methods
// call. The loops leave out code that methods do not need, so they are wrong when a
// method changes.
func sourcesOf(p *source.Program) (names []string, hash string, err error) {
	s := &sources{program: p, seen: map[*ssa.Function]bool{}, files: map[string]bool{p.File: true}}
	for _, m := range p.Methods {
		s.visit(m)
	}
	files := fstest.MapFS{}
	for _, file := range slices.Sorted(maps.Keys(s.files)) {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, "", err
		}
		names = append(names, filepath.Base(file))
		files[filepath.Base(file)] = &fstest.MapFile{Data: text}
	}
	hash, err = compiled.FilesHash(files)
	return names, hash, err
}

type sources struct {
	program *source.Program
	seen    map[*ssa.Function]bool
	files   map[string]bool
}

func (s *sources) visit(f *ssa.Function) {
	if f == nil || s.seen[f] {
		return
	}
	s.seen[f] = true
	if f.Pos().IsValid() {
		if file := s.program.Position(f.Pos()).Filename; filepath.Dir(file) == filepath.Dir(s.program.File) {
			s.files[file] = true
		}
	}
	for _, b := range f.Blocks {
		for _, i := range b.Instrs {
			if c, ok := i.(ssa.CallInstruction); ok {
				s.visit(c.Common().StaticCallee())
			}
		}
	}
}
