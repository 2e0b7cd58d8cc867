// Package ptx compiles vertex programs from Go to PTX, as fragments that are
// spliced into kernels.
//
// The subset is plain calculation: bools, integers and floats, arrays
// and structs of them; if, switch and for; calls of
// functions of the package, which are inlined; min and max; some functions of
// math and math/bits. The meaning is the same as in Go, bit for bit but for
// the payload of NaN: integers wrap, shifts by more than the width give 0 or the
// sign, a division of integers by 0 is a [compiled.Fault], a multiplication and an
// addition are rounded one by one, a float out of an integer's range converts as
// on amd64. Only math.Exp, Log and Tanh may differ by a few units of the last
// place of a float64. Everything else is refused with its position.
//
// All values live in registers. An array with an index that is not constant
// becomes a choice among its elements, so arrays are small.
package ptx

import (
	"errors"
	"fmt"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/garaph/garaph/gas/compile/source"
	"github.com/garaph/garaph/gas/compiled"
)

// The most bytes that a value and an accumulator may have.
const (
	MostValueBytes       = 64
	MostAccumulatorBytes = 16
)

// method is one that kernels call, with the names that its parameters have there.
type method struct {
	name       string
	parameters []string
	fragment   func(*compiled.Fragments) *compiled.Fragment
}

// methods become fragments. Init runs on the CPU.
var methods = []method{
	{"Zero", nil, func(f *compiled.Fragments) *compiled.Fragment { return &f.Zero }},
	{"Gather", []string{"src", "edge", "dst"}, func(f *compiled.Fragments) *compiled.Fragment { return &f.Gather }},
	{"Sum", []string{"a", "b"}, func(f *compiled.Fragments) *compiled.Fragment { return &f.Sum }},
	{"Apply", []string{"v", "old", "acc", "step"}, func(f *compiled.Fragments) *compiled.Fragment { return &f.Apply }},
	{"Activate", []string{"v", "old", "new"}, func(f *compiled.Fragments) *compiled.Fragment { return &f.Activate }},
	{"Settled", []string{"value", "step"}, func(f *compiled.Fragments) *compiled.Fragment { return &f.Settled }},
	{"Aggregate", []string{"v", "value"}, func(f *compiled.Fragments) *compiled.Fragment { return &f.Aggregate }},
}

// helpful are methods without which kernels of frontiers do more than they need: one that
// is outside the subset is left out.
var helpful = []method{
	{"Saturated", []string{"acc", "step"}, func(f *compiled.Fragments) *compiled.Fragment { return &f.Saturated }},
	{"Priority", []string{"value"}, func(f *compiled.Fragments) *compiled.Fragment { return &f.Priority }},
}

// fieldNames are the names of the fields of gas.Vertex, gas.Edge and gas.Step in fragments.
var fieldNames = map[string][]string{
	"v": {"id", "n", "in", "out"}, "edge": {"weight"}, "step": {"iteration", "aggregate"},
}

// Compile returns the fragments of a program, or all that it refuses, as
// [Refusals].
func Compile(p *source.Program) (compiled.Fragments, error) {
	c := newChecker(p)
	c.dataType("vertex value", p.V, MostValueBytes)
	c.dataType("accumulator", p.A, MostAccumulatorBytes)
	for _, m := range methods {
		if f := p.Methods[m.name]; f != nil {
			c.function(f)
		}
	}
	if leafCount(p.Type) > mostLeaves {
		c.refuse(p.Pos, fmt.Sprintf("a program of more than %d scalars", mostLeaves), "fewer fields")
	}
	if len(c.refusals) > 0 {
		return compiled.Fragments{}, c.refusals.sorted()
	}

	out := compiled.Fragments{Program: p.Name, Value: layout(p.V), Accumulator: layout(p.A), Parameters: layout(p.Type)}
	for _, m := range methods {
		if err := c.compile(m, &out); err != nil {
			return compiled.Fragments{}, err
		}
	}
	if len(c.refusals) > 0 {
		return compiled.Fragments{}, c.refusals.sorted()
	}
	for _, m := range helpful {
		if err := newChecker(p).compileIf(m, &out); err != nil {
			return compiled.Fragments{}, err
		}
	}
	out.Parameters.Leaves = usable(out.Parameters.Leaves)
	out.SumOp = sumOp(p.Methods["Sum"], p.A)
	return out, nil
}

