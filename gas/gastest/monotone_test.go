package gastest_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gas/gastest"
	"github.com/garaph/garaph/programs"
)

// TestPrograms checks the built-in programs that claim to be monotone.
func TestPrograms(t *testing.T) {
	gastest.CheckMonotone[uint32, uint32](t, programs.BFS{Source: 3})
	gastest.CheckMonotone[float32, float32](t, programs.SSSP[float32]{Source: 3})
	gastest.CheckMonotone[float64, float64](t, programs.SSSP[float64]{Source: 3})
	gastest.CheckMonotone[float32, float32](t, programs.SSWP[float32]{Source: 3})
	gastest.CheckMonotone[uint32, uint32](t, programs.WCC{})
}

// claims is a program of minima, with methods that a test replaces.
type claims struct {
	init     func(v gas.Vertex) (float32, bool)
	gather   func(src float32, e gas.Edge) float32
	sum      func(a, b float32) float32
	apply    func(old, acc float32) float32
	activate func(old, now float32) bool
	priority func(value float32) float64
}

func shortest() claims {
	return claims{
		init: func(v gas.Vertex) (float32, bool) {
			if v.ID == 0 {
				return 0, true
			}
			return float32(math.Inf(1)), false
		},
		gather:   func(src float32, e gas.Edge) float32 { return src + float32(e.Weight) },
		sum:      func(a, b float32) float32 { return min(a, b) },
		apply:    func(old, acc float32) float32 { return min(old, acc) },
		activate: func(old, now float32) bool { return now < old },
		priority: func(value float32) float64 { return float64(value) },
	}
}

func (c claims) Init(v gas.Vertex) (float32, bool)                        { return c.init(v) }
func (c claims) Zero() float32                                            { return float32(math.Inf(1)) }
func (c claims) Gather(src float32, e gas.Edge, _ float32) float32        { return c.gather(src, e) }
func (c claims) Sum(a, b float32) float32                                 { return c.sum(a, b) }
func (c claims) Apply(_ gas.Vertex, old, acc float32, _ gas.Step) float32 { return c.apply(old, acc) }
func (c claims) Activate(_ gas.Vertex, old, now float32) bool             { return c.activate(old, now) }
func (c claims) Priority(value float32) float64                           { return c.priority(value) }
func (claims) Monotone() bool                                             { return true }
func (claims) Idempotent() bool                                           { return true }

// TestFalse reports every promise that is broken.
func TestFalse(t *testing.T) {
	gastest.CheckMonotone[float32, float32](t, shortest())
	for _, c := range []struct {
		says  string
		spoil func(*claims)
	}{
		{"keeps the better of two", func(c *claims) { c.sum = func(a, b float32) float32 { return a + b } }},
		{"it is not Idempotent", func(c *claims) { c.apply = func(old, acc float32) float32 { return min(old, acc) - 1 } }},
		{"reports every change", func(c *claims) { c.activate = func(old, now float32) bool { return now < old-3 } }},
		{"values do not only get better", func(c *claims) {
			c.gather = func(src float32, e gas.Edge) float32 { return src - 1 }
			c.priority = func(float32) float64 { return 0 }
		}},
		{"none leads to a lower one",
			func(c *claims) { c.priority = func(value float32) float64 { return -float64(value) } }},
		{"it is not Monotone and Idempotent", func(c *claims) { // vertices that are not active contribute
			c.init = func(v gas.Vertex) (float32, bool) { return float32(v.ID), v.ID == 7 }
		}},
	} {
		p := shortest()
		c.spoil(&p)
		if said := failure(func(t testing.TB) { gastest.CheckMonotone[float32, float32](t, p) }); !strings.Contains(said,
			c.says) {
			t.Errorf("expected %q, got %q", c.says, said)
		}
	}
	if said := failure(func(t testing.TB) {
		gastest.CheckMonotone[float32, int64](t, programs.PageRank[float32]{Damping: 0.85})
	}); !strings.Contains(said, "does not claim") {
		t.Errorf("of a program without the ability: %q", said)
	}
}

// failing is a test of which the failure is wanted.
type failing struct {
	testing.TB
	said *string
}

type failed struct{}

func (failing) Helper() {}

func (f failing) Fatalf(format string, args ...any) {
	*f.said = fmt.Sprintf(format, args...)
	panic(failed{})
}

// failure returns what a check reports.
func failure(check func(testing.TB)) (said string) {
	defer func() {
		if r := recover(); r != nil && r != (failed{}) {
			panic(r)
		}
	}()
	check(failing{said: &said})
	return said
}
