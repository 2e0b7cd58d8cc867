package cpuengine

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gas/compiled"
)

// inOrder is ranks with a loop in source order, as `garaph compile` writes it.
type inOrder struct {
	ranks
	direction gas.Direction
}

func (p inOrder) Direction() gas.Direction { return p.direction }

func (p inOrder) Loops() compiled.Loops[float32, float32] {
	loops, _ := LoopsOf(gas.Program[float32, float32](p.ranks))
	loops.Program = p
	loops.Scatter = func(acc *[1 << 16]float32, nbr []uint32, slot []uint16, weight, cur []float32) {
		for i, u := range nbr {
			e := gas.Edge{Weight: 1}
			if weight != nil {
				e.Weight = weight[i]
			}
			acc[slot[i]] = p.Sum(acc[slot[i]], p.Gather(cur[u], e, 0))
		}
	}
	return loops
}

// inherits embeds a compiled program and has a method of its own.
type inherits struct{ inOrder }

func (inherits) Sum(a, b float32) float32 { return max(a, b) }

// stale is a program that has changed since it was compiled.
type stale struct{ ranks }

func (stale) Loops() compiled.Loops[float32, float32] { return compiled.Loops[float32, float32]{} }

// TestLoopsOf: a program's own loops are used, and never those of another that
// it embeds, nor those of an older text.
func TestLoopsOf(t *testing.T) {
	if l, own := LoopsOf(gas.Program[float32, float32](inOrder{})); !own || l.Scatter == nil {
		t.Error("own loops are not used")
	}
	if l, own := LoopsOf(gas.Program[float32, float32](inherits{})); own || l.Scatter != nil {
		t.Error("loops of the embedded program are used")
	}
	if l, own := LoopsOf(gas.Program[float32, float32](stale{})); own || l.Gather == nil || l.Apply == nil {
		t.Error("stale loops are used")
	}
}

// TestSourceOrder: over shards in source order every value has the bits that it
// has in destination order, whatever the chunks, and the same is counted.
func TestSourceOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, d := draw(t), directions().Draw(t, "direction")
		p := inOrder{direction: d}
		chunk := rapid.Uint64Range(1, 30).Draw(t, "edges per chunk")
		seed := rapid.Uint64().Draw(t, "seed")
		orders := &Orders{vertices: uint32(s.graph.N), shards: make([]ordering, len(s.firsts))}
		for i := range orders.shards {
			orders.shards[i].memory = make([]byte, 1<<16)
		}
		run := func(ordered, wanted bool) ([]float32, Stats, []float64) {
			a := newArrays[float32](t, s, d)
			defer a.Free()
			rng := rand.New(rand.NewPCG(seed, 0))
			for v := range a.Cur {
				a.Cur[v] = rng.Float32() * float32(uint64(1)<<rng.IntN(30))
			}
			e := newEngine(t, gas.Program[float32, float32](p), a, s, rapid.IntRange(1, 4).Draw(t, "goroutines"), chunk)
			if ordered {
				e.orders = orders
			}
			var total Stats
			aggregates := make([]float64, len(s.firsts))
			for _, pg := range s.pages(t, d) {
				st, err := e.Process(pg, Work{SourceOrder: wanted, MakeOrder: wanted, Aggregates: aggregates})
				if err != nil {
					t.Fatal(err)
				}
				for i := range pg.Shards {
					if ordered && wanted && orders.shards[pg.Shards[i].Index].order == nil {
						t.Fatalf("shard %d is not in source order", pg.Shards[i].Index)
					}
				}
				total.Add(st)
			}
			return append([]float32(nil), a.Next...), total, aggregates
		}
		want, counted, sums := run(false, true)
		for _, wanted := range []bool{false, true, true} { // not yet, made, made before
			got, st, own := run(true, wanted)
			if !slices.Equal(own, sums) {
				t.Fatalf("aggregates %v, want %v", own, sums)
			}
			if st != counted {
				t.Fatalf("got %+v, want %+v", st, counted)
			}
			for v := range want {
				if math.Float32bits(got[v]) != math.Float32bits(want[v]) {
					t.Fatalf("vertex %d: got %v, want %v", v, got[v], want[v])
				}
			}
		}
	})
}
