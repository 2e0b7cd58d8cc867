package loops

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/garaph/garaph/gas/compile/ptx"
	"github.com/garaph/garaph/gas/compiled"
)

// addFragments compiles the program to PTX, or notes why that can't be done.
func (f *File) addFragments(x *instance) error {
	fragments, err := ptx.Compile(x.program)
	var refusals ptx.Refusals
	switch {
	case errors.As(err, &refusals):
		for _, r := range refusals {
			f.note(fmt.Sprintf("%s; %s runs on the CPU only", r.Error(), x.program.TypeName))
		}
		return nil
	case err != nil:
		return err
	}
	x.FragmentsName = x.namer.unique(identifier(x.program.Name) + "Fragments")
	x.Fragments = literal{x.Compiled + "."}.fragments(&fragments)
	return nil
}

// note adds a note, once.
func (f *File) note(line string) {
	if !slices.Contains(f.Notes, line) {
		f.Notes = append(f.Notes, line)
	}
}

// literal writes Go literals of types of package compiled.
type literal struct{ compiled string } // the type before its names

func (l literal) fragments(f *compiled.Fragments) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%sFragments{\nProgram: %q,\n\n", l.compiled, f.Program)
	fmt.Fprintf(&b, "Value: %s,\nAccumulator: %s,\nParameters: %s,\n", l.layout(f.Value), l.layout(f.Accumulator),
		l.layout(f.Parameters))
	fmt.Fprintf(&b, "SumOp: %sSum%s,\n\n", l.compiled, title(f.SumOp.String()))
	for _, m := range []struct {
		name     string
		fragment compiled.Fragment
	}{
		{"Zero", f.Zero}, {"Gather", f.Gather}, {"Sum", f.Sum}, {"Apply", f.Apply}, {"Activate", f.Activate},
		{"Settled", f.Settled}, {"Aggregate", f.Aggregate}, {"Saturated", f.Saturated}, {"Priority", f.Priority},
	} {
		if m.fragment.Text == "" && len(m.fragment.Inputs) == 0 {
			continue
		}
		fmt.Fprintf(&b, "%s: %sFragment{", m.name, l.compiled)
		if len(m.fragment.Inputs) > 0 {
			fmt.Fprintf(&b, "Inputs: %#v, ", m.fragment.Inputs)
		}
		fmt.Fprintf(&b, "Text: `%s`},\n", m.fragment.Text)
	}
	b.WriteString("}")
	return b.String()
}

func (l literal) layout(y compiled.Layout) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%sLayout{Size: %d, Align: %d", l.compiled, y.Size, y.Align)
	if len(y.Leaves) > 0 {
		fmt.Fprintf(&b, ", Leaves: []%sLeaf{", l.compiled)
		for i, leaf := range y.Leaves {
			if i > 0 {
				b.WriteString(", ")
			}
			fmt.Fprintf(&b, "{Name: %q, Kind: %s%s, Offset: %d}", leaf.Name, l.compiled, title(leaf.Kind.String()), leaf.Offset)
		}
		b.WriteString("}")
	}
	b.WriteString("}")
	return b.String()
}

func title(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
