package cli

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestKillFiles kills commands that write files, at random moments: what stands
// under a name is whole, and after the next command nothing is left but that.
// GARAPH_KILLS is the number of kills.
func TestKillFiles(t *testing.T) {
	skipKills(t)
	kills := killsOf(12)
	dir := memoryDir(t)
	in := func(name string) string { return filepath.Join(dir, name) }
	edges := in("edges.txt")
	commands := [][]string{
		{"generate", "rmat", "--scale", "13", "--force", "--output", edges},
		{"import", edges, in("graph"), "--force"},
		{"run", "wcc", in("graph"), "--output", in("out.csv.gz")},
		{"run", "pagerank", in("graph"), "--device", "gpu", "--gpu", "emulated", "--iterations", "5", "--output", in("out.parquet"), "--report", in("report.html"), "--trace", in("trace.json")},
	}
	fixed := []string{"edges.txt", "out.csv.gz", "out.parquet"} // always of one size
	took := make([]time.Duration, len(commands))
	whole := map[string]int64{} // sizes
	for i, args := range commands {
		begin := time.Now()
		if p := newProcess(t, args...); p.Run() != nil {
			t.Fatalf("%v: %s", args, p.stderr.String())
		}
		took[i] = time.Since(begin)
	}
	for _, name := range fixed {
		whole[name] = size(t, in(name))
	}
	rng, hit := rand.New(rand.NewPCG(uint64(kills), 3)), 0
	for n := 0; n < kills || hit == 0 && n < 20*kills; n++ { // a command may take less time than it did at first
		args := commands[n%len(commands)]
		p := newProcess(t, args...)
		if err := p.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(rng.Float64() * float64(took[n%len(commands)])))
		_ = p.Process.Kill()
		if p.Wait() != nil {
			hit++
		}
		for _, name := range fixed {
			if got := size(t, in(name)); got != whole[name] {
				t.Fatalf("%s has %d bytes, expected %d, after\n%v", name, got, whole[name], args)
			}
		}
		if p := newProcess(t, args...); p.Run() != nil { // the next command
			t.Fatalf("%v: %s", args, p.stderr.String())
		}
		expectFiles(t, "a killed command", dir, append(fixed, "graph", "report.html", "trace.json")...)
		expectFiles(t, "a killed command", in("graph"), "GARAPH", "payload", "db", "jobs", "speeds.json")
	}
	if hit == 0 {
		t.Error("all commands had ended before they were killed")
	}
	t.Logf("%d kills, %d of them before the end", kills, hit)
}

func size(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}
