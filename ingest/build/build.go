// Package build turns edges into a stored graph: it numbers vertices, collects edges in buckets,
// and sorts them into shards, on all cores and within a memory budget.
package build

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"go.uber.org/zap"
	"golang.org/x/sync/errgroup"

	"github.com/garaph/garaph/ingest/read"
	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packed"
	"github.com/garaph/garaph/store"
)

// Options configures a build.
type Options struct {
	Edges      EdgeOptions
	Storage    StorageOptions
	AllowEmpty bool  // a graph without vertices is no error
	Force      bool  // replace an existing graph
	Wide       bool  // weights are added in 64 bits
	Threads    int   // if 0, GOMAXPROCS
	Memory     int64 // bytes of resident memory for the whole process; if 0, half of what is available
	Progress   func(Progress)
	Log        *zap.Logger // if nil, nothing is logged
}

// EdgeOptions selects the edges that a graph gets.
type EdgeOptions struct {
	Undirected    bool     // both directions of every edge
	Parallel      Parallel // "" is ParallelKeep
	DropSelfLoops bool
}

// StorageOptions configures how a graph is stored.
type StorageOptions struct {
	Layout        store.Layout // "" is Packed
	Rows          bool         // store rows of in-edges too, where the layout has none
	ShardVertices int          // of a shard at most; if 0, shard.DefaultVertices
	Order         store.Order  // of vertices; "" is store.ByInput
	PythonIDs     string       // see store.PythonIDs; "" if the ids are the user's
}

// Phase is a stage of an import.
type Phase string

// The phases of an import, in order.
const (
	Reading Phase = "reading"
	Sorting Phase = "sorting"
)

// Progress of an import. Total is -1 when unknown.
type Progress struct {
	Phase Phase
	// bytes of the input while reading, edges to store while sorting, bytes of the old graph while
	// rewriting
	Done, Total int64
}

// Report describes the work of an import.
type Report struct {
	Vertices  uint32          `json:"vertices"`
	Edges     uint64          `json:"edges"`   // stored, directed
	Entries   int64           `json:"entries"` // edges read
	BadLines  int64           `json:"bad_lines"`
	SelfLoops uint64          `json:"self_loops_dropped"`
	Parallel  uint64          `json:"parallel_edges_dropped"`
	Weighted  bool            `json:"weighted"`
	Wide      bool            `json:"wide,omitempty"` // weights are stored as float64
	Symmetric bool            `json:"symmetric"`
	Format    read.FormatName `json:"format"`
	Bytes     int64           `json:"disk_bytes"` // as [store.Store.DiskBytes]
	Duration  time.Duration   `json:"-"`
	Seconds   float64         `json:"seconds"`
}

// ErrEmpty is returned for input without a vertex.
var ErrEmpty = errors.New("the input has no vertex")

// complete returns the options with defaults, or an error of those that are invalid.
func (o Options) complete() (Options, error) {
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	if o.Memory < 0 {
		return o, fmt.Errorf("import: a budget of %d bytes: expected 0 or more", o.Memory)
	}
	if o.Storage.Layout == "" {
		o.Storage.Layout = store.Packed
	}
	o.Storage.Order = cmp.Or(o.Storage.Order, store.ByInput)
	if o.Storage.Order != store.ByInput && o.Storage.Order != store.ByDegree {
		return o, fmt.Errorf("import: order %q: expected %s or %s", o.Storage.Order, store.ByInput, store.ByDegree)
	}
	most := shard.MaxVertices
	switch o.Storage.Layout {
	case store.CSC:
	case store.Packed:
		most = packed.MaxVertices
	default:
		return o, fmt.Errorf("import: layout %q: expected %s or %s", o.Storage.Layout, store.Packed, store.CSC)
	}
	if o.Storage.ShardVertices == 0 {
		o.Storage.ShardVertices = shard.DefaultVertices
	}
	if o.Storage.ShardVertices < 0 || o.Storage.ShardVertices > most {
		return o, fmt.Errorf("import: shards of %d vertices: expected 1 to %d", o.Storage.ShardVertices, most)
	}
	return o, nil
}

// Fill calls Begin of a builder and passes all edges to it.
type Fill func(context.Context, *Builder) (read.Schema, read.Stats, error)

// planOf is a variable for tests.
var planOf = planMemory

