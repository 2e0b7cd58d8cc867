package loops

import (
	"fmt"
	"go/build/constraint"
	"go/types"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/tools/go/packages"

	"github.com/garaph/garaph/gas/compile/source"
)

// namer gives names that mean nothing else in a package.
type namer struct {
	pkg   *packages.Package
	taken map[string]bool
	names map[string]string // of imported packages, by path
}

// own are the names of variables in the templates.
var own = strings.Fields("a acc activated active alone at b base begin bit bits cur d degree degrees done dst due e " +
	"edges end first found from full g i id ins k l list m " +
	"dsts nbr next o old olds outs p result_ rising row s set slot slots step sum u v value values w weight weights x D W")

func newNamer(pkg *packages.Package) *namer {
	n := &namer{pkg: pkg, taken: map[string]bool{}, names: map[string]string{}}
	for _, name := range pkg.Types.Scope().Names() {
		n.taken[name] = true
	}
	for _, file := range pkg.Syntax { // an import of one file is no name for a type of the package
		for _, i := range file.Imports {
			if obj := pkg.TypesInfo.PkgNameOf(i); obj != nil {
				n.taken[obj.Name()] = true
			}
		}
	}
	return n
}

// unique makes a name that is free in the package out of one that may not be.
func (n *namer) unique(name string) string {
	for n.taken[name] || types.Universe.Lookup(name) != nil {
		name += "_"
	}
	n.taken[name] = true
	return name
}

// importName returns the name of a package in generated files: its own name, if
// nothing in the package and nothing in the templates has it.
func (n *namer) importName(p *types.Package) string {
	if p.Path() == n.pkg.PkgPath {
		return ""
	}
	if name, ok := n.names[p.Path()]; ok {
		return name
	}
	name := p.Name()
	others := slices.Collect(maps.Values(n.names))
	for n.pkg.Types.Scope().Lookup(name) != nil || slices.Contains(own, name) || slices.Contains(others, name) {
		name += "_"
	}
	n.names[p.Path()] = name
	return name
}

// typeString writes a type as the package's files would, and adds to used the packages that
// it needs to import.
func (n *namer) typeString(t types.Type, used map[string]*types.Package) string {
	return types.TypeString(t, func(p *types.Package) string {
		name := n.importName(p)
		if name != "" {
			used[p.Path()] = p
		}
		return name
	})
}

// importsOf lists the import specifications of a file, those of the standard
// library first.
func (n *namer) importsOf(groups []*group) string {
	used := map[string]*types.Package{}
	for _, g := range groups {
		for _, x := range g.Instances {
			maps.Copy(used, x.imports)
		}
	}
	var standard, others []string
	for _, at := range slices.Sorted(maps.Keys(used)) {
		spec := fmt.Sprintf("\t%q", at)
		if name := n.importName(used[at]); name != path.Base(at) {
			spec = "\t" + name + spec
		}
		if first, _, _ := strings.Cut(at, "/"); strings.Contains(first, ".") {
			others = append(others, spec)
		} else {
			standard = append(standard, spec)
		}
	}
	if len(standard) > 0 {
		standard = append(standard, "")
	}
	return strings.Join(append(standard, others...), "\n")
}

// identifier turns "PageRank[float32]" into "pageRankFloat32".
func identifier(name string) string {
	var b strings.Builder
	upper := false
	for i, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			upper = true
			continue
		case upper:
			r = unicode.ToUpper(r)
		case i == 0 || startsWord(name[:i]) && !lowerFollows(name[i+len(string(r)):]):
			r = unicode.ToLower(r)
		}
		upper = false
		b.WriteRune(r)
	}
	return b.String()
}

// startsWord reports whether all of s is upper case.
func startsWord(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return !unicode.IsUpper(r) }) < 0
}

func lowerFollows(s string) bool {
	for _, r := range s {
		return unicode.IsLower(r)
	}
	return false
}

// constraintOf returns the build constraint of the program's file.
func constraintOf(p *source.Program) string {
	for _, file := range p.Pkg.Syntax {
		if p.Pkg.Fset.Position(file.FileStart).Filename != p.File {
			continue
		}
		for _, group := range file.Comments {
			for _, c := range group.List {
				if c.Pos() < file.Package && constraint.IsGoBuild(c.Text) {
					return c.Text
				}
			}
		}
	}
	return ""
}
