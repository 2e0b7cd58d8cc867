package bench

import (
	"flag"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/programs"
)

var (
	graphFlag   = flag.String("graph", "", "undirected graph for BenchmarkCores")
	threadsFlag = flag.String("threads", strconv.Itoa(runtime.NumCPU()),
		"numbers of threads for BenchmarkCores, separated by commas")
	sourcesFlag = flag.Int("sources", 8, "from how many vertices BenchmarkCores searches")
)

// BenchmarkCores runs jobs over one open graph, in memory, and reports medians over the
// sources: seconds of computing as the report of a job has them, milliseconds of the whole
// call without results, and of the processors.
//
//	go test ./bench -run '^$' -bench Cores/bfs -benchtime 1x -args -graph FOLDER -threads 1,4,16
func BenchmarkCores(b *testing.B) {
	if *graphFlag == "" {
		b.Skip("without -args -graph FOLDER")
	}
	var sources []uint32
	for _, text := range sourcesOf(b, *graphFlag, *sourcesFlag) {
		v, err := strconv.ParseUint(text, 10, 32)
		if err != nil {
			b.Fatal(err)
		}
		sources = append(sources, uint32(v))
	}
	g, err := garaph.Open(*graphFlag)
	if err != nil {
		b.Fatal(err)
	}
	defer g.Close()
	for _, c := range []struct {
		name string
		run  func(threads int, source uint32) (*garaph.Result, error)
	}{
		{"bfs", func(threads int, source uint32) (*garaph.Result, error) {
			return garaph.Run(b.Context(), g, programs.BFS{Source: source}, garaph.RunOptions{Threads: threads})
		}},
		{"components", func(threads int, _ uint32) (*garaph.Result, error) {
			return garaph.RunAlgorithm(b.Context(), g, algorithms.Components{}, garaph.AlgorithmOptions{Threads: threads})
		}},
		{"sssp", func(threads int, source uint32) (*garaph.Result, error) {
			return garaph.Run(b.Context(), g, programs.SSSP[float32]{Source: source}, garaph.RunOptions{Threads: threads})
		}},
		{"pagerank", func(threads int, _ uint32) (*garaph.Result, error) {
			return garaph.Run(b.Context(), g, programs.PageRank[float32]{Damping: 0.85},
				garaph.RunOptions{Threads: threads, Iterations: 20})
		}},
		{"triangles", func(threads int, _ uint32) (*garaph.Result, error) {
			return garaph.RunAlgorithm(b.Context(), g, algorithms.Triangles{}, garaph.AlgorithmOptions{Threads: threads})
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			for _, text := range strings.Split(*threadsFlag, ",") {
				threads, err := strconv.Atoi(text)
				if err != nil {
					b.Fatal(err)
				}
				b.Run(text, func(b *testing.B) {
					var computing, wall, cpu []float64
					for b.Loop() {
						for _, source := range sources {
							begin, used := time.Now(), processorTime()
							r, err := c.run(threads, source)
							if err != nil {
								b.Fatal(err)
							}
							took := 0.0
							for _, it := range r.Report.Iterations {
								took += it.Seconds
							}
							if r.Algorithm != nil {
								took = r.Algorithm.Duration.Seconds()
							}
							computing = append(computing, took)
							wall = append(wall, 1e3*time.Since(begin).Seconds())
							cpu = append(cpu, 1e3*(processorTime()-used).Seconds())
							if err := r.Close(); err != nil {
								b.Fatal(err)
							}
						}
					}
					b.ReportMetric(median(computing), "computing-s")
					b.ReportMetric(median(wall), "ms")
					b.ReportMetric(median(cpu), "cpu-ms")
				})
			}
		})
	}
}

// processorTime returns the processor time that this process has used.
func processorTime() time.Duration {
	var r unix.Rusage
	_ = unix.Getrusage(unix.RUSAGE_SELF, &r) // does not fail
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
