package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/bench"
	"github.com/garaph/garaph/checkpoint"
	"github.com/garaph/garaph/ingest"
	"github.com/garaph/garaph/internal/testsize"
)

// killed are the programs that TestKill kills, and how far apart their results
// may be on the GPU, or in async mode; if 0, not by a byte. In async mode it depends
// on the order of the steps what comes of some.
var killed = []struct {
	program, args string
	gpu, async    float64
}{
	{"pagerank", "--iterations 60 --precision 64", 1e-12, 1e-8},
	{"bfs", "--source 0", 0, 0},
	{"sssp", "--source 0", 0, 0},
	{"wcc", "", 0, 0},
	{"sswp", "--source 0", 0, 0},
	{"kcore", "--k 12", 0, 0},
	{"lpa", "--iterations 30", 0, math.Inf(1)},
	{"katz", "--alpha 0.0001 --precision 64", 1e-5, 1e-5},
	{"heat", "--source 0 --step 0.00001 --iterations 40", 1e-6, math.Inf(1)},
	{"circuit", "--source 0 --ground 1 --iterations 60", 1e-6, math.Inf(1)},
	{"neural", "--gain 0.00001", 1e-5, 1e-5},
}

// killable is a run to be killed.
type killable struct {
	program   string
	args      []string
	gpu       bool
	tolerance float64
}

// killables are all programs in all modes on all devices, and some runs within
// little memory.
func killables() (list []killable) {
	add := func(program, args string, gpu bool, tolerance float64) {
		list = append(list, killable{program, strings.Fields(args), gpu, tolerance})
	}
	for _, k := range killed {
		add(k.program, k.args+" --device cpu", false, 0)
		add(k.program, k.args+" --device cpu --mode async --checkpoint-pages 2", false, k.async)
		add(k.program, k.args+" --device gpu --gpu emulated", true, k.gpu)
		add(k.program, k.args+" --device gpu --gpu emulated --mode async --checkpoint-pages 2", true, max(k.gpu, k.async))
	}
	for _, a := range [][2]string{{"cdlp", "--iterations 12"}, {"hits", "--iterations 20 --tolerance 0"},
		{"eigenvector", "--iterations 20 --tolerance 0"}, {"surfers", "--source 0 --source 1 --iterations 20"},
		{"harmonic", ""}, {"betweenness", "--samples 50"}, {"closeness", "--source 0 --source 1 --source 2"},
		{"truss", ""}, {"similarity", "--nearest 3"}, {"leiden", "--iterations 0"}} {
		add(a[0], a[1], false, 0)
	}
	add("pagerank", "--iterations 60 --method notify-pull --memory 60MiB", false, 0)
	add("sssp", "--source 0 --method pull", false, 0)
	add("sssp", "--source 0 --mode async --memory 60MiB --checkpoint-pages 3", false, 0)
	return list
}

// skipKills skips a test with the race detector, which sees nothing of a process that is
// killed, and under which commands take ten times as long.
func skipKills(t *testing.T) {
	if raceDetector {
		t.Skip(".ci/run runs this test without the race detector")
	}
}

// killsOf is the number of kills: so many, half of them in the short form of tests,
// or what GARAPH_KILLS says.
func killsOf(long int) int {
	if n, err := strconv.Atoi(os.Getenv("GARAPH_KILLS")); err == nil {
		return n
	}
	if !testsize.Long {
		return long / 2
	}
	return long
}

// TestKill kills runs at random moments, and resumed ones again, with SIGKILL:
// in the end the result is that of an undisturbed run, and no more is done again
// than what followed the last epoch. A run on the GPU goes on on either
// processor. GARAPH_KILLS is the number of kills; 300 are for every program,
// mode and device.
func TestKill(t *testing.T) {
	skipKills(t)
	kills := killsOf(18)
	all := killables()
	for _, p := range builtinPrograms() {
		if (!p.Algorithm || p.Resumable) && !slices.ContainsFunc(all, func(c killable) bool { return c.program == p.Name }) {
			t.Errorf("%s is never killed", p.Name)
		}
	}
	k := &killer{t: t, graph: filepath.Join(memoryDir(t), "graph"), rng: rand.New(rand.NewPCG(uint64(kills), 7))}
	importSmallShards(t, k.graph, 14)
	const stride = 17 // a few kills are of different programs, modes and devices
	whole, hit := kills >= 300, map[int]bool{}
	for n := 0; k.kills < kills || whole && len(hit) < len(all) && k.kills < 3*kills; n++ {
		if i := n * stride % len(all); k.kills < kills || !hit[i] {
			if k.run(all[i], 1+n%3) {
				hit[i] = true
			}
		}
	}
	t.Logf("%d kills, %d of them of runs that had written epochs, %d while one was being written; %d of %d runs were "+
		"killed in the middle",
		k.kills, k.after, k.during, len(hit), len(all))
	if whole && (len(hit) < len(all) || k.after == 0 || k.during == 0) {
		t.Error("not all was killed that is to be")
	}
}

