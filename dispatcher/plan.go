package dispatcher

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"time"
	"unsafe"

	"github.com/dustin/go-humanize"

	"github.com/garaph/garaph/cpuengine"
	"github.com/garaph/garaph/dispatcher/policy"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gas/compiled"
	"github.com/garaph/garaph/gpuengine"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/internal/panics"
	"github.com/garaph/garaph/internal/vertices"
	"github.com/garaph/garaph/page"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packed"
	"github.com/garaph/garaph/shard/rows"
	"github.com/garaph/garaph/store"
)

// processBytes is the memory of the process besides arrays and pages.
const processBytes = hostmem.Process

// plan holds the decisions before a job runs: the program and its abilities, the side of the graph
// that it reads, the devices, and how they divide the memory. It also holds the pages, which it
// lays out. It does not change while the job runs.
type plan[V, A any] struct {
	program gas.Program[V, A]
	store   *store.Store
	opt     Options
	began   time.Time

	loops    compiled.Loops[V, A]
	compiled bool // loops are the program's own, not the generic ones
	can      abilities[V]
	shape    *shape
	memory   memoryPlan
	front    frontierPlan
	pages    *page.Cache

	devices []device.Device // all GPUs, in the order of their numbers
	names   []string        // of devices, in the options
	opened  time.Duration   // how long opening them took
	without string          // why the job has no GPU; sooner, if none was opened
}

// memoryPlan is the host memory that a job needs, in bytes.
type memoryPlan struct {
	page        page.Options     // Budget is set by reserve
	vertices    vertices.Pinning // pins the values, unless nil
	fixed       int64            // for the process, the arrays, and GPUs
	checkpoints int64
	in, out     bool // degrees beside those of the arrays
}

// ask sets what depends on the program: its loops and abilities, the shape of the graph, and the
// memory needed.
func (p *plan[V, A]) ask() error {
	var v V
	cat, m := p.store.Catalogue(), &p.memory
	m.page = page.Options{Threads: p.opt.Threads, PageBytes: p.opt.hooks.pageBytes,
		Encodings: cpuengine.Encodings(), Map: true}
	m.fixed = vertices.Bytes[V](cat.Vertices) + cat.OrderBytes() + processBytes
	if p.opt.Job != nil {
		m.checkpoints = epochBytes[V](cat.Vertices, p.opt.Checkpoints)
	}
	err := panics.Guard(p.program, func() error {
		p.choose()
		m.page.Gather, m.page.Notify = sides(cat, gas.DirectionOf(p.program))
		m.in, m.out = p.readsDegrees(cat.Symmetric)
		m.page.Bare = !p.loops.Weighs
		p.shape = newShape(cat, int(unsafe.Sizeof(v)), m.page.Gather, m.page.Notify)
		p.can = abilitiesOf[V](p.program)
		return nil
	})
	for _, more := range [...]bool{m.in, m.out} {
		if more {
			m.fixed += 4 * int64(cat.Vertices)
		}
	}
	return err
}

// readsDegrees reports which degrees of vertices iterations read beside those along which
// vertices notify.
func (p *plan[V, A]) readsDegrees(symmetric bool) (in, out bool) {
	in, out = true, true
	if f, err := gpuengine.FragmentsOf(p.program); err == nil {
		in, out = f.ReadsDegrees()
	}
	d := gas.DirectionOf(p.program)
	return in && !symmetric && d != gas.Out, out && !symmetric && d != gas.In
}

// choose sets the loops: those of the program, unless it has none that are current.
func (p *plan[V, A]) choose() {
	if p.opt.hooks.generic {
		p.loops = cpuengine.GenericLoops(p.program)
		return
	}
	p.loops, p.compiled = cpuengine.LoopsOf(p.program)
	if c, ok := p.program.(compiled.Program[V, A]); ok && !p.compiled && c.Loops().Program == nil {
		p.opt.Log.Warn(fmt.Sprintf("the compiled loops of %s are outdated and not used: run go generate", p.name()))
	}
}

// name returns the name of the program for errors.
func (p *plan[V, A]) name() string { return cmp.Or(p.opt.Name, fmt.Sprintf("%T", p.program)) }

