package source

import (
	"errors"
	"fmt"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// methodNames are the methods of a program: six that it must have, then those
// of its abilities.
var methodNames = []string{
	"Init", "Zero", "Gather", "Sum", "Apply", "Activate",
	"Saturated", "Settled", "Aggregate", "Result", "Direction", "Monotone", "Priority",
}

const required = 6

// abilities are the interfaces of package gas that a method belongs to. Any
// one of them is enough.
var abilities = map[string][]string{
	"Saturated": {"Saturable"},
	"Settled":   {"Settleable"},
	"Aggregate": {"Aggregable"},
	"Result":    {"Float32Result", "Float64Result", "Int64Result", "VertexResult"},
	"Direction": {"Directed"},
	"Monotone":  {"Monotone"},
	"Priority":  {"Prioritized"},
}

// programs finds the programs among the types of the packages asked for.
func (l *loader) programs(names []string) ([]*Program, error) {
	var found []*Program
	var errs []error
	seen := map[string]bool{}
	wanted := func(name string) bool {
		seen[name] = true
		return len(names) == 0 || slices.Contains(names, name)
	}
	for _, pkg := range l.roots {
		if !slices.Contains(l.paths, pkg.PkgPath) {
			continue
		}
		for _, obj := range declared(pkg) {
			wantedName := wanted(obj.Name())
			instances, err := l.instances(pkg, obj)
			if err != nil {
				if wantedName || len(names) == 0 {
					errs = append(errs, err)
				}
				continue
			}
			if instances == nil && wantedName && len(names) > 0 {
				errs = append(errs, l.notAProgram(pkg, obj))
			}
			for _, p := range instances {
				if !wanted(p.Name) && !wantedName {
					continue
				}
				if err := p.checkPlain(); err != nil {
					errs = append(errs, err)
					continue
				}
				found = append(found, p)
			}
		}
	}
	for _, name := range names {
		if !seen[name] {
			errs = append(errs, fmt.Errorf("no type %s in %s", name, strings.Join(l.paths, ", ")))
		}
	}
	return found, errors.Join(errs...)
}

// declared lists the types of a package's scope in the order of their
// declarations.
func declared(pkg *packages.Package) []*types.TypeName {
	var list []*types.TypeName
	scope := pkg.Types.Scope()
	for _, name := range scope.Names() {
		if obj, ok := scope.Lookup(name).(*types.TypeName); ok && !obj.IsAlias() && !types.IsInterface(obj.Type()) {
			list = append(list, obj)
		}
	}
	slices.SortFunc(list, func(a, b *types.TypeName) int {
		x, y := pkg.Fset.Position(a.Pos()), pkg.Fset.Position(b.Pos())
		if c := strings.Compare(x.Filename, y.Filename); c != 0 {
			return c
		}
		return x.Offset - y.Offset
	})
	return list
}

// instances returns the programs that a type declaration stands for: none if it
// is no program, one, or one for each combination of type arguments.
func (l *loader) instances(pkg *packages.Package, obj *types.TypeName) ([]*Program, error) {
	named, ok := obj.Type().(*types.Named)
	if !ok || l.gas == nil {
		return nil, nil
	}
	params := named.TypeParams()
	if params.Len() == 0 {
		if p := l.program(pkg, obj, named); p != nil {
			return []*Program{p}, nil
		}
		return nil, nil
	}
	// As it is declared, over its own parameters.
	self := make([]types.Type, params.Len())
	for i := range self {
		self[i] = params.At(i)
	}
	generic, err := types.Instantiate(types.NewContext(), named, self, false)
	if err != nil || l.program(pkg, obj, generic) == nil {
		return nil, nil //nolint:nilerr // a type that can't be instantiated is no program
	}
	all, err := combinations(params)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", position(pkg.Fset, l.dir, obj.Pos()), err)
	}
	var programs []*Program
	context := types.NewContext()
	for _, args := range all {
		instance, err := types.Instantiate(context, named, args, true)
		if err != nil {
			continue // not all combinations need satisfy constraints with methods, or of one by another
		}
		if p := l.program(pkg, obj, instance); p != nil {
			programs = append(programs, p)
		}
	}
	if programs == nil {
		return nil, fmt.Errorf("%s: no type arguments satisfy the constraints of %s",
			position(pkg.Fset, l.dir, obj.Pos()), obj.Name())
	}
	return programs, nil
}

