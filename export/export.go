// Package export writes a stored graph as an edge list again, in the formats that package ingest
// reads: its rows one after another, in a budget of memory.
//
// What is written, and imported as [Report.Import] says, is an equal graph, under the same ids where
// the format has room for them.
package export

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/internal/results"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

// Options say how a graph is written.
type Options struct {
	Format Format // "" is Text
	// Both writes the two directions of an edge of an undirected graph. Without it, edge lists have one,
	// which an import with --undirected makes both again. Those of GAP, METIS and Ligra have both in any case.
	Both      bool
	NoWeights bool  // leave the weights of a weighted graph out
	Threads   int   // 0: GOMAXPROCS
	Memory    int64 // bytes of resident memory for the whole process; 0: no limit
	// Progress, when not nil, may be called from many goroutines.
	Progress func(edges, total int64)
	// Printable, when not nil, makes a name fit for a terminal.
	Printable func(string) string
}

// Report says what was written.
type Report struct {
	Format   Format `json:"format"`
	Vertices uint32 `json:"vertices"`
	Edges    uint64 `json:"edges"` // that were written: of an undirected graph, once or twice each
	// Renumbered: the format counts vertices, and the ids of the graph are others. They are numbered in the
	// order of their ids.
	Renumbered bool `json:"renumbered"`
	// Isolated vertices are not in the file: they have no edges, and it has nothing else.
	Isolated uint32 `json:"isolated_vertices_left_out"`
	// Import are the flags with which an import of the file, if its name is usual for the format, makes an equal
	// graph, or a directed one, see Directed.
	Import []string `json:"import_flags"`
	// Directed: the import of the file is a directed graph, though this one is undirected. Both directions of its edges
	// are in the file, and some edges are parallel, so that nothing tells which ones belong together.
	Directed bool `json:"import_is_directed"`
}

// Write writes the edges of a graph to w. Writes to w are large, and end at the end of an edge. After an
// error, what w has is of no use.
func Write(ctx context.Context, s *store.Store, w io.Writer, o Options) (Report, error) {
	o.Format = cmp.Or(o.Format, Text)
	return writeWith(ctx, s, o, func(x *writer) error { return x.write(ctx, w) })
}

// writeWith lets write write a graph.
func writeWith(ctx context.Context, s *store.Store, o Options, write func(x *writer) error) (Report, error) {
	cat := s.Catalogue()
	if err := o.Check(s.Name(), cat); err != nil {
		return Report{}, err
	}
	x := &writer{store: s, cat: cat, o: o, dir: shard.Out, weighted: cat.Weighted && !o.NoWeights}
	x.half = halfOf(o, cat)
	if x.dir == shard.Out && x.weighted && !cat.Symmetric && !hasRows(o.Format) {
		if _, stored := cat.WeightsOf(shard.Out); !stored {
			x.dir = shard.In // the only side that has them
		}
	}
	if err := x.label(); err != nil {
		return Report{}, err
	}
	if o.Format.HasColumns() {
		var err error
		if x.areText, err = x.namesAreText(ctx); err != nil {
			return Report{}, err
		}
	}
	x.out = newTurns(nil)
	if err := write(x); err != nil {
		return Report{}, err
	}
	return x.report()
}

// writer writes one graph.
type writer struct {
	store    *store.Store
	cat      *store.Catalogue
	o        Options
	dir      shard.Direction // of the rows that are read
	weighted bool
	half     half
	labels   labels
	heldIDs
	// visitor is what goes over the graph.
	visitor func(e *algorithms.Env) error
	out     *turns
	edges   atomic.Uint64 // that were written
	// count: nothing is written, but edges are counted.
	count bool
	columns
	// weightsOnly: the weights of edges are written, without these.
	weightsOnly bool
	parallel    atomic.Uint64 // edges that are parallel to others, where both directions are written as if directed
}

// heldIDs are the ids that are in memory.
type heldIDs struct {
	limit  int64 // how much memory those may take that are read together
	ids    *store.IDSet
	allIDs bool // are there; otherwise those of one window after another
}

// columns are what a format with columns has.
type columns struct {
	sink    func(*results.Batch) error // where batches of edges go
	areText bool                       // all names are UTF-8
}

// asDirected reports whether the file of an undirected graph has both directions of its edges, and does not say so.
func (x *writer) asDirected() bool {
	f := x.o.Format
	return x.cat.Symmetric && x.half == whole && !isGAP(f) && f != METIS
}

// bothOnce reports whether edges that are the same in such a file are one edge: the two directions of a parallel one
// look like two more.
func (x *writer) bothOnce() bool { return x.asDirected() && x.parallel.Load() == 0 }

// half says which edges of an undirected graph are written.
type half uint8

const (
	whole half = iota
	upper      // those of a vertex to itself and to later ones
	lower      // to itself and to earlier ones, as Matrix Market has it
)

func halfOf(o Options, c *store.Catalogue) half {
	switch {
	case !c.Symmetric || o.Both || hasRows(o.Format):
		return whole
	case o.Format == MatrixMarket:
		return lower
	}
	return upper
}

// Plan is that of the pass over the rows; the ids have what is left of a budget in the first attempt, and a
// part of it, or the least, in those after it.
func (x *writer) Plan(g *store.Catalogue, threads int) algorithms.Plan {
	plan := func(ids int64) algorithms.Plan {
		p := algorithms.Plan{Rows: []shard.Direction{x.dir}, Weights: x.weighted, Arrays: []algorithms.Array{
			{Name: "text on its way", Bytes: int64(threads) * bufferBytes * 2},
		}}
		if x.o.Format.HasColumns() {
			p.Arrays = append(p.Arrays, algorithms.Array{Name: "rows on their way", Bytes: encoderBytes})
		}
		if ids > 0 {
			p.Arrays = append(p.Arrays, algorithms.Array{Name: idsArray, Bytes: ids})
		}
		return p
	}
	all, least := x.idBytes(g)
	p := plan(all)
	if all > least {
		few := plan(least)
		if part := x.o.Memory / 4; part > least && part < all {
			some := plan(part)
			some.Less, p.Less = &few, &some
		} else {
			p.Less = &few
		}
	}
	return p
}

