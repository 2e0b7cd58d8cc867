package bench

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

var (
	gapbsFlag = flag.String("gapbs", "", "folder with the programs of the GAP Benchmark Suite, for BenchmarkWholeCommand")
	sgFlag    = flag.String("sg", "", "graph in GAPBS's format .sg")
	turnsFlag = flag.Int("turns", 5, "how often BenchmarkWholeCommand runs each command, in turn")
)

// BenchmarkWholeCommand runs commands of garaph and of GAPBS in turn, as whole processes with
// what they read in the page cache, and reports medians: seconds on the wall and of the
// processors, and the ratios of garaph to GAPBS of pairs.
//
//	go test ./bench -run '^$' -bench WholeCommand -benchtime 1x -args -gapbs FOLDER -sg kron20.sg
//
// GAPBS reads the .sg, computes once and drops what it found. So does garaph with a graph that was
// imported from it, and without --output; -o writes it to /dev/null besides.
func BenchmarkWholeCommand(b *testing.B) {
	if *gapbsFlag == "" || *sgFlag == "" {
		b.Skip("without -args -gapbs FOLDER -sg FILE")
	}
	dir := b.TempDir()
	garaph, graph := filepath.Join(dir, "garaph"), filepath.Join(dir, "a.graph")
	for _, args := range [][]string{{"go", "build", "-o", garaph, "../cmd/garaph"},
		{garaph, "import", "-q", *sgFlag, graph}} {
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			b.Fatalf("%v: %v: %s", args, err, out)
		}
	}
	gapbs := func(name string, args ...string) []string {
		return append([]string{filepath.Join(*gapbsFlag, name), "-f", *sgFlag, "-n", "1"}, args...)
	}
	run := func(args ...string) []string { return append([]string{garaph, "run", "-q"}, args...) }
	sources := sourcesOf(b, graph, *turnsFlag)
	for _, c := range []struct {
		name         string
		ours, theirs func(turn int) []string
	}{
		{"BFS", func(k int) []string { return run("bfs", graph, "--source", sources[k]) },
			func(k int) []string { return gapbs("bfs", "-r", sources[k]) }},
		{"BFS-o", func(k int) []string { return run("bfs", graph, "--source", sources[k], "-o", os.DevNull) },
			func(k int) []string { return gapbs("bfs", "-r", sources[k]) }},
		{"wcc", func(int) []string { return run("wcc", graph) }, func(int) []string { return gapbs("cc") }},
		{"components", func(int) []string { return run("components", graph) }, func(int) []string { return gapbs("cc") }},
		{"PageRank", func(int) []string { return run("pagerank", graph, "--iterations", "20") },
			func(int) []string { return gapbs("pr", "-i", "20", "-t", "0") }},
	} {
		b.Run(c.name, func(b *testing.B) {
			for range b.N {
				inTurn(b, *turnsFlag, c.ours, c.theirs)
			}
		})
	}
}

// sourcesOf are vertices with edges, here and there.
func sourcesOf(b *testing.B, graph string, n int) (sources []string) {
	s, err := store.Open(graph)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	shards := s.Catalogue().Shards
	for k := range n {
		i := (2*k + 1) * len(shards) / (2 * n)
		degrees, err := s.Degrees(shard.Out, i)
		if err != nil {
			b.Fatal(err)
		}
		v := max(0, slices.IndexFunc(degrees, func(d uint32) bool { return d > 0 }))
		sources = append(sources, fmt.Sprint(int(shards[i].First)+v)) // ids of an .sg are dense
	}
	return sources
}

// inTurn runs two commands in turn, after one time of each that does not count.
func inTurn(b *testing.B, turns int, ours, theirs func(int) []string) {
	figures := map[string][]float64{}
	for turn := -1; turn < turns; turn++ {
		wallA, cpuA := whole(b, ours(max(0, turn)))
		wallB, cpuB := whole(b, theirs(max(0, turn)))
		if turn < 0 {
			continue
		}
		for name, x := range map[string]float64{
			"s-wall": wallA, "s-cpu": cpuA, "gapbs-s-wall": wallB, "gapbs-s-cpu": cpuB, "ratio-wall": wallA / wallB,
			"ratio-cpu": cpuA / cpuB,
		} {
			figures[name] = append(figures[name], x)
		}
	}
	for name, list := range figures {
		slices.Sort(list)
		b.ReportMetric(list[len(list)/2], name)
	}
}

// whole runs a command, and returns what it took on the wall and of the processors.
func whole(b *testing.B, args []string) (wall, cpu float64) {
	b.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), "OMP_WAIT_POLICY=passive")
	began := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v: %v: %s", args, err, out)
	}
	wall = time.Since(began).Seconds()
	return wall, (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
}
