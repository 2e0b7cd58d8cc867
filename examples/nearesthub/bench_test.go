package main

import (
	"cmp"
	"os"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gas/compiled"
)

// pulled is NearestHub without Monotone, and so without frontiers.
type pulled struct{ NearestHub }

// Monotone hides that of NearestHub.
func (pulled) Monotone() bool { return false }

// unordered is NearestHub without an order.
type unordered struct{ NearestHub }

// Loops are those of NearestHub but for priorities.
func (p unordered) Loops() compiled.Loops[Place, Place] {
	loops := p.NearestHub.Loops()
	loops.Relax = nil
	return loops
}

// BenchmarkAbilities compares NearestHub with itself without abilities. GARAPH_HUB is how many
// edges a hub has.
func BenchmarkAbilities(b *testing.B) {
	edges, err := strconv.ParseUint(cmp.Or(os.Getenv("GARAPH_HUB"), "2000"), 10, 32)
	if err != nil {
		b.Fatal(err)
	}
	p := NearestHub{Edges: uint32(edges)}
	measure(b, "without", pulled{p})
	measure(b, "Monotone", unordered{p})
	measure(b, "Monotone and Priority", p)
}

// measure runs a job b.N times over the graph in the folder GARAPH_GRAPH, which has weights.
// cpu-ms is the processors' time, which other processes change less.
func measure(b *testing.B, name string, p gas.Program[Place, Place]) {
	path := os.Getenv("GARAPH_GRAPH")
	if path == "" {
		b.Skip("GARAPH_GRAPH names no graph")
	}
	g, err := garaph.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = g.Close() }()
	b.Run(name, func(b *testing.B) {
		used, edges := processorTime(), uint64(0)
		for range b.N {
			r, err := garaph.Run(b.Context(), g, p, garaph.RunOptions{})
			if err != nil {
				b.Fatal(err)
			}
			edges += r.Report.Edges
			if err := r.Close(); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64((processorTime()-used).Milliseconds())/float64(b.N), "cpu-ms/op")
		b.ReportMetric(float64(edges)/1e6/float64(b.N), "Medges/op")
	})
}

// processorTime is what the process has taken of all processors.
func processorTime() time.Duration {
	var u unix.Rusage
	_ = unix.Getrusage(unix.RUSAGE_SELF, &u) // fails for bad arguments only
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
