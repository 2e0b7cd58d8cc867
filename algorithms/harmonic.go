package algorithms

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"sync/atomic"

	"github.com/spf13/pflag"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/registry"
	"github.com/garaph/garaph/internal/walk"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

// Harmonic estimates, for every vertex, its harmonic centrality, the sum of 1/d over the vertices at distance d
// > 0 that it reaches along edge direction; its closeness, with r the vertices that it reaches, itself among
// them, and s the sum of their distances, (r-1)²/(s(n-1)) (Wasserman and Faust, 1994); and r. The totals are
// the mean distance of pairs, and the effective diameter: within which 90 % of the pairs are that are connected
// at all, interpolated.
//
// It is HyperBall (Boldi and Vigna, In-core computation of geometric centralities with HyperBall, ICDMW 2013):
// a HyperLogLog counter of each vertex has the vertices within t hops, and takes the union of those of its
// out-neighbours to have those within t+1. A counter has 64 registers of a byte, and a standard error of 13 %.
// Neighbours are counted exactly, and so are the vertices of a component of a symmetric graph, by a forest:
// estimates between are scaled to meet both. Unions are taken of 16 or eight registers at a time, and of
// counters alone that have changed. Memory: 162 bytes for a vertex, and pages.
type Harmonic struct {
	Seed uint64 // of the hashes
}

// counterWords are the words of a counter.
const counterWords = 8

// hyperCounter is a HyperLogLog counter, a register a byte.
type hyperCounter [counterWords]uint64

// Plan returns the out-rows, two counters a vertex, and what is summed up.
func (Harmonic) Plan(g *store.Catalogue, _ int) Plan {
	n := int64(g.Vertices)
	return Plan{Rows: []shard.Direction{shard.Out}, Arrays: []Array{
		{"counters", 2 * 8 * counterWords * n}, {"changed counters", 2 * n}, {"sums", 24 * n},
		{"neighbours and components", 8 * n},
	}}
}

// balls are the counters of a step and of the next one.
type balls struct {
	now, next         []hyperCounter
	changed, changing []bool
	size              []float64 // estimated vertices within the steps so far
	harmonic, sum     []float64
	near              []uint32 // different neighbours
	component         forest   // of a symmetric graph
	seed              uint64
}

// Run takes unions until no counter changes.
func (c Harmonic) Run(ctx context.Context, e *Env) ([]float64, error) {
	x, err := c.start(e)
	if err != nil {
		return nil, err
	}
	pairs, done := []float64{float64(len(x.size))}, 0 // pairs within each number of hops
	err = e.Steps(ctx, State{
		Done: &done, Numbers: []any{&pairs},
		Arrays: []any{&x.now, &x.changed, &x.size, &x.harmonic, &x.sum, &x.near, &x.component},
		Check:  func() error { return x.check(pairs, done) },
	}, func() (again bool, err error) {
		if again, err = x.step(ctx, e, done+1); err != nil {
			return false, err
		}
		all, err := x.measure(context.WithoutCancel(ctx), e, done+1)
		if err != nil {
			return false, err
		}
		x.now, x.next, x.changed, x.changing = x.next, x.now, x.changing, x.changed
		pairs, done = append(pairs, all), done+1
		return again, nil
	})
	if err != nil {
		return nil, err
	}
	mean, diameter := distances(pairs)
	e.Total("steps", int64(len(pairs)-2))
	e.TotalFloat("mean distance", mean)
	e.TotalFloat("effective diameter", diameter)
	n := float64(len(x.size))
	if e.Graph.Symmetric {
		x.scale()
	}
	for v, s := range x.sum {
		if s > 0 {
			x.sum[v] = (x.size[v] - 1) / s * (x.size[v] - 1) / (n - 1)
		}
	}
	AddColumn(e, "closeness", x.sum)
	AddColumn(e, "reached", x.size)
	return x.harmonic, nil
}

// distances returns the mean distance of pairs of different vertices, and the distance of 90 % of the pairs,
// with those of a vertex and itself; pairs counts them within each distance.
func distances(pairs []float64) (mean, diameter float64) {
	last := len(pairs) - 1
	for d := 1; d <= last; d++ {
		mean += float64(d) * (pairs[d] - pairs[d-1])
	}
	if connected := pairs[last] - pairs[0]; connected > 0 {
		mean /= connected
	}
	for d, all := range pairs {
		if goal := 0.9 * pairs[last]; all >= goal {
			if d > 0 {
				diameter = float64(d-1) + (goal-pairs[d-1])/(all-pairs[d-1])
			}
			break
		}
	}
	return mean, diameter
}

// start makes the counters of single vertices.
func (c Harmonic) start(e *Env) (*balls, error) {
	x, n := &balls{seed: c.Seed}, int(e.Graph.Vertices)
	err := makeAll(e, into(&x.near, n), into(&x.component, n), into(&x.now, n), into(&x.next, n),
		into(&x.changed, n), into(&x.changing, n), into(&x.size, n), into(&x.harmonic, n), into(&x.sum, n))
	if err != nil {
		return nil, err
	}
	for v := range x.now {
		x.now[v].add(uint32(v), x.seed)
		x.changed[v], x.size[v], x.component[v] = true, 1, gas.VertexID(v)
	}
	return x, nil
}

