package source

import (
	"cmp"
	"errors"
	"fmt"
	"go/types"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
)

// gasPath is the package that defines programs.
const gasPath = "github.com/garaph/garaph/gas"

// excluded takes the place of a generated file: no build includes it.
const excluded = "//go:build ignore\n\npackage excluded\n"

const mode = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
	packages.NeedDeps | packages.NeedExportFile | packages.NeedTypes | packages.NeedTypesSizes | packages.NeedTypesInfo |
	packages.NeedSyntax | packages.NeedModule

// Load finds the programs of the packages that match the patterns, as the go
// command run in dir understands these. With names of types, as TypeName or as
// Name, only those are given, and each must be a program. The order is that of
// packages, files and declarations, and of the terms of constraints.
//
// Errors are one for each line, each with the position that it is about.
func Load(dir string, patterns, names []string) ([]*Program, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	l := &loader{dir: dir}
	if err := l.list(patterns); err != nil {
		return nil, err
	}
	if err := l.load(l.paths); err != nil {
		return nil, err
	}
	programs, err := l.programs(names)
	if err != nil {
		return nil, err
	}
	// The bodies of promoted methods may lie in packages that were not asked
	// for, and so were read without bodies.
	if more := l.missing(programs); len(more) > 0 {
		if err := l.load(append(slices.Clone(l.paths), more...)); err != nil {
			return nil, err
		}
		if programs, err = l.programs(names); err != nil {
			return nil, err
		}
	}
	return programs, l.build(programs)
}

// loader is one call of Load.
type loader struct {
	dir     string
	paths   []string          // of the packages that were asked for
	overlay map[string][]byte // generated files, excluded

	roots []*packages.Package // all that were read with bodies
	gas   *types.Package      // nil if nothing imports it
	ssa   *ssa.Program
}

// list finds the packages and the generated files in their directories.
func (l *loader) list(patterns []string) error {
	found, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedFiles, Dir: l.dir}, patterns...)
	if err != nil {
		return fmt.Errorf("loading Go packages: %w", err)
	}
	l.overlay = map[string][]byte{}
	for _, p := range found {
		l.paths = append(l.paths, p.PkgPath)
		for _, file := range Generated(p.Dir) {
			l.overlay[file] = []byte(excluded)
		}
	}
	// A pattern that the list did not name by path (no such package, say) has
	// its error reported when it is loaded.
	if len(found) == 0 {
		return fmt.Errorf("no Go package in %s matches %q", l.dir, patterns)
	}
	return nil
}

// Generated returns the generated files in a folder.
func Generated(dir string) []string {
	escaped := regexp.MustCompile(`[*?\[\\]`).ReplaceAllString(dir, `\$0`)
	files, _ := filepath.Glob(filepath.Join(escaped, "*"+GeneratedSuffix)) // the pattern is right
	return files
}

// load reads the packages with their bodies, and their imports without.
func (l *loader) load(paths []string) error {
	roots, err := packages.Load(&packages.Config{Mode: mode, Dir: l.dir, Overlay: l.overlay}, paths...)
	if err != nil {
		return fmt.Errorf("loading Go packages: %w", err)
	}
	slices.SortFunc(roots, func(a, b *packages.Package) int { return cmp.Compare(a.PkgPath, b.PkgPath) })
	var errs []error
	l.gas = nil
	packages.Visit(roots, nil, func(p *packages.Package) {
		for _, e := range p.Errors {
			if e.Kind == packages.ListError && len(p.Errors) > 1 && strings.HasPrefix(e.Msg, "# ") {
				continue // the compiler's summary of the other errors
			}
			errs = append(errs, l.describe(p, e))
		}
		if p.PkgPath == gasPath {
			l.gas = p.Types
		}
	})
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	l.roots = roots
	l.ssa, _ = ssautil.Packages(roots, ssa.InstantiateGenerics)
	return nil
}

func (l *loader) describe(p *packages.Package, e packages.Error) error {
	if e.Pos == "" || e.Pos == "-" {
		return fmt.Errorf("loading %s: %s", p.PkgPath, e.Msg)
	}
	return fmt.Errorf("%s: %s", relative(l.dir, e.Pos), e.Msg)
}

// missing returns the packages of promoted methods that were read without bodies.
func (l *loader) missing(programs []*Program) []string {
	var more []string
	for _, p := range programs {
		set := p.methodSet()
		for _, name := range methodNames {
			sel := set.Lookup(p.Pkg.Types, name)
			if sel == nil || sel.Obj().Pkg() == nil {
				continue
			}
			path := sel.Obj().Pkg().Path()
			if !slices.ContainsFunc(l.roots, func(r *packages.Package) bool { return r.PkgPath == path }) &&
				!slices.Contains(more, path) {
				more = append(more, path)
			}
		}
	}
	slices.Sort(more)
	return more
}

// build builds the SSA functions of all methods.
func (l *loader) build(programs []*Program) error {
	l.ssa.Build()
	for _, p := range programs {
		p.Methods = map[string]*ssa.Function{}
		set := p.methodSet()
		for _, name := range methodNames {
			if !p.has(l.gas, name) {
				continue
			}
			f := l.ssa.MethodValue(set.Lookup(p.Pkg.Types, name))
			if f == nil || f.Blocks == nil {
				return fmt.Errorf("%s: %s has no method %s with a body in Go", p.Position(p.Pos), p.Name, name)
			}
			p.Methods[name] = f
		}
	}
	return nil
}
