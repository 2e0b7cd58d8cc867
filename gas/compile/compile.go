// Package compile turns vertex programs into loops of their own: it finds the
// programs of Go packages and writes a file beside the source of each, with the
// method Loops that makes the program a compiled.Program. It implements `garaph
// compile`, which go generate calls.
package compile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/garaph/garaph/gas/compile/loops"
	"github.com/garaph/garaph/gas/compile/source"
	"github.com/garaph/garaph/internal/wholefile"
)

// Options selects the programs to compile.
type Options struct {
	Dir      string   // where the go command is run
	Packages []string // patterns of the go command
	Types    []string // names of program types; none: all
	Check    bool     // compare instead of writing
}

// Report lists the files of a compilation, with paths as the user would write them.
type Report struct {
	Programs []string // names, in order
	Written  []string // files that changed, or would have
	Removed  []string // files of programs that are no longer there, or would have been
	Same     []string
	Notes    []string // lines, each with a position
}

// Compile writes the files. With Check it writes nothing, and it is an error if it would have.
func Compile(o Options) (Report, error) {
	var r Report
	programs, err := source.Load(o.Dir, o.Packages, o.Types)
	if err != nil {
		return r, err
	}
	if len(programs) == 0 {
		return r, fmt.Errorf("no vertex program in %s: a program is a type with the methods of gas.Program",
			strings.Join(o.Packages, ", "))
	}
	files, err := loops.Generate(programs)
	if err != nil {
		return r, err
	}
	for _, p := range programs {
		r.Programs = append(r.Programs, p.Name)
	}
	for _, f := range files {
		r.Notes = append(r.Notes, f.Notes...)
		before, err := os.ReadFile(f.Path)
		switch {
		case err == nil && bytes.Equal(before, f.Text):
			r.Same = append(r.Same, o.relative(f.Path))
			continue
		case err == nil && !generated(before):
			return r, fmt.Errorf("%s is in the way: garaph compile did not write it, and would replace it", o.relative(f.Path))
		case err != nil && !errors.Is(err, os.ErrNotExist):
			return r, err
		}
		r.Written = append(r.Written, o.relative(f.Path))
		if !o.Check {
			if err := replace(f.Path, f.Text); err != nil {
				return r, err
			}
		}
	}
	if err := o.removeStale(&r, files); err != nil {
		return r, err
	}
	if stale := slices.Concat(r.Written, r.Removed); o.Check && len(stale) > 0 {
		return r, fmt.Errorf("generated files are not up to date: %s; run garaph compile, or go generate",
			strings.Join(stale, ", "))
	}
	return r, nil
}

// removeStale removes files of programs that are no longer there, which would
// not compile.
func (o Options) removeStale(r *Report, files []*loops.File) error {
	if len(o.Types) > 0 {
		return nil
	}
	var dirs []string
	keep := map[string]bool{}
	for _, f := range files {
		keep[f.Path] = true
		if dir := filepath.Dir(f.Path); !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		for _, e := range entries {
			path := filepath.Join(dir, e.Name())
			if ok, _ := filepath.Match("*"+source.GeneratedSuffix, e.Name()); !ok || keep[path] {
				continue
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if !generated(text) {
				continue
			}
			r.Removed = append(r.Removed, o.relative(path))
			if !o.Check {
				if err := os.Remove(path); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// generated reports whether garaph compile wrote a file.
func generated(text []byte) bool { return bytes.HasPrefix(text, []byte(loops.Header)) }

// replace writes a file whole or not at all.
func replace(path string, text []byte) error {
	return wholefile.Write(path, 0o644, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

func (o Options) relative(path string) string {
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return path
	}
	if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}