// facts returns what the policy knows of the job from the start.
func (p *plan[V, A]) facts() policy.Facts {
	_, saturates := p.program.(gas.Saturable[A])
	var scans, folded uint64
	if p.scans() {
		scans = p.shape.cat.Edges
	}
	// A frontier of a monotone program may be in few shards: roads are like that.
	if !p.can.monotone && !p.pages.Unpacks(shard.In) {
		folded = p.shape.packedEdges
	}
	var rowsBytes uint64
	if p.front.stored != nil && !p.front.local {
		rowsBytes = uint64(p.front.stored.StoredBytes())
	}
	return policy.Facts{
		Method: p.opt.Method, Device: p.opt.Device, Vertices: uint64(p.shape.cat.Vertices),
		ValueBytes: uint64(p.shape.valueBytes),
		PullEdges:  p.shape.pullEdges, NotifyEdges: p.shape.notifyEdges, Pages: len(p.pages.Spans()),
		InMemory: p.pages.InMemory(),
		OneSide:  p.shape.oneSide, Saturates: saturates, Aggregates: p.can.aggregable != nil,
		Fold: policy.FoldFacts{
			News: p.can.monotone && p.shape.cat.Encoding(shard.In) == packed.Version && len(p.devices) == 0 &&
				p.shape.pullEdges == p.shape.cat.Edges,
			Folded: folded, Shards: uint64(len(p.shape.cat.Shards)), Scans: scans,
		},
		Rows: policy.FrontierFacts{
			// after n async iterations, values depend on pages
			Frontier:  p.front.unfit == nil && (p.opt.Mode == Sync || p.opt.Iterations == 0),
			Ordered:   p.front.ordered || p.front.seeks && !p.front.pushes() || p.front.local,
			RowsEdges: p.front.edges, Iterations: p.opt.Iterations,
			Weighted:  p.front.ordered && p.shape.cat.Weighted && p.loops.Weighs,
			RowsBytes: rowsBytes,
			Seeks:     p.front.stored != nil && cpuengine.StoredSeeks(p.loops, p.front.stored, p.opt.Iterations > 0),
		},
	}
}

// scans reports whether notifying reads packed sides as a whole, whatever is active.
func (p *plan[V, A]) scans() bool {
	plain := p.pages.InMemory() && p.pages.Unpacks(shard.In)
	return p.shape.cat.Encoding(shard.In) != rows.Version && slices.Contains(p.shape.notifySides, shard.In) && !plain
}

// ErrMemory matches the error of a budget that is too small for a job, a [MemoryError].
var ErrMemory = hostmem.ErrBudget

// MemoryError is the error of a job that exceeds its memory budget. Figures are bytes.
type MemoryError struct {
	Graph    string
	Budget   int64 // the given budget
	Vertices int64 // of the arrays over vertices
	Pages    int64 // of the least pages and buffers
	Rows     int64 // of rows that are read as they are needed
	// Checkpoints is the memory for checkpoints that are written while the job runs.
	Checkpoints int64
}

// Least returns the smallest budget that suffices.
func (e *MemoryError) Least() int64 {
	return processBytes + e.Vertices + e.Pages + e.Rows + e.Checkpoints
}

func (e *MemoryError) Error() string {
	also := ""
	for _, part := range []struct {
		bytes int64
		what  string
	}{{e.Rows, "rows"}, {e.Checkpoints, "checkpoints"}} {
		if part.bytes > 0 {
			also += humanize.IBytes(uint64(part.bytes)) + " for " + part.what + ", "
		}
	}
	return fmt.Sprintf("graph %s: %v: the job takes %s for the arrays over vertices, %s%s for pages and %s for the "+
		"process, more than %s; the smallest budget for it is %dMiB",
		e.Graph, ErrMemory, humanize.IBytes(uint64(e.Vertices)), also, humanize.IBytes(uint64(e.Pages)),
		humanize.IBytes(processBytes),
		humanize.IBytes(uint64(e.Budget)), (e.Least()+1<<20-1)>>20)
}

// Is reports whether target is [ErrMemory].
func (e *MemoryError) Is(target error) bool { return target == ErrMemory }

// abilities are the optional methods of a program.
type abilities[V any] struct {
	aggregable gas.Aggregable[V] // nil without the ability
	settleable gas.Settleable[V] // nil without the ability
	restless   bool              // active vertices gather again themselves: the program is not gas.Idempotent
	monotone   bool              // the program is gas.Monotone
}

func abilitiesOf[V any](program any) (a abilities[V]) {
	a.aggregable, _ = program.(gas.Aggregable[V])
	a.settleable, _ = program.(gas.Settleable[V])
	idempotent, able := program.(gas.Idempotent)
	a.restless = !able || !idempotent.Idempotent()
	monotone, able := program.(gas.Monotone)
	a.monotone = able && monotone.Monotone()
	return a
}

// Improves reports whether a program can advance frontiers ([Frontier]): its values only improve
// from neighbour to neighbour. A job may still refuse the type of its values.
func Improves(program any) bool {
	a := abilitiesOf[struct{}](program)
	// with the type of its values, which is not known here
	_, aggregates := reflect.TypeOf(program).MethodByName("Aggregate")
	return a.monotone && !a.restless && !aggregates
}
