package community

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/garaph/garaph/internal/testgraph"
)

// searched is what searches took.
type searched struct {
	wall, user time.Duration
	branches   int64
}

func userTime() time.Duration {
	var u unix.Rusage
	_ = unix.Getrusage(unix.RUSAGE_SELF, &u) // has no error for these arguments
	return time.Duration(u.Utime.Nano())
}

// BenchmarkThreads compares two threads with one on hard queries, in turn, as other processes may
// take some of the machine. Reported are how many times as fast two are, how many times as many
// branches they have, and the time in user mode of a branch.
func BenchmarkThreads(b *testing.B) {
	for _, c := range []struct {
		n, degree, low, high int
	}{{300, 20, 9, 13}, {500, 24, 8, 12}, {120, 40, 10, 14}} {
		p := sparse(b, rand.New(rand.NewPCG(5, 6)), c.n, c.degree)
		p.Low, p.High = c.low, c.high
		compareThreads(b, fmt.Sprintf("G(%d, %d÷n), %d to %d vertices", c.n, c.degree, c.low, c.high), p, 0)
	}
	_, g := testgraph.LoadEdges(b, "as-Caida20071105", true)
	edges, degrees := make([][2]uint32, len(g.Edges)), make([]int, g.N)
	for i, e := range g.Edges {
		edges[i] = [2]uint32{e.Src, e.Dst}
		degrees[e.Src]++
	}
	hub := uint32(slices.Index(degrees, slices.Max(degrees)))
	p, err := NewProblem(g.N, edges, hub, 25, 30)
	if err != nil {
		b.Fatal(err)
	}
	compareThreads(b, "as-Caida, 25 to 30 vertices, 2 s", p, 2*time.Second)
}

// compareThreads runs a search with one thread and with two, in turn. With a limit of time it need
// not end, and its branches show how fast it is.
func compareThreads(b *testing.B, name string, p *Problem, limit time.Duration) {
	b.Run(name, func(b *testing.B) {
		var did [3]searched
		for b.Loop() {
			for threads := 1; threads <= 2; threads++ {
				ctx, cancel := b.Context(), func() {}
				if limit > 0 {
					ctx, cancel = context.WithTimeout(ctx, limit)
				}
				begin, user := time.Now(), userTime()
				var best Best
				rest, st, err := SearchParallel(ctx, []Open{{p, Root(p)}}, AllRules, threads, 0, 0, &best, nil)
				cancel()
				if err != nil || len(rest) > 0 && limit == 0 {
					b.Fatalf("%d nodes are open, %v", len(rest), err)
				}
				d := &did[threads]
				d.branches, d.wall, d.user = d.branches+st.Branches, d.wall+time.Since(begin), d.user+userTime()-user
			}
		}
		one, two := did[1], did[2]
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(one.wall.Seconds()/float64(b.N), "s-one")
		faster := one.wall.Seconds() / two.wall.Seconds()
		if limit > 0 {
			faster *= float64(two.branches) / float64(one.branches)
		}
		b.ReportMetric(faster, "times-as-fast")
		b.ReportMetric(float64(two.branches)/float64(one.branches), "times-the-branches")
		for threads, d := range did[1:] {
			b.ReportMetric(float64(d.user.Nanoseconds())/float64(d.branches), fmt.Sprintf("user-ns/branch-%d", threads+1))
		}
	})
}
