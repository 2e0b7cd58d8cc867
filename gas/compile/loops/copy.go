package loops

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/astutil"
	"golang.org/x/tools/go/packages"
)

// copyLarge puts the bodies of methods that the Go compiler does not inline in
// the place of their calls, where that can be done, and records which were copied and
// which were not.
func copyLarge(files []*File) error {
	byDir := map[string][]*File{}
	for _, f := range files {
		byDir[filepath.Dir(f.Path)] = append(byDir[filepath.Dir(f.Path)], f)
	}
	for dir, files := range byDir {
		d, err := ask(dir, files)
		if err != nil {
			return err
		}
		switch changed, err := withoutNarrow(files, d); {
		case err != nil:
			return err
		case changed:
			if d, err = ask(dir, files); err != nil {
				return err
			}
		}
		for _, f := range files {
			if err := f.copyLarge(d); err != nil {
				return err
			}
		}
	}
	return nil
}

func (f *File) copyLarge(d *decisions) error {
	lines := strings.SplitAfter(string(f.Text), "\n")
	copied := false
	for _, c := range calls(f, d) {
		if c.inlined {
			continue
		}
		x := f.instance(c.loops)
		where := x.program.Position(x.program.Methods[c.method].Pos())
		name := x.program.Name + "." + c.method
		text, err := x.copyOf(c)
		var note string
		if err == nil {
			lines[c.line-1] = text
			copied = true
			note = fmt.Sprintf("%s: %s is too large for the Go compiler to inline: its body is copied into the loops; run "+
				"garaph compile again when it changes", where, name)
		} else {
			note = fmt.Sprintf("%s: %s is called, not inlined: %s; and it cannot be copied: %v", where, name,
				x.reason(d, c.method), err)
		}
		f.note(note)
	}
	if !copied {
		return nil
	}
	f.Text = []byte(strings.Join(lines, ""))
	return f.format()
}

func (f *File) instance(loops string) *instance {
	for _, g := range f.groups {
		for _, x := range g.Instances {
			if x.Name == loops {
				return x
			}
		}
	}
	return nil
}

// reason returns the compiler's message about a method.
func (x *instance) reason(d *decisions, method string) string {
	for _, receiver := range []string{x.program.TypeName, "(*" + x.program.TypeName + ")"} {
		if why, ok := d.refused[receiver+"."+method]; ok {
			return why
		}
	}
	return "the Go compiler does not inline it"
}

// copyOf returns statements equivalent to the call: a block in which the
// parameters are variables and a return leaves a loop that runs once. The result
// leaves that block before it is assigned: a parameter may have the name of the variable
// that it is assigned to.
func (x *instance) copyOf(c call) (string, error) {
	decl, pkg, err := x.declaration(c.method)
	if err != nil {
		return "", err
	}
	b := &body{instance: x, pkg: pkg, decl: decl, label: fmt.Sprintf("%s%d_", c.method, c.line)}
	receiver := "p"
	if copied := x.copied[c.method]; copied != nil && copied.changes {
		b.changes, receiver = true, x.Type+"(*p)"
	}
	if err := b.check(); err != nil {
		return "", err
	}
	var out strings.Builder
	if c.assign == ":=" {
		fmt.Fprintf(&out,
			"var %s %s\n", c.to, x.namer.typeString(x.program.Methods[c.method].Signature.Results().At(0).Type(), x.imports))
	}
	result := b.unusedName("result_")
	fmt.Fprintf(&out, "{\nvar %s %s\n", result,
		x.namer.typeString(x.program.Methods[c.method].Signature.Results().At(0).Type(), x.imports))
	out.WriteString("{\n" + b.bind(receiver, c.args))
	text, err := b.text(result)
	if err != nil {
		return "", err
	}
	fmt.Fprintf(&out, "%s:\nfor {\n%s\n}\n}\n%s = %s\n}\n", b.label, text, c.to, result)
	return out.String(), nil
}

// unusedName makes a name that the method does not use.
func (b *body) unusedName(name string) string {
	for {
		used := false
		ast.Inspect(b.decl, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			used = used || ok && id.Name == name
			return !used
		})
		if !used {
			return name
		}
		name += "_"
	}
}

// method finds a method, and the path of embedded fields to it.
func (x *instance) method(name string) (*types.Func, []int) {
	obj, index, _ := types.LookupFieldOrMethod(x.program.Type, true, x.program.Pkg.Types, name)
	return obj.(*types.Func), index
}

// declaration finds the source of a method.
func (x *instance) declaration(method string) (*ast.FuncDecl, *packages.Package, error) {
	obj, index := x.method(method)
	if len(index) != 1 || obj.Pkg() != x.program.Pkg.Types {
		return nil, nil, errors.New("it is a method of an embedded type")
	}
	origin := obj.Origin()
	for _, file := range x.program.Pkg.Syntax {
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && x.program.Pkg.TypesInfo.Defs[f.Name] == origin {
				return f, x.program.Pkg, nil
			}
		}
	}
	return nil, nil, errors.New("its source was not found")
}

