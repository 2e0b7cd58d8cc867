package dispatcher

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/garaph/garaph/dispatcher/policy"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/testprograms"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/programs"
	"github.com/garaph/garaph/store"
)

// recordPolicy runs a job and returns what its policy was asked and said, a line for each
// call.
func recordPolicy[V, A any](t *testing.T, s *store.Store, p gas.Program[V, A], o Options) []byte {
	t.Helper()
	var lines bytes.Buffer
	encoder := json.NewEncoder(&lines)
	o.decided = func(e policy.Event) {
		if err := encoder.Encode(e); err != nil {
			t.Fatal(err)
		}
	}
	if _, r, err := runJob(s, p, o); err != nil || r.Lost != "" {
		t.Fatal(err, r.Lost)
	}
	return lines.Bytes()
}

// readPolicy reads what recordPolicy wrote.
func readPolicy(t *testing.T, text []byte) (run []policy.Event) {
	t.Helper()
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		var e policy.Event
		if err := d.Decode(&e); errors.Is(err, io.EOF) {
			return run
		} else if err != nil {
			t.Fatal(err)
		}
		run = append(run, e)
	}
}

// TestReplay: what a job's policy decides depends on nothing but what is recorded of it.
func TestReplay(t *testing.T) {
	s := teststore.Build(t, dangling(), teststore.Options{ShardVertices: 100})
	sum := 0
	for _, o := range []Options{{Device: CPU}, {Device: Hybrid}, {Device: Hybrid, hooks: hooks{speeds: evenly, pageBytes: 1}}, {Device: GPU}, {Device: Hybrid, Mode: Async, hooks: hooks{speeds: evenly}}} {
		if o.Threads = 2; o.Device != CPU {
			o.GPU.Name = "emulated"
			o.GPU.Memory = leastGPU(t, s, gas.Program[float64, int64](testprograms.PageRank[float64]{}), o) + 20<<10
		}
		bfs := recordPolicy(t, s, gas.Program[uint32, uint32](testprograms.BFS{BFS: programs.BFS{Source: 1}}), o)
		o.Iterations = 12
		rank := recordPolicy(t, s, gas.Program[float64, int64](testprograms.PageRank[float64]{PageRank: programs.PageRank[float64]{Damping: 0.85}}), o)
		for _, text := range [][]byte{bfs, rank} {
			run := readPolicy(t, text)
			sum += len(run)
			if err := replayed(run); err != nil {
				t.Errorf("%s: %v", o.Device, err)
			}
			for i := range run {
				if d := run[i].Decision; d != nil {
					d.Alpha++
					break
				}
			}
			if err := replayed(run); err == nil {
				t.Errorf("%s: another α is not found", o.Device)
			}
		}
	}
	if sum < 200 {
		t.Errorf("only %d events were recorded", sum)
	}
}

// TestReplayRecorded: the policy decides as it did in a run that was recorded once, with
// measured speeds. GARAPH_RECORD=1 records another one, where the policy is to change.
func TestReplayRecorded(t *testing.T) {
	const name = "policy/testdata/hybrid.jsonl"
	if os.Getenv("GARAPH_RECORD") != "" {
		recordHybrid(t, name)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := replayed(readPolicy(t, text)); err != nil {
		t.Error(err)
	}
	for _, device := range []Device{CPU, GPU, Hybrid} {
		if !strings.Contains(string(text), `"device":"`+string(device)+`","alpha"`) {
			t.Errorf("the run had no iteration on %s", device)
		}
	}
}

// recordHybrid records a run that begins with speeds by which the GPU is faster than
// the emulated one is.
func recordHybrid(t *testing.T, name string) {
	g, folder := dangling(), t.TempDir()
	s := teststore.Build(t, g, teststore.Options{ShardVertices: 100})
	err := changeMachine(folder, func(m *machine) {
		key := sized("emulated on the CPU, 2 threads, from memory, testprograms.PageRank[float64]", uint64(len(g.Edges)))
		m.Speeds[key] = policy.Speeds{CPU: 2e-7, Page: 2e-7, Link: 1e-9, Resident: 3e-8, Streamed: 3e-8}
	})
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Device: Hybrid, GPU: GPUOptions{Name: "emulated"}, Threads: 2, Iterations: 14, hooks: hooks{pageBytes: 1, machine: folder}}
	p := gas.Program[float64, int64](testprograms.PageRank[float64]{PageRank: programs.PageRank[float64]{Damping: 0.85}})
	o.GPU.Memory = leastGPU(t, s, p, o) + 20<<10
	if err := os.WriteFile(name, recordPolicy(t, s, p, o), 0o600); err != nil {
		t.Fatal(err)
	}
}
