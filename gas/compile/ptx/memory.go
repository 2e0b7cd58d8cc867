package ptx

import (
	"go/types"
	"strconv"

	"golang.org/x/tools/go/ssa"

	"github.com/garaph/garaph/gas/compiled"
)

// place is a variable or a part of it. All variables live in registers: a
// pointer is the registers that it points to. An element of an array by an
// index that is not constant is a choice among places, distinguished by index.
type place struct {
	leaves  []operand
	index   operand // text is empty for a single place
	choices []*place
}

// field is a field of a struct.
func (p *place) field(t types.Type, n int) *place {
	s := t.Underlying().(*types.Struct)
	before := 0
	for i := range n {
		before += leafCount(s.Field(i).Type())
	}
	return p.part(before, leafCount(s.Field(n).Type()))
}

// part is the n leaves from first on.
func (p *place) part(first, n int) *place {
	if p.choices == nil {
		return &place{leaves: p.leaves[first : first+n]}
	}
	out := &place{index: p.index}
	for _, c := range p.choices {
		out.choices = append(out.choices, c.part(first, n))
	}
	return out
}

// element is an element of an array, after a check of its index.
func (x *frame) element(p *place, array *types.Array, index ssa.Value) *place {
	n, length := leafCount(array.Elem()), int(array.Len())
	at := x.scalar(index)
	if k, err := strconv.ParseUint(at.text, 0, 64); err == nil {
		if k >= uint64(length) {
			x.e.fault(compiled.IndexOutOfRange)
			k = 0
			if length == 0 {
				return &place{leaves: x.e.variable(array.Elem()).leaves}
			}
		}
		return p.part(int(k)*n, n)
	}
	kind := compiled.Uint32
	if width(at.kind) == 64 {
		kind = compiled.Uint64
	}
	x.e.faultIf(x.e.test("ge."+suffix(kind), at, integerOf(kind, uint64(length))), compiled.IndexOutOfRange)
	if length == 0 {
		return &place{leaves: x.e.variable(array.Elem()).leaves}
	}
	if p.choices != nil { // an index into an element: one index for both
		at = x.e.convert(at, compiled.Uint32)
		scaled := x.e.op(compiled.Uint32, "mul.lo.s32", p.index, integerOf(compiled.Uint32, uint64(length)))
		out := &place{index: x.e.op(compiled.Uint32, "add.s32", scaled, at)}
		for _, c := range p.choices {
			for k := range length {
				out.choices = append(out.choices, c.part(k*n, n))
			}
		}
		return out
	}
	out := &place{index: x.e.convert(at, compiled.Uint32)}
	for k := range length {
		out.choices = append(out.choices, p.part(k*n, n))
	}
	return out
}

// load reads a place into registers that are not assigned again.
func (e *emitter) load(p *place) value {
	if p.choices == nil {
		return e.copied(value{leaves: p.leaves})
	}
	v := e.copied(value{leaves: p.choices[0].leaves})
	for k, c := range p.choices[1:] {
		here := e.test("eq.u32", p.index, integerOf(compiled.Uint32, uint64(k+1)))
		for l := range v.leaves {
			v.leaves[l] = e.pick(here, c.leaves[l], v.leaves[l])
		}
	}
	return v
}

// store assigns to a place.
func (x *frame) store(i *ssa.Store) {
	p, v := x.value(i.Addr).place, x.value(i.Val)
	if p.choices == nil {
		x.e.assign(value{leaves: p.leaves}, v)
		return
	}
	for k, c := range p.choices {
		here := x.e.test("eq.u32", p.index, integerOf(compiled.Uint32, uint64(k)))
		for l, dst := range c.leaves {
			x.e.add(&inst{guard: here, op: "mov." + selectType(dst.kind), dst: dst.text, src: []string{v.leaves[l].text}})
		}
	}
}

// alloc allocates the registers of a variable, which begin as zeros.
func (x *frame) alloc(a *ssa.Alloc) value {
	t := a.Type().Underlying().(*types.Pointer).Elem()
	v := x.e.variable(t)
	if !storedNext(a) {
		for _, l := range v.leaves {
			x.e.move(l, zero(l.kind))
		}
	}
	return value{place: &place{leaves: v.leaves}}
}

// storedNext reports whether the first that happens to a variable is an
// assignment to all of it.
func storedNext(a *ssa.Alloc) bool {
	users := map[ssa.Instruction]bool{}
	for _, r := range *a.Referrers() {
		users[r] = true
	}
	for _, i := range a.Block().Instrs {
		if users[i] {
			s, ok := i.(*ssa.Store)
			return ok && s.Addr == a && s.Val != a
		}
	}
	return false
}
