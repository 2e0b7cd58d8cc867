package ptx

import (
	"fmt"
	"slices"
	"strings"
)

// inst is one instruction of a fragment, or a label.
type inst struct {
	label  string // of a place; nothing else is set then
	guard  string // predicate register, with ! before it for its opposite, or ""
	op     string
	dst    string
	src    []string
	target string // of bra
}

func (i *inst) String() string {
	if i.label != "" {
		return i.label + ":"
	}
	var b strings.Builder
	if i.guard != "" {
		b.WriteString("@" + i.guard + " ")
	}
	b.WriteString(i.op)
	operands := i.src
	switch {
	case i.dst != "":
		operands = append([]string{i.dst}, i.src...)
	case i.target != "":
		operands = []string{i.target}
	}
	b.WriteString(" " + strings.Join(operands, ", ") + ";")
	return b.String()
}

func isRegister(x string) bool    { return strings.HasPrefix(x, "%") }
func isPlaceholder(x string) bool { return strings.HasPrefix(x, "${") }

// The registers of a fragment: words, longs and predicates. No register of
// nvcc's has such a name.
const (
	wordPrefix      = "%gw"
	longPrefix      = "%gl"
	predicatePrefix = "%gp"
)

// render writes the instructions as a block, with registers numbered in the
// order in which they appear, and returns the names of the inputs.
func render(list []*inst) (text string, inputs []string) {
	counts := map[string]int{}
	renamed := map[string]string{}
	rename := func(x string) string {
		if !isRegister(x) {
			return x
		}
		if _, ok := renamed[x]; !ok {
			prefix := strings.TrimRight(x, "0123456789")
			renamed[x] = fmt.Sprintf("%s%d", prefix, counts[prefix])
			counts[prefix]++
		}
		return renamed[x]
	}
	var body strings.Builder
	for _, i := range list {
		guard := i.guard
		if bare, not := strings.CutPrefix(guard, "!"); not {
			guard = "!" + rename(bare)
		} else if guard != "" {
			guard = rename(guard)
		}
		c := inst{label: i.label, guard: guard, op: i.op, dst: rename(i.dst), target: i.target}
		for _, x := range i.src {
			c.src = append(c.src, rename(x))
			if isPlaceholder(x) && !slices.Contains(inputs, x[2:len(x)-1]) {
				inputs = append(inputs, x[2:len(x)-1])
			}
		}
		if i.label == "" {
			body.WriteString("\t")
		}
		body.WriteString(c.String() + "\n")
	}
	var head strings.Builder
	head.WriteString("{\n")
	for _, class := range []struct{ prefix, kind string }{{wordPrefix, ".b32"}, {longPrefix, ".b64"},
		{predicatePrefix, ".pred"}} {
		if n := counts[class.prefix]; n > 0 {
			fmt.Fprintf(&head, "\t.reg %s %s<%d>;\n", class.kind, class.prefix, n)
		}
	}
	slices.Sort(inputs)
	return head.String() + body.String() + "}\n", inputs
}
