package gpuengine

import (
	"context"
	"iter"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/testsize"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/page"
)

// some hands out what stays, and a list of pages.
type some struct {
	everything
	list []page.Request
}

func (s *some) Pages(ctx context.Context) iter.Seq2[*page.Page, error] {
	return s.pages.Stream(ctx, s.list)
}

// settled waits until the transfer goroutine has copied ahead what it can.
func (r *rig[V, A]) settled() {
	for r.pipeline.copier.early.going && len(r.pipeline.copier.early.done) == 0 {
		runtime.Gosched()
	}
}

// streamed asks for what does not stay on the device.
func (r *rig[V, A]) streamed() []page.Request { return r.pipeline.everything.streamed }

// largeGraph has more edges than the least budget of a device.
func largeGraph(seed uint64) oracle.Graph {
	rng := rand.New(rand.NewPCG(seed, 1))
	g := oracle.Graph{N: 20 + rng.IntN(400)}
	for range 5000 + rng.IntN(10000) {
		g.Edges = append(g.Edges, oracle.Edge{Src: rng.Uint32N(uint32(g.N)), Dst: uint32(rng.ExpFloat64()*20) % uint32(g.N)})
	}
	return g
}

// drawRig makes an engine over a large graph that stays in the host's memory, with a drawn
// budget of the device.
func drawRig(t *testing.T, rt *rapid.T, p mix, more []int) (r *rig[value, sum],
	sides func([]value, gas.Step) ([]value, Stats, float64, []bool)) {
	g := largeGraph(rapid.Uint64().Draw(rt, "graph"))
	s := teststore.Build(t, g, teststore.Options{
		ShardVertices: rapid.SampledFrom([]int{7, 50, 1000}).Draw(rt, "vertices per shard"),
		Layout:        rapid.SampledFrom(layouts).Draw(rt, "layout"),
	})
	o := Options{Streams: rapid.IntRange(1, 5).Draw(rt, "streams"), ChunkEdges: 64}
	o.Memory = leastMemory(t, s, p, o) + int64(rapid.SampledFrom(more).Draw(rt, "more"))
	all := everyVertex(t, s)
	return newRig(t, s, gas.Program[value, sum](p), o, page.Options{PageBytes: 1}),
		func(cur []value, step gas.Step) ([]value, Stats, float64, []bool) {
			return direct(s, g, p, all, cur, step)
		}
}

// TestEarly checks that a page copied at the end of an iteration is used in the next one or given
// up, whatever that hands out, whole or as far as it came; the values are those of an
// engine that copies nothing ahead.
func TestEarly(t *testing.T) {
	p := mix{Salt: 7, direction: gas.In}
	used := 0
	rapid.Check(t, func(rt *rapid.T) {
		r, direct := drawRig(t, rt, p, []int{0, 3000, 20000, 40000})
		defer r.close(t)
		cur := slices.Clone(r.arrays.Cur)
		step := gas.Step{Aggregate: 0.5}
		for range 6 {
			if rapid.Bool().Draw(rt, "in time") {
				r.settled()
			}
			early := r.Early()
			w := Work{Step: step, Exchange: rapid.Bool().Draw(rt, "exchange")}
			from := &some{everything: r.pipeline.everything, list: r.streamed()}
			if rapid.Bool().Draw(rt, "use") && len(early) > 0 {
				w.Early = true
				from.list = slices.DeleteFunc(slices.Clone(r.streamed()), func(rq page.Request) bool {
					return slices.ContainsFunc(early, func(e page.Request) bool { return e.Page == rq.Page })
				})
				used++
			}
			w.From = from
			w.Next = rapid.Permutation(r.streamed()).Draw(rt, "order")[:rapid.IntRange(0, len(r.streamed())).Draw(rt, "next")]
			next, want, sum, _ := direct(cur, step)
			got, err := r.Iterate(t.Context(), w)
			if err == nil {
				_, err = r.Commit()
			}
			if err != nil {
				rt.Fatal(err)
			}
			if got.Vertices != want.Vertices || got.Activated != want.Activated || r.aggregate() != sum {
				rt.Fatalf("iteration %d: got %+v, want %+v", step.Iteration, got, want)
			}
			clear(r.arrays.Rising)
			if err := r.fetch(); err != nil {
				rt.Fatal(err)
			}
			if !slices.Equal(r.arrays.Cur, next) {
				rt.Fatalf("iteration %d: values differ", step.Iteration)
			}
			cur, step = next, gas.Step{Iteration: step.Iteration + 1, Aggregate: sum}
		}
	})
	if testsize.Long && used == 0 { // a few cases may all do without
		t.Error("what was copied ahead was never used")
	}
}