// Graph builds a new graph at path from the edges that fill passes to a builder. The catalogue
// records sources. After an error or a kill, no partial graph is left, and an older one is
// unchanged.
func Graph(ctx context.Context, sources []string, path string, o Options, fill Fill) (Report, error) {
	start := time.Now()
	o, err := o.complete()
	if err != nil {
		return Report{}, err
	}
	plan, err := planOf(o)
	if err != nil {
		return Report{}, fmt.Errorf("import: %w", err)
	}
	w, err := store.Create(path, o.Force)
	if err != nil {
		return Report{}, err
	}
	returned := false
	defer func() {
		if !returned { // an iterator of the caller panics
			_ = w.Abort()
		}
	}()
	w.Warn = func(msg string) { o.Log.Warn(msg) }
	plan.dir, plan.space = w.Dir(), w.CheckSpace
	b := &Builder{opt: o, plan: plan}
	defer b.close()
	r, err := b.build(ctx, sources, w, fill)
	returned = true
	if err != nil {
		return r, errors.Join(err, w.Abort())
	}
	r.Duration = time.Since(start)
	r.Seconds = r.Duration.Seconds()
	return r, nil
}

// build does the import into w and commits it.
func (b *Builder) build(ctx context.Context, inputs []string, w *store.Writer, fill Fill) (Report, error) {
	schema, stats, err := fill(ctx, b)
	if err != nil {
		return Report{}, err
	}
	numbers, err := b.number(ctx, schema, stats.Unsigned)
	if err != nil {
		return Report{}, err
	}
	defer numbers.free()
	if numbers.n == 0 && !b.opt.AllowEmpty {
		return Report{}, fmt.Errorf("import %s: %w", strings.Join(inputs, ", "), ErrEmpty)
	}
	if b.WriteIDs == nil {
		b.opt.Log.Info("read", zap.Int64("entries", stats.Entries), zap.Uint32("vertices", numbers.n),
			zap.String("ids", numbers.kind.Words()))
	}
	cat, r, err := b.store(ctx, numbers, w)
	if err != nil {
		return r, err
	}
	cat.Source = inputs
	if err := w.Commit(cat); err != nil {
		return r, err
	}
	r.Bytes = w.DiskBytes()
	r.Format, r.Entries, r.BadLines = schema.Format, stats.Entries, stats.BadLines
	return r, nil
}

// store writes ids and edges into w. Where ids are the provisional numbers, their map is written
// while edges are sorted, by a goroutine that takes no memory for it.
func (b *Builder) store(
	ctx context.Context, numbers *numbering, w *store.Writer,
) (cat *store.Catalogue, r Report, err error) {
	if b.WriteIDs != nil || numbers.ranks == nil || b.opt.Storage.Order != store.ByInput {
		writeIDs := b.WriteIDs
		if writeIDs == nil {
			writeIDs = numbers.write
		}
		if err := writeIDs(ctx, w); err != nil {
			return nil, r, err
		}
		if err := b.place(numbers, w); err != nil {
			return nil, r, err
		}
		return b.sort(ctx, numbers, w)
	}
	ids := *numbers // sorting changes the other
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return ids.write(ctx, w) })
	g.Go(func() (err error) {
		cat, r, err = b.sort(ctx, numbers, w)
		return err
	})
	err = g.Wait()
	return cat, r, err
}

// Threads returns the number of goroutines that may fill the builder.
func (b *Builder) Threads() int { return b.plan.threads }

// Reading returns options for reading edges into the builder.
func (b *Builder) Reading() read.Options {
	r := read.Options{
		Threads: b.plan.threads, BlockBytes: inputBlock, Window: b.plan.total / windowShare,
		RowBytes: b.plan.rows(), Reserve: b.reserve, Warn: func(msg string) { b.opt.Log.Warn(msg) },
	}
	if b.opt.Progress != nil {
		r.Progress = func(done, total int64) { b.opt.Progress(Progress{Reading, done, total}) }
	}
	return r
}