// program describes t if it is one, or is one by its pointer.
func (l *loader) program(pkg *packages.Package, obj *types.TypeName, t types.Type) *Program {
	p := &Program{
		Name:     types.TypeString(t, types.RelativeTo(pkg.Types)),
		TypeName: obj.Name(),
		Type:     t,
		Pkg:      pkg,
		File:     pkg.Fset.Position(obj.Pos()).Filename,
		Pos:      obj.Pos(),
		dir:      l.dir,
	}
	for _, p.Pointer = range []bool{false, true} {
		set := p.methodSet()
		p.V, p.A = result(set.Lookup(pkg.Types, "Apply")), result(set.Lookup(pkg.Types, "Zero"))
		if p.V != nil && p.A != nil && implements(l.gas, set, "Program", p.V, p.A) {
			return p
		}
	}
	return nil
}

// methodSet returns the methods of the type, or of its pointer.
func (p *Program) methodSet() *types.MethodSet {
	if p.Pointer {
		return types.NewMethodSet(types.NewPointer(p.Type))
	}
	return types.NewMethodSet(p.Type)
}

// has reports whether the program has a method as package gas wants it.
func (p *Program) has(gas *types.Package, name string) bool {
	if slices.Index(methodNames, name) < required {
		return true
	}
	for _, ability := range abilities[name] {
		value := p.V
		if name == "Saturated" {
			value = p.A
		}
		if implements(gas, p.methodSet(), ability, value) {
			return true
		}
	}
	return false
}

// implements reports whether the methods include those of an interface of package
// gas, instantiated if it is generic.
func implements(gas *types.Package, set *types.MethodSet, name string, args ...types.Type) bool {
	obj := gas.Scope().Lookup(name)
	if obj == nil {
		return false
	}
	t := obj.Type()
	if named, ok := t.(*types.Named); ok && named.TypeParams().Len() > 0 {
		instance, err := types.Instantiate(types.NewContext(), named, args, false)
		if err != nil {
			return false
		}
		t = instance
	}
	iface, ok := t.Underlying().(*types.Interface)
	if !ok {
		return false
	}
	for want := range iface.Methods() {
		sel := set.Lookup(want.Pkg(), want.Name())
		if sel == nil || !types.Identical(sel.Type(), want.Type()) {
			return false
		}
	}
	return true
}

// result returns the type of the only or first result of a method.
func result(sel *types.Selection) types.Type {
	if sel == nil {
		return nil
	}
	signature, ok := sel.Type().(*types.Signature)
	if !ok || signature.Results().Len() == 0 {
		return nil
	}
	return signature.Results().At(0).Type()
}

// notAProgram returns the reason that keeps a type, requested by name, from being one.
func (l *loader) notAProgram(pkg *packages.Package, obj *types.TypeName) error {
	at, set := position(pkg.Fset, l.dir, obj.Pos()), types.NewMethodSet(types.NewPointer(obj.Type()))
	missing := slices.DeleteFunc(slices.Clone(methodNames[:required]), func(name string) bool {
		return set.Lookup(pkg.Types, name) != nil
	})
	if len(missing) > 0 {
		return fmt.Errorf("%s: %s is no vertex program: it has no method %s", at, obj.Name(), strings.Join(missing, ", "))
	}
	return fmt.Errorf("%s: %s is no vertex program: its methods don't fit gas.Program for any V and A; "+
		"write `var _ gas.Program[V, A] = %s{}` to have the Go compiler say why", at, obj.Name(), obj.Name())
}