// killer kills runs over a graph.
type killer struct {
	t                    *testing.T
	graph                string
	rng                  *rand.Rand
	kills, after, during int
}

// run kills a run again and again, and compares its result with that of an
// undisturbed one. It reports whether it was killed in the middle.
func (k *killer) run(c killable, kills int) (hit bool) {
	t := k.t
	t.Helper()
	begin := time.Now()
	want := runTo(t, append([]string{"run", c.program, k.graph}, c.args...))
	took := time.Since(begin)
	out := filepath.Join(t.TempDir(), "out.tsv")
	line := append([]string{"run", c.program, k.graph, "--output", out, "--checkpoint-every", "1", "-v"}, c.args...)
	last := 0 // the epoch that was written last
	for round := 0; ; round++ {
		p := newProcess(t, line...)
		p.Dir = filepath.Dir(out)
		if err := p.Start(); err != nil {
			t.Fatal(err)
		}
		if round < kills {
			time.Sleep(time.Duration(k.rng.Float64() * float64(took+50*time.Millisecond)))
			_ = p.Process.Kill()
			k.kills++
		}
		err := p.Wait()
		log := p.stderr.String()
		if last = newestEpoch(t, last, log); err == nil {
			break
		}
		if p.ProcessState.ExitCode() != -1 {
			t.Fatalf("%v: %v\n%s", line, err, log)
		}
		if strings.Contains(log, "wrote checkpoint") {
			k.after++
		}
		if half, _ := filepath.Glob(filepath.Join(k.graph, "jobs", "*", ".epoch-*.writing")); len(half) > 0 {
			k.during++
		}
		if len(jobsIn(t, k.graph, checkpoint.Interrupted)) == 0 { // killed before it began, or after it ended
			if _, err := os.Stat(out); err == nil {
				break
			}
			continue
		}
		hit = true
		line = []string{"resume", k.graph, "-v", "--threads", strconv.Itoa(1 + round%3)}
		if c.gpu && round%2 == 0 {
			line = append(line, "--device", "cpu")
		} else if c.gpu {
			line = append(line, "--device", "gpu")
		}
	}
	got, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) && (c.tolerance == 0 || !near(got, want, c.tolerance)) {
		t.Fatalf("%s %v: another result than that of an undisturbed run", c.program, c.args)
	}
	if left := jobsIn(t, k.graph, checkpoint.Interrupted); len(left) > 0 {
		t.Fatalf("unfinished jobs: %v", left)
	}
	expectFiles(t, fmt.Sprint(line), filepath.Dir(out), "out.tsv")
	return hit
}

var (
	wrote  = regexp.MustCompile(`wrote checkpoint (\d+), after (\d+) \w+`)
	goesOn = regexp.MustCompile(`goes on from checkpoint (\d+), after (\d+) \w+`)
)

// newestEpoch compares the epoch that a run goes on from with the last one that
// was written before, and returns the last one that it wrote.
func newestEpoch(t *testing.T, last int, log string) int {
	t.Helper()
	if m := goesOn.FindStringSubmatch(log); m != nil {
		if from, _ := strconv.Atoi(m[1]); from < last {
			t.Errorf("goes on from checkpoint %d, though checkpoint %d was written", from, last)
		}
	}
	for _, m := range wrote.FindAllStringSubmatch(log, -1) {
		last, _ = strconv.Atoi(m[1])
	}
	return last
}

// importSmallShards imports a weighted RMAT graph with small shards, so that a
// run within little memory has many pages, and with a path that takes many
// iterations.
func importSmallShards(t *testing.T, path string, scale int) {
	t.Helper()
	edges := filepath.Join(t.TempDir(), "edges.txt")
	f, err := os.Create(edges)
	if err != nil {
		t.Fatal(err)
	}
	if err := bench.Generate(t.Context(), f,
		bench.GenOptions{Kind: bench.RMAT, Scale: scale, Degree: 8, Seed: 1, Weights: true}, nil); err != nil {
		t.Fatal(err)
	}
	for v := range 50 {
		fmt.Fprintf(f, "%d\t%d\t1\n", v*1_000_000, (v+1)*1_000_000)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := garaph.Import(t.Context(), []string{edges}, path,
		garaph.ImportOptions{Storage: ingest.StorageOptions{ShardVertices: 256}}); err != nil {
		t.Fatal(err)
	}
}

// runTo runs a command that writes its results to a file, and returns them.
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
func jobsIn(t *testing.T, graph string, s checkpoint.Status) []int {
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

// near compares results within a tolerance, relative to values above 1.
func near(got, want []byte, tolerance float64) bool {
	a, b := strings.Fields(string(got)), strings.Fields(string(want))
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		x, errX := strconv.ParseFloat(a[i], 64)
		y, errY := strconv.ParseFloat(b[i], 64)
		if errX != nil || errY != nil || math.Abs(x-y) > tolerance*max(1, math.Abs(y)) || math.IsNaN(x) {
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
