package dispatcher

import (
	"context"
	"strings"
	"testing"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/testgraph"
	"github.com/garaph/garaph/internal/teststore"
)

// faulty panics in the method of this name.
type faulty string

func (p faulty) at(method string) {
	if string(p) == method {
		panic("in " + method)
	}
}

func (p faulty) Init(gas.Vertex) (uint32, bool) {
	p.at("Init")
	return 0, true
}

func (p faulty) Zero() uint32 {
	p.at("Zero")
	return 0
}

func (p faulty) Gather(uint32, gas.Edge, uint32) uint32 {
	p.at("Gather")
	return 1
}

func (p faulty) Sum(a, b uint32) uint32 {
	p.at("Sum")
	return a + b
}

func (p faulty) Apply(_ gas.Vertex, _, acc uint32, _ gas.Step) uint32 {
	p.at("Apply")
	return acc
}

func (p faulty) Activate(_ gas.Vertex, old, now uint32) bool {
	p.at("Activate")
	return old != now
}

func (p faulty) Saturated(uint32, gas.Step) bool {
	p.at("Saturated")
	return false
}

func (p faulty) Settled(uint32, gas.Step) bool {
	p.at("Settled")
	return false
}

func (p faulty) Aggregate(gas.Vertex, uint32) float64 {
	p.at("Aggregate")
	return 0
}

func (p faulty) Direction() gas.Direction {
	p.at("Direction")
	return gas.Both
}

func (p faulty) Overflowed(uint32) bool {
	p.at("Overflowed")
	return false
}

func (p faulty) Idempotent() bool {
	p.at("Idempotent")
	return true
}

func (p faulty) Monotone() bool {
	p.at("Monotone")
	return true
}

// TestPanic checks that a panic in any method of a program ends the job as an error that
// names the program and shows where it was.
func TestPanic(t *testing.T) {
	s := teststore.Build(t, testgraph.Complete(), teststore.Options{ShardVertices: 2})
	for _, method := range []string{"Init", "Zero", "Gather", "Sum", "Apply", "Activate", "Saturated", "Settled",
		"Aggregate", "Direction", "Overflowed", "Idempotent", "Monotone"} {
		t.Run(method, func(t *testing.T) {
			j, err := New(s, gas.Program[uint32, uint32](faulty(method)), Options{Threads: 2})
			if err == nil {
				defer j.Close()
				_, err = j.Run(context.Background())
			}
			if err == nil || !strings.Contains(err.Error(), "faulty panicked: in "+method) ||
				!strings.Contains(err.Error(), "panic_test.go") {
				t.Fatalf("got %v", err)
			}
		})
	}
}
