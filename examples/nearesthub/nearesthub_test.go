package main

import (
	"context"
	"io"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/cmd/garaph/cli"
	"github.com/garaph/garaph/gas/gastest"
)

// TestSum checks that the order of contributions does not matter.
func TestSum(t *testing.T) {
	place := rapid.Custom(func(t *rapid.T) Place {
		return Place{float32(rapid.IntRange(0, 3).Draw(t, "distance")), rapid.Uint32Range(0, 3).Draw(t, "hub")}
	})
	rapid.Check(t, func(t *rapid.T) {
		p := NearestHub{}
		a, b, c := place.Draw(t, "a"), place.Draw(t, "b"), place.Draw(t, "c")
		if p.Sum(a, b) != p.Sum(b, a) || p.Sum(p.Sum(a, b), c) != p.Sum(a, p.Sum(b, c)) || p.Sum(a, p.Zero()) != a {
			t.Fatalf("%v, %v, %v", a, b, c)
		}
	})
}

// TestMonotone checks that frontiers end with the values of pulls.
func TestMonotone(t *testing.T) {
	gastest.CheckMonotone[Place, Place](t, NearestHub{Edges: 8})
}

// TestOverflow checks that hubs that are too far away fail the run, vertices without a hub do
// not.
func TestOverflow(t *testing.T) {
	for ways, code := range map[string]int{
		"a b 1\na c 1\na x 1\nc d 3e38\nd e 3e38\n": 1, // e
		"a b 1\na c 1\na x 1\nc d 3e38\ny z 3e38\n": 0,
	} {
		var out, reported strings.Builder
		args := []string{"run", "nearest-hub", "--undirected", "-", "--output", "-"}
		got := cli.Run(context.Background(), args, strings.NewReader(ways), &out, &reported,
			cli.New("nearest-hub", "", NearestHub{Edges: 6}))
		if got != code || code == 1 &&
			(out.Len() > 0 || !strings.Contains(reported.String(), `1 of 6 values are wrong, the first that of vertex "e"`)) {
			t.Errorf("%s: exit %d, want %d; it wrote %q and reported %s", ways, got, code, out.String(), reported.String())
		}
	}
}

func Example() {
	// a and e have three neighbours each; d is nearer to e.
	ways := strings.NewReader("a b 1\na c 1\na x 1\nc d 5\nd e 4\ne f 1\ne g 1\n")
	args := []string{"run", "nearest-hub", "--undirected", "-", "--output", "-"}
	cli.Run(context.Background(), args, ways, os.Stdout, io.Discard, cli.New("nearest-hub", "", NearestHub{Edges: 6}))
	// Output:
	// a	a
	// b	a
	// c	a
	// d	e
	// e	e
	// f	e
	// g	e
	// x	a
}