// compile adds the fragment of a method that the program has.
func (c *checker) compile(m method, to *compiled.Fragments) error {
	f := c.program.Methods[m.name]
	if f == nil {
		return nil
	}
	fragment, err := c.fragment(f, m.parameters)
	*m.fragment(to) = fragment
	return err
}

// compileIf does so unless the method is outside the subset.
func (c *checker) compileIf(m method, to *compiled.Fragments) error {
	if f := c.program.Methods[m.name]; f != nil {
		c.function(f)
	}
	if len(c.refusals) > 0 {
		return nil
	}
	err := c.compile(m, to)
	var refused Refusals
	if len(c.refusals) > 0 || errors.As(err, &refused) {
		*m.fragment(to) = compiled.Fragment{}
		return nil
	}
	return err
}

// dataType refuses values and accumulators that don't lie in memory as plain
// data, or not in registers.
func (c *checker) dataType(what string, t types.Type, most int) {
	pos := c.program.Pos
	if named, ok := t.(*types.Named); ok && named.Obj().Pkg() == c.program.Pkg.Types {
		pos = named.Obj().Pos()
	}
	construct, instead := unsupported(t)
	size := sizes.Sizeof(t)
	switch {
	case construct != "":
		c.refuse(pos, "a "+what+" with "+construct, instead)
	case size > int64(most):
		c.refuse(pos, fmt.Sprintf("a %s of %d bytes", what, size), fmt.Sprintf("one of at most %d bytes", most))
	case size == 0:
		c.refuse(pos, "a "+what+" of 0 bytes", "a bool")
	}
}

// fragment compiles a method.
func (c *checker) fragment(f *ssa.Function, names []string) (out compiled.Fragment, err error) {
	e := &emitter{refuse: func(i ssa.Instruction, construct, instead string) {
		c.refuse(at(f, i), construct, instead)
	}}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case tooLong:
			err = Refusals{{c.program.Position(f.Pos()),
				fmt.Sprintf("a method %s of more than %d instructions", f.Name(), mostInstructions),
				"fewer calls of large functions"}}
		case deviceError:
			err = fmt.Errorf("compiling garaph's own functions for devices: %w", r.err)
		default: // of garaph: code outside the subset was refused before
			err = fmt.Errorf("%s: compiling %s of %s: %v", c.program.Position(f.Pos()), f.Name(), c.program.Name, r)
		}
	}()
	e.end = e.label()
	args := []value{c.receiver(f.Params[0].Type())}
	for i, p := range f.Params[1:] {
		var v value
		for k, kind := range kindsOf(p.Type()) {
			leaf := fmt.Sprint(k)
			if fields := fieldNames[names[i]]; fields != nil {
				leaf = fields[k]
			}
			v.leaves = append(v.leaves, e.input("${"+names[i]+"."+leaf+"}", kind))
		}
		args = append(args, v)
	}
	for k, leaf := range e.inline(f, args).leaves {
		e.move(operand{fmt.Sprintf("${out.%d}", k), leaf.kind}, leaf)
	}
	e.place(e.end)
	out.Text, out.Inputs = render(tidy(e.list))
	return out, nil
}

// receiver is the program: its fields are inputs.
func (c *checker) receiver(t types.Type) value {
	var v value
	n := 0
	for _, k := range kindsOf(c.program.Type) {
		if k == invalid {
			v.leaves = append(v.leaves, operand{})
			continue
		}
		v.leaves = append(v.leaves, operand{fmt.Sprintf("${param.%d}", n), k})
		n++
	}
	if _, ok := t.Underlying().(*types.Pointer); ok {
		return value{place: &place{leaves: v.leaves}}
	}
	return v
}

// usable leaves out the leaves that are no plain data.
func usable(leaves []compiled.Leaf) []compiled.Leaf {
	var out []compiled.Leaf
	for _, l := range leaves {
		if l.Kind != invalid {
			out = append(out, l)
		}
	}
	return out
}
