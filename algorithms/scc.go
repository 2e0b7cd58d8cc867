package algorithms

import (
	"context"
	"slices"

	"github.com/garaph/garaph/frontier"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/registry"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

// SCC labels each vertex with the least vertex of its strongly connected component: the vertices that edges
// lead to from it, and back.
//
// It is Pearce's algorithm (A space-efficient algorithm for finding strongly connected components, Information
// Processing Letters 116, 2016), Tarjan's in less memory: one depth-first search over the out-rows, of a number
// of steps that does not depend on the diameter, with stacks outside the processor's. It is sequential; the
// rows are loaded by all threads. Memory: the out-rows, and 12 bytes and a bit for a vertex. With less memory, the
// out-rows are a temporary file that is read as the search goes.
type SCC struct{}

// theOutRows names the temporary file.
const theOutRows = "the out-rows"

// Plan returns the out-rows, the labels, and two stacks in one array with positions in rows.
func (SCC) Plan(g *store.Catalogue, _ int) Plan {
	n, m, out := int64(g.Vertices), int64(g.Edges), []shard.Direction{shard.Out}
	always := []Array{{"the labels", 4 * n}, {"positions in rows", 4 * n}, {"stacks", 4 * n}, {"roots", n/8 + 8}}
	return Plan{
		Places: true,
		Whole:  out, Arrays: always,
		Less: &Plan{
			Places:  true,
			Rows:    out,
			Arrays:  append(slices.Clip(always), Array{"where rows begin", 8 * (n + 1)}, Array{"some of the rows", keptBytes}),
			Spare:   4*m + m/keptEdges*4,
			Scratch: []Array{{theOutRows, 4 * m}},
		},
	}
}

// Run searches.
func (SCC) Run(ctx context.Context, e *Env) ([]gas.VertexID, error) {
	n := int(e.Graph.Vertices)
	s := &sccSearch{done: uint32(n), next: 1, top: n}
	var err error
	if len(e.Plan().Scratch) == 0 {
		if s.rows, err = e.Load(ctx, shard.Out); err != nil {
			return nil, err
		}
	}
	err = makeAll(e, into(&s.labels, n), into(&s.at, n), into(&s.stacks, n), into(&s.inner, n/64+1))
	if err != nil {
		return nil, err
	}
	if s.rows == nil {
		s.rows = &frontier.Rows{}
		if s.rows.Off, s.file, err = spillRows(ctx, e); err != nil {
			return nil, err
		}
	}
	for v := range s.labels {
		if v%someVertices == 0 {
			e.Progress("search", int64(v), int64(n))
		}
		if s.labels[v] == 0 {
			if err := s.from(ctx, uint32(v)); err != nil {
				return nil, err
			}
		}
	}
	sizes, least := s.at, s.stacks // by component
	clear(sizes)
	largest, components := uint32(0), uint32(n)-s.done
	for v, c := range s.labels {
		id := e.ID(uint32(v))
		if sizes[c]++; sizes[c] == 1 || id < least[c] {
			least[c] = id
		}
		largest = max(largest, sizes[c])
	}
	for v, c := range s.labels {
		s.labels[v] = gas.VertexID(least[c])
	}
	e.Total("components", int64(components))
	e.Total("vertices in the largest", int64(largest))
	return s.labels, nil
}

// sccSearch is the state of the search. A label is 0 for a vertex that was not visited, and then the least
// index of a visited vertex that it is known to lead to. Indices begin with 1; the numbers of components that
// are complete fall from n-1, and are larger than any index in use.
type sccSearch struct {
	rows    *frontier.Rows
	file    *rowFile // if not nil, it has the edges of rows
	labels  []gas.VertexID
	at      []uint32 // how far a row was followed
	inner   []uint64 // vertices that lead to one with a smaller index, as bits
	stacks  []uint32 // the path of the search from 0 up to depth, and visited vertices off it from the end down to top
	depth   int
	top     int
	next    uint32 // index
	done    uint32 // the number of the last component
	visited int
}

// push visits v.
func (s *sccSearch) push(v uint32) {
	s.stacks[s.depth] = v
	s.depth++
	s.labels[v] = gas.VertexID(s.next)
	s.next++
	s.visited++
}

// from searches from a vertex that was not visited.
func (s *sccSearch) from(ctx context.Context, root uint32) (err error) {
	s.push(root)
	off, nbr, labels := s.rows.Off, s.rows.Nbr, s.labels
next:
	for s.depth > 0 {
		v := s.stacks[s.depth-1]
		least := labels[v]
		for at, end := off[v]+uint64(s.at[v]), off[v+1]; at < end; {
			var row []uint32
			if s.file == nil {
				row = nbr[at:end]
			} else if row, err = s.file.edges(at, end); err != nil {
				return err
			}
			for i, u := range row {
				if labels[u] == 0 {
					s.at[v], labels[v] = uint32(at+uint64(i)-off[v]), least // the label of u is looked at when it is done
					if s.push(u); s.visited&(1<<16-1) == 0 && ctx.Err() != nil {
						return ctx.Err()
					}
					continue next
				}
				if labels[u] < least {
					least = labels[u]
					s.inner[v>>6] |= 1 << (v & 63)
				}
			}
			at += uint64(len(row))
		}
		labels[v] = least
		s.depth--
		if has(s.inner, uint64(v)) != 0 {
			s.top--
			s.stacks[s.top] = v
			continue
		}
		s.done--
		for ; s.top < len(s.stacks) && labels[s.stacks[s.top]] >= least; s.top++ {
			labels[s.stacks[s.top]] = gas.VertexID(s.done)
			s.next--
		}
		labels[v] = gas.VertexID(s.done)
		s.next--
	}
	return nil
}

// ColumnName returns "component".
func (SCC) ColumnName() string { return "component" }

// SCCCommand describes garaph run scc.
var SCCCommand = registry.Command{
	Name: "scc", Value: SCC{}, Short: "strongly connected components: vertices that edges lead to from each other",
	Long: `A component has the id of its least vertex; the summary has the number of components
and the size of the largest. The out-edges are in memory, 4 bytes each, and 21 bytes
for each vertex; with less --memory they are in a temporary file.`,
	Example: `  garaph run scc web.graph --output components.parquet
  garaph run scc web.graph --top 5`,
	Ranking: registry.Groups,
	Setup:   registry.Fixed(SCC{}),
}
