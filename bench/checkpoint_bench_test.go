package bench

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/programs"
)

// BenchmarkCheckpoints runs PageRank without epochs, with one every 5 iterations
// and with one each iteration, in turn, and gives the medians of how much longer
// each pair of runs took than the one without right before it. GARAPH_SCALE is
// the scale of the graph; 22 is what the figures of the project are for.
func BenchmarkCheckpoints(b *testing.B) {
	scale := 16
	if n, err := strconv.Atoi(os.Getenv("GARAPH_SCALE")); err == nil {
		scale = n
	}
	g := rmatGraph(b, scale, 16, 0)
	p := programs.PageRank[float32]{Damping: 0.85}
	run := func(every int) (seconds, cpu float64) {
		begin, used := time.Now(), processorTime(b)
		r, err := garaph.Run(b.Context(), g, p, garaph.RunOptions{Iterations: 20, Checkpoints: garaph.Checkpoints{Every: every}})
		if err != nil {
			b.Fatal(err)
		}
		took := time.Since(begin) - r.Report.Load
		if err := r.Close(); err != nil {
			b.Fatal(err)
		}
		return took.Seconds(), (processorTime(b) - used).Seconds()
	}
	policies := []int{5, 1}
	ratios, cpu := make([][]float64, len(policies)), make([][]float64, len(policies))
	run(0) // brings the graph into the system's page cache
	for b.Loop() {
		for i, every := range policies {
			without, cpuWithout := run(0)
			with, cpuWith := run(every)
			ratios[i], cpu[i] = append(ratios[i], with/without), append(cpu[i], cpuWith/cpuWithout)
		}
	}
	for i, every := range policies {
		b.ReportMetric(medianOf(ratios[i]), fmt.Sprintf("x-every-%d", every))
		b.ReportMetric(medianOf(cpu[i]), fmt.Sprintf("x-cpu-every-%d", every))
	}
	b.ReportMetric(0, "ns/op")
}

func medianOf(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}

// processorTime is what the process has used so far.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		b.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
