package cpuengine

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/page"
	"github.com/garaph/garaph/shard/rows"
)

// value and sum are structs, as a program may have them.
type value struct {
	Hash uint64
	Kind uint8
	Pair [2]int16
}

type sum struct {
	Hash  uint64
	Least uint32
	Count uint8
}

// mix is a program whose values depend on everything that a program may see,
// and whose sums are exact in any order.
type mix struct{ direction gas.Direction }

func stir(x ...uint64) uint64 {
	h := uint64(0x9e3779b97f4a7c15)
	for _, v := range x {
		h = (h ^ v) * 0xff51afd7ed558ccd
		h ^= h >> 32
	}
	return h
}

func (p mix) Init(gas.Vertex) (value, bool) { return value{}, true }
func (p mix) Zero() sum                     { return sum{Least: math.MaxUint32} }

func (p mix) Gather(src value, e gas.Edge, dst value) sum {
	h := stir(src.Hash, uint64(src.Pair[1]), uint64(math.Float32bits(float32(e.Weight))), dst.Hash)
	return sum{h, uint32(h), 1}
}

func (p mix) Sum(a, b sum) sum { return sum{a.Hash + b.Hash, min(a.Least, b.Least), a.Count + b.Count} }

func (p mix) Apply(v gas.Vertex, old value, acc sum, s gas.Step) value {
	h := stir(uint64(v.ID), uint64(v.N), uint64(v.In), uint64(v.Out), old.Hash, acc.Hash, uint64(acc.Least),
		uint64(acc.Count), uint64(s.Iteration))
	return value{h, uint8(h), [2]int16{int16(h >> 16), int16(h >> 48)}}
}

func (p mix) Activate(_ gas.Vertex, old, new value) bool { return (old.Kind^new.Kind)&1 != 0 }
func (p mix) Direction() gas.Direction                   { return p.direction }

// mixSettled is mix where a third of all values are settled, and mixAggregate
// is that with a global sum of thirds, which are not exact.
type mixSettled struct{ mix }

func (mixSettled) Settled(v value, s gas.Step) bool { return (v.Kind+uint8(s.Iteration))%3 == 0 }

type mixAggregate struct{ mixSettled }

func (mixAggregate) Aggregate(v gas.Vertex, x value) float64 {
	return float64(x.Kind)/3 + float64(v.Out)
}

// TestProcess compares the engine with a direct evaluation: for all chunk
// sizes, numbers of goroutines, directions and ways to cut pages, over all or
// over marked vertices.
func TestProcess(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, d := draw(t), directions().Draw(t, "direction")
		switch rapid.IntRange(0, 2).Draw(t, "program") {
		case 0:
			testProcess(t, s, gas.Program[value, sum](mix{d}), d)
		case 1:
			testProcess(t, s, gas.Program[value, sum](mixSettled{mix{d}}), d)
		default:
			testProcess(t, s, gas.Program[value, sum](mixAggregate{mixSettled{mix{d}}}), d)
		}
	})
}

func testProcess(t *rapid.T, s *shards, p gas.Program[value, sum], d gas.Direction) {
	a := newArrays[value](t, s, d)
	defer a.Free()
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	for v := range a.Cur {
		a.Cur[v] = p.Apply(gas.Vertex{ID: rng.Uint32()}, value{}, sum{}, gas.Step{})
	}
	untouched := value{Hash: 12345}
	for v := range a.Next {
		a.Next[v] = untouched
	}
	scatter(rng, a.Marks, s.graph.N, rapid.SampledFrom([]float64{0.02, 0.5, 1}).Draw(t, "marked"))
	scatter(rng, a.Rising, s.graph.N, 0.1) // by pages before
	before := slices.Clone(a.Rising)

	w := Work{Step: gas.Step{Iteration: rapid.IntRange(0, 5).Draw(t, "iteration")},
		Marked: rapid.Bool().Draw(t, "only marked")}
	settleable, _ := p.(gas.Settleable[value])
	aggregable, _ := p.(gas.Aggregable[value])
	if aggregable != nil {
		w.Aggregates = make([]float64, len(s.firsts))
	}
	e := newEngine(t, p, a, s, rapid.IntRange(1, 8).Draw(t, "goroutines"),
		rapid.OneOf(rapid.Uint64Range(1, 12), rapid.Just(uint64(rows.ChunkEdges))).Draw(t, "edges per chunk"))
	var got Stats
	pages := s.pages(t, d)
	if rapid.Bool().Draw(t, "one page after another") {
		for _, p := range pages {
			st, err := e.Process(p, w)
			if err != nil {
				t.Fatal(err)
			}
			got.Add(st)
		}
	} else {
		got = streamAll(t, e, pages, w)
	}

	var want Stats
	aggregates := make([]float64, len(s.firsts))
	for v := range uint32(s.graph.N) {
		next, rising := untouched, before.Has(v)
		marked := !w.Marked || a.Marks.Has(v)
		switch {
		case !marked: // left alone
		case settleable != nil && settleable.Settled(a.Cur[v], w.Step):
			next = a.Cur[v]
		default:
			edges := s.edges(v, d)
			acc := p.Zero()
			for _, x := range edges {
				acc = p.Sum(acc, p.Gather(a.Cur[x.Src], gas.Edge{Weight: float64(x.Weight)}, a.Cur[v]))
			}
			next = p.Apply(s.vertex(v), a.Cur[v], acc, w.Step)
			want.Vertices++
			want.Edges += uint64(len(edges))
			if p.Activate(s.vertex(v), a.Cur[v], next) {
				want.Activated++
				want.Degrees += uint64(a.Degree[v])
				rising = true
			}
		}
		if a.Next[v] != next {
			t.Fatalf("vertex %d (%d edges, marked %v): got %v, want %v", v, len(s.edges(v, d)), marked, a.Next[v], next)
		}
		if a.Rising.Has(v) != rising {
			t.Fatalf("vertex %d: rising %v", v, !rising)
		}
		if aggregable != nil {
			now := a.Cur[v]
			if marked {
				now = next
			}
			i := 0
			for i+1 < len(s.firsts) && s.firsts[i+1] <= v {
				i++
			}
			aggregates[i] += aggregable.Aggregate(s.vertex(v), now)
		}
	}
	if got != want {
		t.Fatalf("got %+v, want %+v", got, want)
	}
	if aggregable != nil && !slices.Equal(w.Aggregates, aggregates) {
		t.Fatalf("aggregates %v, want %v", w.Aggregates, aggregates)
	}
}

