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
	"github.com/garaph/garaph/ingest/format"
	"github.com/garaph/garaph/ingest/format/text"
	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/internal/results"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

// Options configures an export.
type Options struct {
	Format Format // "" is text.Text
	// Both writes the two directions of an edge of an undirected graph. Without it, edge lists have one,
	// which an import with --undirected makes both again. Those of GAP, METIS and Ligra have both in any case.
	Both      bool
	NoWeights bool  // leave the weights of a weighted graph out
	Threads   int   // if 0, GOMAXPROCS
	Memory    int64 // bytes of resident memory for the whole process; if 0, no limit
	// Progress, when not nil, may be called from many goroutines.
	Progress func(edges, total int64)
	// Printable, when not nil, makes a name fit for a terminal.
	Printable func(string) string
}

// Report describes an export.
type Report struct {
	Format   Format `json:"format"`
	Vertices uint32 `json:"vertices"`
	Edges    uint64 `json:"edges"` // that were written: of an undirected graph, once or twice each
	// Renumbered is set if the format counts vertices, and the ids of the graph are others. They are numbered in the
	// order of their ids.
	Renumbered bool `json:"renumbered"`
	// Isolated vertices are not in the file: they have no edges, and it has nothing else.
	Isolated uint32 `json:"isolated_vertices_left_out"`
	// Import are the flags with which an import of the file, if its name is usual for the format, makes an equal
	// graph, or a directed one, see Directed.
	Import []string `json:"import_flags"`
	// Directed is set if the import of the file is a directed graph, though this one is undirected.
	// Both directions of its edges are in the file, and some edges are parallel, so that nothing tells
	// which ones belong together.
	Directed bool `json:"import_is_directed"`
}

// Write writes the edges of a graph to w. Writes to w are large, and end at the end of an edge. After an
// error, the bytes in w are of no use.
func Write(ctx context.Context, s *store.Store, w io.Writer, o Options) (Report, error) {
	o.Format = cmp.Or(o.Format, text.Text)
	return writeWith(ctx, s, o, func(x *writer) error { return x.write(ctx, w) })
}

