package algorithms

import (
	"context"
	"fmt"
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/spf13/pflag"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/bitset"
	"github.com/garaph/garaph/internal/registry"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

// CDLP is community detection by label propagation as LDBC Graphalytics defines it (Iosup et al., VLDB 2016, after
// Raghavan, Albert and Kumara, 2007): all vertices at once take the most frequent label among their neighbours,
// and of several the least. A label is a vertex, and first each vertex is its own. In a directed graph a
// neighbour that an edge leads to and another one comes from counts twice; parallel edges and self-loops count as
// often as they are stored. A vertex without edges keeps its label.
//
// Short rows are sorted. Of longer ones, a label that more than half of the edges have is found without counting
// (Boyer and Moore), and others are counted in a hash table of a fixed size, in passes over the row, each
// for a part of the labels. After an iteration that changed few labels, the next one looks only at the neighbours of
// the vertices that got them. Memory: 8.3 bytes for a vertex, 512 KiB for a thread, and pages.
type CDLP struct {
	Iterations int // if 0, until no label changes
}

// Plan returns the rows of both directions, two labels a vertex, and the tables.
func (CDLP) Plan(g *store.Catalogue, threads int) Plan {
	return Plan{Places: true, Rows: BothRows(g), Arrays: []Array{
		{"the labels", 8 * int64(g.Vertices)}, {"vertices to look at", 2 * 8 * int64(bitset.Words(g.Vertices))},
		{"counts of labels", 8 * ballotSlots * int64(threads)},
	}}
}

// Run iterates.
func (c CDLP) Run(ctx context.Context, e *Env) ([]gas.VertexID, error) {
	n := int(e.Graph.Vertices)
	var labels, next []gas.VertexID
	var slots []ballotSlot
	some := &spread{most: int64(e.Graph.Edges) / 16}
	words := bitset.Words(e.Graph.Vertices)
	err := makeAll(e, into(&labels, n), into(&next, n), into(&slots, ballotSlots*e.Threads),
		into(&some.last, words), into(&some.next, words))
	if err != nil {
		return nil, err
	}
	for v := range labels {
		labels[v] = gas.VertexID(e.ID(uint32(v)))
	}
	done := 0
	err = e.Steps(ctx, State{Done: &done, Arrays: []any{&labels}, Check: func() error {
		if l := slices.Max(labels); int(l) >= n {
			return fmt.Errorf("it has label %d of %d", l, n)
		}
		return nil
	}}, func() (again bool, err error) {
		copy(next, labels)
		err = e.Rows().pass(ctx, fmt.Sprintf("iteration %d", done+1), anyOf(some.now), func(worker int, b *Block) {
			t := ballot{labels, slots[worker*ballotSlots:][:ballotSlots]}
			t.move(b, next, some)
		})
		if err != nil {
			return false, err
		}
		again = some.end()
		labels, next = next, labels
		done++
		return again && (c.Iterations == 0 || done < c.Iterations), nil
	})
	if err != nil {
		return nil, err
	}
	e.Total("iterations", int64(done))
	e.Total("communities", countLabels(labels, next))
	return labels, nil
}

// Steps returns "iterations".
func (CDLP) Steps() (name, version string) { return "iterations", stateVersion }

// countLabels returns the number of different labels. It writes into marks.
func countLabels(labels, marks []gas.VertexID) (n int64) {
	clear(marks)
	for _, l := range labels {
		n += int64(1 - marks[l])
		marks[l] = 1
	}
	return n
}

// spread has the vertices that an iteration looks at: the neighbours of the vertices that changed in the one before.
type spread struct {
	now        bitset.Set // if nil, it has all vertices
	last, next bitset.Set
	edges      atomic.Int64 // of the changed vertices
	most       int64        // edges that are followed, which takes less time than it saves
}

// add adds the neighbours of a vertex that has changed, unless they are too many.
func (s *spread) add(a, b []uint32) {
	if s.edges.Load() > s.most || s.edges.Add(int64(len(a)+len(b))) > s.most {
		return
	}
	for _, row := range [2][]uint32{a, b} {
		for _, u := range row {
			s.next.Add(u)
		}
	}
}

// end ends an iteration, and reports whether a vertex has changed.
func (s *spread) end() bool {
	s.last, s.next, s.now = s.next, s.last, nil
	s.next.Clear()
	edges := s.edges.Swap(0)
	if edges <= s.most {
		s.now = s.last
	}
	return edges > 0
}

// ballotSlots is the number of slots of a hash table; a power of two.
const ballotSlots = 1 << 16

// ballotSlot counts a label, if votes is not 0.
type ballotSlot struct{ label, votes uint32 }

// ballot finds the most frequent label of the neighbours of a vertex.
type ballot struct {
	labels []gas.VertexID
	slots  []ballotSlot
}

// move sets the next labels of a block, where they differ from the last ones.
func (t *ballot) move(b *Block, next []gas.VertexID, some *spread) {
	for i := range b.Len {
		v := b.Vertex(i)
		if some.now != nil && !some.now.Has(v) {
			continue
		}
		in, out := b.Row(shard.In, i), []uint32(nil)
		if !b.rows.env.Graph.Symmetric {
			out = b.Row(shard.Out, i)
		}
		if len(in)+len(out) == 0 {
			continue
		}
		if next[v] = t.winner(in, out); next[v] != t.labels[v] {
			some.add(in, out)
		}
	}
}

// fewVotes are sorted.
const fewVotes = 24

// winner returns the most frequent label of a and b together, one edge or more, and of several the least.
func (t *ballot) winner(a, b []uint32) gas.VertexID {
	if len(a)+len(b) <= fewVotes {
		return t.sorted(a, b)
	}
	var candidate gas.VertexID // Boyer and Moore's
	lead := 0
	for _, row := range [2][]uint32{a, b} {
		for _, u := range row {
			switch l := t.labels[u]; {
			case lead == 0:
				candidate, lead = l, 1
			case l == candidate:
				lead++
			default:
				lead--
			}
		}
	}
	if lead > 0 {
		votes := 0
		for _, row := range [2][]uint32{a, b} {
			for _, u := range row {
				if t.labels[u] == candidate {
					votes++
				}
			}
		}
		if 2*votes > len(a)+len(b) {
			return candidate
		}
	}
	for parts := uint32(1 + (len(a)+len(b))/(ballotSlots/2)); ; parts *= 2 {
		if best, ok := t.counted(a, b, parts); ok {
			return best
		}
	}
}

func (t *ballot) sorted(a, b []uint32) gas.VertexID {
	var room [fewVotes]gas.VertexID
	s := room[:len(a)+len(b)]
	for i, u := range a {
		s[i] = t.labels[u]
	}
	for i, u := range b {
		s[len(a)+i] = t.labels[u]
	}
	slices.Sort(s)
	best, most := s[0], 1
	for i := 0; i+most < len(s); i++ {
		if s[i+most] != s[i] { // fewer than most+1 are equal
			continue
		}
		for best = s[i]; i+most < len(s) && s[i+most] == best; {
			most++
		}
	}
	return best
}

// counted returns the most frequent label, which it counts in passes over parts of the labels. It reports false if a
// part has more labels than the table has room for.
func (t *ballot) counted(a, b []uint32, parts uint32) (best gas.VertexID, ok bool) {
	size := min(ballotSlots, 1<<bits.Len(uint(2*(len(a)+len(b))-1)))
	slots := t.slots[:size]
	shift, most := 32-uint(bits.Len(uint(size-1))), uint32(0)
	for part := range parts {
		clear(slots)
		used := 0
		for _, row := range [2][]uint32{a, b} {
			for _, u := range row {
				l := uint32(t.labels[u])
				hash := l * 0x9e3779b1
				if parts > 1 && hash%parts != part {
					continue
				}
				at := hash >> shift
				for slots[at].votes != 0 && slots[at].label != l {
					at = (at + 1) & uint32(size-1)
				}
				if slots[at].votes == 0 {
					if used++; 4*used > 3*size {
						return 0, false
					}
					slots[at].label = l
				}
				slots[at].votes++
				if votes := slots[at].votes; votes > most || votes == most && l < uint32(best) {
					best, most = gas.VertexID(l), votes
				}
			}
		}
	}
	return best, true
}

// ColumnName returns "label".
func (CDLP) ColumnName() string { return "label" }

// CDLPCommand describes garaph run cdlp.
var CDLPCommand = registry.Command{
	Name: "cdlp", Value: CDLP{}, Short: "communities by label propagation, as LDBC Graphalytics defines them",
	Long: `All vertices at once take the most frequent label of their neighbours, of several the
least; at first each has itself. In a directed graph both directions count. The
result is exact and depends on nothing else, and oscillates in bipartite parts:
--iterations says how many there are. Beside 8 bytes for each vertex, --memory
has to hold little.`,
	Example: `  garaph run cdlp web.graph --iterations 10 --output labels.parquet
  garaph run cdlp web.graph --memory 1GiB`,
	Ranking: registry.Groups, Iterations: 10,
	Setup: func(*pflag.FlagSet) registry.Make {
		return func(e registry.Env) (any, error) { return CDLP{Iterations: e.Iterations}, nil }
	},
}
