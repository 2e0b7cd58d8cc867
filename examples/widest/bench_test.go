package main

import (
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/gas"
)

// pulled is Widest without the ability.
type pulled struct{ Widest }

// Monotone hides that of Widest.
func (pulled) Monotone() bool { return false }

// BenchmarkMonotone compares Widest with itself without Monotone, from vertex 0 of a graph.
func BenchmarkMonotone(b *testing.B) {
	measure(b, "without", pulled{})
	measure(b, "Monotone", Widest{})
}

// measure runs a job b.N times over the graph in the folder GARAPH_GRAPH, which has weights.
// cpu-ms is the processors' time, which other processes change less.
func measure(b *testing.B, name string, p gas.Program[float32, float32]) {
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