// writeWith calls write with a writer of a graph, and reports.
func writeWith(ctx context.Context, s *store.Store, o Options, write func(x *writer) error) (Report, error) {
	cat := s.Catalogue()
	if err := o.Check(s.Name(), cat); err != nil {
		return Report{}, err
	}
	if cat.Order() != store.ByInput {
		return inOrder(ctx, s, o, func(s *store.Store) (Report, error) { return writeWith(ctx, s, o, write) })
	}
	x := &writer{store: s, cat: cat, o: o, to: writerOf(o.Format)}
	x.graph = format.Graph{
		Vertices: cat.Vertices, Edges: cat.Edges, Symmetric: cat.Symmetric,
		Weighted: cat.Weighted && !o.NoWeights, Wide: cat.Wide, Half: x.to.Half, Side: shard.Out,
	}
	x.weighted = x.graph.Weighted
	if x.weighted && !cat.Symmetric && x.to.Half != format.Whole {
		if _, stored := cat.WeightsOf(shard.Out); !stored {
			x.graph.Side = shard.In // the only side that has them
		}
	}
	if !cat.Symmetric || o.Both {
		x.graph.Half = format.Whole
	}
	x.dir, x.add = x.graph.Side, x.to.Append
	if err := x.label(); err != nil {
		return Report{}, err
	}
	if HasColumns(o.Format) {
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
	store  *store.Store
	cat    *store.Catalogue
	o      Options
	to     *format.Writer
	graph  format.Graph
	labels labels
	passing
	heldIDs
	tabular
	out      *turns
	edges    atomic.Uint64 // that were written
	parallel atomic.Uint64 // edges that are parallel to others, where both directions are written as if directed
}

// passing is the state of one pass over the rows.
type passing struct {
	visitor  func(e *algorithms.Env) error
	dir      shard.Direction // of the rows that are read
	weighted bool            // weights are read
	add      format.Append
	count    bool // edges are counted and not written
}

// heldIDs are the ids that are in memory.
type heldIDs struct {
	limit  int64 // how much memory those may take that are read together
	ids    *store.IDSet
	allIDs bool // all ids are in memory; otherwise those of one window after another
}

// tabular is the state of a format with columns.
type tabular struct {
	sink    func(*results.Batch) error // where batches of edges go
	areText bool                       // all names are UTF-8
}

// asDirected reports whether the file of an undirected graph has both directions of its edges, and does not say so.
func (x *writer) asDirected() bool {
	return x.cat.Symmetric && x.graph.Half == format.Whole && x.to.Undirected != format.WhenWhole
}

// bothOnce reports whether edges that are the same in such a file are one edge: the two directions of a parallel one
// look like two more.
func (x *writer) bothOnce() bool { return x.asDirected() && x.parallel.Load() == 0 }

// Plan returns the plan of a pass over the rows. The ids get the rest of the budget in the first attempt, and a
// part of it, or the least, in those after it.
func (x *writer) Plan(g *store.Catalogue, threads int) algorithms.Plan {
	plan := func(ids int64) algorithms.Plan {
		p := algorithms.Plan{Rows: []shard.Direction{x.dir}, Weights: x.weighted, Arrays: []algorithms.Array{
			{Name: "text on its way", Bytes: int64(threads) * bufferBytes * 2},
		}}
		if HasColumns(x.o.Format) {
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

// Visit calls the function of the visit, with all ids in memory if they have room.
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

// visit calls do with the environment that rows are read with.
func (x *writer) visit(ctx context.Context, do func(e *algorithms.Env) error) error {
	x.visitor = do
	return algorithms.Visit(ctx, x.store, x, algorithms.Options{Threads: x.o.Threads, Memory: x.o.Memory})
}

// write writes the file: its header, and the edges.
func (x *writer) write(ctx context.Context, w io.Writer) error {
	x.out = newTurns(w)
	switch {
	case x.to.Columns != "":
		return x.visit(ctx, func(e *algorithms.Env) error { return x.writeColumns(ctx, e, w, 0, x.cat.Vertices) })
	case x.to.Write != nil:
		return x.to.Write(ctx, &x.graph, x, w)
	}
	n := x.cat.Edges
	if x.to.Counted && x.graph.Half != format.Whole {
		x.count = true
		if err := x.visitRows(ctx); err != nil {
			return err
		}
		n, x.count = x.edges.Swap(0), false
	}
	if err := x.writeHeader(w, n); err != nil {
		return err
	}
	return x.visitRows(ctx)
}

// writeHeader writes the lines before the edges.
func (x *writer) writeHeader(w io.Writer, edges uint64) error {
	if x.to.Header == nil {
		return nil
	}
	_, err := io.WriteString(w, x.to.Header(&x.graph, edges))
	return err
}

// Rows implements [format.Walk].
func (x *writer) Rows(ctx context.Context, side shard.Direction, weighted bool, add format.Append) error {
	x.dir, x.weighted, x.add = side, weighted, add
	x.edges.Store(0)
	x.parallel.Store(0)
	return x.visitRows(ctx)
}

// Offsets implements [format.Walk].
func (x *writer) Offsets(
	ctx context.Context, side shard.Direction, text func(b []byte, begin, end uint64) []byte,
) error {
	end := uint64(0)
	var b []byte
	for i := range x.cat.Shards {
		if err := ctx.Err(); err != nil {
			return err
		}
		degrees, err := x.store.Degrees(side, i)
		if err != nil {
			return err
		}
		for _, d := range degrees {
			begin := end
			end += uint64(d)
			b = text(b, begin, end)
		}
		if _, err := x.out.w.Write(b); err != nil {
			return err
		}
		b = b[:0]
	}
	return nil
}

// Names implements [format.Walk].
func (x *writer) Names(ctx context.Context, before, behind string) error {
	return x.names(nil, x.store.IDs()).writeAll(ctx, x.store, x.out.w, before, behind) // one block of ids after another
}

// report returns the report of the export.
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
	if x.to.Vertices || x.to.Labels == format.IDs32 && x.dense() {
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
	f := cmp.Or(o.Format, text.Text)
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
	to, weighted := writerOf(f), c.Weighted && !o.NoWeights
	switch {
	case to.Weighted != "" && weighted:
		return refuse("the graph has weights, and the format has none: choose %s, or leave them out with --no-weights",
			to.Weighted)
	case to.Unweighted != "" && !weighted:
		return refuse("the format has weights, and the graph none: choose %s", to.Unweighted)
	}
	if to.Check != nil {
		if err := to.Check(c); err != nil {
			return refuse("%w", err)
		}
	}
	return nil
}