// TestEarlyShares checks that batches for the next iteration share slots, where two pages fit, and
// leave lanes for those behind them.
func TestEarlyShares(t *testing.T) {
	s := teststore.Build(t, largeGraph(1), teststore.Options{ShardVertices: 4})
	p := mix{direction: gas.In}
	o := Options{Streams: 2}
	o.Memory = leastMemory(t, s, p, o) + 17<<10
	r := newRig(t, s, gas.Program[value, sum](p), o, page.Options{PageBytes: 1})
	defer r.close(t)
	if len(r.streamed()) < 10 || r.plan.ring.slots != 2 {
		t.Fatalf("%d pages through %d slots", len(r.streamed()), r.plan.ring.slots)
	}
	if _, err := r.Iterate(t.Context(), Work{Next: r.streamed()}); err != nil {
		t.Fatal(err)
	}
	r.settled()
	if got := r.Early(); len(got) != len(r.lanes.streamed)/2 || len(got) <= r.plan.ring.slots ||
		got[0].Page != r.streamed()[0].Page {
		t.Errorf("%v was copied ahead through %d slots of %d lanes", got, r.plan.ring.slots, len(r.lanes.streamed))
	}
}

// TestCommitParts checks that after an iteration of some pages, of which the host did others, values
// are the new ones of both and otherwise those of before.
func TestCommitParts(t *testing.T) {
	p := mix{Salt: 3, direction: gas.In}
	rapid.Check(t, func(rt *rapid.T) {
		r, direct := drawRig(t, rt, p, []int{0, 3000})
		defer r.close(t)
		cur := slices.Clone(r.arrays.Cur)
		for i := range 4 {
			step := gas.Step{Iteration: i, Aggregate: 0.5}
			next, _, _, _ := direct(cur, step)
			from := &some{everything: r.pipeline.everything}
			want := slices.Clone(cur)
			set := func(shards []int, values []value) {
				for _, k := range shards {
					v := r.plan.interval(k, k+1)
					copy(want[v.from:v.to], values[v.from:v.to])
				}
			}
			for k := range r.plan.kept.To {
				set([]int{k}, next)
			}
			for _, rq := range r.streamed() {
				shards := rq.Shards
				for k := r.pages.Spans()[rq.Page].From; rq.Shards == nil && k < r.pages.Spans()[rq.Page].To; k++ {
					shards = append(shards, k)
				}
				switch rapid.SampledFrom([]string{"device", "device", "host", "nobody"}).Draw(rt, "who") {
				case "device":
					from.list = append(from.list, rq)
					set(shards, next)
				case "host":
					for _, k := range shards {
						v := r.plan.interval(k, k+1)
						for x := v.from; x < v.to; x++ {
							r.arrays.Next[x] = value{Hash: stir(uint64(x), uint64(i))}
						}
						if err := r.Receive(v.from, v.to); err != nil {
							rt.Fatal(err)
						}
					}
					set(shards, r.arrays.Next)
				}
			}
			_, err := r.Iterate(t.Context(), Work{Step: step, From: from})
			if err == nil {
				_, err = r.Commit()
			}
			if err == nil {
				err = r.fetch()
			}
			if err != nil {
				rt.Fatal(err)
			}
			if !slices.Equal(r.arrays.Cur, want) {
				rt.Fatalf("iteration %d: values differ", i)
			}
			cur = want
		}
	})
}
