package main

import (
	"context"
	"io"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/garaph/garaph/cmd/garaph/cli"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gas/gastest"
)

// TestGather tests a method as a function.
func TestGather(t *testing.T) {
	p, anything := Widest{}, float32(math.Inf(1))
	for _, c := range []struct{ src, weight, want float32 }{{anything, 3, 3}, {2, 3, 2}, {0, 3, 0}} {
		if got := p.Gather(c.src, gas.Edge{Weight: float64(c.weight)}, 0); got != c.want {
			t.Errorf("%v over an edge of %v: got %v, want %v", c.src, c.weight, got, c.want)
		}
	}
}

// TestMonotone checks that frontiers end with the values of pulls.
func TestMonotone(t *testing.T) { gastest.CheckMonotone[float32, float32](t, Widest{}) }

// The whole command line, over a small graph.
func Example() {
	roads := strings.NewReader("mill lock 3.5\nmill ford 2\nlock town 3\nford town 4.5\ntown port 2.5\nport mill 1\n")
	args := []string{"run", "widest", "-", "--source", "mill", "--output", "-"}
	cli.Run(context.Background(), args, roads, os.Stdout, io.Discard, widest())
	// Output:
	// ford	2
	// lock	3.5
	// mill	inf
	// port	2.5
	// town	3
}
