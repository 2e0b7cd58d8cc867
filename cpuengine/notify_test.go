package cpuengine

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"pgregory.net/rapid"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/vertices"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/rows"
)

// reader gives sides from memory and counts those in use.
type reader struct {
	*shards
	broken int  // shard that cannot be read; -1: none
	scans  bool // sides are gone through
	inUse  atomic.Int32
	most   atomic.Int32
}

var errBroken = errors.New("cannot be read")

func (r *reader) Side(dir shard.Direction, i int) (shard.Side, func(), error) {
	if i == r.broken {
		return nil, nil, errBroken
	}
	n := r.inUse.Add(1)
	for m := r.most.Load(); n > m && !r.most.CompareAndSwap(m, n); m = r.most.Load() {
	}
	s := shard.Side(r.sides[dir][i])
	if r.scans {
		s = scanned{s, s.(shard.Rows)}
	}
	return s, func() { r.inUse.Add(-1) }, nil
}

// scanned is a side that has no rows for those who ask.
type scanned struct {
	shard.Side
	rows shard.Rows
}

func (s scanned) Scan(wanted *[shard.MaxVertices]bool, f func([]uint32)) {
	for v := range s.Header().Vertices {
		if wanted[v] {
			f(s.rows.Row(v, new(shard.Buffer)))
		}
	}
}

// drawActive returns an engine over a graph of which some vertices are active.
func drawActive(t *rapid.T, threads int) (*shards, *vertices.Arrays[value], *Engine[value, sum]) {
	s := draw(t)
	a := newArrays[value](t, s, gas.In)
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	scatter(rng, a.Active, s.graph.N, rapid.SampledFrom([]float64{0, 0.05, 0.5, 1}).Draw(t, "active"))
	return s, a, newEngine(t, gas.Program[value, sum](mix{}), a, s, threads, rows.ChunkEdges)
}

// TestTasks checks that tasks are the active set, in order; each within a shard, and the
// only one of it unless split. Split ones have about equal numbers of edges.
func TestTasks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, a, e := drawActive(t, 1)
		defer a.Free()
		largest := uint32(0)
		if rapid.Bool().Draw(t, "heavy") { // as if vertices had very many edges
			rng := rand.New(rand.NewPCG(1, 2))
			for v := range a.Degree {
				a.Degree[v] = rng.Uint32N(notifyEdges)
			}
		}
		for _, d := range a.Degree {
			largest = max(largest, d)
		}
		split := rapid.Bool().Draw(t, "split")
		active := roaring.FromDense(a.Active, true)
		tasks := e.Tasks(active, s.firsts, split)

		var covered []uint32
		for k, p := range tasks {
			end := uint32(s.graph.N)
			if p.Shard+1 < len(s.firsts) {
				end = s.firsts[p.Shard+1]
			}
			if p.From < s.firsts[p.Shard] || p.To >= end || p.From > p.To {
				t.Fatalf("task %+v leaves its shard", p)
			}
			if k > 0 && (tasks[k-1].To >= p.From || tasks[k-1].Shard > p.Shard || !split && tasks[k-1].Shard == p.Shard) {
				t.Fatalf("task %+v after %+v", p, tasks[k-1])
			}
			edges := uint64(0)
			for v := p.From; v <= p.To; v++ {
				if a.Active.Has(v) {
					covered = append(covered, v)
					edges += uint64(a.Degree[v])
				}
			}
			last := k+1 == len(tasks) || tasks[k+1].Shard != p.Shard
			if split && (edges >= notifyEdges+uint64(largest) || edges < notifyEdges && !last) {
				t.Fatalf("task %+v has %d edges", p, edges)
			}
		}
		if !slices.Equal(covered, active.ToArray()) {
			t.Fatalf("tasks cover %v, active are %v", covered, active.ToArray())
		}
	})
}

// TestNotify checks that the marked vertices are the neighbours of the active ones, along
// either side, from any number of goroutines.
func TestNotify(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, a, e := drawActive(t, rapid.IntRange(1, 8).Draw(t, "goroutines"))
		defer a.Free()
		if rapid.Bool().Draw(t, "heavy") { // so that splitting splits
			for v := range a.Degree {
				a.Degree[v] = notifyEdges / 3
			}
		}
		dir := rapid.SampledFrom([]shard.Direction{shard.In, shard.Out}).Draw(t, "side")
		r := &reader{shards: s, broken: -1, scans: rapid.Bool().Draw(t, "scans")}
		got, err := e.Notify(t.Context(), e.Tasks(roaring.FromDense(a.Active, true), s.firsts,
			rapid.Bool().Draw(t, "split")), dir, r)
		if err != nil {
			t.Fatal(err)
		}
		var want Stats
		marks := make([]bool, s.graph.N)
		for _, x := range s.graph.Edges {
			if dir == shard.In {
				x.Src, x.Dst = x.Dst, x.Src
			}
			if a.Active.Has(x.Src) {
				marks[x.Dst] = true
				want.Edges++
			}
		}
		for v := range uint32(s.graph.N) {
			if a.Active.Has(v) {
				want.Vertices++
			}
			if a.Marks.Has(v) != marks[v] {
				t.Fatalf("vertex %d: marked %v", v, !marks[v])
			}
		}
		if got != want {
			t.Fatalf("got %+v, want %+v", got, want)
		}
		if r.inUse.Load() != 0 || int(r.most.Load()) > len(e.workers) {
			t.Fatalf("%d sides were not given back, %d were in use at once by %d goroutines", r.inUse.Load(), r.most.Load(),
				len(e.workers))
		}
	})
}

// TestNotifyError checks that what cannot be read ends as the reader's error, and what was
// read is given back; nothing is read once the context has ended.
func TestNotifyError(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, a, e := drawActive(t, rapid.IntRange(1, 4).Draw(t, "goroutines"))
		defer a.Free()
		tasks := e.Tasks(roaring.FromDense(a.Active, true), s.firsts, true)
		if len(tasks) == 0 {
			t.Skip("nothing is active")
		}
		r := &reader{shards: s, broken: rapid.SampledFrom(tasks).Draw(t, "broken").Shard}
		if _, err := e.Notify(t.Context(), tasks, shard.Out, r); !errors.Is(err, errBroken) {
			t.Fatalf("got %v", err)
		}
		if r.inUse.Load() != 0 {
			t.Fatalf("%d sides were not given back", r.inUse.Load())
		}
		ended, end := context.WithCancel(t.Context())
		end()
		if s, err := e.Notify(ended, tasks, shard.Out, r); !errors.Is(err, context.Canceled) || s.Edges > 0 {
			t.Fatalf("after the end of the context: %+v, %v", s, err)
		}
	})
}
