package ptx

import (
	"slices"
	"strings"
)

// tidy leaves out instructions without effect: copies, results that are not read, jumps
// to the next instruction. An assembler would do so too; but only the rest
// reports which inputs a method reads.
func tidy(list []*inst) []*inst {
	list = straighten(list)
	if !loops(list) {
		propagate(list)
		branch(list)
	}
	return straighten(sweep(list))
}

// branch jumps by a predicate itself where it was made a bool and tested again.
func branch(list []*inst) {
	made := map[string]*inst{} // by result
	twice := map[string]bool{}
	for _, i := range list {
		if i.dst != "" {
			twice[i.dst] = made[i.dst] != nil || i.guard != ""
			made[i.dst] = i
		}
	}
	for _, i := range list {
		if i.op != "bra" || i.guard == "" {
			continue
		}
		bare, not := strings.CutPrefix(i.guard, "!")
		test := made[bare]
		if test == nil || test.op != "setp.eq.s32" || test.src[1] != "0" {
			continue
		}
		bool := made[test.src[0]]
		if bool == nil || twice[test.src[0]] || bool.op != "selp.b32" || bool.src[0] != "1" || bool.src[1] != "0" ||
			twice[bool.src[2]] {
			continue
		}
		if i.guard = "!" + bool.src[2]; not {
			i.guard = bool.src[2]
		}
	}
}

// loops reports whether any jump goes back.
func loops(list []*inst) bool {
	seen := map[string]bool{}
	for _, i := range list {
		if i.label != "" {
			seen[i.label] = true
		}
		if i.target != "" && seen[i.target] {
			return true
		}
	}
	return false
}

// propagate puts the source of a copy where the copy is read, if both are
// assigned once: without loops, that is then the same value. A float32 that was
// widened and is rounded again is a copy too.
func propagate(list []*inst) {
	defs := map[string]int{}
	for _, i := range list {
		if i.dst != "" {
			defs[i.dst]++
		}
	}
	source, widened := map[string]string{}, map[string]string{}
	for _, i := range list {
		for k, x := range i.src {
			if s, ok := source[x]; ok {
				i.src[k] = s
			}
		}
		if i.op == "cvt.rn.f32.f64" && widened[i.src[0]] != "" {
			i.op, i.src[0] = "mov.f32", widened[i.src[0]]
		}
		if i.guard != "" || !isRegister(i.dst) || defs[i.dst] != 1 {
			continue
		}
		switch x := i.src[0]; {
		case !isPlaceholder(x) && (!isRegister(x) || defs[x] != 1):
		case strings.HasPrefix(i.op, "mov."):
			source[i.dst] = x
		case i.op == "cvt.f64.f32":
			widened[i.dst] = x
		}
	}
}

// sweep leaves out instructions whose result is not read.
func sweep(list []*inst) []*inst {
	for {
		read := map[string]bool{}
		for _, i := range list {
			read[strings.TrimPrefix(i.guard, "!")] = true
			for _, x := range i.src {
				if x != i.dst {
					read[x] = true
				}
			}
		}
		n := len(list)
		list = slices.DeleteFunc(list, func(i *inst) bool {
			return isRegister(i.dst) && !read[i.dst]
		})
		if len(list) == n {
			return list
		}
	}
}

// straighten leaves out jumps to the next instruction, labels that no instruction jumps
// to, and instructions between a jump and the next label.
func straighten(list []*inst) []*inst {
	for {
		n := len(list)
		var kept []*inst
		thread(list)
		for k, i := range list {
			last := len(kept) - 1
			if i.label == "" && last >= 0 && kept[last].op == "bra" && kept[last].guard == "" {
				continue
			}
			if i.target != "" && leadsTo(list[k+1:], i.target) {
				continue
			}
			kept = append(kept, i)
		}
		used := map[string]bool{}
		for _, i := range kept {
			used[i.target] = true
		}
		list = slices.DeleteFunc(kept, func(i *inst) bool { return i.label != "" && !used[i.label] })
		if len(list) == n {
			return list
		}
	}
}

// thread lets jumps to a jump lead where that one leads, and turns a jump over a
// jump around.
func thread(list []*inst) {
	onward := map[string]string{}
	for k, i := range list {
		if i.label == "" {
			continue
		}
		for _, next := range list[k+1:] {
			if next.label == "" {
				if next.op == "bra" && next.guard == "" && next.target != i.label {
					onward[i.label] = next.target
				}
				break
			}
		}
	}
	for k, i := range list {
		if to, ok := onward[i.target]; ok && onward[to] == "" {
			i.target = to
		}
		if i.op != "bra" || i.guard == "" || k+2 >= len(list) || !leadsTo(list[k+2:], i.target) {
			continue
		}
		if next := list[k+1]; next.op == "bra" && next.guard == "" {
			bare, not := strings.CutPrefix(i.guard, "!")
			if i.guard = "!" + bare; not {
				i.guard = bare
			}
			i.target, next.target = next.target, i.target
		}
	}
}

// leadsTo reports whether nothing but labels stands before the label.
func leadsTo(list []*inst, label string) bool {
	for _, i := range list {
		if i.label == "" {
			return false
		}
		if i.label == label {
			return true
		}
	}
	return false
}
