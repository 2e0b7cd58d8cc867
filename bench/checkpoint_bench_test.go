package bench

import (
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/checkpoint"
	"github.com/garaph/garaph/programs"
)

// BenchmarkCheckpoints runs PageRank without epochs, with one every 5 iterations
// and with one each iteration, in pairs of runs with and without, which is first
// changes from round to round. It returns the medians of how much longer the run
// with epochs took than the other of its pair, and how many epochs it wrote. All
// runs are recorded as jobs, as those of the command are: what that takes, some
// syncs of the disk, is no epoch's, and would be much of so short a run.
// GARAPH_SCALE is the scale of the graph; 22 is what the figures of the project
// are for.
func BenchmarkCheckpoints(b *testing.B) {
	scale := 16
	if n, err := strconv.Atoi(os.Getenv("GARAPH_SCALE")); err == nil {
		scale = n
	}
	g := rmatGraph(b, scale, 16, 0)
	p := programs.PageRank[float32]{Damping: 0.85}
	run := func(every int) (seconds, cpu, epochs float64) {
		begin, used := time.Now(), processorTime()
		r, err := garaph.Run(b.Context(), g, p, garaph.RunOptions{
			Iterations: 20, Job: g.NewJob(checkpoint.Spec{Name: "pagerank"}), Checkpoints: garaph.Checkpoints{Every: every},
		})
		if err != nil {
			b.Fatal(err)
		}
		took := time.Since(begin) - r.Report.Preparation.Load
		if err := r.Close(); err != nil {
			b.Fatal(err)
		}
		return took.Seconds(), (processorTime() - used).Seconds(), float64(r.Job().Record().Epoch)
	}
	policies := []int{5, 1}
	ratios, cpu, wrote := make([][]float64, len(policies)), make([][]float64, len(policies)),
		make([][]float64, len(policies))
	var seconds []float64
	run(0) // brings the graph into the system's page cache
	for round := 0; b.Loop(); round++ {
		for i, every := range policies {
			var took, used [2]float64 // without, with
			for k := range 2 {
				with := (round + k) % 2
				var epochs float64
				if took[with], used[with], epochs = run(with * every); with == 1 {
					wrote[i] = append(wrote[i], epochs)
				}
			}
			seconds = append(seconds, took[0])
			ratios[i], cpu[i] = append(ratios[i], took[1]/took[0]), append(cpu[i], used[1]/used[0])
		}
	}
	b.ReportMetric(median(seconds), "s-without")
	for i, every := range policies {
		b.ReportMetric(median(ratios[i]), fmt.Sprintf("x-every-%d", every))
		b.ReportMetric(median(cpu[i]), fmt.Sprintf("x-cpu-every-%d", every))
		b.ReportMetric(median(wrote[i]), fmt.Sprintf("epochs-every-%d", every))
	}
	b.ReportMetric(0, "ns/op")
}
