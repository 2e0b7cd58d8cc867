package algorithms

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/spf13/pflag"

	"github.com/garaph/garaph/frontier"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/flags"
	"github.com/garaph/garaph/internal/registry"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

// Closeness is the exact closeness of given vertices, or of those of the largest one, along edge direction: with r
// vertices that v reaches, itself among them, and s the sum of their distances, (r-1)²/(s(n-1)) (Wasserman and Faust,
// 1994). Further columns are the harmonic centrality, the sum of 1/d over the vertices at distance d > 0, and r. Its
// rows are the vertices: given ones ascending, others in descending order.
//
// A thread searches breadth first from one vertex. A search for the largest ends when its vertex cannot be among
// them: the next level has no more vertices than the last one has edges, and the others are a step further at least
// (Bergamini, Borassi, Crescenzi, Marino, Meyerhenke, ACM JEA 24, 2019). Vertices of many edges come first. Memory:
// the out-rows, 12 bytes for a vertex and 8 for a vertex and a thread, or a vertex if the budget has no room for that.
type Closeness struct {
	Sources  []uint32 // ascending
	Most     int      // in place of Sources, how many of the largest are found
	Harmonic bool     // the largest are those of the harmonic centrality
}

// Plan returns the out-rows, and a search for each thread.
func (c Closeness) Plan(g *store.Catalogue, threads int) Plan {
	n := int64(g.Vertices)
	return perLane(threads, func(lanes int) Plan {
		return Plan{Whole: []shard.Direction{shard.Out}, Arrays: []Array{
			{"searches", 8 * n * int64(lanes)}, {"components and order", 12 * n},
			{"the result", (28 + 32) * max(int64(len(c.Sources)), int64(c.Most))},
		}}
	})
}

// near is a vertex with its centralities.
type near struct {
	v                   uint32
	closeness, harmonic float64
	reached             int64
}

// nearing is a run of Closeness.
type nearing struct {
	Closeness
	rows  *frontier.Rows
	sizes []uint32 // of the weak component of each root; nil without bounds
	roots forest

	mu    sync.Mutex
	found []near        // those of the largest so far, in descending order, in memory for all
	least atomic.Uint64 // the bits of the value that a vertex has to reach, to be one of them
}

// Run searches.
func (c Closeness) Run(ctx context.Context, e *Env) ([]float64, error) {
	rows, err := e.Load(ctx, shard.Out)
	if err != nil {
		return nil, err
	}
	x, n := &nearing{Closeness: c, rows: rows}, len(rows.Off)-1
	sources := c.Sources
	if c.Most > 0 {
		if sources, err = x.order(e); err != nil {
			return nil, err
		}
	}
	all, err := Make[near](e, max(c.Most, len(c.Sources)))
	if err != nil {
		return nil, err
	}
	if x.found = all; c.Most > 0 {
		x.found = all[:0]
	}
	lanes := make([]sphere, e.lanes(max(1, len(sources))))
	for i := range lanes {
		if err := makeAll(e, into(&lanes[i].mark, n), into(&lanes[i].queue, n)); err != nil {
			return nil, err
		}
	}
	done, largest := 0, 0
	state := State{Done: &done, Numbers: []any{&largest}, Arrays: []any{&all}, Check: func() error {
		return x.resume(all, largest)
	}}
	err = e.Steps(ctx, state, func() (again bool, err error) {
		err = e.Tasks(ctx, len(lanes), &done, len(sources), func(lane, i int) {
			found, whole := lanes[lane].from(x, sources[i])
			if c.Most == 0 {
				x.found[i] = found
			} else if whole {
				x.add(found)
			}
			e.Progress("searches", int64(i+1), int64(len(sources)))
		})
		largest = len(x.found)
		return done < len(sources), err
	})
	if err != nil {
		return nil, err
	}
	return x.table(e)
}

