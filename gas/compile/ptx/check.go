package ptx

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/garaph/garaph/gas/compile/source"
)

// checker looks for code outside the subset, in the methods of a program
// and in all functions that they call, and notes everything that it finds.
type checker struct {
	program  *source.Program
	refusals Refusals
	done     map[*ssa.Function]bool
	open     []*ssa.Function         // the calls that lead to the function looked at
	calls    map[token.Pos]token.Pos // where calls begin, by the position of their parenthesis, as in SSA
}

func newChecker(p *source.Program) *checker {
	c := &checker{program: p, done: map[*ssa.Function]bool{}, calls: map[token.Pos]token.Pos{}}
	for _, file := range p.Pkg.Syntax {
		ast.Inspect(file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				c.calls[call.Lparen] = call.Pos()
			}
			return true
		})
	}
	return c
}

func (c *checker) refuse(pos token.Pos, construct, instead string) {
	if start, ok := c.calls[pos]; ok {
		pos = start
	}
	c.refusals = append(c.refusals, Refusal{c.program.Position(pos), construct, instead})
}

// function checks a function once.
func (c *checker) function(f *ssa.Function) {
	if c.done[f] {
		return
	}
	c.done[f] = true
	c.open = append(c.open, f)
	if f.Synthetic == "" || f.Origin() != nil {
		c.signature(f)
	}
	for _, b := range f.DomPreorder() {
		for _, i := range b.Instrs {
			c.instruction(f, i)
		}
	}
	c.open = c.open[:len(c.open)-1]
}

// signature checks parameters and results, but for those of the methods
// themselves.
func (c *checker) signature(f *ssa.Function) {
	if len(c.open) == 1 {
		return
	}
	for i, p := range f.Params {
		if i == 0 && f.Signature.Recv() != nil && c.isProgram(p.Type()) {
			continue
		}
		c.valueType(p.Pos(), p.Type(), true)
	}
	returns := 0
	for _, b := range f.Blocks {
		if _, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok {
			returns++
		}
	}
	for r := range f.Signature.Results().Variables() {
		if _, ok := r.Type().Underlying().(*types.Pointer); ok && returns > 1 {
			c.refuse(f.Pos(), "a function that returns one of several pointers",
				"one that returns an index, or the value itself")
		}
	}
}

// isProgram reports whether t is the program's type, or that of one which it
// embeds, or a pointer to it: fields that are not read may be of any type.
func (c *checker) isProgram(t types.Type) bool {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	return isOrEmbeds(c.program.Type, t)
}

func isOrEmbeds(t, wanted types.Type) bool {
	if types.Identical(t, wanted) {
		return true
	}
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for field := range s.Fields() {
		if field.Embedded() && isOrEmbeds(field.Type(), wanted) {
			return true
		}
	}
	return false
}

// valueType reports whether a type can live in registers, and records a refusal otherwise.
func (c *checker) valueType(pos token.Pos, t types.Type, pointers bool) bool {
	if p, ok := t.Underlying().(*types.Pointer); ok && pointers {
		t = p.Elem()
	}
	if tuple, ok := t.(*types.Tuple); ok {
		for v := range tuple.Variables() {
			if !c.valueType(pos, v.Type(), pointers) {
				return false
			}
		}
		return true
	}
	if c.isProgram(t) {
		return true
	}
	construct, instead := unsupported(t)
	if construct != "" {
		c.refuse(pos, construct, instead)
	}
	return construct == ""
}

// instruction checks one instruction.
func (c *checker) instruction(f *ssa.Function, i ssa.Instruction) {
	pos := at(f, i)
	if construct, instead := outside(i); construct != "" {
		c.refuse(pos, construct, instead)
		return
	}
	switch i := i.(type) {
	case *ssa.DebugRef, *ssa.If, *ssa.Jump, *ssa.RunDefers, *ssa.Panic, *ssa.Next:
		return
	case *ssa.MakeInterface:
		if !onlyForPanic(i) {
			c.refuse(pos, "a conversion of "+name(i.X.Type())+" to interface type "+name(i.Type()), "code for the concrete type")
		}
		return
	case *ssa.Call:
		if !c.call(pos, i) {
			return
		}
	case *ssa.Phi:
		if _, ok := i.Type().Underlying().(*types.Pointer); ok {
			c.refuse(pos, "a pointer that depends on the way to it", "an index, or the value itself")
			return
		}
	case *ssa.BinOp:
		if _, ok := i.X.Type().Underlying().(*types.Pointer); ok {
			c.refuse(pos, "a comparison of pointers", "a comparison of values or indices")
			return
		}
		if !c.valueType(pos, i.X.Type(), false) {
			return
		}
	case *ssa.Convert:
		if !c.valueType(pos, i.X.Type(), false) {
			return
		}
	case *ssa.Store:
		if g := root(i.Addr); c.readOnly(f, g) {
			c.refuse(pos, "an assignment to the program", "what changes into the vertex's value")
			return
		}
	}
	for _, x := range i.Operands(nil) {
		if !c.operand(pos, *x) {
			return
		}
	}
	if v, ok := i.(ssa.Value); ok {
		c.valueType(pos, v.Type(), true)
	}
}

