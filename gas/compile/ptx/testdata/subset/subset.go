// Package subset has vertex programs that use all that the compiler to PTX
// knows and the programs that come with garaph do not.
package subset

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/programs"
)

// Elementary has the functions that are not exact.
type Elementary struct{ Bias float32 }

func (Elementary) Init(gas.Vertex) (float32, bool) { return 0, true }
func (Elementary) Zero() float32                   { return 0 }
func (Elementary) Gather(src float32, e gas.Edge, _ float32) float32 {
	return float32(math.Exp(float64(src * float32(e.Weight))))
}
func (Elementary) Sum(a, b float32) float32 { return a + b }
func (p Elementary) Apply(_ gas.Vertex, _, acc float32, _ gas.Step) float32 {
	return float32(math.Tanh(float64(acc + p.Bias)))
}
func (Elementary) Activate(_ gas.Vertex, old, new float32) bool {
	return math.Abs(float64(new-old)) > 1e-3
}
func (Elementary) Aggregate(_ gas.Vertex, value float32) float64 {
	return float64(float32(math.Log(float64(value))))
}

// Exact has the others, and builtins.
type Exact struct {
	A, B float64
	Up   bool
}

func (p Exact) Init(v gas.Vertex) (float64, bool) { return float64(v.ID), p.Up }
func (p Exact) Zero() float64                     { return math.NaN() }
func (p Exact) Gather(src float64, e gas.Edge, dst float64) float64 {
	if math.IsInf(src, 0) || math.IsNaN(dst) {
		return math.Floor(dst) + math.Ceil(e.Weight) - math.Trunc(src)
	}
	return math.FMA(src, e.Weight, dst)
}
func (Exact) Sum(a, b float64) float64 { return math.Max(a, b) }
func (p Exact) Apply(v gas.Vertex, old, acc float64, s gas.Step) float64 {
	switch bits.LeadingZeros32(v.ID) {
	case 0:
		return math.Sqrt(old) / acc
	case 1:
		return math.Min(old, acc)
	case 2, 3:
		return math.Copysign(math.Abs(old)+1, float64(int64(s.Iteration)))
	case 4:
		return math.Float64frombits(math.Float64bits(float64(s.Iteration)) ^ 1)
	case 5:
		return float64(math.Float32frombits(math.Float32bits(float32(v.N)) ^ 1))
	case 6:
		return float64(bits.Reverse32(v.ID)) + float64(bits.Reverse64(uint64(s.Iteration)))
	case 7:
		return math.Inf(int(v.In) - int(v.Out))
	}
	return min(old, acc, p.A, p.B)
}
func (Exact) Activate(v gas.Vertex, old, new float64) bool {
	return math.Signbit(float64(int32(v.ID))) != math.IsInf(new, int(v.In)-int(v.Out)) || math.IsInf(old, -1)
}

// Complex is a struct value of narrow and wide parts.
type Complex struct {
	Pos   [3]float32
	Mark  bool
	Small int8
	Count uint16
}

// Pair is an accumulator of 8 bytes.
type Pair struct {
	Least float32
	Count int32
}

// Struct works on structs and arrays, by a pointer.
type Struct struct {
	Weights [4]float32
	Name    string // not read
	Limit   int
}

func (p *Struct) Init(v gas.Vertex) (c Complex, active bool) {
	return Complex{Count: uint16(v.In)}, true
}
func (p *Struct) Zero() Pair { return Pair{Least: float32(math.Inf(1))} }
func (p *Struct) Gather(src Complex, e gas.Edge, dst Complex) Pair {
	d := distance(src.Pos, dst.Pos)
	if src.Mark && dst.Small < 0 {
		return Pair{d, -1}
	}
	return Pair{Least: d * p.Weights[src.Count%4], Count: int32(src.Small) << (dst.Count & 15)}
}
func (p *Struct) Sum(a, b Pair) Pair { return Pair{min(a.Least, b.Least), a.Count + b.Count} }
func (p *Struct) Apply(v gas.Vertex, old Complex, acc Pair, s gas.Step) Complex {
	old.Count += uint16(acc.Count)
	if old == (Complex{}) {
		for i := range old.Pos {
			old.Pos[i] = p.Weights[i] * float32(v.ID)
		}
	}
	for i := 0; i < p.Limit && i < 8; i++ {
		if i == 5 {
			continue
		}
		old.Pos[i%3] += acc.Least
		if old.Pos[i%3] > 100 {
			break
		}
	}
	q := &old.Pos
	q[v.ID%3] = largest(acc.Least, q[1])
	old.Mark = !old.Mark
	old.Small = int8(int(old.Count) / (s.Iteration + 1))
	return old
}
func (p *Struct) Activate(_ gas.Vertex, old, new Complex) bool { return old.Pos != new.Pos }
func (p *Struct) Settled(value Complex, s gas.Step) bool {
	return int(value.Count) > s.Iteration
}

