// Package loops writes vertex programs as Go loops: for each program a file
// with a method Loops that gives the gas.Loops of that program's methods. Types
// are concrete in the loops, so that the Go compiler inlines the methods: what
// is left for an edge is what a loop written by hand would do.
//
// The loops call the methods, and so follow what is changed in them. Only a
// method that is too large for the Go compiler to inline is copied into the
// loops, where that can be done.
package loops

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"go/format"
	"path/filepath"
	"slices"
	"strings"

	"github.com/garaph/garaph/gas/compile/source"
)

// File is a generated file.
type File struct {
	Path  string
	Text  []byte
	Notes []string // what a user should know of it, a line each

	groups []*group
}

// Generate writes the files for the programs of one or more packages, as
// [source.Load] gives them, in the order of their paths. fragments gives lines
// of Go that fill in fields of a program's gas.Loops called l, besides the
// loops; it may be nil.
func Generate(programs []*source.Program, fragments func(*source.Program) (string, error)) ([]*File, error) {
	var files []*File
	at := map[string]*File{}
	names := map[string]*namer{} // by package
	var errs []error
	for _, p := range programs {
		path := Path(p)
		f := at[path]
		if f == nil {
			f = &File{Path: path}
			at[path] = f
			files = append(files, f)
		}
		n := names[p.Pkg.PkgPath]
		if n == nil {
			n = newNamer(p.Pkg)
			names[p.Pkg.PkgPath] = n
		}
		if err := f.add(p, n, fragments); err != nil {
			errs = append(errs, err)
		}
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	slices.SortFunc(files, func(a, b *File) int { return cmp.Compare(a.Path, b.Path) })
	for _, f := range files {
		if err := f.write(); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// Path is where the loops of a program belong: beside its source.
func Path(p *source.Program) string {
	return filepath.Join(filepath.Dir(p.File), strings.ToLower(p.TypeName)+source.GeneratedSuffix)
}

// group is a type declaration with its instances: one, if it is not generic.
type group struct {
	TypeName  string
	Receiver  string // of the method Loops, as in "p PageRank[F]"
	Result    string // of the method Loops, in terms of the receiver's parameters
	Generic   bool
	Instances []*instance
}

// add adds an instance to the file.
func (f *File) add(p *source.Program, n *namer, fragments func(*source.Program) (string, error)) error {
	i := slices.IndexFunc(f.groups, func(g *group) bool { return g.TypeName == p.TypeName })
	if i < 0 {
		g, err := newGroup(p, n)
		if err != nil {
			return err
		}
		f.groups = append(f.groups, g)
		i = len(f.groups) - 1
	}
	x := newInstance(p, n)
	if fragments != nil {
		var err error
		if x.Fragments, err = fragments(p); err != nil {
			return err
		}
	}
	f.groups[i].Instances = append(f.groups[i].Instances, x)
	return nil
}

// write makes the text of the file.
func (f *File) write() error {
	first := f.groups[0].Instances[0]
	imports := first.namer.importsOf(f.groups)
	var b bytes.Buffer
	err := fileTemplate.Execute(&b, map[string]any{
		"Constraint": constraintOf(first.program), "Package": first.program.Pkg.Name, "Imports": imports, "Groups": f.groups,
	})
	if err != nil {
		return fmt.Errorf("writing %s: %w", f.Path, err)
	}
	if f.Text, err = format.Source(b.Bytes()); err != nil {
		return fmt.Errorf("writing %s: %w\n%s", f.Path, err, b.Bytes())
	}
	return nil
}