// add adds a vertex.
func (c *hyperCounter) add(v uint32, seed uint64) {
	h := walk.Mixed(uint64(v) + (seed+1)*walk.Gamma)
	rank, shift := uint64(bits.TrailingZeros64(h>>6|1<<57)+1), h&7*8
	if w := &c[h>>3&7]; *w>>shift&0xff < rank {
		*w = *w&^(0xff<<shift) | rank<<shift
	}
}

// scale meets the sizes of components.
func (x *balls) scale() {
	sizes := x.next // by root, in the first word
	clear(sizes)
	for v := range x.near {
		sizes[x.component.shorten(uint32(v))][0]++
	}
	for v, near := range x.near {
		exact, first := float64(sizes[x.component.shorten(uint32(v))][0]), float64(near)
		if further := x.size[v] - 1 - first; further > 0 {
			scale := (exact - 1 - first) / further
			x.harmonic[v] = first + (x.harmonic[v]-first)*scale
			x.sum[v] = first + (x.sum[v]-first)*scale
		}
		x.size[v] = exact
	}
}

// step takes unions for the next counters, and reports whether a counter has changed.
func (x *balls) step(ctx context.Context, e *Env, step int) (again bool, err error) {
	var some atomic.Bool
	err = e.Rows().pass(ctx, fmt.Sprintf("step %d", step), nil, func(_ int, b *Block) {
		changed := false
		for i := range b.Len {
			v := b.Vertex(i)
			was := &x.now[v]
			c := *was
			row := b.Row(shard.Out, i)
			if step == 1 {
				x.neighbours(e, v, row, &c)
				row = nil
			}
			joinRow(&c, x.now, x.changed, row)
			x.next[v], x.changing[v] = c, c != *was
			changed = changed || x.changing[v]
		}
		if changed {
			some.Store(true)
		}
	})
	return some.Load(), err
}

// measure adds what a step has found to the sums, and returns the sum of sizes.
func (x *balls) measure(ctx context.Context, e *Env, step int) (float64, error) {
	return e.Sum(ctx, len(x.size), func(from, to int) (all float64) {
		for v := from; v < to; v++ {
			size := x.size[v]
			if step == 1 {
				size = float64(1 + x.near[v])
			} else if x.changing[v] {
				size = x.next[v].estimate()
			}
			if size > x.size[v] {
				x.harmonic[v] += (size - x.size[v]) / float64(step)
				x.sum[v] += (size - x.size[v]) * float64(step)
				x.size[v] = size
			}
			all += x.size[v]
		}
		return all
	})
}

// check returns an error if a state is none that a run has had: links of the forest lead to smaller vertices.
func (x *balls) check(pairs []float64, done int) error {
	if len(pairs) != done+1 {
		return fmt.Errorf("it has %d sums after %d steps", len(pairs), done)
	}
	for v, above := range x.component {
		if int(above) > v {
			return fmt.Errorf("the tree of vertex %d leads to vertex %d", v, above)
		}
	}
	return nil
}

// neighbours adds the neighbours of v to its counter.
func (x *balls) neighbours(e *Env, v uint32, row []uint32, c *hyperCounter) {
	for k, u := range row {
		if u == v || k > 0 && row[k-1] == u {
			continue
		}
		x.near[v]++
		c.add(u, x.seed)
		if e.Graph.Symmetric && u < v && x.component.parent(u) != x.component.parent(v) {
			x.component.link(u, v)
		}
	}
}

// inversePowers are 2⁻ⁱ.
var inversePowers = func() (p [64]float64) {
	for i := range p {
		p[i] = math.Ldexp(1, -i)
	}
	return p
}()

// estimate returns the estimate of Flajolet et al. (2007), with linear counting where registers are 0.
func (c *hyperCounter) estimate() float64 {
	const m = 8 * counterWords
	sum, zeros := 0., 0
	for _, w := range c {
		for range 8 {
			if w&0xff == 0 {
				zeros++
			}
			sum += inversePowers[w&63]
			w >>= 8
		}
	}
	if x := 0.709 * m * m / sum; x > 2.5*m || zeros == 0 {
		return x
	}
	return m * math.Log(m/float64(zeros))
}

// Steps returns "steps".
func (Harmonic) Steps() (name, version string) { return "steps", stateVersion }

// ColumnName returns "harmonic".
func (Harmonic) ColumnName() string { return "harmonic" }

// HarmonicCommand describes garaph run harmonic.
var HarmonicCommand = registry.Command{
	Name: "harmonic", Value: Harmonic{},
	Short: "harmonic centrality and closeness of every vertex, estimated, and the effective diameter",
	Long: `Harmonic centrality is the sum of 1/d over the vertices at distance d that a vertex
reaches along edge direction. A second column has closeness, and a third how many
vertices are reached. They are estimated: in undirected graphs from exact numbers of
neighbours and of all that are reached, and else with a standard error of 13 %. The
summary has the mean distance of connected pairs, and the effective diameter, within
which 90 % of them are. Beside 162 bytes for each vertex, --memory has to hold little.`,
	Example: `  garaph run harmonic web.graph --top 10
  garaph run harmonic web.graph --seed 2 --output centralities.parquet`,
	Setup: func(fs *pflag.FlagSet) registry.Make {
		seed := seedFlag(fs)
		return func(registry.Env) (any, error) { return Harmonic{uint64(*seed)}, nil }
	},
}
