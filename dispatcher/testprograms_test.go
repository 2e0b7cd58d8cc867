package dispatcher

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/garaph/garaph/gas/compile/ptx"
	"github.com/garaph/garaph/gas/compile/ptx/testdata/subset"
	"github.com/garaph/garaph/gas/compile/source"
	"github.com/garaph/garaph/gas/compiled"
	"github.com/garaph/garaph/programs"
)

// Built-in programs, and one that tests the compiler to PTX, with fragments that are compiled when they are
// first needed, so that these tests do not depend on generated files.
type (
	// BFS is programs.BFS.
	BFS struct{ programs.BFS }
	// Flag is subset.Flag, whose Init and Saturated do not compile to PTX.
	Flag struct{ subset.Flag }
	// WCC is programs.WCC.
	WCC struct{ programs.WCC }
	// SSSP is programs.SSSP.
	SSSP[F float32 | float64] struct{ programs.SSSP[F] }
	// PageRank is programs.PageRank.
	PageRank[F float32 | float64] struct{ programs.PageRank[F] }
)

func (BFS) Fragments() compiled.Fragments     { return fragmentsOf("BFS") }
func (Flag) Fragments() compiled.Fragments    { return fragmentsOf("Flag") }
func (WCC) Fragments() compiled.Fragments     { return fragmentsOf("WCC") }
func (SSSP[F]) Fragments() compiled.Fragments { return fragmentsOf("SSSP" + typeArgument[F]()) }
func (PageRank[F]) Fragments() compiled.Fragments {
	return fragmentsOf("PageRank" + typeArgument[F]())
}

func typeArgument[F any]() string {
	var f F
	return fmt.Sprintf("[%T]", f)
}

// fragmentsOf returns the compiled methods of a program.
func fragmentsOf(name string) compiled.Fragments {
	all, err := allFragments()
	if err != nil {
		panic(err)
	}
	f, ok := all[name]
	if !ok {
		panic("no program " + name)
	}
	return f
}

var allFragments = sync.OnceValues(func() (map[string]compiled.Fragments, error) {
	root, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	for {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			break
		}
		if filepath.Dir(root) == root {
			return nil, fmt.Errorf("no go.mod above the working folder")
		}
		root = filepath.Dir(root)
	}
	list, err := source.Load(root, []string{"./programs", "./gas/compile/ptx/testdata/subset"}, nil)
	if err != nil {
		return nil, err
	}
	all := map[string]compiled.Fragments{}
	for _, p := range list {
		if all[p.Name], err = ptx.Compile(p); err != nil {
			return nil, err
		}
	}
	return all, nil
})
