package kernels

import (
	"fmt"

	"github.com/garaph/garaph/gas/compiled"
)

// native is the instruction that folds a register into memory, if there is one:
// with wrapping integers and bits, and float additions. Float minima have none
// that treats NaN and -0 as Go does.
func native(f compiled.Fragments) (op string, ok bool) {
	k := f.Accumulator.Leaves[0].Kind
	width := 8 * SlotBytes(f.Accumulator)
	sign := "u"
	switch k {
	case compiled.Int32, compiled.Int64:
		sign = "s"
	case compiled.Float32, compiled.Float64:
		if f.SumOp == compiled.SumAdd {
			return fmt.Sprintf("add.f%d", width), true
		}
		return "", false
	}
	switch f.SumOp {
	case compiled.SumAdd:
		return fmt.Sprintf("add.u%d", width), true // the bits of signed sums are the same
	case compiled.SumMin, compiled.SumMax:
		return fmt.Sprintf("%s.%s%d", f.SumOp, sign, width), true
	case compiled.SumOr, compiled.SumAnd:
		return fmt.Sprintf("%s.b%d", f.SumOp, width), true
	}
	return "", false
}

// sum folds variable b into a slot of shared or global memory, while others do:
// by an instruction, or by comparing and swapping all of it until no thread came
// between.
func (s *splicer) sum(space, base, i string) error {
	layout := s.fragments.Accumulator
	size := SlotBytes(layout)
	if size > 8 {
		return s.lockedSum(space, base, i)
	}
	s.printf("{")
	if err := s.address(space, layout, base, i); err != nil {
		return err
	}
	state := states[space][1]
	if op, ok := native(s.fragments); ok {
		s.printf("red.%s.%s [%%garaph_at], %s;", state, op, leaf("b", 0))
		s.printf("}")
		return nil
	}
	w := 8 * size
	s.printf(".reg .b%d %%garaph_seen, %%garaph_had, %%garaph_new, %%garaph_part;", w)
	s.printf(".reg .pred %%garaph_again;")
	s.printf("ld.volatile.%s.b%d %%garaph_seen, [%%garaph_at];", state, w)
	s.out.WriteString("garaph_retry:\n")
	s.unpack("a", "%garaph_seen", w)
	if err := s.call("Sum", "a"); err != nil {
		return err
	}
	s.pack("%garaph_new", "a", w)
	s.printf("mov.b%d %%garaph_had, %%garaph_seen;", w)
	s.printf("setp.ne.b%d %%garaph_again, %%garaph_new, %%garaph_had;", w) // else there is nothing to write
	s.printf("@%%garaph_again atom.%s.cas.b%d %%garaph_seen, [%%garaph_at], %%garaph_had, %%garaph_new;", state, w)
	s.printf("setp.ne.b%d %%garaph_again, %%garaph_seen, %%garaph_had;", w)
	s.printf("@%%garaph_again bra garaph_retry;")
	s.printf("}")
	return nil
}

// lockedSum is sum for accumulators beyond what atomic instructions work on: a
// lock behind each slot. Who does not get it tries again only after those that
// did have given it back, which the threads of one warp could not otherwise.
func (s *splicer) lockedSum(space, base, i string) error {
	layout := s.fragments.Accumulator
	state, fence := states[space][1], "cta"
	if space == "slots" {
		fence = "gl"
	}
	s.printf("{")
	if err := s.address(space, layout, base, i); err != nil {
		return err
	}
	s.printf(".reg .b32 %%garaph_held;")
	s.printf(".reg .pred %%garaph_mine;")
	s.out.WriteString("garaph_lock:\n")
	s.printf("atom.%s.cas.b32 %%garaph_held, [%%garaph_at+%d], 0, 1;", state, lockOffset(layout))
	s.printf("setp.eq.u32 %%garaph_mine, %%garaph_held, 0;")
	s.printf("@!%%garaph_mine bra garaph_held_by_others;")
	s.printf("membar.%s;", fence)
	for n, l := range layout.Leaves {
		s.printf("ld.volatile.%s.%s %s, [%%garaph_at+%d];", state, memory(l.Kind), leaf("a", n), l.Offset)
	}
	if err := s.call("Sum", "a"); err != nil {
		return err
	}
	for n, l := range layout.Leaves {
		s.printf("st.volatile.%s.%s [%%garaph_at+%d], %s;", state, memory(l.Kind), l.Offset, leaf("a", n))
	}
	s.printf("membar.%s;", fence)
	s.printf("atom.%s.exch.b32 %%garaph_held, [%%garaph_at+%d], 0;", state, lockOffset(layout))
	s.out.WriteString("garaph_held_by_others:\n")
	s.printf("@!%%garaph_mine bra garaph_lock;")
	s.printf("}")
	return nil
}