// readOnly reports whether an address leads to the program by a pointer
// receiver.
func (c *checker) readOnly(f *ssa.Function, root ssa.Value) bool {
	p, ok := root.(*ssa.Parameter)
	return ok && f.Signature.Recv() != nil && p == f.Params[0] && c.isProgram(p.Type())
}

// root returns the variable in which the field or element at an address lies.
func root(address ssa.Value) ssa.Value {
	for {
		switch a := address.(type) {
		case *ssa.FieldAddr:
			address = a.X
		case *ssa.IndexAddr:
			address = a.X
		default:
			return address
		}
	}
}

// operand checks an operand that no instruction makes.
func (c *checker) operand(pos token.Pos, x ssa.Value) bool {
	switch x := x.(type) {
	case *ssa.Global:
		c.refuse(pos, "the package variable "+x.Name(), "a constant, or a field of the program")
		return false
	case *ssa.Const:
		if x.Value == nil || x.Value.Kind() != constant.String {
			return c.valueType(pos, x.Type(), false)
		}
		c.refuse(pos, "a string", "a number")
		return false
	case *ssa.Function, *ssa.Builtin:
		return true
	}
	return true
}

// onlyForPanic reports whether a value is made for panic and nothing else.
func onlyForPanic(i *ssa.MakeInterface) bool {
	for _, r := range *i.Referrers() {
		if _, ok := r.(*ssa.Panic); !ok {
			return false
		}
	}
	return true
}

// call checks a call, and the called function.
func (c *checker) call(pos token.Pos, i *ssa.Call) bool {
	common := i.Common()
	if common.IsInvoke() {
		c.refuse(pos, fmt.Sprintf("a call of %s by way of interface %s", common.Method.Name(), name(common.Value.Type())),
			"a call of a method of a concrete type")
		return false
	}
	if b, ok := common.Value.(*ssa.Builtin); ok {
		switch b.Name() {
		case "min", "max", "ssa:wrapnilchk":
			return true
		case "len", "cap":
			return c.valueType(pos, common.Args[0].Type(), true)
		case "append", "copy", "clear":
			c.refuse(pos, "a call of "+b.Name(), "an array of fixed size")
		case "real", "imag", "complex":
			c.refuse(pos, "a complex number", "a struct of two floats")
		default:
			c.refuse(pos, "a call of "+b.Name(), "a method that only calculates")
		}
		return false
	}
	f := common.StaticCallee()
	if f == nil {
		c.refuse(pos, "a call of a function value", "a call of a function of the package")
		return false
	}
	if len(f.FreeVars) > 0 {
		return false // refused where it is made
	}
	if _, ok := intrinsics[intrinsicName(f)]; ok {
		return true
	}
	pkg := packageOf(f)
	switch {
	case pkg == nil && len(f.Blocks) > 0: // a wrapper
	case pkg == nil:
		c.refuse(pos, "a call of "+f.Name(), "a function of the package")
		return false
	case pkg.Path() == "math" || pkg.Path() == "math/bits":
		c.refuse(pos, "a call of "+pkg.Name()+"."+f.Name(), "it with those that a device has: math.Abs, Ceil, Copysign, "+
			"Exp, FMA, Floor, Inf, IsInf, IsNaN, Log, Max, Min, NaN, Signbit, Sqrt, Tanh, Trunc, the conversions to and from "+
			"bits, and bits.LeadingZeros, OnesCount, TrailingZeros and Reverse of 32 or 64 bits,")
		return false
	case len(f.Blocks) == 0 || !c.mayCall(pkg):
		c.refuse(pos, "a call of "+pkg.Name()+"."+f.Name(), "a function of the package")
		return false
	}
	for _, open := range c.open {
		if open == f {
			c.refuse(pos, "a recursive call of "+f.Name(), "a loop with a bound")
			return false
		}
	}
	c.function(f)
	return true
}

// mayCall reports whether the function looked at may call one of pkg: of its own
// package, or, if it is a wrapper, of that of the type that the program embeds.
func (c *checker) mayCall(pkg *types.Package) bool {
	from := packageOf(c.open[len(c.open)-1])
	return from == nil || from == pkg
}

// packageOf is the package that declares a function; wrappers have none.
func packageOf(f *ssa.Function) *types.Package {
	if o := f.Origin(); o != nil {
		f = o
	}
	if f.Parent() != nil {
		return packageOf(f.Parent())
	}
	if f.Synthetic != "" && len(f.Blocks) > 0 {
		return nil
	}
	if o := f.Object(); o != nil {
		return o.Pkg()
	}
	return nil
}