// ranks adds floats, of which the order of adding changes the bits.
type ranks struct{}

func (ranks) Init(gas.Vertex) (float32, bool)                          { return 0, true }
func (ranks) Zero() float32                                            { return 0 }
func (ranks) Gather(src float32, e gas.Edge, _ float32) float32        { return src * float32(e.Weight) }
func (ranks) Sum(a, b float32) float32                                 { return a + b }
func (ranks) Apply(_ gas.Vertex, old, acc float32, _ gas.Step) float32 { return old/3 + acc }
func (ranks) Activate(_ gas.Vertex, old, new float32) bool             { return new > old }
func (ranks) Aggregate(_ gas.Vertex, value float32) float64            { return float64(value) / 3 }
func (ranks) Direction() gas.Direction                                 { return gas.Both }

// TestSameBits checks that floats come out with the same bits for any number of
// goroutines and any cut into pages.
func TestSameBits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := draw(t)
		chunk := rapid.Uint64Range(1, 30).Draw(t, "edges per chunk")
		seed := rapid.Uint64().Draw(t, "seed")
		run := func(threads int, pages []*page.Page) (values []uint32, aggregates []float64) {
			a := newArrays[float32](t, s, gas.Both)
			defer a.Free()
			rng := rand.New(rand.NewPCG(seed, 0))
			for v := range a.Cur {
				a.Cur[v] = rng.Float32() * float32(uint64(1)<<rng.IntN(30))
			}
			e := newEngine(t, gas.Program[float32, float32](ranks{}), a, s, threads, chunk)
			w := Work{Aggregates: make([]float64, len(s.firsts))}
			for _, p := range pages {
				if _, err := e.Process(p, w); err != nil {
					t.Fatal(err)
				}
			}
			for _, x := range a.Next {
				values = append(values, math.Float32bits(x))
			}
			return values, w.Aggregates
		}
		values, aggregates := run(1, []*page.Page{s.page(0, len(s.firsts), gas.Both)})
		for threads := 1; threads <= 8; threads++ {
			v, a := run(threads, s.pages(t, gas.Both))
			if !slices.Equal(v, values) || !slices.Equal(a, aggregates) {
				t.Fatalf("%d goroutines: other bits", threads)
			}
		}
	})
}

// atLeast reports whether so many in-neighbours have an odd value: a sum that
// is full before all edges are read.
type atLeast struct {
	n         uint32
	direction gas.Direction
}

func (p atLeast) Init(gas.Vertex) (uint32, bool)                       { return 0, true }
func (p atLeast) Zero() uint32                                         { return 0 }
func (p atLeast) Gather(src uint32, _ gas.Edge, _ uint32) uint32       { return src & 1 }
func (p atLeast) Sum(a, b uint32) uint32                               { return a + b }
func (p atLeast) Apply(_ gas.Vertex, _, acc uint32, _ gas.Step) uint32 { return min(acc, p.n) }
func (p atLeast) Activate(gas.Vertex, uint32, uint32) bool             { return false }
func (p atLeast) Saturated(acc uint32, _ gas.Step) bool                { return acc >= p.n }
func (p atLeast) Direction() gas.Direction                             { return p.direction }

// TestSaturated checks that where a shard is one chunk, the edges of a vertex are read until its sum is
// full, and not one more; results are as if all had been read, in chunks of any size.
func TestSaturated(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := draw(t)
		p := atLeast{rapid.Uint32Range(1, 4).Draw(t, "n"), directions().Draw(t, "direction")}
		a := newArrays[uint32](t, s, p.direction)
		defer a.Free()
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		for v := range a.Cur {
			a.Cur[v] = rng.Uint32()
		}
		chunk := rapid.SampledFrom([]uint64{1, 3, 30, rows.ChunkEdges}).Draw(t, "edges per chunk")
		e := newEngine(t, gas.Program[uint32, uint32](p), a, s, rapid.IntRange(1, 4).Draw(t, "goroutines"), chunk)
		got, err := e.Process(s.page(0, len(s.firsts), p.direction), Work{})
		if err != nil {
			t.Fatal(err)
		}
		want := uint64(0)
		for v := range uint32(s.graph.N) {
			acc := uint32(0)
			for _, x := range s.edges(v, p.direction) {
				if acc < p.n {
					acc += a.Cur[x.Src] & 1
					want++
				}
			}
			if a.Next[v] != acc {
				t.Fatalf("vertex %d: got %d, want %d", v, a.Next[v], acc)
			}
		}
		if got.Edges < want || chunk == rows.ChunkEdges && got.Edges != want {
			t.Fatalf("%d edges were read, want %d of %d", got.Edges, want, len(s.graph.Edges))
		}
	})
}
