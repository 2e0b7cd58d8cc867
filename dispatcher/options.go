// Package dispatcher takes one job from start to end: it plans the memory,
// initialises the vertices, and in each iteration decides how to process, hands
// pages to an engine, commits and measures, until nothing is active.
package dispatcher

import (
	"fmt"
	"time"

	"github.com/dustin/go-humanize"
	"go.uber.org/zap"

	"github.com/garaph/garaph/checkpoint"
	"github.com/garaph/garaph/dispatcher/policy"
	"github.com/garaph/garaph/gpuengine"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/hostmem"
)

// Mode says when new values become visible.
type Mode string

// The modes.
const (
	Sync  Mode = "sync"  // at the end of the iteration
	Async Mode = "async" // at the end of the page, to the pages after it
)

// Method says how an iteration finds the vertices to process.
type Method = policy.Method

// The methods.
const (
	Auto       = policy.Auto
	Pull       = policy.Pull
	NotifyPull = policy.NotifyPull
)

// Device says where a job runs.
type Device = policy.Device

// The devices.
const (
	AutoDevice = policy.AutoDevice
	CPU        = policy.CPU
	GPU        = policy.GPU
	Hybrid     = policy.Hybrid
)

// Options of a job. The zero value is a sync job on all processors, without a
// limit of memory or iterations.
type Options struct {
	Mode       Mode
	Method     Method
	Threads    int   // 0: GOMAXPROCS
	Memory     int64 // bytes of resident memory for the whole process; 0: no limit
	Iterations int   // at most; 0: until no vertex is active
	Generic    bool  // through the generic loops even if the program is compiled, to compare
	Progress   func(Iteration)
	Log        *zap.Logger // nil: silent
	// MoreThreads, when not nil, is called with the number of goroutines that will
	// wait for a disk or a GPU all the time, and what it gives when they do not any
	// more. A process may run as many threads more then: who waits for a device
	// should not have to wait for a processor as well.
	MoreThreads func(n int) (end func())

	Device    Device           // "": AutoDevice
	GPU       string           // "0", "1" … or "emulated"; "": the first one
	GPUMemory int64            // bytes of the GPU's memory; 0: all that is free
	Streams   int              // that overlap on the GPU; 0: see [gpuengine.Options]
	Gather    gpuengine.Gather // "": auto
	Trace     func(gpuengine.Span)
	// PageDone, when not nil, is told of every page, one call at a time.
	PageDone func(PageWork)

	// For tests: device.Open, speeds instead of measured ones, who looks on at the
	// policy, and page.Options'.
	open      func(name string) (device.Device, error)
	speeds    policy.Speeds
	decided   func(policy.Event)
	pageBytes int64

	// Job is what the run is recorded as: it goes on from the job's newest
	// checkpoint, and leaves one when it is interrupted. Nil: nothing is recorded,
	// but where Checkpoints are wanted.
	Job *checkpoint.Job
	// Checkpoints says when they are written while the job runs.
	Checkpoints checkpoint.Policy
}

// EngineVersion is that of the engines, as far as the bits of values depend on
// it: a checkpoint is resumed by the same alone.
const EngineVersion = 3

// Iteration says what one iteration did.
type Iteration struct {
	Iteration int    `json:"iteration"` // from 0, as in [gas.Step]; users are told Iteration + 1
	Device    Device `json:"device"`    // Hybrid: both
	// Alpha is the time that the CPU alone would take, over that of the GPU
	// (Garaph, section 5.3); 0 where nothing was to choose.
	Alpha    float64 `json:"alpha,omitempty"`
	Method   Method  `json:"mode"`
	Fraction float64 `json:"f"`      // Σ degrees of the active vertices / edges
	Active   uint64  `json:"active"` // vertices active at its start
	Edges    uint64  `json:"edges"`  // gathered and notified along
	Vertices uint64  `json:"vertices"`
	Pages    int     `json:"pages"`
	// SourceOrder: it pulled over shards in source order, which the first such
	// iteration made.
	SourceOrder bool          `json:"source_order"`
	BytesRead   int64         `json:"bytes_read"`
	BytesCopied int64         `json:"bytes_copied,omitempty"` // to the GPU: edges and values
	BytesBack   int64         `json:"bytes_back,omitempty"`   // from the GPU: values
	Duration    time.Duration `json:"-"`
	Seconds     float64       `json:"seconds"`
	// Devices is what each device did of it; only those that did something.
	Devices map[Device]DeviceWork `json:"devices,omitempty"`
}

// DeviceWork is what one device did of a job, or of an iteration.
type DeviceWork struct {
	Pages int    `json:"pages"` // on the GPU: batches
	Edges uint64 `json:"edges"`
	// Seconds is how long it was at it, from the first page to the last.
	Seconds float64 `json:"seconds"`
}

