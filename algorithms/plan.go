package algorithms

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/page"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

// Plan describes what an algorithm reads and allocates.
type Plan struct {
	// Rows are the directions of adjacency that it reads; none: it reads no rows.
	Rows []shard.Direction
	// Edges: it reads edges instead, without an order of vertices and without weights.
	Edges bool
	// Some: it reads the rows of some vertices at a time, and of each vertex once. Those of a symmetric graph are read
	// as they are needed, by runs, and others in pages.
	Some bool
	// Whole are the directions of which it has the rows of the whole graph in memory at
	// once, from [Env.Load], beside its arrays.
	Whole []shard.Direction
	// Weights: it reads the weights of rows too, on a weighted graph.
	Weights bool
	// Places: it names vertices by their places in the store instead of by their ids: in rows, edges and values. It is for
	// algorithms whose results depend on neither; the run brings values into the order of ids. Values that are vertices
	// are ids, see [Env.ID]. Edges are read so in any case, and so are rows on a GPU, but for Whole ones.
	Places bool
	// Arrays are what it allocates at any one time, at most, by what it is for.
	Arrays []Array
	// Spare is how many bytes of arrays more it can make use of, if the budget has them: see [Env.Room].
	Spare int64
	// Scratch are the temporary files that [Env.Scratch] makes, by name.
	Scratch []Array
	// Less is the plan that takes the place of this one where the budget has no room for it;
	// if nil, there is none, and the run is refused. [Env.Plan] says which one it is.
	Less *Plan
}

// Array is memory for a purpose.
type Array struct {
	Name  string // for errors: "the degrees"
	Bytes int64
}

// bytes returns the sum of the arrays.
func (p Plan) bytes() (n int64) {
	for _, a := range p.Arrays {
		n += a.Bytes
	}
	return n
}

// perLane returns the plan of searches side by side: one for each thread, or if the budget has no room for that, one.
func perLane(threads int, plan func(lanes int) Plan) Plan {
	p, less := plan(threads), plan(1)
	p.Less = &less
	return p
}

// lanes returns the number of searches of the plan, at most n.
func (e *Env) lanes(n int) int {
	if e.plan.Less == nil {
		return min(n, 1)
	}
	return min(n, e.Threads)
}

// MemoryError is a budget that is too small for an algorithm. It is an
// [hostmem.ErrBudget].
type MemoryError struct {
	Graph  string
	Budget int64 // what was given
	Arrays []Array
	Rows   int64 // bytes that the least buffers for pages take
}

// Least returns the smallest budget that would do, in bytes.
func (e *MemoryError) Least() int64 {
	return hostmem.Process + Plan{Arrays: e.Arrays}.bytes() + e.Rows
}

func (e *MemoryError) Error() string {
	all := slices.Concat(e.Arrays, []Array{{"pages", e.Rows}, {"the process", hostmem.Process}})
	return fmt.Sprintf("graph %s: %v: the algorithm takes %s, more than %s; the smallest budget for it is %dMiB",
		e.Graph, hostmem.ErrBudget, sizes(all), humanize.IBytes(uint64(e.Budget)), (e.Least()+1<<20-1)>>20)
}

// sizes describes at least two arrays.
func sizes(arrays []Array) string {
	var parts []string
	for _, a := range arrays {
		parts = append(parts, fmt.Sprintf("%s for %s", humanize.IBytes(uint64(a.Bytes)), a.Name))
	}
	last := len(parts) - 1
	return strings.Join(parts[:last], ", ") + " and " + parts[last]
}

// Is makes it the error of every budget that is too small.
func (e *MemoryError) Is(target error) bool { return target == hostmem.ErrBudget }

// whole returns the rows of the whole graph in a direction.
func (p Plan) whole(c *store.Catalogue, dir shard.Direction, threads int) page.WholeRows {
	return page.WholeRows{Sides: []shard.Direction{dir}, Weighted: p.Weights && c.Weighted, Threads: threads}
}

