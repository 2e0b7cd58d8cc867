package community

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/checkpoint"
	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/store"
)

// Query asks for a community of a vertex, with Low ≤ size ≤ High.
type Query struct {
	Vertex    uint32 // a dense id
	Low, High int
}

// Check refuses bounds that are none.
func (q Query) Check() error {
	if q.Low < 1 || q.High < q.Low {
		return fmt.Errorf("community of %d to %d vertices: expected 1 ≤ least size ≤ largest size", q.Low, q.High)
	}
	return nil
}

// A Result is the answer to a query.
type Result struct {
	Query     Query
	Members   []uint32 // dense ids, ascending; empty: no community has that size
	MinDegree int      // of the subgraph of the members; -1 without members
	Proven    bool     // no community has a larger minimum degree (or there is none)

	Start           int   // minimum degree of the community that the search began with; if -1, none
	Vertices, Edges int64 // of the reduced subgraph; if 0, the first community was an optimum
	Branches        int64 // nodes of the search
	Prepare, Search time.Duration
	GPU             string // the device that has searched for it, in a batch whose time Search is; if "", the CPU has
}

// Options of a search. The zero value runs on all processors, without limits.
type Options struct {
	Threads   int           // if 0, GOMAXPROCS
	Memory    int64         // bytes of resident memory for the whole process; if 0, no limit
	TimeLimit time.Duration // for one query, without the reading of the graph; if 0, none
	Log       *zap.Logger   // if nil, silent

	// Device is where queries are searched; if "", AutoDevice, under which the CPU begins with each
	// query, and a GPU searches those that are not soon proved. A GPU searches many queries at
	// once: what Progress says is about a batch, whose first query it gets, and TimeLimit
	// is that of the search for the batch, and of the first community of each query.
	Device    algorithms.Device
	GPU       string // its name; if "", the first one
	GPUMemory int64  // bytes of its memory; if 0, what is free, but for a small reserve

	// Saving is for a search that a later process can continue.
	Saving Saving

	// Stage, when not nil, is called while the graph is prepared, and Progress while the given
	// query is searched, both from other goroutines.
	Stage    func(algorithms.Progress)
	Progress func(query int, p Progress)

	hooks
}

// hooks replace parts of a search in tests.
type hooks struct {
	easy time.Duration                                                          // if 0, easyTime
	most uint32                                                                 // of DeviceOptions
	cpu  func(ctx context.Context, open []Open, b *Best) ([]Open, int64, error) // if nil, SearchParallel
}

// Report is the report of a search for all queries.
type Report struct {
	Prepare time.Duration // for core numbers and the part of the graph that is searched
}

// Find answers queries over a graph, one after another, and calls answer with each result.
// Directions, parallel edges and self-loops of the graph don't matter. When the time limit of a
// query ends its search, the result is the best so far, and not proven.
func Find(
	ctx context.Context, s *store.Store, queries []Query, o Options,
	answer func(i int, r *Result) error,
) (Report, error) {
	for _, q := range queries {
		if err := q.Check(); err != nil {
			return Report{}, err
		}
		if n := s.Catalogue().Vertices; q.Vertex >= n {
			return Report{}, fmt.Errorf("community of vertex %d in graph %s of %d vertices", q.Vertex, s.Name(), n)
		}
	}
	if err := hostmem.CheckThreads(o.Threads); err != nil {
		return Report{}, fmt.Errorf("community search: %w", err)
	}
	if o.Threads == 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	if o.Device == "" {
		o.Device = algorithms.AutoDevice
	}
	f := &finder{
		graph: s.Name(), queries: queries, o: o, answer: answer, began: time.Now(),
		saver: saver{Saving: o.Saving, schedule: checkpoint.Schedule{Policy: o.Saving.Policy}},
	}
	f.schedule.Restart()
	err := f.resume()
	if err == nil && len(f.answers) < len(queries) {
		err = algorithms.Visit(ctx, s, f,
			algorithms.Options{Threads: o.Threads, Memory: o.Memory, Log: o.Log, Progress: o.Stage})
		f.saveLast(err)
	}
	var need *algorithms.MemoryError
	if errors.As(err, &need) {
		err = memoryError(s.Name(), "core numbers and a part of the graph do not fit", enough(s.Catalogue(), o.Threads))
	}
	return f.report, err
}

// finder answers queries as a visitor of a graph. The first ones have answers, those after them
// are begun, and those after these were begun by an earlier process.
type finder struct {
	graph   string
	queries []Query
	o       Options
	answer  func(int, *Result) error
	began   time.Time
	report  Report
	heap    int64 // bytes that a search may have in use; if 0, no limit

	answers        []*Result
	begun, earlier []*pending
	saver
}

