package algorithms

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"sync"
	"unsafe"

	"go.uber.org/zap"

	"github.com/garaph/garaph/checkpoint"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/internal/panics"
	"github.com/garaph/garaph/page"
	"github.com/garaph/garaph/shard/packed"
	"github.com/garaph/garaph/store"
)

// Env is the environment of an algorithm. It belongs to the run.
type Env struct {
	Graph   *store.Catalogue // must not be changed
	Threads int
	Log     *zap.Logger

	algorithm any
	gpu       *GPUEnv // if nil, the CPU computes
	options   Options
	store     *store.Store
	plan      Plan
	planned   int64     // bytes of its arrays, and of rows of the whole graph
	enough    int64     // budget for the plan in whose place this is; if 0, it is the first
	recorded  *recorded // if nil, the run is not recorded

	reading
	account
}

// reading has the ways in which an algorithm reads the graph.
type reading struct {
	read  *adjacency       // if nil, nothing is read
	rows  *Rows            // of it; if nil, none were planned
	ends  *wholeEnds       // if nil, EachVertex goes over rows
	some  *page.StoredRows // if not nil, eachVertexOf reads these
	edges *Edges           // if nil, none were planned
}

// account is what a run has allocated, read and reported so far.
type account struct {
	mu     sync.Mutex // guards the rest
	arrays map[unsafe.Pointer]array
	used   int64 // bytes of arrays
	totals []Total

	columns []Column
	keys    []gas.VertexID
	keyName string

	loaded int64    // bytes that were read from the store for rows of the whole graph
	ids    []uint32 // by place, read before the run begins; if nil, they are the places

	disk    int64 // [store.DiskBytes] when the run began
	scratch []*os.File
	spilled int64         // bytes that were written to them
	trimmed chan struct{} // if not nil, mapped files are trimmed until it receives
}

// array is memory that Make has allocated.
type array struct {
	bytes  int64
	free   func()
	mapped []byte // if it is a file
}

// newEnv opens the GPU of a run, if it is to have one, and what the algorithm reads. Under
// AutoDevice, it goes without a GPU that does not open, or for which the host has too little
// memory.
func newEnv[T Value](s *store.Store, a Algorithm[T], o Options) (*Env, error) {
	if o.Memory > 0 {
		s.Shed()
	}
	g, err := openGPU(a, o)
	var e *Env
	if err == nil {
		if e, err = planEnv(s, a, o, g); err == nil || g == nil {
			return e, err
		}
		err = errors.Join(err, g.Close())
	}
	if o.Device != AutoDevice {
		return nil, err
	}
	e, failed := planEnv(s, a, o, nil)
	if failed != nil {
		return nil, failed
	}
	e.withoutGPU(err)
	return e, nil
}

func planEnv[T Value](s *store.Store, a Algorithm[T], o Options, g *GPUEnv) (*Env, error) {
	var beside []Array
	if g != nil {
		beside = append(beside, Array{"copies to the GPU", stagingBytes})
	}
	if o.Checkpoints.Wanted() {
		beside = append(beside, Array{"checkpoints", checkpoint.ArraysBytes})
	}
	return readEnv(s, a, o, g, beside)
}

// planner is what an [Algorithm] and a [Visitor] have in common.
type planner interface {
	Plan(g *store.Catalogue, threads int) Plan
}

// readEnv opens what is read, in the memory that the arrays of the plan, and those beside them,
// leave; where that is not enough, those of the plan for less.
func readEnv(s *store.Store, a planner, o Options, g *GPUEnv, beside []Array) (*Env, error) {
	var p Plan
	err := panics.Guard(a, func() error {
		p = a.Plan(s.Catalogue(), o.Threads)
		return nil
	})
	var enough int64
	var least *MemoryError
	for err == nil {
		var e *Env
		e, err = readPlan(s, a, p, o, g, beside)
		var small *MemoryError
		if !errors.As(err, &small) {
			if err == nil {
				e.enough = enough
			}
			return e, err
		}
		enough = cmp.Or(enough, small.Least())
		if least == nil || small.Least() < least.Least() {
			least = small
		}
		if p.Less == nil {
			return nil, least
		}
		p, err = *p.Less, nil
	}
	return nil, err
}

// readPlan is like readEnv, with one plan.
func readPlan(s *store.Store, a planner, p Plan, o Options, g *GPUEnv, beside []Array) (*Env, error) {
	e := &Env{
		Graph: s.Catalogue(), Threads: o.Threads, Log: o.Log, algorithm: a, gpu: g, options: o, store: s,
		account: account{arrays: map[unsafe.Pointer]array{}, disk: store.DiskBytes()},
	}
	whole, loading := p.wholeArrays(e.Graph, o.Threads)
	p.Places = p.Places || p.Edges || g != nil && len(p.Whole) == 0
	p.Arrays = slices.Concat(p.Arrays, whole, p.orderArrays(e.Graph, o.Threads))
	e.planned, e.plan = p.bytes(), p
	p.Arrays = append(p.Arrays, loading...)
	if p.Edges && len(p.Rows) > 0 {
		return nil, fmt.Errorf("algorithm %T plans to read rows and edges: expected one of them", a)
	}
	p.Arrays = append(p.Arrays, beside...)
	var err error
	if e.some, err = openSome(s, p, o); err != nil || e.some != nil {
		return e, err
	}
	var encodings []uint16
	if g == nil && p.Edges {
		encodings = []uint16{packed.Version}
	}
	cache, spare, err := openPages(s, p, o, encodings)
	e.planned += spare
	switch {
	case cache == nil:
	case p.Edges:
		e.edges = &Edges{adjacency{env: e, cache: cache, whole: cache.InMemory()}}
		e.read = &e.edges.adjacency
	default:
		e.rows = newRows(adjacency{env: e, cache: cache, whole: cache.InMemory()}, p.Rows)
		e.read = &e.rows.adjacency
	}
	if err == nil {
		if e.ids, err = s.OrderedIDs(); err != nil {
			err = errors.Join(err, e.read.Close())
		}
		e.used += 4 * int64(len(e.ids))
	}
	if cache != nil && o.Memory > 0 && !cache.InMemory() {
		e.read.budget = o.Memory - (&MemoryError{Arrays: p.Arrays}).Least() - spare
	}
	return e, err
}

