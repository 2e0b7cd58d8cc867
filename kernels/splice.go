package kernels

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/garaph/garaph/gas/compiled"
)

// command writes what a marker stands for.
func (s *splicer) command(words []string) error {
	switch {
	case words[0] == "set" && len(words) == 3 && words[1] == "edge.wide":
		s.printf("mov.b64 %s, %s;", register(words[1]), words[2])
		s.printf("cvt.rn.f32.f64 %s, %s;", register("edge.weight"), words[2])
	case words[0] == "set" && len(words) == 3:
		return s.set(words[1], words[2])
	case words[0] == "get" && len(words) == 3 && words[1] == "sum":
		s.printf("mov.b64 %s, %s;", words[2], register(words[1]))
	case words[0] == "get" && len(words) == 3:
		s.printf("mov.b32 %s, %s;", words[2], register(words[1]))
	case words[0] == "parameters" && len(words) == 2:
		for i, l := range s.fragments.Parameters.Leaves {
			if s.reads[fmt.Sprintf("param.%d", i)] {
				s.printf("ld.global.nc.%s %s, [%s+%d];", memory(l.Kind), leaf("param", i), words[1], l.Offset)
			}
		}
	case words[0] == "load" && len(words) == 5:
		return s.transfer(words[1], words[2], words[3], words[4], true)
	case words[0] == "store" && len(words) == 5:
		return s.transfer(words[1], words[2], words[3], words[4], false)
	case words[0] == "call" && len(words) == 3:
		return s.call(words[1], words[2])
	case words[0] == "optional" && len(words) == 3:
		return s.optional(words[1], words[2])
	case words[0] == "move" && len(words) == 3:
		return s.move(words[1], words[2])
	case words[0] == "sum" && len(words) == 5:
		if err := s.move("b", words[2]); err != nil {
			return err
		}
		return s.sum(words[1], words[3], words[4])
	case words[0] == "window" && len(words) == 6:
		return s.window(words[1], words[2], words[3], words[4], words[5])
	case words[0] == "swap" && len(words) == 4:
		return s.swap(words[1], words[2], words[3])
	case words[0] == "guard" && len(words) == 2:
		if s.faults(words[1]) {
			s.printf("mov.b32 %s, %s;", register("guarded"), register("fault"))
		}
	case words[0] == "forgive" && len(words) == 4:
		if s.faults(words[1]) {
			s.forgive(words[2], words[3])
		}
	case words[0] == "report" && len(words) == 2:
		s.printf("{")
		s.printf(".reg .pred %%garaph_p;")
		s.printf("setp.ne.u32 %%garaph_p, %s, 0;", register("fault"))
		s.printf("@%%garaph_p red.global.max.u32 [%s], %s;", words[1], register("fault"))
		s.printf("}")
	default:
		return fmt.Errorf("unknown")
	}
	return nil
}

func (s *splicer) set(name, from string) error {
	for _, x := range scalars {
		if x.name == name {
			s.printf("mov.%s %s, %s;", strings.TrimPrefix(class(x.kind), "."), register(name), from)
			return nil
		}
	}
	return fmt.Errorf("no scalar %s", name)
}

// memory returns the type of a load or store of a kind.
func memory(k compiled.Kind) string {
	switch k {
	case compiled.Bool, compiled.Uint8:
		return "u8"
	case compiled.Int8:
		return "s8"
	case compiled.Uint16:
		return "u16"
	case compiled.Int16:
		return "s16"
	default:
		return strings.TrimPrefix(class(k), ".")
	}
}

// move copies a variable.
func (s *splicer) move(to, from string) error {
	layout, err := s.layout(to)
	if err != nil || to == from {
		return err
	}
	for i, l := range layout.Leaves {
		s.printf("mov.%s %s, %s;", strings.TrimPrefix(class(l.Kind), "."), leaf(to, i), leaf(from, i))
	}
	return nil
}

// optional calls a method that the program may lack; its result is 0 then.
func (s *splicer) optional(method, result string) error {
	if _, err := s.method(method); err == nil {
		return s.call(method, result)
	}
	return s.set(result, "0")
}

// address writes the address of element i to %garaph_at. In shared memory and
// in global slots, elements have [SlotBytes].
func (s *splicer) address(space string, layout compiled.Layout, base, i string) error {
	switch space {
	case "global", "constant":
		s.printf(".reg .b64 %%garaph_at;")
		s.printf("mad.wide.u32 %%garaph_at, %s, %d, %s;", i, layout.Size, base)
	case "slots":
		s.printf(".reg .b64 %%garaph_at;")
		s.printf("mad.wide.u32 %%garaph_at, %s, %d, %s;", i, SlotBytes(layout), base)
	case "shared":
		s.printf(".reg .b32 %%garaph_at;")
		s.printf("mad.lo.u32 %%garaph_at, %s, %d, %s;", i, SlotBytes(layout), base)
	default:
		return fmt.Errorf("no memory %s", space)
	}
	return nil
}

// states are the state spaces of PTX for memories: how to load, and how to
// store.
var states = map[string][2]string{
	"global": {"global", "global"}, "constant": {"global.nc", ""}, "slots": {"global", "global"},
	"shared": {"shared", "shared"},
}