// resume takes over the vertices that were found by an earlier process.
func (x *nearing) resume(all []near, n int) error {
	if n < 0 || n > len(all) || x.Most == 0 && n != len(all) {
		return fmt.Errorf("it has %d vertices of %d", n, len(all))
	}
	for _, found := range all[:n] {
		if int(found.v) >= len(x.rows.Off)-1 {
			return fmt.Errorf("it has vertex %d of %d", found.v, len(x.rows.Off)-1)
		}
	}
	x.found = all[:n]
	x.setLeast()
	return nil
}

// order returns all vertices, those of most edges first, and counts the vertices of components.
func (x *nearing) order(e *Env) (order []uint32, err error) {
	n := len(x.rows.Off) - 1
	if err = makeAll(e, into(&order, n), into(&x.roots, n), into(&x.sizes, n)); err != nil {
		return nil, err
	}
	for v := range order {
		order[v], x.roots[v] = uint32(v), gas.VertexID(v)
	}
	for v := range order {
		for k := x.rows.Off[v]; k < x.rows.Off[v+1]; k++ {
			x.roots.link(x.rows.Nbr[k], uint32(v))
		}
	}
	for v := range order {
		x.sizes[x.roots.shorten(uint32(v))]++
	}
	degree := func(v uint32) uint64 { return x.rows.Off[v+1] - x.rows.Off[v] }
	slices.SortFunc(order, func(u, v uint32) int { return cmp.Or(cmp.Compare(degree(v), degree(u)), cmp.Compare(u, v)) })
	return order, nil
}

// value returns the centrality by which the largest are found.
func (x *nearing) value(n near) float64 {
	if x.Harmonic {
		return n.harmonic
	}
	return n.closeness
}

// add adds a vertex to the largest.
func (x *nearing) add(n near) {
	x.mu.Lock()
	defer x.mu.Unlock()
	at, _ := slices.BinarySearchFunc(x.found, n, func(a, b near) int {
		return cmp.Or(cmp.Compare(x.value(b), x.value(a)), cmp.Compare(a.v, b.v))
	})
	if at == x.Most {
		return
	}
	x.found = slices.Insert(x.found[:min(len(x.found), x.Most-1)], at, n)
	x.setLeast()
}

// setLeast sets the value that a vertex has to reach.
func (x *nearing) setLeast() {
	if x.Most > 0 && len(x.found) == x.Most {
		x.least.Store(math.Float64bits(x.value(x.found[x.Most-1])))
	}
}

// sphere is a breadth-first search.
type sphere struct {
	mark  []uint32 // of vertices that the search of this number has reached
	queue []uint32
	now   uint32
}

// from searches from v. It reports whether it did not end before all was reached.
func (s *sphere) from(x *nearing, v uint32) (n near, whole bool) {
	if s.now++; s.now == 0 {
		clear(s.mark)
		s.now = 1
	}
	all, vertices := int64(len(s.mark)), int64(len(s.mark))
	if x.sizes != nil {
		all = int64(x.sizes[x.roots.shorten(v)])
	}
	s.mark[v] = s.now
	s.queue = append(s.queue[:0], v)
	queue := s.queue
	sum, harmonic := int64(0), 0.
	for begin, distance := 0, int64(1); begin < len(queue); distance++ {
		edges := int64(0) // of the last level: no more vertices come next
		for _, u := range queue[begin:] {
			edges += int64(x.rows.Off[u+1] - x.rows.Off[u])
		}
		if x.sizes != nil {
			reached := int64(len(queue))
			most := bound{reached, sum, harmonic, distance, min(edges, all-reached), all, vertices}.of(x.Harmonic)
			if most*(1+1e-9) < math.Float64frombits(x.least.Load()) {
				return n, false
			}
		}
		end := len(queue)
		for _, u := range queue[begin:end] {
			for _, w := range x.rows.Nbr[x.rows.Off[u]:x.rows.Off[u+1]] {
				if s.mark[w] != s.now {
					s.mark[w] = s.now
					queue = append(queue, w)
				}
			}
		}
		begin = end
		sum += int64(len(queue)-end) * distance
		harmonic += float64(len(queue)-end) / float64(distance)
	}
	reached := int64(len(queue))
	return near{v, closenessOf(reached, sum, vertices), harmonic, reached}, true
}