func distance(a, b [3]float32) (sum float32) {
	for i := range a {
		d := a[i] - b[i]
		sum += d * d
	}
	return float32(math.Sqrt(float64(sum)))
}

func largest[T float32 | int32](a, b T) T {
	if a > b {
		return a
	}
	return b
}

// Faulty has all the ways in which a method may panic.
type Faulty struct{ Table [5]int32 }

func (Faulty) Init(gas.Vertex) (int32, bool) { return 0, true }
func (Faulty) Zero() int32                   { return 0 }
func (Faulty) Gather(src int32, _ gas.Edge, dst int32) int32 {
	return src / dst
}
func (Faulty) Sum(a, b int32) int32 { return a | b }
func (p Faulty) Apply(v gas.Vertex, old, acc int32, s gas.Step) int32 {
	switch acc {
	case 3:
		panic("three")
	case 7:
		return p.Table[v.ID]
	}
	return old << acc
}
func (Faulty) Activate(_ gas.Vertex, old, new int32) bool {
	return int64(old)%int64(new) == 0
}

// Embedding has the methods of another package's program, but for one.
type Embedding struct{ programs.BFS }

func (Embedding) Zero() uint32 { return 1 << 30 }

// Wide has an accumulator that no atomic works on.
type Wide struct{}

func (Wide) Init(gas.Vertex) (uint64, bool) { return 1, true }
func (Wide) Zero() [2]uint64                { return [2]uint64{} }
func (Wide) Gather(src uint64, _ gas.Edge, _ uint64) [2]uint64 {
	return [2]uint64{src, 1}
}
func (Wide) Sum(a, b [2]uint64) [2]uint64 { return [2]uint64{a[0] + b[0], a[1] + b[1]} }
func (Wide) Apply(_ gas.Vertex, old uint64, acc [2]uint64, _ gas.Step) uint64 {
	return acc[0] / max(acc[1], 1)
}
func (Wide) Activate(_ gas.Vertex, old, new uint64) bool { return old != new }

// Flag has a bool for an accumulator: what vertex 0 reaches. Init and Saturated,
// which no kernel calls, lie outside the subset.
type Flag struct{}

func (Flag) Init(v gas.Vertex) (bool, bool)                     { return fmt.Sprint(v.ID) == "0", true }
func (Flag) Zero() bool                                         { return false }
func (Flag) Gather(src bool, _ gas.Edge, _ bool) bool           { return src }
func (Flag) Sum(a, b bool) bool                                 { return a || b }
func (Flag) Apply(_ gas.Vertex, old, acc bool, _ gas.Step) bool { return old || acc }
func (Flag) Activate(_ gas.Vertex, old, new bool) bool          { return old != new }
func (Flag) Settled(value bool, _ gas.Step) bool                { return value }
func (Flag) Saturated(acc bool, _ gas.Step) bool                { return strconv.FormatBool(acc) == "true" }

// Small has narrow numbers.
type Small struct{ By uint8 }

// Halves is an accumulator of two numbers in a word.
type Halves struct {
	A int16
	B uint8
}

func (Small) Init(v gas.Vertex) (int16, bool) { return int16(v.ID), v.ID%2 == 0 }
func (Small) Zero() Halves                    { return Halves{A: math.MaxInt16} }
func (p Small) Gather(src int16, _ gas.Edge, dst int16) Halves {
	return Halves{src * dst, uint8(src) >> p.By}
}
func (Small) Sum(a, b Halves) Halves { return Halves{min(a.A, b.A), a.B ^ b.B} }
func (Small) Apply(_ gas.Vertex, old int16, acc Halves, _ gas.Step) int16 {
	return -old + acc.A - int16(acc.B)
}
func (Small) Activate(_ gas.Vertex, old, new int16) bool { return old > new }
