package compiled

import "slices"

// Fragments are the methods of a program that kernels of a GPU call, as PTX
// text, written by `garaph compile`, to be spliced into the kernels. A fragment
// is a block in braces with registers and labels of its own. What goes in and
// out stands as ${name}, in the place of a register:
//
//	${src.0}, ${dst.1}, ${acc.0} …       leaf i of a value or an accumulator
//	${v.id} ${v.n} ${v.in} ${v.out}      the Vertex
//	${edge.weight}                       the Edge, as a float32
//	${step.iteration} ${step.aggregate}  the Step; 64 bits each
//	${param.0} …                         leaf i of the program itself
//	${out.0} …                           the result
//	${fault}                             32 bits, set to a [Fault] if one happens
//
// Values have the names of the parameters in [gas.Program]: src and dst, a and b,
// old, acc and new; Settled and Aggregate have a value. Bools and integers
// below 32 bits are in 32-bit registers, extended by sign or with zeros, bools
// as 0 or 1. After a fault, results are undefined. docs/ptx.md describes the subset
// and its meaning.
type Fragments struct {
	Program string // the name of the type, as in Go

	Value, Accumulator, Parameters Layout
	SumOp                          SumOp

	Zero, Gather, Sum, Apply, Activate Fragment
	// Without text if the program lacks the ability; the last two also if they do not
	// compile.
	Settled, Aggregate, Saturated, Priority Fragment
}

// ReadsDegrees reports whether methods other than Init read in- and out-degrees.
func (f *Fragments) ReadsDegrees() (in, out bool) { return f.reads("v.in"), f.reads("v.out") }

// ReadsIDs reports whether methods other than Init read the ids of vertices.
func (f *Fragments) ReadsIDs() bool { return f.reads("v.id") }

// reads reports whether a method that runs after Init reads an input.
func (f *Fragments) reads(input string) bool {
	return slices.ContainsFunc([]Fragment{f.Apply, f.Activate, f.Aggregate, f.Settled}, func(m Fragment) bool {
		return slices.Contains(m.Inputs, input)
	})
}

// Weighs reports whether Gather reads the weight of an edge.
func (f *Fragments) Weighs() bool { return slices.Contains(f.Gather.Inputs, "edge.weight") }

// Fragment is one method.
type Fragment struct {
	Text   string
	Inputs []string // the names that the text reads, each once, sorted
}

// Layout describes the layout of a type of fixed size in memory, as Go lays it out on
// 64-bit machines, and the scalars that it consists of, its leaves. Fields of
// the program that are no plain data are left out; no method reads them.
type Layout struct {
	Size, Align int // bytes
	Leaves      []Leaf
}

// Leaf is a scalar of a layout.
type Leaf struct {
	Name   string // as in Go: "", "Rank", "Pos[1].X"
	Kind   Kind
	Offset int // bytes
}

// Kind is the type of a scalar.
type Kind uint8

// The kinds of scalars. Int and uint are of 64 bits.
const (
	Bool Kind = iota + 1
	Int8
	Int16
	Int32
	Int64
	Uint8
	Uint16
	Uint32
	Uint64
	Float32
	Float64
)

// Size returns the number of bytes in memory.
func (k Kind) Size() int {
	return [...]int{0, 1, 1, 2, 4, 8, 1, 2, 4, 8, 4, 8}[k]
}

func (k Kind) String() string {
	return [...]string{"invalid", "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
		"float32", "float64"}[k]
}

// SumOp is the operation of Sum on an accumulator of one leaf, if a device can do it
// to memory by itself.
type SumOp uint8

// The operations of Sum. On floats, SumMin and SumMax are Go's min and max: NaN
// wins, and -0 is below 0. SumOther has to be done with the fragment of Sum.
const (
	SumOther SumOp = iota
	SumAdd
	SumMin
	SumMax
	SumOr
	SumAnd
)

func (o SumOp) String() string {
	return [...]string{"other", "add", "min", "max", "or", "and"}[o]
}

// A Fault on a device is a panic in Go.
type Fault uint32

// The faults of a fragment.
const (
	NoFault Fault = iota
	DivisionByZero
	IndexOutOfRange
	NegativeShift
	Panicked // a call of panic
)

func (f Fault) String() string {
	return [...]string{"no fault", "integer division by zero", "index out of range", "negative shift amount", "panic"}[f]
}

// Portable is a program with fragments written by `garaph compile`. As with
// [Loops], a type that embeds a portable program inherits its fragments but may
// have other methods: Fragments.Program names the type that they are of.
type Portable interface {
	Fragments() Fragments
}