// closenessOf returns the closeness of a vertex that reaches some vertices, with the sum of their distances.
func closenessOf(reached, sum, vertices int64) float64 {
	if sum == 0 {
		return 0
	}
	r := float64(reached - 1)
	return r / float64(sum) * r / float64(vertices-1)
}

// bound is a search whose next level is at a distance, and has some vertices at most.
type bound struct {
	reached, sum   int64
	harmonic       float64
	distance, next int64
	all, vertices  int64 // that can be reached, and of the graph
}

// of returns the largest centrality that is possible. Closeness is largest where a kind of vertices ends.
func (b bound) of(harmonic bool) float64 {
	beyond := b.all - b.reached - b.next
	if harmonic {
		return b.harmonic + float64(b.next)/float64(b.distance) + float64(beyond)/float64(b.distance+1)
	}
	near := b.sum + b.next*b.distance
	return max(closenessOf(b.reached, b.sum, b.vertices), closenessOf(b.reached+b.next, near, b.vertices),
		closenessOf(b.all, near+beyond*(b.distance+1), b.vertices))
}

// table returns the result.
func (x *nearing) table(e *Env) ([]float64, error) {
	var vertices []gas.VertexID
	var reached []int64
	var closeness, harmonic []float64
	n := len(x.found)
	if err := makeAll(e, into(&vertices, n), into(&reached, n), into(&closeness, n), into(&harmonic, n)); err != nil {
		return nil, err
	}
	for i, n := range x.found {
		vertices[i], reached[i] = gas.VertexID(n.v), n.reached
		closeness[i], harmonic[i] = n.closeness, n.harmonic
	}
	e.Keys("vertex", vertices)
	AddColumn(e, "harmonic", harmonic)
	AddColumn(e, "reached", reached)
	return closeness, nil
}

// Steps returns "searches".
func (Closeness) Steps() (name, version string) { return "searches", stateVersion }

// ColumnName returns "closeness".
func (Closeness) ColumnName() string { return "closeness" }

// ClosenessCommand describes garaph run closeness.
var ClosenessCommand = registry.Command{
	Name: "closeness", Value: Closeness{},
	Short: "exact closeness and harmonic centrality of given vertices, or the largest ones",
	Long: `Distances follow edge direction, without weights. With r vertices that a vertex reaches,
itself among them, and s the sum of their distances, closeness is (r-1)²/(s(n-1)), and
harmonic centrality the sum of 1/d over the vertices at distance d > 0. --most K finds
the vertices of the largest closeness, or of the largest harmonic centrality, without
searching from most others to the end; where most vertices are about equally near, as in
dense random graphs, it takes long. harmonic estimates both for all vertices.`,
	Example: `  garaph run closeness web.graph --most 10
  garaph run closeness web.graph --sources hubs.txt --output closeness.parquet`,
	Setup: func(fs *pflag.FlagSet) registry.Make {
		flags.Sources(fs, "to find the closeness of")
		most := flags.Range(fs, "most", 0, 0, 1<<20, "number of vertices of the largest closeness to find; 0: none")
		by := flags.Enum(fs, "by", "closeness", []string{"closeness", "harmonic"}, "centrality by which --most chooses")
		flags.RequireOne(fs, "source", "sources", "most")
		return func(e registry.Env) (any, error) {
			sources, err := e.Sources()
			if err == nil && (len(sources) > 0) == (*most > 0) {
				err = flags.Usagef("--source, --sources and --most exclude each other")
			}
			return Closeness{Sources: sources, Most: *most, Harmonic: *by == "harmonic"}, err
		}
	},
}