// pending is a query that is being searched.
type pending struct {
	DeviceQuery
	result  *Result
	search  time.Duration // so far
	earlier time.Duration // of that, by processes before this one
}

// resume reports the answers of an earlier process.
func (f *finder) resume() error {
	if f.From == nil {
		if f.wanted() {
			f.save() // the queries
		}
		return nil
	}
	f.answers, f.earlier, f.called = f.From.Answers, f.From.begun, true
	for i, r := range f.answers {
		if err := f.answer(i, r); err != nil {
			return err
		}
	}
	return nil
}

// Plan returns the core numbers, and then the base, which has a third of what they leave, if it is not
// smaller. Where the budget has room for the rows of the whole graph beside, it is made of them; those of a symmetric
// graph become a base of all of it.
func (f *finder) Plan(g *store.Catalogue, threads int) algorithms.Plan {
	n, room := int64(g.Vertices), f.room(g, threads)
	passes := []algorithms.Array{{Name: "new ids", Bytes: 4 * n}, {Name: "the graph that is searched", Bytes: room}}
	whole := passes
	if g.Symmetric && room >= wholeSize(g).bytes() {
		whole = []algorithms.Array{{Name: "ids of vertices", Bytes: 8 * n}}
	}
	return algorithms.CorePlan(g, threads, whole, passes)
}

// room returns the memory that the base may use.
func (f *finder) room(g *store.Catalogue, threads int) int64 {
	all := wholeSize(g).bytes()
	if f.o.Memory == 0 {
		return all
	}
	return max(0, min((f.o.Memory-beforeBase(g, threads))/share, all))
}

// beforeBase returns the memory of a process before it makes a base, without pages.
func beforeBase(g *store.Catalogue, threads int) int64 {
	bytes := hostmem.Process + 4*int64(g.Vertices)
	for _, a := range algorithms.CorePlan(g, threads, nil, nil).Less.Arrays {
		bytes += a.Bytes
	}
	return bytes
}

// enough returns a budget that has room for a search in all of a graph.
func enough(g *store.Catalogue, threads int) int64 {
	all := wholeSize(g)
	return max(beforeBase(g, threads)+share*all.bytes(),
		hostmem.Process+4*int64(g.Vertices)+all.bytes()+searchBytes(int(all.vertices), uint64(all.arcs)))
}

// Visit prepares the graph, and searches.
func (f *finder) Visit(ctx context.Context, e *algorithms.Env) (err error) {
	d, budget, err := f.device()
	if err != nil {
		return err
	}
	if d != nil {
		defer func() { err = errors.Join(err, d.Close()) }()
	}
	b, err := newBase(ctx, e, f.graph, f.o.Memory, f.room(e.Graph, e.Threads))
	if err != nil {
		return err
	}
	f.heap = b.searchRoom()
	f.report = Report{time.Since(f.began)}
	if d != nil {
		return f.findOn(ctx, b, d, budget)
	}
	for len(f.answers) < len(f.queries) {
		p, err := f.begin(ctx, b)
		if err == nil {
			err = f.onCPU(ctx, p, len(f.answers), f.leftAlone(p))
		}
		if err == nil {
			err = f.answered(p)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// onCPU searches query i within a limit of time.
func (f *finder) onCPU(ctx context.Context, p *pending, i int, limit time.Duration) error {
	for len(p.Open) > 0 && limit > 0 && ctx.Err() == nil {
		begin := time.Now()
		rest, visited, err := f.parallel(ctx, slices.Clone(p.Open), p.Best, i, limit)
		if err != nil {
			return err
		}
		p.Open = rest
		p.Branches += visited
		took := time.Since(begin)
		p.search, limit, f.changed = p.search+took, limit-took, true
		f.saveIfDue()
	}
	return ctx.Err()
}

// parallel searches open nodes of query i on the CPU, until the limit of time or until Save is due.
func (f *finder) parallel(
	ctx context.Context, open []Open, best *Best, i int, limit time.Duration,
) (rest []Open, visited int64, err error) {
	if limit < math.MaxInt64 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	slice := f.rest()
	if f.o.cpu != nil {
		return f.o.cpu(ctx, open, best)
	}
	var progress func(Progress)
	if f.o.Progress != nil {
		progress = func(p Progress) { f.o.Progress(i, p) }
	}
	return SearchParallel(ctx, open, f.o.Threads, f.heap, slice, best, progress)
}
