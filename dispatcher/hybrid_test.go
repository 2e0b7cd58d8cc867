package dispatcher

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/garaph/garaph/dispatcher/policy"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/programs"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

// TestHandOut checks that in an iteration of both, each shard is done once, by whom the
// report says, and what was reported of pages covers all of it.
func TestHandOut(t *testing.T) {
	g := manyEdges()
	s := teststore.Build(t, g, teststore.Options{ShardVertices: 25})
	for _, set := range []struct {
		name         string
		starved, few bool
	}{{"resident", false, false}, {"streamed", true, false}, {"from disk", false, true},
		{"streamed from disk", true, true}} {
		t.Run(set.name, func(t *testing.T) {
			var pages []PageWork
			o := Options{Device: Hybrid, GPU: GPUOptions{Name: "emulated"}, Threads: 2, Iterations: 5,
				hooks: hooks{speeds: evenly, pageBytes: 1}}
			o.Trace.Page = func(w PageWork) { pages = append(pages, w) }
			p := PageRank[float64]{PageRank: programs.PageRank[float64]{Damping: 0.85}}
			if set.starved {
				o.GPU.Memory = leastGPU[float64, int64](t, s, p, o) + 20<<10
			}
			if set.few {
				o.Memory = 1
				var need *MemoryError
				if _, err := New(s, gas.Program[float64, int64](p), o); !errors.As(err, &need) {
					t.Fatal(err)
				}
				o.Memory = need.Least()
			}
			j, err := New(s, gas.Program[float64, int64](p), o)
			if err != nil {
				t.Fatal(err)
			}
			defer j.Close()
			r, err := j.Run(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			var had, back int64
			for _, it := range r.Iterations {
				shards := make([]int, len(j.plan.shape.firsts))
				var edges uint64
				last := 0.0
				for _, w := range pages {
					if w.Iteration != it.Iteration {
						continue
					}
					if w.Start < last || w.End < w.Start {
						t.Fatalf("%+v is reported after one that began at %v", w, last)
					}
					last = w.Start
					edges += w.Edges
					for i := w.From; i < w.To; i++ {
						shards[i]++
					}
				}
				if it.Device != Hybrid || edges != it.Edges || it.Edges != uint64(len(g.Edges)) || slices.Min(shards) != 1 ||
					slices.Max(shards) != 1 {
					t.Fatalf("iteration %+v: %d edges reported, shards were done %v times", it, edges, shards)
				}
				if it.Devices[CPU].Pages > 0 {
					had++
				}
				if it.Devices[GPU].Pages > 0 {
					back += it.Traffic.BytesBack
				}
			}
			// What stays on the GPU is not in the host's memory where that has few pages: whether
			// the CPU reads some of it is a matter of how long both take.
			if had == 0 && (!set.few || set.starved) || back == 0 {
				t.Errorf("the CPU had a part in %d iterations, %d bytes came back from the GPU", had, back)
			}
		})
	}
}

// TestFaultsAtRandom checks that jobs of any kind with a fault at any call, of the device or
// of reading the graph: the right result, or an error.
func TestFaultsAtRandom(t *testing.T) {
	g := manyEdges()
	paths := map[store.Layout]string{}
	for _, layout := range layouts {
		paths[layout] = filepath.Join(t.TempDir(), "graph")
		if err := teststore.Write(paths[layout], g, teststore.Options{ShardVertices: 50, Layout: layout}); err != nil {
			t.Fatal(err)
		}
	}
	rng := rand.New(rand.NewPCG(3, 4))
	hops, labels := oracle.BFS(g, 0), oracle.WCC(g)
	jobs, right, refused := 300, 0, 0
	if testing.Short() {
		jobs = 60
	}
	for n := range jobs {
		s, err := store.Open(paths[layouts[rng.IntN(len(layouts))]])
		if err != nil {
			t.Fatal(err)
		}
		o := Options{
			Device: []Device{GPU, Hybrid, AutoDevice}[rng.IntN(3)], Mode: []Mode{Sync, Async}[rng.IntN(2)],
			GPU:     GPUOptions{Name: "emulated", Streams: 1 + rng.IntN(4)},
			Threads: 1 + rng.IntN(3), hooks: hooks{pageBytes: int64(rng.IntN(2))}, Method: []Method{Auto, Pull}[rng.IntN(2)],
		}
		if rng.IntN(4) > 0 {
			o.hooks.speeds = evenly
			o.hooks.speeds.Resident *= 0.2 + rng.Float64()
			o.hooks.speeds.Streamed *= 0.2 + rng.Float64()
		}
		if rng.IntN(2) == 0 {
			o.GPU.Memory = 30<<10 + int64(rng.IntN(60<<10))
		}
		op := device.FaultOp(rng.IntN(int(device.FaultRun) + 1))
		fault := device.EmulatedFault{Op: op, N: 1 + rng.IntN(1+rng.IntN(300)), Lost: rng.IntN(2) == 0}
		d := device.NewEmulated(device.EmulatedOptions{Faults: []device.EmulatedFault{fault}})
		o.hooks.open = func(string) (device.Device, error) { return watched{d, t}, nil }
		name := fmt.Sprintf("job %d: %s, %s, %+v", n, o.Device, o.Mode, fault)
		ended := make(chan error, 1)
		go func() {
			if n%2 == 0 {
				values, _, err := runWCC(s, o)
				if err == nil && !slices.Equal(values, labels) {
					t.Errorf("%s: wrong labels", name)
				}
				ended <- err
				return
			}
			bfs := BFS{BFS: programs.BFS{Source: 0}}
			values, _, err := runJob[uint32, uint32](s, bfs, o)
			for v, x := range values {
				if got := bfs.Result(gas.Vertex{}, x); got != hops[v] {
					t.Errorf("%s: vertex %d: got %d, want %d", name, v, got, hops[v])
					break
				}
			}
			ended <- err
		}()
		select {
		case err := <-ended:
			if err == nil {
				right++
			} else {
				refused++
				if strings.Contains(err.Error(), "\n") || len(err.Error()) < 20 {
					t.Errorf("%s: an unclear error: %v", name, err)
				}
			}
		case <-time.After(time.Minute):
			t.Fatalf("%s: the job hangs", name)
		}
		if left := d.InUse(); left != (device.InUse{}) {
			t.Errorf("%s: left on the device: %+v", name, left)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d jobs: %d ended right, %d were refused", jobs, right, refused)
	if right < jobs/2 {
		t.Errorf("only %d of %d jobs ended right", right, jobs)
	}
}

// TestDamagedShard checks that a shard that cannot be read stops a job of both devices with
// an error that names it, not on the CPU.
func TestDamagedShard(t *testing.T) {
	for _, few := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "graph")
		if err := teststore.Write(path, manyEdges(), teststore.Options{ShardVertices: 50}); err != nil {
			t.Fatal(err)
		}
		logs, err := filepath.Glob(filepath.Join(path, "payload"))
		if err != nil || len(logs) == 0 {
			t.Fatalf("%v: no payload", err)
		}
		text, err := os.ReadFile(logs[0])
		if err != nil {
			t.Fatal(err)
		}
		text[bytes.LastIndex(text[:len(text)/2], []byte("GARAPHSH"))+shard.HeaderBytes] ^= 0xff // in a shard's offsets
		if err := os.WriteFile(logs[0], text, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, device := range []Device{GPU, Hybrid} {
			s, err := store.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			core, warnings := observer.New(zap.WarnLevel)
			o := Options{Device: device, GPU: GPUOptions{Name: "emulated"}, Threads: 2,
				hooks: hooks{speeds: evenly, pageBytes: 1}, Log: zap.New(core)}
			o.GPU.Memory = leastGPU(t, s, WCC{}, o) + 16<<10
			if few {
				o.Memory = 1
				var need *MemoryError
				if _, err := New(s, gas.Program[uint32, uint32](WCC{}), o); !errors.As(err, &need) {
					t.Fatal(err)
				}
				o.Memory = need.Least()
			}
			_, _, err = runWCC(s, o)
			if !errors.Is(err, store.ErrDamaged) {
				t.Errorf("%s, few=%v: got %v", device, few, err)
			}
			if warnings.Len() > 0 {
				t.Errorf("%s, few=%v: warned %v", device, few, warnings.All())
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestCancelGPU checks that a job that is stopped in the middle of an iteration of a GPU, or of
// both, ends in order.
func TestCancelGPU(t *testing.T) {
	s := teststore.Build(t, manyEdges(), teststore.Options{ShardVertices: 10})
	for _, mode := range []Mode{Sync, Async} {
		for pages := range 20 {
			ctx, cancel := context.WithCancel(context.Background())
			o := Options{Device: []Device{GPU, Hybrid}[pages%2], GPU: GPUOptions{Name: "emulated"}, Threads: 1, Mode: mode,
				hooks: hooks{speeds: evenly, pageBytes: 1}}
			d := device.NewEmulated(device.EmulatedOptions{})
			o.hooks.open = func(string) (device.Device, error) { return watched{d, t}, nil }
			j, err := New(s, gas.Program[uint32, uint32](WCC{}), o)
			if err != nil {
				t.Fatal(err)
			}
			go func() {
				time.Sleep(time.Duration(pages) * 100 * time.Microsecond)
				cancel()
			}()
			_, err = j.Run(ctx)
			if err != nil && !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
			j.Close()
			cancel()
		}
	}
}

func runJob[V, A any](s *store.Store, p gas.Program[V, A], o Options) (values []V, r Report, err error) {
	j, err := New(s, p, o)
	if err != nil {
		return nil, r, err
	}
	defer j.Close()
	if r, err = j.Run(context.Background()); err != nil {
		return nil, r, err
	}
	err = j.Values(func(_ []gas.Vertex, some []V) error {
		values = append(values, some...)
		return nil
	})
	return values, r, err
}

// TestLostInAsync checks that what counts as settled is asked of values and steps that belong
// together, also after the GPU was lost and an earlier step comes again.
func TestLostInAsync(t *testing.T) {
	g := twoWays()
	s := teststore.Build(t, g, teststore.Options{ShardVertices: 1})
	hops := oracle.BFS(g, 0)
	p := programs.BFS{Source: 0}
	for _, fetchAt := range []int{0, 1} {
		at := 0
		for _, faulty := range []bool{false, true} {
			var faults []device.EmulatedFault
			if faulty {
				faults = append(faults, device.EmulatedFault{Op: device.FaultCopy, N: at + 1, Lost: true})
			}
			d := device.NewEmulated(device.EmulatedOptions{Faults: faults})
			o := Options{Device: GPU, GPU: GPUOptions{Name: "emulated", Streams: 1}, Threads: 1, Mode: Async, Method: Pull,
				hooks: hooks{pageBytes: 1, speeds: policy.Speeds{CPU: 1, Page: 1, Resident: 1, Streamed: 1, Link: 1}}}
			o.GPU.Memory = leastGPU[uint32, uint32](t, s, p, o)
			o.hooks.open = func(string) (device.Device, error) { return d, nil }
			var j *Job[uint32, uint32]
			o.Progress = func(it Iteration) {
				if it.Iteration == fetchAt && it.Device == GPU {
					if err := j.workers.gpus.fetch(); err != nil {
						t.Fatal(err)
					}
				}
				if it.Iteration == 12 && !faulty {
					at = d.Calls(device.FaultCopy)
				}
			}
			j, err := New(s, gas.Program[uint32, uint32](p), o)
			if err != nil {
				t.Fatal(err)
			}
			_, err = j.Run(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			for v := range hops {
				if got := p.Result(gas.Vertex{}, j.state.arrays.Cur[v]); got != hops[v] {
					t.Errorf("vertex %d: got %d, want %d", v, got, hops[v])
				}
			}
			j.Close()
		}
	}
}

// twoWays has a long way in the order of shards, and a short one against it.
func twoWays() oracle.Graph {
	g := oracle.Graph{N: 200}
	e := func(a, b uint32) { g.Edges = append(g.Edges, oracle.Edge{Src: a, Dst: b, Weight: 1}) }
	for v := uint32(0); v < 7; v++ {
		e(v, v+1)
	} // 0..7: hop 7 by the long way, in one async iteration
	e(0, 100) // the short way, against the order of shards: 0 100 50 7
	e(100, 50)
	e(50, 7)
	for v := uint32(7); v < 20; v++ {
		e(v, v+1)
	}
	e(20, 199)
	for v := uint32(199); v > 102; v-- { // a long way against the order
		e(v, v-1)
	}
	return g
}
