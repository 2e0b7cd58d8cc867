package kernels

import (
	"fmt"
	"strings"

	"github.com/garaph/garaph/gas/compiled"
)

// form is how accumulators lie in a window of shared memory, whose native
// instructions fold integers of 32 bits alone.
type form int

const (
	plain   form = iota // as in other slots
	halves              // sums of 64 bits: low halves, and apart from them the high ones
	ordered             // minima of float32: integers that have the order of Go's floats
)

func formOf(f compiled.Fragments) form {
	switch k, op := f.Accumulator.Leaves[0].Kind, f.SumOp; {
	case op == compiled.SumAdd && (k == compiled.Int64 || k == compiled.Uint64):
		return halves
	case (op == compiled.SumMin || op == compiled.SumMax) && k == compiled.Float32:
		return ordered
	}
	return plain
}

// WindowBytes returns the size of a window of vertices, each with 1<<copies accumulators, and of
// those for slots without an edge.
func WindowBytes(l compiled.Layout, vertices, copies uint32) int {
	return SlotBytes(l) * (int(vertices) + 1) << copies
}

// window writes what is done to slot i of a window at base. To fold a variable into it
// is two steps, sum and finish, the second of which only halves need.
func (s *splicer) window(command, variable, base, i, plane string) error {
	layout, err := s.layout(variable)
	if err != nil {
		return err
	}
	switch how := formOf(s.fragments); {
	case how == halves:
		return s.halves(command, leaf(variable, 0), base, i, plane)
	case command == "finish":
		return nil
	case how == ordered:
		return s.ordered(command, leaf(variable, 0), layout, base, i)
	case command != "sum":
		return s.transfer("shared", variable, base, i, command == "load")
	}
	if err := s.move("b", variable); err != nil {
		return err
	}
	return s.sum("shared", base, i)
}

// halves keeps the two halves of sums apart: neighbours are in neighbouring banks.
// The low one is added first; what is carried from it is known later.
func (s *splicer) halves(command, x, base, i, plane string) error {
	s.printf("{")
	s.printf(".reg .b32 %%garaph_at, %%garaph_up, %%garaph_low, %%garaph_high, %%garaph_had;")
	s.printf(".reg .pred %%garaph_some;")
	s.printf("mad.lo.u32 %%garaph_at, %s, 4, %s;", i, base)
	s.printf("add.u32 %%garaph_up, %%garaph_at, %s;", plane)
	if command != "load" {
		s.printf("mov.b64 {%%garaph_low, %%garaph_high}, %s;", x)
	}
	switch command {
	case "load":
		s.printf("ld.shared.b32 %%garaph_low, [%%garaph_at];")
		s.printf("ld.shared.b32 %%garaph_high, [%%garaph_up];")
		s.printf("mov.b64 %s, {%%garaph_low, %%garaph_high};", x)
	case "store":
		s.printf("st.shared.b32 [%%garaph_at], %%garaph_low;")
		s.printf("st.shared.b32 [%%garaph_up], %%garaph_high;")
	case "sum":
		s.printf("atom.shared.add.u32 %%garaph_had, [%%garaph_at], %%garaph_low;")
		s.printf("add.cc.u32 %%garaph_had, %%garaph_had, %%garaph_low;")
		s.printf("addc.u32 %%garaph_high, %%garaph_high, 0;")
		s.printf("mov.b64 %s, {%%garaph_low, %%garaph_high};", x)
	case "finish":
		s.printf("setp.ne.u32 %%garaph_some, %%garaph_high, 0;")
		s.printf("@%%garaph_some red.shared.add.u32 [%%garaph_up], %%garaph_high;")
	default:
		return fmt.Errorf("no command %s", command)
	}
	s.printf("}")
	return nil
}

// ordered keeps floats as integers: those of negative ones are turned around, and
// NaN is below all for a minimum, above all for a maximum.
func (s *splicer) ordered(command, x string, layout compiled.Layout, base, i string) error {
	s.printf("{")
	if err := s.address("shared", layout, base, i); err != nil {
		return err
	}
	s.printf(".reg .b32 %%garaph_order, %%garaph_turn;")
	s.printf(".reg .pred %%garaph_nan;")
	turn := func(from string) {
		s.printf("shr.s32 %%garaph_turn, %s, 31;", from)
		s.printf("and.b32 %%garaph_turn, %%garaph_turn, 0x7fffffff;")
		s.printf("xor.b32 %%garaph_order, %s, %%garaph_turn;", from)
	}
	if command == "load" {
		s.printf("ld.shared.b32 %s, [%%garaph_at];", x)
		turn(x)
		s.printf("mov.b32 %s, %%garaph_order;", x)
		s.printf("}")
		return nil
	}
	nan := "0x80000000"
	if s.fragments.SumOp == compiled.SumMax {
		nan = "0x7fffffff"
	}
	turn(x)
	s.printf("setp.nan.f32 %%garaph_nan, %s, %s;", x, x)
	s.printf("selp.b32 %%garaph_order, %s, %%garaph_order, %%garaph_nan;", nan)
	switch command {
	case "store":
		s.printf("st.shared.b32 [%%garaph_at], %%garaph_order;")
	case "sum":
		s.printf("red.shared.%s.s32 [%%garaph_at], %%garaph_order;", s.fragments.SumOp)
	default:
		return fmt.Errorf("no command %s", command)
	}
	s.printf("}")
	return nil
}

// faults reports whether a method's fragment can report one.
func (s *splicer) faults(method string) bool {
	fragment, err := s.method(method)
	return err == nil && strings.Contains(fragment.Text, "${fault}")
}

// forgive takes back the faults since the guard if x = y.
func (s *splicer) forgive(x, y string) {
	s.printf("{")
	s.printf(".reg .pred %%garaph_none;")
	s.printf("setp.eq.u32 %%garaph_none, %s, %s;", x, y)
	s.printf("@%%garaph_none mov.b32 %s, %s;", register("fault"), register("guarded"))
	s.printf("}")
}