// transfer loads or stores element i of an array. Variables that no method reads
// are not loaded.
func (s *splicer) transfer(space, variable, base, i string, load bool) error {
	layout, err := s.layout(variable)
	if err != nil {
		return err
	}
	s.printf("{")
	if err := s.address(space, layout, base, i); err != nil {
		return err
	}
	for n, l := range layout.Leaves {
		switch {
		case load && s.loadedTogether(space, variable, layout, n):
		case !load:
			s.printf("st.%s.%s [%%garaph_at+%d], %s;", states[space][1], memory(l.Kind), l.Offset, leaf(variable, n))
		case s.reads[fmt.Sprintf("%s.%d", variable, n)]:
			s.printf("ld.%s.%s %s, [%%garaph_at+%d];", states[space][0], memory(l.Kind), leaf(variable, n), l.Offset)
		}
	}
	if !load && layout.Size > 8 && (space == "shared" || space == "slots") {
		s.printf("st.%s.b32 [%%garaph_at+%d], 0;", states[space][1], lockOffset(layout))
	}
	s.printf("}")
	return nil
}

// loadedTogether reports whether leaf n comes with others that lie in the same 8 or 16
// bytes, by one instruction, which it writes at the first of them. Elements of arrays begin
// at multiples of their size.
func (s *splicer) loadedTogether(space, variable string, layout compiled.Layout, n int) bool {
	unit := 16
	if layout.Size%unit != 0 {
		unit = 8
	}
	if layout.Size%unit != 0 || space != "global" && space != "constant" {
		return false
	}
	begin, first, read := layout.Leaves[n].Offset/unit*unit, -1, 0
	var names [4]string // of the leaves, by word of the unit
	for i, l := range layout.Leaves {
		if l.Offset/unit*unit != begin {
			continue
		}
		if first < 0 {
			first = i
		}
		if l.Kind.Size() < 4 {
			return false
		}
		if s.reads[fmt.Sprintf("%s.%d", variable, i)] {
			names[(l.Offset-begin)/4] = leaf(variable, i)
			read++
		}
	}
	if read < 2 {
		return false
	}
	if n != first {
		return true
	}
	s.printf("{")
	s.printf(".reg .b32 %%garaph_w<4>;")
	words := "%garaph_w0, %garaph_w1"
	if unit == 16 {
		words += ", %garaph_w2, %garaph_w3"
	}
	s.printf("ld.%s.v%d.b32 {%s}, [%%garaph_at+%d];", states[space][0], unit/4, words, begin)
	for _, l := range layout.Leaves {
		word := (l.Offset - begin) / 4
		switch {
		case l.Offset/unit*unit != begin || names[word] == "":
		case l.Kind.Size() == 8:
			s.printf("mov.b64 %s, {%%garaph_w%d, %%garaph_w%d};", names[word], word, word+1)
		default:
			s.printf("mov.b32 %s, %%garaph_w%d;", names[word], word)
		}
	}
	s.printf("}")
	return true
}

// SlotBytes returns the size of an accumulator in shared memory: the operand of an atomic
// instruction, or, beyond 8 bytes, the accumulator and a lock.
func SlotBytes(l compiled.Layout) int {
	switch {
	case l.Size <= 4:
		return 4
	case l.Size <= 8:
		return 8
	default:
		return lockOffset(l) + 8
	}
}

// method returns the fragment of a method.
func (s *splicer) method(name string) (compiled.Fragment, error) {
	f := s.fragments
	fragment, ok := map[string]compiled.Fragment{
		"Zero": f.Zero, "Gather": f.Gather, "Sum": f.Sum, "Apply": f.Apply, "Activate": f.Activate,
		"Settled": f.Settled, "Aggregate": f.Aggregate, "Saturated": f.Saturated, "Priority": f.Priority,
	}[name]
	if !ok || fragment.Text == "" {
		return compiled.Fragment{}, fmt.Errorf("the program has no fragment of %s", name)
	}
	return fragment, nil
}

// call writes a fragment and copies its results: only at its end, since they
// may be among its inputs.
func (s *splicer) call(method, result string) error {
	fragment, err := s.method(method)
	if err != nil {
		return err
	}
	var out, names []string
	var leaves []compiled.Leaf
	switch layout, err := s.layout(result); {
	case err == nil:
		temporary := "outA"
		if variables[result] {
			temporary = "outV"
		}
		leaves = layout.Leaves
		for i := range leaves {
			out, names = append(out, leaf(temporary, i)), append(names, leaf(result, i))
		}
	case result == "flag" && (method == "Activate" || method == "Settled" || method == "Saturated"), result == "sum" &&
		(method == "Aggregate" || method == "Priority"):
		out = []string{register(result)}
	default:
		return err
	}
	s.out.WriteString(s.filled(fragment.Text, out))
	for i, l := range leaves {
		s.printf("mov.%s %s, %s;", strings.TrimPrefix(class(l.Kind), "."), names[i], out[i])
	}
	return nil
}

// widened matches an instruction of a fragment that makes the weight of an edge a double.
var widened = regexp.MustCompile(`cvt\.f64\.f32 (\S+), \$\{edge\.weight\};`)

// filled returns a fragment's text with registers in the places of names. In a wide kernel, the
// weight of an edge is a double already.
func (s *splicer) filled(text string, out []string) string {
	if s.wide {
		text = widened.ReplaceAllString(text, "mov.b64 $1, $${edge.wide};")
	}
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(text, "${")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		name, after, _ := strings.Cut(rest, "}")
		var n int
		if _, err := fmt.Sscanf(name, "out.%d", &n); err == nil {
			b.WriteString(out[n])
		} else {
			b.WriteString(register(name))
		}
		text = after
	}
}