// sort brings the edges into shards, first by destination, then by source.
func (b *Builder) sort(ctx context.Context, numbers *numbering, w *store.Writer) (*store.Catalogue, Report, error) {
	shards, err := b.cutShards(ctx, numbers)
	if err != nil {
		return nil, Report{}, err
	}
	if numbers.n == 0 {
		cat := b.catalogue()
		return cat, Report{Weighted: cat.Weighted, Symmetric: cat.Symmetric, SelfLoops: b.loops.Load()}, nil
	}
	numbers.freeOrder()
	in, out := b.sides(shards, numbers, w)
	in.mirrors = b.mirrorTestOf(shards)
	b.perVertex.free()
	if err := w.CheckSpace(in.storeBytes()); err != nil {
		return nil, Report{}, err
	}
	b.progressOf(in, out)
	if err := b.route(ctx, numbers, in.groups); err != nil {
		return nil, Report{}, err
	}
	if numbers.perm != nil {
		numbers.free()
		in.numbers = out.numbers // the edges have dense ids now
	}
	if err := in.run(ctx, b.plan); err != nil {
		return nil, Report{}, err
	}
	if n := in.rounded.Load(); n > 0 {
		b.opt.Log.Warn(read.HowMany(int64(n), "sum of weights was", "sums of weights were") +
			fmt.Sprintf(" rounded to %d bits", map[int]int{4: 24, 8: 53}[in.weight]))
	}
	if in.twin == nil { // the edges of the other side, too, are read from elsewhere
		b.spill.end()
	}
	if !b.mirror {
		if in.twin != nil {
			out.groups = in.collect()
		}
		if err := out.run(ctx, b.plan); err != nil {
			return nil, Report{}, err
		}
	}
	cat := b.catalogue()
	cat.Vertices, cat.Wide, cat.Mirrored, cat.Shards = numbers.n, in.weight == 8, in.mirrors.mirrored(), shards
	for i := range shards {
		cat.Edges += uint64(shards[i].In)
		if b.mirror {
			shards[i].Out = shards[i].In
		}
	}
	return cat, Report{
		Vertices: cat.Vertices, Edges: cat.Edges, Weighted: cat.Weighted, Wide: cat.Wide, Symmetric: cat.Symmetric,
		SelfLoops: b.loops.Load(), Parallel: in.dropped.Load(),
	}, nil
}

// catalogue returns what is known of the graph before its edges are sorted.
func (b *Builder) catalogue() *store.Catalogue {
	return &store.Catalogue{
		Weighted: b.schema.Weighted, Symmetric: b.mirror,
		Layout: b.opt.Storage.Layout, InRows: b.inRows(), PythonIDs: b.opt.Storage.PythonIDs,
	}
}

// sides returns the builders of shards by destination and by source. The groups of
// the second are known when the first is done.
func (b *Builder) sides(shards []store.ShardInfo, numbers *numbering, w *store.Writer) (in, out *sideBuilder) {
	in = &sideBuilder{
		sideStore: sideStore{
			dir: shard.In, out: w, weight: b.weightBytes(), layout: b.opt.Storage.Layout, mirror: b.mirror,
			inRows: b.inRows(), shards: shards,
		},
		spill: b.spill, parallel: b.opt.Edges.Parallel, numbers: numbers, n: numbers.n,
	}
	in.groups = cutGroups(shards, func(s *store.ShardInfo) uint32 { return s.In }, 1)
	out = &sideBuilder{
		sideStore: sideStore{dir: shard.Out, out: w, weight: b.rowWeights(), layout: b.opt.Storage.Layout, shards: shards},
		spill:     b.spill, numbers: &numbering{n: numbers.n}, n: numbers.n,
	}
	switch {
	case b.mirror:
	case in.packs() && in.weight == 0:
		in.back = newReadBack(w, shards, numbers.n, !b.opt.Edges.Parallel.joins())
		out.back, out.groups = in.back, in.back.groups
	default:
		in.twin = newGrouping(cutGroups(shards, func(s *store.ShardInfo) uint32 { return s.Out }, 1))
		in.twin.weight = out.weight
	}
	return in, out
}

// inRows reports whether rows of in-edges are stored beside packed ones.
func (b *Builder) inRows() bool {
	return b.opt.Storage.Rows && b.opt.Storage.Layout == store.Packed && !b.mirror
}

// weightBytes returns the size of a weight of an edge that was read.
func (b *Builder) weightBytes() int { return shard.WeightBytes(b.schema.Weighted, b.spill.wide.Load()) }

// rowWeights returns the size of weights of rows, if they are stored.
func (b *Builder) rowWeights() int {
	if b.opt.Storage.Layout == store.Packed {
		return b.weightBytes()
	}
	return 0
}

// progressOf makes the sides report how many edges they have sorted.
func (b *Builder) progressOf(sides ...*sideBuilder) {
	var total, done atomic.Int64
	for i := range sides[0].shards {
		total.Add(int64(sides[0].shards[i].In))
	}
	if !b.mirror {
		total.Store(2 * total.Load())
	}
	for _, s := range sides {
		s.sorted = func(edges uint64) {
			if n := done.Add(int64(edges)); b.opt.Progress != nil {
				b.opt.Progress(Progress{Sorting, n, total.Load()})
			}
		}
	}
}

// close frees what an import took.
func (b *Builder) close() {
	b.free()
	b.strings.close()
	b.ints.close()
	hostmem.Free(b.before)
	if b.spill != nil {
		_ = b.spill.close() // the file has no name and is read no more
	}
}
