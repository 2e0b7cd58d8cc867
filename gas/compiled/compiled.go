// Package compiled has what the code that `garaph compile` writes gives to
// engines: the methods of a program as loops and as fragments of PTX.
package compiled

import "github.com/garaph/garaph/gas"

// These are the types and values of package gas, for the step of moving them.
type (
	Loops[V, A any]   = gas.Loops[V, A]
	Program[V, A any] = gas.Compiled[V, A]
	Block             = gas.Block
	Fragments         = gas.Fragments
	Fragment          = gas.Fragment
	Layout            = gas.Layout
	Leaf              = gas.Leaf
	Kind              = gas.Kind
	SumOp             = gas.SumOp
	Fault             = gas.Fault
	Portable          = gas.Portable
)

const (
	Bool    = gas.Bool
	Int8    = gas.Int8
	Int16   = gas.Int16
	Int32   = gas.Int32
	Int64   = gas.Int64
	Uint8   = gas.Uint8
	Uint16  = gas.Uint16
	Uint32  = gas.Uint32
	Uint64  = gas.Uint64
	Float32 = gas.Float32
	Float64 = gas.Float64

	SumOther = gas.SumOther
	SumAdd   = gas.SumAdd
	SumMin   = gas.SumMin
	SumMax   = gas.SumMax
	SumOr    = gas.SumOr
	SumAnd   = gas.SumAnd

	NoFault         = gas.NoFault
	DivisionByZero  = gas.DivisionByZero
	IndexOutOfRange = gas.IndexOutOfRange
	NegativeShift   = gas.NegativeShift
	Panicked        = gas.Panicked
)
