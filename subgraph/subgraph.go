// Package subgraph makes a new graph of some vertices of another one, and of all edges between these: the
// induced subgraph. Vertices keep their ids, edges their weights, and vertices without edges are there, too.
package subgraph

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/ingest"
	"github.com/garaph/garaph/internal/bitset"
	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

// Set is some vertices of a graph: a bit for each vertex, outside the Go heap. It may be added to by many
// goroutines.
type Set struct {
	bits bitset.Set
	n    uint32 // vertices of the graph
}

// NewSet returns an empty set of vertices of a graph. It is to be freed.
func NewSet(s *store.Store) (*Set, error) {
	n := s.Catalogue().Vertices
	words, err := hostmem.Slice[uint64](bitset.Words(n))
	return &Set{words, n}, err
}

// Free returns the memory.
func (s *Set) Free() {
	hostmem.Free(s.bits)
	s.bits = nil
}

// Add adds vertices of the graph.
func (s *Set) Add(vertices ...uint32) {
	for _, v := range vertices {
		s.bits.Add(v)
	}
}

// AddAll adds all vertices of the graph.
func (s *Set) AddAll() {
	for v := range s.n {
		s.bits.Add(v)
	}
}

// Has reports whether a vertex is in the set.
func (s *Set) Has(v uint32) bool { return s.bits.Has(v) }

// Len counts the vertices.
func (s *Set) Len() uint32 { return uint32(s.bits.Count(0, s.n)) }

// Bytes returns the memory that a set takes.
func Bytes(c *store.Catalogue) int64 { return 8 * int64(bitset.Words(c.Vertices)) }

// Options say how a subgraph is made.
type Options struct {
	Force   bool  // replace a graph that is there
	Threads int   // if 0, GOMAXPROCS
	Memory  int64 // bytes of resident memory for the whole process; if 0, half of the available memory
	// Import are further options of the new graph: rows, progress while edges are sorted, and the log.
	Import ingest.Options
	// Progress, when not nil, may be called from many goroutines.
	Progress func(edges, total int64)
}

// ErrEmpty reports that no vertex was chosen.
var ErrEmpty = errors.New("no vertex is in it")

// ErrItself reports that the subgraph would replace the graph that it is part of.
var ErrItself = errors.New("it is the graph itself, of which it is made; name another folder")

// CheckPath refuses the folder of the graph itself, also by another path to it, with [ErrItself].
func CheckPath(s *store.Store, path string) error {
	own, err := os.Stat(s.Path())
	there, errThere := os.Stat(path)
	if err == nil && errThere == nil && os.SameFile(own, there) {
		return fmt.Errorf("cannot make the subgraph of %s at %s: %w", s.Name(), path, ErrItself)
	}
	return nil // other errors in it are found when it is made
}

// Make makes the graph of the vertices of a set at path, in the layout of the old one. It appears whole or not at
// all, and never in the place of the old one.
func Make(ctx context.Context, s *store.Store, set *Set, path string, o Options) (ingest.Report, error) {
	if err := CheckPath(s, path); err != nil {
		return ingest.Report{}, err
	}
	cat := s.Catalogue()
	x := newMaker(s, set, o)
	n := set.Len()
	if n == 0 {
		return ingest.Report{}, fmt.Errorf("subgraph of %s: %w", s.Name(), ErrEmpty)
	}
	reading, err := x.divide()
	if err != nil {
		return ingest.Report{}, err
	}
	if x.ranks, err = hostmem.Slice[uint32](len(set.bits)/bitset.RankWords + 1); err != nil {
		return ingest.Report{}, err
	}
	defer hostmem.Free(x.ranks)
	set.bits.Ranks(x.ranks)
	options := o.Import
	options.Force, options.Threads, options.Memory = o.Force, o.Threads, o.Memory
	if o.Memory > 0 {
		options.Memory = o.Memory - (reading - hostmem.Process) // both have the process in them
	}
	options.Storage = ingest.StorageOptions{Layout: x.layout(), Rows: cat.InRows || o.Import.Storage.Rows,
		Order: o.Import.Storage.Order}
	source := ingest.EdgeSource{
		Name: "subgraph of " + s.Name(), Vertices: n, Weighted: cat.Weighted, Symmetric: cat.Symmetric, IDs: x.writeIDs,
		Each: func(ctx context.Context, threads int, worker func() ingest.Worker) error {
			x.worker = worker
			return algorithms.Visit(ctx, s, x, algorithms.Options{Threads: threads, Memory: reading})
		},
	}
	r, err := ingest.ImportSource(ctx, source, path, options)
	if errors.Is(err, ingest.ErrMemory) && o.Memory > 0 {
		err = fmt.Errorf("%w; add %d MiB to that, for reading the graph", err, (reading-hostmem.Process+1<<20-1)>>20)
	}
	return r, err
}

// maker makes one subgraph.
type maker struct {
	store  *store.Store
	cat    *store.Catalogue
	set    *Set
	o      Options
	dir    shard.Direction // of the rows that are read
	ranks  []uint32        // of the vertices of the set
	worker func() ingest.Worker
	done   atomic.Int64
}

