// Package influence is a vertex program whose methods are long: values are structs, and each
// edge takes a logarithm and a division in double precision.
package influence

import (
	"math"

	"github.com/garaph/garaph/gas"
)

//go:generate go run github.com/garaph/garaph/cmd/garaph-compile

// Person is a vertex: an opinion, and the threshold at which it changes.
type Person struct {
	Opinion float64
	Doubt   float32
	Age     uint32 // in iterations
}

// Influence lets people change their opinions by those of their in-neighbours, the less the
// more they doubt.
type Influence struct{}

// Init begins with small opinions, and with the more doubts the more neighbours there are.
func (Influence) Init(v gas.Vertex) (Person, bool) {
	return Person{Opinion: 1 / float64(v.ID+1), Doubt: float32(v.In)}, true
}

// Zero is no influence.
func (Influence) Zero() float64 { return 0 }

// Gather returns the influence of an in-neighbour.
func (Influence) Gather(src Person, e gas.Edge, dst Person) float64 {
	return e.Weight * math.Log(1+src.Opinion) / (1 + float64(dst.Doubt) + dst.Opinion)
}

// Sum adds influences.
func (Influence) Sum(a, b float64) float64 { return a + b }

// Apply keeps half of the old opinion.
func (Influence) Apply(_ gas.Vertex, old Person, acc float64, _ gas.Step) Person {
	return Person{Opinion: 0.5*old.Opinion + acc, Doubt: old.Doubt, Age: old.Age + 1}
}

// Activate reports whether the opinion of a vertex changed.
func (Influence) Activate(_ gas.Vertex, old, new Person) bool {
	return math.Abs(new.Opinion-old.Opinion) > 1e-9
}

// Result is the opinion.
func (Influence) Result(_ gas.Vertex, value Person) float64 { return value.Opinion }
