package cpuengine

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/testgraph"
	"github.com/garaph/garaph/internal/vertices"
)

// faulty panics in the method of this name, while armed.
type faulty struct {
	method string
	armed  *atomic.Bool
}

func (p faulty) at(method string) {
	if p.method == method && p.armed.Load() {
		panic("in " + method)
	}
}

func (p faulty) Init(gas.Vertex) (uint32, bool) { return 0, true }

func (p faulty) Zero() uint32 {
	p.at("Zero")
	return 0
}

func (p faulty) Gather(src uint32, _ gas.Edge, _ uint32) uint32 {
	p.at("Gather")
	return src
}

func (p faulty) Sum(a, b uint32) uint32 {
	p.at("Sum")
	return a + b
}

func (p faulty) Apply(v gas.Vertex, _, acc uint32, _ gas.Step) uint32 {
	p.at("Apply")
	return acc + v.In
}

func (p faulty) Activate(gas.Vertex, uint32, uint32) bool {
	p.at("Activate")
	return true
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

// TestPanic: a panic of a program's method ends as an error that names the
// program, and nothing is left running; afterwards the engine works.
func TestPanic(t *testing.T) {
	s := newShards(testgraph.Complete(), 2, false, false)
	for _, method := range []string{"Zero", "Gather", "Sum", "Apply", "Activate", "Saturated", "Settled", "Aggregate"} {
		for _, threads := range []int{1, 4} {
			t.Run(fmt.Sprint(method, threads), func(t *testing.T) {
				p := faulty{method, new(atomic.Bool)}
				a := newArrays[uint32](t, s, gas.Both)
				defer a.Free()
				check := func(err error) {
					t.Helper()
					if err == nil || !strings.Contains(err.Error(), "faulty") || !strings.Contains(err.Error(), "in "+method) {
						t.Fatalf("got %v", err)
					}
				}
				if method == "Zero" {
					p.armed.Store(true)
					_, err := New(GenericLoops(gas.Program[uint32, uint32](p)), a, threads)
					check(err)
					p.armed.Store(false)
				}
				e := newEngine(t, gas.Program[uint32, uint32](p), a, s, threads, 3)
				page, w := s.page(0, len(s.firsts), gas.Both), Work{Aggregates: make([]float64, len(s.firsts))}
				if method != "Zero" {
					p.armed.Store(true)
					_, err := e.Process(page, w)
					check(err)
					p.armed.Store(false)
				}
				if st, err := e.Process(page, w); err != nil || st.Vertices != 5 || st.Edges != 40 {
					t.Fatalf("afterwards: %+v, %v", st, err)
				}
			})
		}
	}
}

// wide has an accumulator that cannot leave the process.
type wide struct{ faulty }

func (wide) Zero() []uint32                                                { return nil }
func (wide) Gather(uint32, gas.Edge, uint32) []uint32                      { return nil }
func (wide) Sum(a, _ []uint32) []uint32                                    { return a }
func (wide) Apply(_ gas.Vertex, old uint32, _ []uint32, _ gas.Step) uint32 { return old }

func TestPlainAccumulator(t *testing.T) {
	var a vertices.Arrays[uint32]
	_, err := New(GenericLoops(gas.Program[uint32, []uint32](wide{})), &a, 1)
	if err == nil || !strings.Contains(err.Error(), "accumulator") || !strings.Contains(err.Error(), "[]uint32") {
		t.Errorf("got %v", err)
	}
}