// idsArray names the ids in a plan.
const idsArray = "the ids of vertices"

// Visit does what the visit is for, with all ids in memory if they have room.
func (x *writer) Visit(ctx context.Context, e *algorithms.Env) error {
	for _, a := range e.Plan().Arrays {
		if a.Name == idsArray {
			x.limit = a.Bytes
		}
	}
	if !x.labels.stored || x.count {
		return x.visitor(e)
	}
	set, err := x.store.IDSet(x.limit)
	if err != nil {
		return err
	}
	defer set.Free()
	for v := range x.cat.Vertices {
		if err := set.Add(v); err != nil {
			return err
		}
	}
	if x.allIDs, err = set.Load(); err != nil {
		return err
	}
	x.ids = set
	return x.visitor(e)
}

// visitRows goes over all rows once.
func (x *writer) visitRows(ctx context.Context) error {
	return x.visit(ctx, func(e *algorithms.Env) error { return x.windows(ctx, e, 0, x.cat.Vertices) })
}

// visit calls do with what rows are read with.
func (x *writer) visit(ctx context.Context, do func(e *algorithms.Env) error) error {
	x.visitor = do
	return algorithms.Visit(ctx, x.store, x, algorithms.Options{Threads: x.o.Threads, Memory: x.o.Memory})
}

// write writes the file: what stands before the edges, and these.
func (x *writer) write(ctx context.Context, w io.Writer) error {
	x.out = newTurns(w)
	switch x.o.Format {
	case GraphML:
		return x.writeGraphML(ctx, w)
	case Ligra:
		return x.writeLigra(ctx, w)
	case MatrixMarket, DIMACS, METIS:
		n := x.cat.Edges
		if x.half != whole {
			x.count = true
			if err := x.visitRows(ctx); err != nil {
				return err
			}
			n, x.count = x.edges.Swap(0), false
		}
		if _, err := io.WriteString(w, x.header(n)); err != nil {
			return err
		}
	case SG, WSG:
		return x.writeGAP(ctx, w)
	case Parquet, Arrow, Arrows:
		return x.visit(ctx, func(e *algorithms.Env) error { return x.writeColumns(ctx, e, w, 0, x.cat.Vertices) })
	case CSV:
		if _, err := io.WriteString(w, x.header(0)); err != nil {
			return err
		}
	}
	return x.visitRows(ctx)
}

// pass is one over all rows.
type pass struct {
	dir      shard.Direction
	weighted bool
}

// passes are those that the format takes, one after another.
func (x *writer) passes() []pass {
	switch {
	case isGAP(x.o.Format) && !x.cat.Symmetric:
		return []pass{{shard.Out, x.weighted}, {shard.In, x.weighted}}
	case x.o.Format == Ligra && x.weighted:
		return []pass{{x.dir, false}, {x.dir, true}}
	}
	return []pass{{x.dir, x.weighted}}
}

// report tells what was written.
func (x *writer) report() (Report, error) {
	r := Report{Format: x.o.Format, Vertices: x.cat.Vertices, Edges: x.edges.Load(), Renumbered: x.renumbered()}
	var err error
	if r.Isolated, err = x.lost(); err != nil {
		return r, err
	}
	r.Import, r.Directed = x.importFlags(), x.asDirected() && !x.bothOnce()
	return r, nil
}

// lost counts the vertices that the edges of a file do not mention.
func (x *writer) lost() (n uint32, err error) {
	if f := x.o.Format; f == LDBC || f.HasVertices() || isRaw(f) && x.dense() {
		return 0, nil
	}
	for i := range x.cat.Shards {
		in, err := x.store.Degrees(shard.In, i)
		if err != nil {
			return 0, err
		}
		out, err := x.store.Degrees(shard.Out, i)
		if err != nil {
			return 0, err
		}
		for v := range in {
			if in[v]|out[v] == 0 {
				n++
			} else if x.dense() { // the import has all numbers up to the largest
				n = 0
			}
		}
	}
	return n, nil
}

// Check refuses formats that cannot hold the graph.
func (o Options) Check(name string, c *store.Catalogue) error {
	f := cmp.Or(o.Format, Text)
	if _, err := ParseFormat(string(f)); err != nil {
		return err
	}
	refuse := func(format string, args ...any) error {
		return fmt.Errorf("export of graph %s as %s: %w", name, f, fmt.Errorf(format, args...))
	}
	if o.Memory < 0 {
		return refuse("memory %d: expected a number ≥ 0", o.Memory)
	}
	if err := hostmem.CheckThreads(o.Threads); err != nil {
		return refuse("%w", err)
	}
	weighted := c.Weighted && !o.NoWeights
	for without, with := range map[Format]Format{EL: WEL, SG: WSG, Raw: RawW} {
		switch {
		case f == without && weighted:
			return refuse("the graph has weights, and the format has none: choose %s, or leave them out with --no-weights", with)
		case f == with && !weighted:
			return refuse("the format has weights, and the graph none: choose %s", without)
		}
	}
	if f == METIS && !c.SameRows() {
		return refuse("the graph is directed, and in the format every edge is at both of its ends: choose ligra or text, or import the graph with --undirected")
	}
	if isGAP(f) && int64(c.Vertices) > maxGAP {
		return refuse("it has %d vertices, and the format at most %d", c.Vertices, int64(maxGAP))
	}
	return nil
}