func newMaker(s *store.Store, set *Set, o Options) *maker {
	x := &maker{store: s, cat: s.Catalogue(), set: set, o: o, dir: shard.In}
	if _, weights := x.cat.WeightsOf(shard.Out); !x.cat.Weighted || weights {
		x.dir = shard.Out
	}
	return x
}

// number returns the number of a vertex of the set in the new graph.
func (x *maker) number(v uint32) uint64 { return uint64(x.set.bits.Rank(x.ranks, v)) }

// divide returns the part of the budget in which rows are read, the process included: the least that is enough, and a
// quarter of the memory that the import does not need at least.
func (x *maker) divide() (reading int64, err error) {
	if x.o.Memory == 0 {
		return 0, nil
	}
	rows, err := leastOf(x.store, x, x.o.Threads)
	if err != nil {
		return 0, err
	}
	least := ingest.LeastMemory(x.layout()) + rows - hostmem.Process
	if x.o.Memory < least {
		return 0, fmt.Errorf("subgraph of %s: %w: a budget of %d MiB is below the least one of %dMiB",
			x.store.Name(), ingest.ErrLeast, x.o.Memory>>20, (least+1<<20-1)>>20)
	}
	return rows + (x.o.Memory-least)/4, nil
}

// layout returns that of the new graph.
func (x *maker) layout() store.Layout { return cmp.Or(x.cat.Layout, store.CSC) }

// leastOf returns the least budget of a visitor.
func leastOf(s *store.Store, v algorithms.Visitor, threads int) (int64, error) {
	var least *algorithms.MemoryError
	err := algorithms.Visit(context.Background(), s, v, algorithms.Options{Threads: threads, Memory: 1})
	if !errors.As(err, &least) {
		return 0, err
	}
	return least.Least(), nil
}

// Plan is rows, the set, and edges on their way.
func (x *maker) Plan(g *store.Catalogue, threads int) algorithms.Plan {
	return algorithms.Plan{Rows: []shard.Direction{x.dir}, Weights: g.Weighted, Arrays: []algorithms.Array{
		{Name: "the set of vertices", Bytes: Bytes(g) * 9 / 8},
		{Name: "edges on their way", Bytes: int64(threads) * batchEdges * 20},
	}}
}

// batchEdges is the number of edges are given to a worker together.
const batchEdges = 1 << 12

// Visit returns the edges between vertices of the set to workers.
func (x *maker) Visit(ctx context.Context, e *algorithms.Env) error {
	batches := make([]*batch, e.Threads)
	x.done.Store(0)
	err := e.Rows().EachOf(ctx, x.set.bits.Any, func(worker int, b *algorithms.Block) error {
		if batches[worker] == nil {
			batches[worker] = newBatch(x.worker(), x.cat.Weighted)
		}
		out := batches[worker]
		edges := 0
		for i := range b.Len {
			v := b.Vertex(i)
			row := b.Row(x.dir, i)
			edges += len(row)
			if !x.set.Has(v) {
				continue
			}
			var weights shard.Plane
			if x.cat.Weighted {
				weights = b.Weights(x.dir, i)
			}
			if err := x.row(out, v, row, weights); err != nil {
				return err
			}
		}
		if n := x.done.Add(int64(edges)); x.o.Progress != nil {
			x.o.Progress(n, int64(x.cat.Edges))
		}
		return nil
	})
	if err != nil {
		return err
	}
	return e.Each(ctx, len(batches), func(_, i int) error {
		if batches[i] == nil {
			return nil
		}
		return errors.Join(batches[i].flush(), batches[i].to.Close())
	})
}

// row returns those edges of a row that stay.
func (x *maker) row(out *batch, v uint32, row []uint32, weights shard.Plane) error {
	own := x.number(v)
	for k, u := range row {
		if !x.set.Has(u) {
			continue
		}
		src, dst := own, x.number(u)
		if x.dir == shard.In {
			src, dst = dst, src
		}
		if err := out.add(src, dst, weights.At(k)); err != nil {
			return err
		}
	}
	return nil
}

// batch collects edges for a worker.
type batch struct {
	to       ingest.Worker
	src, dst []uint64
	weight   []float64 // if nil, edges have none
}

func newBatch(to ingest.Worker, weighted bool) *batch {
	b := &batch{to: to, src: make([]uint64, 0, batchEdges), dst: make([]uint64, 0, batchEdges)}
	if weighted {
		b.weight = make([]float64, 0, batchEdges)
	}
	return b
}

func (b *batch) add(src, dst uint64, weight float64) error {
	b.src, b.dst = append(b.src, src), append(b.dst, dst)
	if b.weight != nil {
		b.weight = append(b.weight, weight)
	}
	if len(b.src) < batchEdges {
		return nil
	}
	return b.flush()
}

func (b *batch) flush() error {
	if len(b.src) == 0 {
		return nil
	}
	err := b.to.AddInts(b.src, b.dst, b.weight)
	b.src, b.dst, b.weight = b.src[:0], b.dst[:0], b.weight[:0]
	return err
}