// lockOffset is where the lock of a slot lies, behind the accumulator.
func lockOffset(l compiled.Layout) int { return (l.Size + 7) &^ 7 }

// swap puts the value in new in the place of old, element i of an array, and writes 1 to
// a register; or 0, and what was there to old. Values have 4 or 8 bytes.
func (s *splicer) swap(result, base, i string) error {
	w := 8 * s.fragments.Value.Size
	if w != 32 && w != 64 {
		return fmt.Errorf("a value of %d bits cannot be swapped", w)
	}
	s.printf("{")
	if err := s.address("global", s.fragments.Value, base, i); err != nil {
		return err
	}
	s.printf(".reg .b%d %%garaph_seen, %%garaph_had, %%garaph_new, %%garaph_part;", w)
	s.printf(".reg .pred %%garaph_done;")
	s.pack("%garaph_had", "old", w)
	s.pack("%garaph_new", "new", w)
	s.printf("atom.global.cas.b%d %%garaph_seen, [%%garaph_at], %%garaph_had, %%garaph_new;", w)
	s.printf("setp.eq.b%d %%garaph_done, %%garaph_seen, %%garaph_had;", w)
	s.unpack("old", "%garaph_seen", w)
	s.printf("selp.b32 %s, 1, 0, %%garaph_done;", result)
	s.printf("}")
	return nil
}

// unpack takes the leaves of a value or an accumulator out of a register of w bits that
// holds its memory.
func (s *splicer) unpack(variable, from string, w int) {
	layout, _ := s.layout(variable)
	for n, l := range layout.Leaves {
		bits := 8 * l.Kind.Size()
		to := leaf(variable, n)
		if bits == w {
			s.printf("mov.b%d %s, %s;", w, to, from)
			continue
		}
		s.printf("shr.u%d %%garaph_part, %s, %d;", w, from, 8*l.Offset)
		switch {
		case bits == 32:
			s.printf("cvt.u32.u64 %s, %%garaph_part;", to)
		default:
			sign := "u"
			if l.Kind == compiled.Int8 || l.Kind == compiled.Int16 {
				sign = "s"
			}
			if w == 64 {
				s.printf("cvt.u32.u64 %s, %%garaph_part;", to)
			} else {
				s.printf("mov.b32 %s, %%garaph_part;", to)
			}
			s.printf("bfe.%s32 %s, %s, 0, %d;", sign, to, to, bits)
		}
	}
}

// pack is the opposite of unpack; padding becomes 0.
func (s *splicer) pack(to, variable string, w int) {
	layout, _ := s.layout(variable)
	leaves := layout.Leaves
	if bits := 8 * leaves[0].Kind.Size(); bits == w {
		s.printf("mov.b%d %s, %s;", w, to, leaf(variable, 0))
		return
	}
	s.printf("mov.b%d %s, 0;", w, to)
	for n, l := range leaves {
		bits := 8 * l.Kind.Size()
		from := leaf(variable, n)
		if w == 64 {
			s.printf("cvt.u64.u32 %%garaph_part, %s;", from)
		} else {
			s.printf("mov.b32 %%garaph_part, %s;", from)
		}
		if bits < 32 {
			s.printf("and.b%d %%garaph_part, %%garaph_part, %d;", w, 1<<bits-1)
		}
		s.printf("shl.b%d %%garaph_part, %%garaph_part, %d;", w, 8*l.Offset)
		s.printf("or.b%d %s, %s, %%garaph_part;", w, to, to)
	}
}
