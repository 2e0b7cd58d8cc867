package loops

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"
)

// addNarrow copies Gather for edges whose weights are float32, so that float32(e.Weight) takes no detour
// through float64. It does so if Gather does nothing with the edge but converting its weight.
func (x *instance) addNarrow() error {
	if !x.UsesEdge {
		return nil
	}
	decl, pkg, err := x.declaration("Gather")
	if err != nil {
		return nil //nolint:nilerr // of an embedded type: it is called as it is
	}
	b := &body{instance: x, pkg: pkg, decl: decl}
	if b.changes = b.changesReceiver(); b.changes || !b.convertsWeight() {
		return nil
	}
	text, err := b.printed()
	if err != nil {
		return err
	}
	receiver := "_"
	if names := decl.Recv.List[0].Names; len(names) > 0 {
		receiver = names[0].Name
	}
	name := x.namer.unique(identifier(x.program.Name) + "Narrow")
	method, _ := x.method("Gather")
	signature := strings.TrimPrefix(x.namer.typeString(method.Signature(), x.imports), "func(")
	signature = strings.Replace(signature, " "+x.Gas+".Edge", " "+x.Compiled+".NarrowEdge", 1)
	x.Narrow = name
	x.NarrowCopy = fmt.Sprintf("func %s(%s %s, %s {\n%s%s}\n", name, receiver, x.Held, signature, b.typeParameters(), text)
	return nil
}

// convertsWeight reports whether the edge is used in conversions of its weight alone.
func (b *body) convertsWeight() bool {
	var names []*ast.Ident
	for _, field := range b.decl.Type.Params.List {
		names = append(names, field.Names...)
	}
	if len(names) < 3 {
		return false
	}
	edge, uses := b.pkg.TypesInfo.Defs[names[1]], 0
	ast.Inspect(b.decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			to := b.pkg.TypesInfo.Types[n.Fun]
			if _, generic := to.Type.(*types.TypeParam); len(n.Args) != 1 || !to.IsType() || types.IsInterface(to.Type) &&
				!generic {
				break
			}
			if s, ok := n.Args[0].(*ast.SelectorExpr); ok {
				if id, ok := s.X.(*ast.Ident); ok && b.pkg.TypesInfo.Uses[id] == edge {
					uses--
				}
			}
		case *ast.Ident:
			if obj := b.pkg.TypesInfo.Uses[n]; obj == edge && obj != types.Object(nil) {
				uses++
			}
		}
		return true
	})
	return uses == 0
}

// withoutNarrow writes files again without the copies that the Go compiler does not inline, if there are any.
func withoutNarrow(files []*File, d *decisions) (changed bool, err error) {
	for _, f := range files {
		without := false
		for _, g := range f.groups {
			for _, x := range g.Instances {
				if _, refused := d.refused[x.Narrow]; refused {
					x.Narrow, x.NarrowCopy, without = "", "", true
				}
			}
		}
		if !without {
			continue
		}
		changed = true
		if err := f.write(); err != nil {
			return false, err
		}
	}
	return changed, nil
}
