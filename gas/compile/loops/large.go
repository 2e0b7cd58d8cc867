package loops

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// inRegisters reports whether the Go compiler keeps values of type t in registers.
func inRegisters(t types.Type) bool {
	const words = 4 // and fields; see CanSSA in cmd/compile/internal/ssa
	if types.SizesFor("gc", "amd64").Sizeof(t) > words*8 {
		return false
	}
	switch t := t.Underlying().(type) {
	case *types.Array:
		return t.Len() == 0 || t.Len() == 1 && inRegisters(t.Elem())
	case *types.Struct:
		fits := t.NumFields() <= words
		for f := range t.Fields() {
			fits = fits && inRegisters(f.Type())
		}
		return fits
	}
	return true
}

// hold sets how the loops hold the program. Calling a method by value copies a program that is not
// kept in registers, even where the call is inlined. The loops hold such a program by a pointer to a
// type of the same fields, with copies of its methods.
func (f *File) hold(x *instance) error {
	x.Held, x.Hold, x.Whole = x.Type, "p", "l.p"
	if _, ok := x.program.Type.Underlying().(*types.Struct); !ok || x.program.Pointer || inRegisters(x.program.Type) {
		return nil
	}
	x.Fields = x.namer.unique(identifier(x.program.Name) + "Fields")
	x.Held, x.Hold, x.Whole = "*"+x.Fields, "(*"+x.Fields+")(&p)", x.Type+"(*l.p)"
	x.copied = map[string]*body{}
	for _, name := range []string{"Zero", "Gather", "Sum", "Apply", "Activate", "Aggregate", "Saturated", "Settled",
		"Priority"} {
		if method := x.program.Methods[name]; method != nil {
			x.addCopy(name)
			if b := x.copied[name]; (b == nil || b.changes) && uses(method, 0) {
				f.note(fmt.Sprintf("%s: every call of %s.%s copies the program: the method is of an embedded type, changes its "+
					"receiver or takes its address",
					x.program.Position(method.Pos()), x.program.Name, name))
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(x.copied)) {
		b := x.copied[name]
		text, err := b.printed()
		if err != nil {
			return err
		}
		receiver := "_"
		if names := b.decl.Recv.List[0].Names; len(names) > 0 {
			receiver = names[0].Name
		}
		text = b.typeParameters() + text
		if b.changes {
			text = fmt.Sprintf("%s := %s(*program_)\n%s", receiver, x.Type, text)
			receiver = "program_"
		}
		method, _ := x.method(name)
		signature := strings.TrimPrefix(x.namer.typeString(method.Signature(), x.imports), "func")
		x.Copies = append(x.Copies, fmt.Sprintf("func (%s *%s) %s%s {\n%s}\n", receiver, x.Fields, name, signature, text))
	}
	return nil
}

// addCopy adds a method, and those that it calls on its receiver, to the copied ones. A method of an
// embedded type is promoted in the copy of the type too.
func (x *instance) addCopy(name string) {
	decl, pkg, err := x.declaration(name)
	if err != nil || x.copied[name] != nil {
		return
	}
	b := &body{instance: x, pkg: pkg, decl: decl}
	b.changes = b.changesReceiver()
	x.copied[name] = b
	for _, s := range b.selections() {
		if s.Kind() == types.MethodVal && !b.changes {
			x.addCopy(s.Obj().Name())
		}
	}
}

// receiver returns the variable of the receiver, or nil if it has no name.
func (b *body) receiver() types.Object {
	if names := b.decl.Recv.List[0].Names; len(names) > 0 {
		return b.pkg.TypesInfo.Defs[names[0]]
	}
	return nil
}

// selections returns the fields and methods that the body selects of its receiver.
func (b *body) selections() map[*ast.Ident]*types.Selection {
	selected := map[*ast.Ident]*types.Selection{}
	ast.Inspect(b.decl.Body, func(n ast.Node) bool {
		if n, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := n.X.(*ast.Ident); ok && b.isReceiver(id) {
				selected[id] = b.pkg.TypesInfo.Selections[n]
			}
		}
		return true
	})
	return selected
}

func (b *body) isReceiver(id *ast.Ident) bool {
	obj := b.pkg.TypesInfo.Uses[id]
	return obj != nil && obj == b.receiver()
}

// changesReceiver reports whether the method may change its receiver or a part of it, or take its address.
func (b *body) changesReceiver() (changes bool) {
	changed := func(list ...ast.Expr) {
		for _, e := range list {
			for e != nil {
				switch n := e.(type) {
				case *ast.SelectorExpr:
					e = n.X
				case *ast.IndexExpr:
					e = n.X
				case *ast.ParenExpr:
					e = n.X
				case *ast.Ident:
					changes = changes || b.isReceiver(n)
					e = nil
				default:
					e = nil
				}
			}
		}
	}
	ast.Inspect(b.decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			changed(n.Lhs...)
		case *ast.IncDecStmt:
			changed(n.X)
		case *ast.RangeStmt:
			changed(n.Key, n.Value)
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				changed(n.X)
			}
		case *ast.SliceExpr:
			if _, ok := b.pkg.TypesInfo.TypeOf(n.X).Underlying().(*types.Array); ok {
				changed(n.X)
			}
		case *ast.SelectorExpr:
			if s := b.pkg.TypesInfo.Selections[n]; s != nil && s.Kind() == types.MethodVal {
				if _, ok := s.Obj().(*types.Func).Signature().Recv().Type().(*types.Pointer); ok {
					changed(n.X)
				}
			}
		}
		return !changes
	})
	return changes
}
