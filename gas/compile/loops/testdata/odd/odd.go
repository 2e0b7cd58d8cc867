// Package odd has vertex programs of unusual forms, to test their
// compilation. The tests of gas/compile/loops generate its loops, and run its
// own test with them.
package odd

import (
	stdmath "math"

	model "github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/programs"
)

// gas takes the usual name of package gas away.
const gas = 3

// Heavy has methods that are too large to be inlined.
type Heavy struct {
	Bias  float32
	Steps int32
}

// Init is half of the id.
func (h Heavy) Init(v model.Vertex) (float32, bool) { return float32(v.ID) / 2, true }

// Zero is 0.
func (Heavy) Zero() float64 { return 0 }

// Gather returns from loops and switches.
func (h Heavy) Gather(src float32, e model.Edge, _ float32) float64 {
	x := stdmath.Abs(float64(src)) + float64(h.Bias)
	for i := int32(0); i < h.Steps; i++ {
		switch {
		case x > 8:
			return stdmath.Sqrt(x) * e.Weight
		case x > 4:
			x += gas
			continue
		case x < 0:
			if i == 2 {
				break
			}
			x--
		default:
			x = 2*x + 1
		}
		if stdmath.Floor(x) == 5 {
			break
		}
	}
	if x == 0 {
		return 1
	}
	return x
}

// Sum has parameters of one name with variables of the loops.
func (h Heavy) Sum(acc, u float64) float64 {
	nbr := acc
	for i := range 3 {
		if stdmath.IsNaN(nbr) || stdmath.IsInf(nbr, i) || nbr < -1e9 && stdmath.Abs(u) > 1e9 {
			return u
		}
	}
	return nbr + u
}

// Apply is called with all that there is.
func (h Heavy) Apply(v model.Vertex, old float32, acc float64, s model.Step) float32 {
	if v.In > v.Out {
		return old + float32(s.Iteration)
	}
	return float32(stdmath.Tanh(acc)) + float32(s.Aggregate) + float32(v.N)
}

// Activate has no names.
func (Heavy) Activate(model.Vertex, float32, float32) bool { return true }

// Saturated is large too.
func (h Heavy) Saturated(a float64, s model.Step) bool {
	limit := 1e3
	for i := range gas {
		if a > limit*float64(i+1) && stdmath.Sqrt(a) > float64(s.Iteration) && stdmath.Floor(a) != 7 {
			return true
		}
	}
	return false
}

// Wide is a program of 112 bytes, which Go does not keep in registers.
type Wide struct {
	Factors     [8]float64
	Scale, Bias float64
	Limit       float64
	Steps       uint32
	Name        string
}

// Init is the id.
func (w Wide) Init(v model.Vertex) (float32, bool) { return float32(v.ID), true }

// Zero is 0.
func (w Wide) Zero() float64 { return 0 }

// Gather calls methods and functions.
func (w Wide) Gather(src float32, e model.Edge, _ float32) float64 {
	return w.scaled(float64(src))*w.Factors[int(e.Weight)&7] + size(w)
}

// scaled calls another method.
func (w Wide) scaled(x float64) (y float64) {
	y = x*w.Scale + w.bias()
	return
}

func (w Wide) bias() float64 { return w.Bias }

func size(w Wide) float64 { return float64(len(w.Name)) }

// Sum is too large to be inlined.
func (w Wide) Sum(a, b float64) float64 {
	x := w
	for i := range w.Steps {
		if stdmath.Floor(a) == x.Factors[i&7] && stdmath.Sqrt(b) > 20 && size(w) < 2 || stdmath.IsInf(b, int(i)) {
			return a
		}
	}
	return a + b
}

// Apply changes its receiver.
func (w Wide) Apply(_ model.Vertex, old float32, acc float64, s model.Step) float32 {
	w.Bias += float64(s.Iteration)
	return old/2 + float32(w.scaled(acc))
}

// Activate has a variable of its own called w.
func (w Wide) Activate(_ model.Vertex, old, new float32) bool {
	if w := new - old; w > 1 {
		return true
	}
	return w.Limit > 2
}