// wholeArrays returns the memory of these rows, and of loading them.
func (p Plan) wholeArrays(c *store.Catalogue, threads int) (list, loading []Array) {
	var most int64
	for _, dir := range p.Whole {
		all, reading := p.whole(c, dir, threads).Bytes(c)
		if !p.Places && c.Order() != store.ByInput {
			reading = max(reading, all) // for both orders
		}
		list = append(list, Array{fmt.Sprintf("the %s rows of the whole graph", dir), all})
		most = max(most, reading)
	}
	if len(list) > 0 {
		loading = []Array{{"reading them", most}}
	}
	return list, loading
}

// rowsOf returns the sides of the graph that pages hold as the planned rows: sides of rows, or
// the in side, which they unpack.
func rowsOf(s *store.Store, p Plan) (sides []shard.Direction, err error) {
	cat := s.Catalogue()
	for _, dir := range p.Rows {
		side, ok := cat.RowsOf(dir)
		if !ok {
			side = shard.In
		}
		_, stored := cat.WeightsOf(side)
		switch without := p.Weights && cat.Weighted && !stored && side != shard.In; {
		case without && (cat.Symmetric || dir == shard.In):
			side = shard.In // which has them in its blobs
		case without:
			how := "the layout csc stores them with in-edges alone; import it again with --layout packed"
			if cat.Layout == store.Packed {
				how = "an earlier version has stored them with in-edges alone; import it again"
			}
			return nil, fmt.Errorf("graph %s: the weights of out-edges are needed, and %s", s.Name(), how)
		}
		if cat.Symmetric {
			return []shard.Direction{side}, nil
		}
		sides = append(sides, side)
	}
	return sides, nil
}

// openSome takes the budget for rows that are read as they are needed. Without room for them, or where the graph has
// none, it returns nil.
func openSome(s *store.Store, p Plan, o Options) (*page.StoredRows, error) {
	if !p.Some || !s.Catalogue().SameRows() {
		return nil, nil
	}
	rows, err := page.WholeRows{Sides: []shard.Direction{shard.Out}, Threads: o.Threads}.PlanRows(s)
	if err != nil {
		return nil, nil //nolint:nilerr // pages have them
	}
	left := int64(math.MaxInt64)
	if o.Memory > 0 {
		left = o.Memory - hostmem.Process - p.bytes()
	}
	frames := rows.Frames(left / framesShare)
	if left -= rows.Memory(frames); left < 0 {
		return nil, nil
	}
	rows.Once = true
	return rows, rows.Reserve(frames, min(left, rows.KeptBytes()))
}

// framesShare is which part of the memory frames may take; the rest is for runs that stay.
const framesShare = 8

// openPages divides the budget: the arrays of the plan first, then rows or edges, which
// pages hold as rows if they are in none of these encodings. Spare arrays get up to three quarters of what the
// arrays leave.
func openPages(s *store.Store, p Plan, o Options, encodings []uint16) (c *page.Cache, spare int64, err error) {
	needed := &MemoryError{Graph: s.Name(), Budget: o.Memory, Arrays: p.Arrays}
	po := page.Options{
		Gather: []shard.Direction{shard.In}, Encodings: encodings, Threads: o.Threads, Map: true, Bare: !p.Weights,
	}
	if len(p.Rows) == 0 && !p.Edges {
		if o.Memory > 0 && needed.Least() > o.Memory {
			return nil, 0, needed
		}
		return nil, p.Spare, nil
	}
	if !p.Edges {
		if po.Gather, err = rowsOf(s, p); err != nil {
			return nil, 0, err
		}
		po.Weights = p.Weights
	}
	spare = p.Spare
	if o.Memory > 0 {
		po.Budget = max(1, o.Memory-needed.Least())
		if spare > 0 {
			spare = min(spare, max(0, po.Budget-max(page.Least(s, po), po.Budget/4)))
			po.Budget -= spare
		}
	}
	c, err = page.New(s, po)
	var need *page.NeedError
	if errors.As(err, &need) {
		needed.Rows = need.Need
		return nil, 0, needed
	}
	return c, spare, err
}
