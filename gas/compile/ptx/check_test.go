package ptx_test

import (
	"fmt"
	"math"
	"strings"

	"github.com/garaph/garaph/gas/compile/source"
	"github.com/garaph/garaph/gas/compiled"
)

// fragment is a compiled method that is ready to run on leaves in the order in
// which [fragmentcall.Method] has them: the program's, then those of the
// parameters.
type fragment struct {
	name    string
	machine *Machine
	inputs  []int // registers
	kinds   []compiled.Kind
	outputs []int
	results []compiled.Kind
	fault   int
}

var parameters = map[string][]string{
	"Zero": {}, "Gather": {"src", "edge", "dst"}, "Sum": {"a", "b"},
	"Apply": {"v", "old", "acc", "step"}, "Activate": {"v", "old", "new"},
	"Settled": {"value", "step"}, "Aggregate": {"v", "value"}, "Saturated": {"acc", "step"}, "Priority": {"value"},
}

func fragmentsOf(f *compiled.Fragments) map[string]compiled.Fragment {
	return map[string]compiled.Fragment{
		"Zero": f.Zero, "Gather": f.Gather, "Sum": f.Sum, "Apply": f.Apply, "Activate": f.Activate,
		"Settled": f.Settled, "Aggregate": f.Aggregate, "Saturated": f.Saturated, "Priority": f.Priority,
	}
}

// prepare reads the fragment of a method.
func prepare(p *source.Program, f *compiled.Fragments, name string) (*fragment, error) {
	leaves := map[string][]compiled.Kind{
		"v": {compiled.Uint32, compiled.Uint32, compiled.Uint32, compiled.Uint32}, "edge": {compiled.Float32},
		"step": {compiled.Int64, compiled.Float64},
	}
	kinds := func(l compiled.Layout) (list []compiled.Kind) {
		for _, leaf := range l.Leaves {
			list = append(list, leaf.Kind)
		}
		return list
	}
	for _, n := range []string{"src", "dst", "old", "new", "value"} {
		leaves[n] = kinds(f.Value)
	}
	for _, n := range []string{"a", "b", "acc"} {
		leaves[n] = kinds(f.Accumulator)
	}
	leaves["param"] = kinds(f.Parameters)
	fields := map[string][]string{"v": {"id", "n", "in", "out"}, "edge": {"weight"}, "step": {"iteration", "aggregate"}}

	widths := map[string]int{"fault": 32}
	var names []string
	out := &fragment{name: p.Name + "." + name}
	for _, parameter := range append([]string{"param"}, parameters[name]...) {
		for i, k := range leaves[parameter] {
			leaf := fmt.Sprint(i)
			if fields[parameter] != nil {
				leaf = fields[parameter][i]
			}
			names = append(names, parameter+"."+leaf)
			widths[names[len(names)-1]] = max(32, 8*k.Size())
			out.kinds = append(out.kinds, k)
		}
	}
	switch name {
	case "Apply":
		out.results = kinds(f.Value)
	case "Zero", "Gather", "Sum":
		out.results = kinds(f.Accumulator)
	case "Aggregate", "Priority":
		out.results = []compiled.Kind{compiled.Float64}
	default:
		out.results = []compiled.Kind{compiled.Bool}
	}
	var results []string
	for i, k := range out.results {
		results = append(results, fmt.Sprintf("out.%d", i))
		widths[results[i]] = max(32, 8*k.Size())
	}
	text := fragmentsOf(f)[name]
	program, err := Parse(text.Text, widths)
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", out.name, err, text.Text)
	}
	out.machine = program.NewMachine()
	for _, n := range names {
		out.inputs = append(out.inputs, program.Register(n))
	}
	for _, n := range results {
		out.outputs = append(out.outputs, program.Register(n))
	}
	out.fault = program.Register("fault")
	return out, nil
}

// run runs the fragment.
func (f *fragment) run(inputs []uint64) (results []uint64, fault compiled.Fault, err error) {
	for i, register := range f.inputs {
		f.machine.Set(register, inputs[i])
	}
	f.machine.Set(f.fault, 0)
	if err := f.machine.Run(); err != nil {
		return nil, 0, err
	}
	for _, register := range f.outputs {
		results = append(results, f.machine.Get(register))
	}
	return results, compiled.Fault(f.machine.Get(f.fault)), nil
}

// check compares the fragment with what Go gave. Any NaN is as good as another.
// With loose, floats may differ by two units of the last place of float32.
func (f *fragment) check(inputs, want []uint64, fault compiled.Fault, loose bool) error {
	got, gotFault, err := f.run(inputs)
	if err != nil {
		return fmt.Errorf("%s(%s): %w", f.name, f.print(f.kinds, inputs), err)
	}
	if gotFault != fault {
		return fmt.Errorf("%s(%s): %s in PTX, %s in Go", f.name, f.print(f.kinds, inputs), gotFault, fault)
	}
	if fault != compiled.NoFault {
		return nil
	}
	for i, k := range f.results {
		if !same(k, got[i], want[i], loose) {
			return fmt.Errorf("%s(%s) = %s in PTX, %s in Go",
				f.name, f.print(f.kinds, inputs), f.print(f.results, got), f.print(f.results, want))
		}
	}
	return nil
}

func (f *fragment) print(kinds []compiled.Kind, values []uint64) string {
	var list []string
	for i, k := range kinds {
		switch k {
		case compiled.Float32:
			list = append(list, fmt.Sprintf("%x", math.Float32frombits(uint32(values[i]))))
		case compiled.Float64:
			list = append(list, fmt.Sprintf("%x", math.Float64frombits(values[i])))
		case compiled.Int32, compiled.Int16, compiled.Int8:
			list = append(list, fmt.Sprint(int32(values[i])))
		case compiled.Int64:
			list = append(list, fmt.Sprint(int64(values[i])))
		default:
			list = append(list, fmt.Sprint(values[i]))
		}
	}
	return strings.Join(list, ", ")
}

func same(k compiled.Kind, a, b uint64, loose bool) bool {
	if a == b {
		return true
	}
	var x, y float64
	switch k {
	case compiled.Float32:
		x, y = float64(math.Float32frombits(uint32(a))), float64(math.Float32frombits(uint32(b)))
	case compiled.Float64:
		x, y = math.Float64frombits(a), math.Float64frombits(b)
	default:
		return false
	}
	if x != x && y != y {
		return true
	}
	ulp := math.Abs(float64(math.Nextafter32(float32(y), float32(math.Inf(1))) - float32(y)))
	return loose && math.Abs(x-y) <= 2*ulp
}