// Aggregate takes the address of its receiver, and is too large to be inlined.
func (w Wide) Aggregate(_ model.Vertex, value float32) float64 {
	w.add(value)
	for i := range w.Factors[1:] {
		if f := stdmath.Floor(w.Factors[i]); f > 3 && stdmath.Sqrt(f) < 9 && !stdmath.IsNaN(w.Bias) {
			w.add(float32(f) + float32(stdmath.Abs(w.Scale)))
			w.Limit--
		}
	}
	return w.Bias
}

func (w *Wide) add(x float32) { w.Bias += float64(x) }

// Sized is a program of 16 bytes, or of 104, which does the same.
type Sized[R [0]float64 | [11]float64] struct {
	Scale, Bias float64
	Rest        R
}

// Init is the id.
func (p Sized[R]) Init(v model.Vertex) (float64, bool) { return float64(v.ID), true }

// Zero is 0.
func (p Sized[R]) Zero() float64 { return 0 }

// Gather is linear.
func (p Sized[R]) Gather(src float64, _ model.Edge, _ float64) float64 { return src*p.Scale + p.Bias }

// Sum adds.
func (p Sized[R]) Sum(a, b float64) float64 { return a + b }

// Apply keeps the sum.
func (p Sized[R]) Apply(_ model.Vertex, _, acc float64, _ model.Step) float64 { return acc * p.Scale }

// Activate reports any change.
func (p Sized[R]) Activate(_ model.Vertex, old, new float64) bool { return old != new }

// value is the name of a variable of the loops.
type value uint32

// list is another one.
type list struct {
	next  value
	count [2]uint16
}

// Hidden is a program by its pointer, over types that are called as variables
// of the loops are.
type Hidden struct{ add value }

// Init is the id.
func (h *Hidden) Init(v model.Vertex) (value, bool) { return value(v.ID), false }

// Zero is nothing.
func (h *Hidden) Zero() (l list) { return }

// Gather reads the destination.
func (h *Hidden) Gather(src value, _ model.Edge, dst value) list {
	return list{next: src + dst + h.add, count: [2]uint16{1, uint16(src)}}
}

// Sum adds and takes the larger.
func (h *Hidden) Sum(a, b list) list {
	return list{max(a.next, b.next), [2]uint16{a.count[0] + b.count[0], a.count[1] ^ b.count[1]}}
}

// Apply adds up.
func (h *Hidden) Apply(_ model.Vertex, old value, acc list, _ model.Step) value {
	return old + acc.next + value(acc.count[0]) - value(acc.count[1])
}

// Activate reports odd ones.
func (h *Hidden) Activate(_ model.Vertex, _, new value) bool { return new%2 == 1 }

// Aggregate adds.
func (h *Hidden) Aggregate(_ model.Vertex, v value) float64 { return float64(v) }

// Literal has a function literal, which neither loops nor PTX take.
type Literal struct{ programs.WCC }

// Gather calls the literal.
func (Literal) Gather(src uint32, _ model.Edge, _ uint32) uint32 {
	add := func(x uint32) uint32 {
		for range 3 {
			x = x*x + 1
			if x%5 == 0 {
				defer func() { x++ }()
			}
		}
		return x
	}
	return add(src)
}

// Embeds has all from elsewhere.
type Embeds struct{ programs.PageRank[float32] }

// Pair is generic over value and accumulator.
type Pair[V uint32 | uint64, A float32 | float64] struct{ Factor A }

// Init is the id.
func (Pair[_, _]) Init(v model.Vertex) (uint32, bool) { return v.ID, true }

// Zero is 0.
func (Pair[_, B]) Zero() B { return 0 }

// Gather takes type parameters of other names than the declaration.
func (p Pair[W, B]) Gather(src uint32, e model.Edge, _ uint32) B {
	x := B(W(src)) * p.Factor
	for range 4 {
		x += B(e.Weight)
		if x > 100 && B(stdmath.Sqrt(float64(x))) > 20 && x != 1000 {
			return B(W(x))
		}
	}
	return x
}

// Sum adds.
func (p Pair[_, B]) Sum(a, b B) B { return a + b }

// Apply rounds.
func (p Pair[W, B]) Apply(_ model.Vertex, old uint32, acc B, _ model.Step) uint32 {
	return old + uint32(W(min(acc, 1e6)))
}

// Activate reports any change.
func (Pair[_, _]) Activate(_ model.Vertex, old, new uint32) bool { return old != new }