// body is a method's body on its way into a loop.
type body struct {
	*instance
	pkg   *packages.Package
	decl  *ast.FuncDecl
	label string
	// changes reports whether the method changes its receiver, which in the loops is a pointer.
	changes bool
}

// check returns an error if a statement would have another meaning elsewhere.
func (b *body) check() error {
	var err error
	if results := b.decl.Type.Results; len(results.List[0].Names) > 0 {
		return errors.New("its result has a name")
	}
	ast.Inspect(b.decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			err = errors.New("it has a function literal")
		case *ast.DeferStmt:
			err = errors.New("it has a defer statement")
		case *ast.LabeledStmt:
			err = errors.New("it has a label")
		case *ast.BranchStmt:
			if n.Label != nil {
				err = errors.New("it has a label")
			}
		case *ast.Ident:
			// What the loop calls by a name of the package would be hidden.
			obj := b.pkg.TypesInfo.Uses[n]
			if obj != nil && obj.Parent() == b.pkg.Types.Scope() && slices.Contains(own, n.Name) {
				err = fmt.Errorf("it uses %s, a name that the loops use too", n.Name)
			}
		}
		return err == nil
	})
	return err
}

// typeParameters declares the type parameters of the receiver.
func (b *body) typeParameters() string {
	var out strings.Builder
	if named, ok := types.Unalias(b.program.Type).(*types.Named); ok && named.TypeArgs().Len() > 0 {
		method := b.pkg.TypesInfo.Defs[b.decl.Name].(*types.Func)
		params := method.Signature().RecvTypeParams()
		for i := range params.Len() {
			if name := params.At(i).Obj().Name(); name != "_" {
				fmt.Fprintf(&out, "type %s = %s\n", name, b.namer.typeString(named.TypeArgs().At(i), b.imports))
			}
		}
	}
	return out.String()
}

// bind declares the receiver, the type parameters and the parameters.
func (b *body) bind(value string, args []string) string {
	var out strings.Builder
	out.WriteString(b.typeParameters())
	var names []string
	name := func(field *ast.Field) {
		for _, id := range field.Names {
			names = append(names, id.Name)
		}
		if len(field.Names) == 0 {
			names = append(names, "_")
		}
	}
	name(b.decl.Recv.List[0])
	for _, field := range b.decl.Type.Params.List {
		name(field)
	}
	// What is not used, in the body or in the loop from now on, is no error.
	unused := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == "_" })
	declare := ":="
	if len(unused) == 0 {
		declare = "="
	}
	fmt.Fprintf(&out, "%s %s %s\n", strings.Join(names, ", "), declare,
		strings.Join(append([]string{value}, args...), ", "))
	if len(unused) > 0 {
		fmt.Fprintf(&out, "%s = %s\n", strings.Repeat("_, ", len(unused)-1)+"_", strings.Join(unused, ", "))
	}
	return out.String()
}

// text prints the body with assignments in the place of returns.
func (b *body) text(result string) (string, error) {
	printed, err := b.printed()
	if err != nil {
		return "", err
	}
	// A copy of the tree, to be changed.
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", "package p\nfunc f() {\n"+printed+"\n}", parser.SkipObjectResolution)
	if err != nil {
		return "", err
	}
	block := file.Decls[0].(*ast.FuncDecl).Body
	astutil.Apply(block, func(c *astutil.Cursor) bool {
		if n, ok := c.Node().(*ast.ReturnStmt); ok {
			c.InsertBefore(&ast.AssignStmt{Lhs: []ast.Expr{ast.NewIdent(result)}, Tok: token.ASSIGN, Rhs: n.Results})
			c.Replace(&ast.BranchStmt{Tok: token.BREAK, Label: ast.NewIdent(b.label)})
		}
		return true
	}, nil)
	return statements(fset, block)
}

// printed prints the body with the names that packages have in the generated file. Where the receiver
// is a pointer to a copy of its fields, calls that need the program get it.
func (b *body) printed() (string, error) {
	names, selected := map[*ast.Ident]string{}, b.selections()
	defer func() {
		for id, name := range names {
			id.Name = name
		}
	}()
	rename := func(id *ast.Ident, name string) {
		names[id] = id.Name
		id.Name = name
	}
	ast.Inspect(b.decl.Body, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		if p, ok := b.pkg.TypesInfo.Uses[id].(*types.PkgName); ok {
			b.imports[p.Imported().Path()] = p.Imported()
			rename(id, b.namer.importName(p.Imported()))
		} else if b.copied != nil && !b.changes && b.isReceiver(id) && selected[id] == nil {
			rename(id, b.Type+"(*"+id.Name+")")
		}
		return true
	})
	return statements(b.pkg.Fset, b.decl.Body)
}

// statements prints those of a block.
func statements(fset *token.FileSet, block *ast.BlockStmt) (string, error) {
	var out bytes.Buffer
	for _, s := range block.List {
		if err := printer.Fprint(&out, fset, s); err != nil {
			return "", err
		}
		out.WriteByte('\n')
	}
	return out.String(), nil
}