// endReading closes what was read, and temporary files, after a run that err ended.
func (e *Env) endReading(err error) error {
	if e.some != nil {
		e.some.Close()
	}
	err = errors.Join(e.store.MapError(err), e.read.Close())
	if e.trimmed != nil {
		e.trimmed <- struct{}{}
	}
	for _, f := range e.scratch {
		err = errors.Join(err, f.Close())
	}
	return err
}

// withoutGPU says why the CPU computes what a GPU should.
func (e *Env) withoutGPU(err error) {
	e.Log.Warn("the CPU computes instead of the GPU", zap.NamedError("reason", err))
}

// Plan returns the plan of the run: the algorithm's, or the one for less memory.
func (e *Env) Plan() Plan { return e.plan }

// Rows returns the rows that were planned.
func (e *Env) Rows() *Rows { return e.rows }

// Edges returns the edges, if they were planned.
func (e *Env) Edges() *Edges { return e.edges }

// Progress reports that done of the total tasks of a stage are done. It may be
// called from many goroutines.
func (e *Env) Progress(stage string, done, total int64) {
	if e.options.Progress != nil {
		e.options.Progress(Progress{stage, done, total, store.DiskBytes() - e.disk})
	}
}

// requested returns the number of bytes read from the store so far.
func (e *Env) requested() int64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	n := e.read.bytesRead() + e.loaded
	if e.some != nil {
		rows, _ := e.some.Counts()
		n += rows
	}
	return n
}

// Total reports a number about the whole graph.
func (e *Env) Total(name string, value int64) { e.total(name, value) }

// TotalFloat is like Total, for a float.
func (e *Env) TotalFloat(name string, value float64) { e.total(name, value) }

func (e *Env) total(name string, value any) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.totals = append(e.totals, Total{name, value})
}

// AddColumn adds a column to the results, after the one that Run returns and those added before. [Make] has
// allocated its values, which the result keeps.
func AddColumn[T Value](e *Env, name string, values []T) {
	e.columns = append(e.columns, Column{name, values})
}

// Keys makes the results a table of rows that are not those of the vertices, such as edges: row i has
// vertex keys[i] in its first column, and then the i-th value of the column that Run returns and of
// the columns of [AddColumn]. Make has allocated keys, which the result keeps.
func (e *Env) Keys(name string, keys []gas.VertexID) { e.keys, e.keyName = keys, name }

// Make allocates n zeroed values of a type without pointers. It fails when the
// arrays of the run would become larger than planned.
func Make[E any](e *Env, n int) ([]E, error) {
	if err := hostmem.CheckPlain[E](); err != nil {
		return nil, fmt.Errorf("algorithm %T: %w", e.algorithm, err)
	}
	var x E
	e.mu.Lock()
	defer e.mu.Unlock()
	bytes := int64(n) * int64(unsafe.Sizeof(x))
	if bytes > e.planned-e.used {
		return nil, fmt.Errorf("algorithm %T allocates more than it planned: %d bytes, and %d for %d more values",
			e.algorithm, e.planned, e.used+bytes, n)
	}
	s, err := hostmem.Slice[E](n)
	if err != nil || n == 0 {
		return s, err
	}
	e.used += bytes
	e.arrays[address(s)] = array{bytes: bytes, free: func() { hostmem.Free(s) }}
	return s, nil
}

// makeAll makes arrays in their order, each as [into] says, up to the first error.
func makeAll(e *Env, arrays ...func(e *Env) error) error {
	for _, array := range arrays {
		if err := array(e); err != nil {
			return err
		}
	}
	return nil
}

// into returns a function that sets *to to an array of n values from [Make].
func into[S ~[]E, E any](to *S, n int) func(e *Env) error {
	return func(e *Env) (err error) {
		*to, err = Make[E](e, n)
		return err
	}
}

// Room returns the number of bytes that [Make] still allocates: the plan's, the spare ones for which the budget
// has room, and those of pages that are closed, without the arrays of the run.
func (e *Env) Room() int64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	room := e.planned - e.used
	if e.ids != nil && e.plan.Places {
		room -= arrangeBytes * int64(e.Graph.Vertices)
	}
	return room
}

// Free frees a whole slice that [Make] gave; nil and empty ones are fine.
func Free[E any](e *Env, s []E) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.release(address(s))
}

func address[E any](s []E) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(s)) }

// release frees an array, if it is one. The caller holds mu.
func (e *Env) release(p unsafe.Pointer) {
	if a, ok := e.arrays[p]; ok {
		delete(e.arrays, p)
		e.used -= a.bytes
		a.free()
	}
}

// freeBut frees all arrays but some.
func (e *Env) freeBut(kept ...unsafe.Pointer) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for p := range e.arrays {
		if !slices.Contains(kept, p) {
			e.release(p)
		}
	}
}

func (e *Env) free() { e.freeBut() }

// left returns how much of the budget the arrays and the process leave.
func (e *Env) left() int64 {
	if e.options.Memory == 0 {
		return math.MaxInt64
	}
	return max(0, e.options.Memory-hostmem.Process-e.used)
}