// PageWork is what one device did with one page: on the GPU with one batch,
// which may be a part of a page, or all that stays there of several.
type PageWork struct {
	Iteration int // from 0
	Device    Device
	From, To  int // shards [From, To)
	Edges     uint64
	Bytes     int64 // copied to the GPU
	// Start and End are seconds since the first iteration began, on the host's
	// clock; Start is when the page was handed out.
	Start, End float64
	// Copy and Compute are the GPU's own times, in seconds; the CPU's Compute is
	// all of it.
	Copy, Compute float64
	// Copies is how many copies of each accumulator there were, the mean over
	// the edges: 1 without replication, 0 on the CPU.
	Copies float64
}

// Report says what a job did.
type Report struct {
	Converged  bool // no vertex was active any more
	Iterations []Iteration
	Before     int // iterations that were done when it was resumed
	Edges      uint64
	Duration   time.Duration // of the iterations, without opening and loading
	Load       time.Duration // from the start to the first iteration
	InMemory   bool
	Compiled   bool // through the program's own loops, not the generic ones
	// NotifyLimit is the f up to which an iteration notifies.
	NotifyLimit float64
	// AccessRatio is k, sequential over random read speed of the store's disk; 0 when
	// it was not measured: in memory, and where a job is resumed.
	AccessRatio float64
	// Devices is what each device did that did something.
	Devices map[Device]DeviceWork
	GPU     string // the name of the GPU; "" if there was none
	// Resident is how many edges stayed on the GPU.
	Resident uint64
	// GPUMemory is how many bytes of the GPU's memory the job had.
	GPUMemory int64
	// Without is why a job that chooses by itself had no GPU; "": it had one, or none was
	// asked for.
	Without string
	// Lost is why the job went on without the GPU; "": it did not.
	Lost string
}

// ErrMemory is a budget that is too small for a job, as a [MemoryError] says.
var ErrMemory = hostmem.ErrBudget

// MemoryError says how much memory a job would take. All figures are bytes.
type MemoryError struct {
	Graph    string
	Budget   int64 // what was given
	Vertices int64 // what the arrays over vertices take
	Pages    int64 // what the least pages and buffers take
	// Checkpoints is what those take that are written while the job runs.
	Checkpoints int64
}

// Least is the smallest budget that would do.
func (e *MemoryError) Least() int64 { return processBytes + e.Vertices + e.Pages + e.Checkpoints }

func (e *MemoryError) Error() string {
	checkpoints := ""
	if e.Checkpoints > 0 {
		checkpoints = humanize.IBytes(uint64(e.Checkpoints)) + " for checkpoints, "
	}
	return fmt.Sprintf("graph %s: %v: the job takes %s for the arrays over vertices, %s%s for pages and %s for the process, more than %s; the smallest budget for it is %dMiB",
		e.Graph, ErrMemory, humanize.IBytes(uint64(e.Vertices)), checkpoints, humanize.IBytes(uint64(e.Pages)), humanize.IBytes(processBytes),
		humanize.IBytes(uint64(e.Budget)), (e.Least()+1<<20-1)>>20)
}

// Is makes it an [ErrMemory].
func (e *MemoryError) Is(target error) bool { return target == ErrMemory }

func (o *Options) check() error {
	switch o.Mode {
	case "":
		o.Mode = Sync
	case Sync, Async:
	default:
		return fmt.Errorf("mode %q: expected %s or %s", o.Mode, Sync, Async)
	}
	switch o.Method {
	case "":
		o.Method = Auto
	case Auto, Pull, NotifyPull:
	default:
		return fmt.Errorf("engine %q: expected %s, %s or %s", o.Method, Auto, Pull, NotifyPull)
	}
	if o.Threads < 0 || o.Memory < 0 || o.Iterations < 0 {
		return fmt.Errorf("threads %d, memory %d, iterations %d: expected numbers ≥ 0", o.Threads, o.Memory, o.Iterations)
	}
	if c := o.Checkpoints; c.Every < 0 || c.Interval < 0 || c.Pages < 0 || c.Keep < 0 {
		return fmt.Errorf("checkpoints every %d iterations, %v or %d pages, %d kept: expected numbers ≥ 0", c.Every, c.Interval, c.Pages, c.Keep)
	}
	if o.Checkpoints.Pages > 0 && o.Mode != Async {
		return fmt.Errorf("checkpoints every %d pages: a %s job is whole between iterations only; use mode %s, or checkpoints by iterations or time", o.Checkpoints.Pages, o.Mode, Async)
	}
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	return o.checkDevice()
}
