package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/bench"
	"github.com/garaph/garaph/ingest"
)

// killable are the runs that TestKill kills. Those whose results are not exact
// are compared within a tolerance.
var killable = []struct {
	args  string
	exact bool
}{
	{"pagerank --iterations 60 --precision 64", true},
	{"pagerank --iterations 60 --engine notify-pull --memory 60MiB", true},
	{"pagerank --tolerance 1e-9 --precision 64 --mode async", false},
	{"bfs --source 0", true},
	{"bfs --source 0 --mode async --checkpoint-pages 1", true},
	{"sssp --source 0 --engine pull", true},
	{"sssp --source 0 --mode async --memory 60MiB --checkpoint-pages 3", true},
	{"wcc", true},
	{"wcc --mode async", true},
}

// TestKill kills runs at random moments, and resumed ones again, with SIGKILL:
// in the end the result is that of an undisturbed run, and no more is done again
// than what followed the last epoch. GARAPH_KILLS is the number of kills.
func TestKill(t *testing.T) {
	kills := 18
	if n, err := strconv.Atoi(os.Getenv("GARAPH_KILLS")); err == nil {
		kills = n
	}
	graph := filepath.Join(memoryDir(t), "graph")
	importSmallShards(t, graph, 15)
	rng := rand.New(rand.NewPCG(uint64(kills), 7))
	type undisturbed struct {
		result []byte
		took   time.Duration
	}
	known := map[string]undisturbed{}
	after, during := 0, 0
	for k := 0; k < kills; {
		c := killable[k%len(killable)]
		args := strings.Fields(c.args)
		want, ok := known[c.args]
		if !ok {
			begin := time.Now()
			want.result = runTo(t, append(append([]string{"run"}, args[0], graph), args[1:]...))
			want.took = time.Since(begin)
			known[c.args] = want
		}
		out := filepath.Join(t.TempDir(), "out.tsv")
		line := append(append([]string{"run"}, args[0], graph, "--output", out, "--checkpoint-every", "1", "-v"), args[1:]...)
		for round := 0; ; round++ {
			p := newProcess(t, line...)
			if err := p.Start(); err != nil {
				t.Fatal(err)
			}
			if round < 1+k%3 {
				time.Sleep(time.Duration(rng.Float64() * float64(want.took+50*time.Millisecond)))
				_ = p.Process.Kill()
				k++
			}
			err := p.Wait()
			checkResumed(t, round, p.stderr.String())
			if err != nil && strings.Contains(p.stderr.String(), "wrote epoch") {
				after++
			}
			if half, _ := filepath.Glob(filepath.Join(graph, "jobs", "*", ".epoch-*")); len(half) > 0 {
				during++
			}
			if err == nil {
				break
			}
			if _, ok := err.(*exec.ExitError); !ok || p.ProcessState.ExitCode() != -1 {
				t.Fatalf("%v: %v\n%s", line, err, p.stderr.String())
			}
			if len(jobsIn(t, graph, garaph.Interrupted)) == 0 { // killed before it began, or after it ended
				if _, err := os.Stat(out); err == nil {
					break
				}
				continue
			}
			line = []string{"resume", graph, "-v", "--threads", strconv.Itoa(1 + k%3)}
		}
		got, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		if same := bytes.Equal(got, want.result); !same && (c.exact || !near(got, want.result)) {
			t.Fatalf("%s: another result than that of an undisturbed run", c.args)
		}
		if left := jobsIn(t, graph, garaph.Interrupted); len(left) > 0 {
			t.Fatalf("unfinished jobs: %v", left)
		}
	}
	t.Logf("%d kills, %d of them of runs that had written epochs, %d while one was being written", kills, after, during)
}

var (
	wrote   = regexp.MustCompile(`wrote epoch (\d+), after (\d+) iterations`)
	goesOn  = regexp.MustCompile(`goes on from epoch (\d+), after (\d+) iterations`)
	epochOf = map[string]string{} // what the last run wrote last
)

// checkResumed holds the epoch that a run goes on from against the last one that
// was written.
func checkResumed(t *testing.T, round int, log string) {
	t.Helper()
	last := epochOf[t.Name()]
	if round == 0 {
		last = "0"
	} else if m := goesOn.FindStringSubmatch(log); m != nil {
		if from, _ := strconv.Atoi(m[1]); fmt.Sprintf("%08d", from) < last {
			t.Errorf("goes on from epoch %s, though epoch %s was written", m[1], last)
		}
	}
	for _, m := range wrote.FindAllStringSubmatch(log, -1) {
		n, _ := strconv.Atoi(m[1])
		last = fmt.Sprintf("%08d", n)
	}
	epochOf[t.Name()] = last
}

// importSmallShards imports a weighted RMAT graph with small shards, so that a
// run within little memory has many pages.
func importSmallShards(t *testing.T, path string, scale int) {
	t.Helper()
	edges := filepath.Join(t.TempDir(), "edges.txt")
	f, err := os.Create(edges)
	if err != nil {
		t.Fatal(err)
	}
	if err := bench.Generate(t.Context(), f, bench.GenOptions{Kind: bench.RMAT, Scale: scale, Degree: 8, Seed: 1, Weights: true}, nil); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := garaph.Import(t.Context(), []string{edges}, path, ingest.Options{ShardVertices: 256}); err != nil {
		t.Fatal(err)
	}
}

// runTo runs a command that writes its results to a file, and gives them.
func runTo(t *testing.T, args []string) []byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out.tsv")
	for i, arg := range args { // an undisturbed run has no epochs
		if arg == "--checkpoint-pages" {
			args = append(args[:i:i], args[i+2:]...)
			break
		}
	}
	p := newProcess(t, append(args, "--output", out, "-q")...)
	if err := p.Run(); err != nil {
		t.Fatalf("%v: %v\n%s", args, err, p.stderr.String())
	}
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// jobsIn lists the jobs of a graph in a state.
func jobsIn(t *testing.T, graph string, s garaph.JobStatus) []int {
	t.Helper()
	p := newProcess(t, "jobs", graph, "--json")
	if err := p.Run(); err != nil {
		t.Fatalf("%v\n%s", err, p.stderr.String())
	}
	var all struct{ Jobs []jobInfo }
	if err := json.Unmarshal(p.stdout.Bytes(), &all); err != nil {
		t.Fatal(err)
	}
	var ids []int
	for _, j := range all.Jobs {
		if j.State == s {
			ids = append(ids, j.Job)
		}
	}
	return ids
}

// near compares results within the tolerance of PageRank.
func near(got, want []byte) bool {
	a, b := strings.Fields(string(got)), strings.Fields(string(want))
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		x, errX := strconv.ParseFloat(a[i], 64)
		y, errY := strconv.ParseFloat(b[i], 64)
		if errX != nil || errY != nil || math.Abs(x-y) > 1e-8 {
			return false
		}
	}
	return true
}

// memoryDir is an empty folder, in memory where the system has such a file
// system.
func memoryDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "garaph-test-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}
