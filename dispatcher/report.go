package dispatcher

import (
	"encoding/json"
	"time"

	"github.com/garaph/garaph/checkpoint"
)

// Iteration is the report of one iteration.
type Iteration struct {
	Iteration int    `json:"iteration"` // from 0, as in [gas.Step]; users see Iteration + 1
	Device    Device `json:"device"`    // Hybrid: both
	// Alpha is the time that the CPU alone would take, over that of the GPU
	// (Garaph, section 5.3); 0 where nothing was to choose.
	Alpha    float64 `json:"alpha,omitempty"`
	Method   Method  `json:"method"`
	Fraction float64 `json:"f"`      // Σ degrees of the active vertices / edges
	Active   uint64  `json:"active"` // vertices active at its start
	Edges    uint64  `json:"edges"`  // gathered and notified along
	Vertices uint64  `json:"vertices"`
	// Pages are batches where the GPU worked, and both, added up, where both did.
	Pages int `json:"pages"`
	// Levels is the number of iterations this stands for, from Iteration on, where the engine
	// did several within a millisecond, or the report has merged them; if 0, one.
	Levels   int           `json:"levels,omitempty"`
	Traffic  Traffic       `json:"-"` // in JSON, its fields are beside the others
	Duration time.Duration `json:"-"`
	Seconds  float64       `json:"seconds"`
	// Devices holds the work of each device that took part.
	Devices map[Device]DeviceWork `json:"devices,omitempty"`
}

// MarshalJSON writes the fields of the traffic beside the others.
func (it Iteration) MarshalJSON() ([]byte, error) {
	type fields Iteration
	return json.Marshal(struct {
		fields
		Traffic
	}{fields(it), it.Traffic})
}

// Traffic is the number of bytes that an iteration moved.
type Traffic struct {
	Reads
	BytesCopied int64 `json:"bytes_copied,omitempty"` // to the GPU: edges and values
	BytesBack   int64 `json:"bytes_back,omitempty"`   // from the GPU: values
}

// Reads is the number of bytes read from the store.
type Reads struct {
	// BytesRead are the bytes that the process has read from disks meanwhile ([store.DiskBytes]), and Requested those
	// that the job requested the system for, which may have had it in memory.
	BytesRead int64 `json:"bytes_read"`
	Requested int64 `json:"bytes_requested"`
	// RowsRead is the number of requested ones that were rows of a frontier, read as they were needed, with
	// what lies between them, and RowsNeeded how many bytes the rows themselves have.
	RowsRead   int64 `json:"rows_read,omitempty"`
	RowsNeeded int64 `json:"rows_needed,omitempty"`
}

func (r *Reads) add(more Reads) {
	r.BytesRead += more.BytesRead
	r.Requested += more.Requested
	r.RowsRead += more.RowsRead
	r.RowsNeeded += more.RowsNeeded
}

// DeviceWork is the work of one device in a job or an iteration.
type DeviceWork struct {
	Pages int    `json:"pages"` // on the GPU: batches
	Edges uint64 `json:"edges"`
	// Seconds is how long it was at it, from the first page to the last.
	Seconds float64 `json:"seconds"`
}

// PageWork is the work of one device on one page: on the GPU on one batch, which may be part of a
// page, or all resident parts of several.
type PageWork struct {
	Iteration int // from 0
	Device    Device
	From, To  int // shards [From, To)
	Edges     uint64
	Bytes     int64 // copied to the GPU
	// Start and End are seconds since the first iteration began, on the host's
	// clock; Start is when the page was handed out.
	Start, End float64
	// Copy and Compute are the GPU's own times, in seconds; the CPU's Compute is all of it.
	Copy, Compute float64
	// Copies is the mean number of copies of an accumulator per edge: 1 without replication, 0 on
	// the CPU.
	Copies float64
}

// Preparation is the work before the first iteration.
type Preparation struct {
	Load        time.Duration // from the start to the first iteration
	Reads       Reads         // until then
	Calibration time.Duration // the part of Load in which the speeds of the devices were measured
}

// Report is the report of a job.
type Report struct {
	Converged bool // no vertex was active any more
	// Iterations are the iterations of this process. If there are more than [MaxIterations],
	// neighbours are merged: see [Iteration.Levels].
	Iterations []Iteration
	Before     int // iterations that were done when it was resumed
	// Earlier is the work of earlier processes of the job until the checkpoint from which it was resumed, or nil.
	// All other fields but Converged are of this process alone.
	Earlier     *checkpoint.Work
	Edges       uint64
	Reads       Reads
	Preparation Preparation
	Duration    time.Duration // of the iterations, without opening and loading
	InMemory    bool
	Compiled    bool // through the program's own loops, not the generic ones
	// NotifyLimit is the f up to which an iteration notifies.
	NotifyLimit float64
	// AccessRatio is k, sequential over random read speed of the store's disk; 0 when
	// it was not measured: in memory, and where a job is resumed.
	AccessRatio float64
	// Devices holds the work of each device that took part.
	Devices map[Device]DeviceWork
	GPU     GPUUse
}

// GPUUse is the use of GPUs by a job.
type GPUUse struct {
	Name string // of the GPU; "" if there was none
	// Resident is the number of edges that stayed on GPUs.
	Resident uint64
	// Each has the figures of each of several GPUs, in their order.
	Each []GPUWork
	// Memory is the number of bytes of the GPUs' memory the job had.
	Memory int64
	// Without says why a job that chooses by itself had no GPU. It is empty if the job had one, or was to have none.
	Without string
	// Lost says why the job went on without the GPU, if it did.
	Lost string
}

// GPUWork is the work of one of several GPUs in a job.
type GPUWork struct {
	GPU      string `json:"gpu"` // as in [GPUOptions.Name]
	Resident uint64 `json:"resident_edges"`
	Memory   int64  `json:"memory_bytes"`
	DeviceWork
}

// work returns the work of this process and of earlier ones of the job.
func (r *Report) work() *checkpoint.Work {
	sum := checkpoint.Work{Seconds: r.Duration.Seconds(), LoadSeconds: r.Preparation.Load.Seconds(), Edges: r.Edges,
		BytesRead: r.Reads.BytesRead}
	if r.Earlier != nil {
		sum = sum.Plus(*r.Earlier)
	}
	return &sum
}

// Done returns the number of iterations done by this process and earlier ones.
func (r *Report) Done() int {
	n := r.Before
	for i := range r.Iterations {
		n += max(1, r.Iterations[i].Levels)
	}
	return n
}

// MaxIterations is the maximum number of iterations of a report: more are merged.
const MaxIterations = 10_000

// merge adds the iterations after it: sums of what was done; method, device and alpha are
// those of what took longer, and what is active is that of the start.
func (it *Iteration) merge(next Iteration) {
	if next.Seconds > it.Seconds {
		it.Device, it.Method, it.Alpha = next.Device, next.Method, next.Alpha
	}
	it.Levels = max(1, it.Levels) + max(1, next.Levels)
	it.Edges += next.Edges
	it.Vertices += next.Vertices
	it.Pages += next.Pages
	it.Traffic.Reads.add(next.Traffic.Reads)
	it.Traffic.BytesCopied += next.Traffic.BytesCopied
	it.Traffic.BytesBack += next.Traffic.BytesBack
	it.Duration += next.Duration
	it.Seconds += next.Seconds
	addWorks(it.Devices, next.Devices)
}

// addWorks adds what devices did to sums.
func addWorks(sums, did map[Device]DeviceWork) {
	for d, w := range did {
		sums[d] = sums[d].plus(w)
	}
}

func (w DeviceWork) plus(more DeviceWork) DeviceWork {
	return DeviceWork{w.Pages + more.Pages, w.Edges + more.Edges, w.Seconds + more.Seconds}
}
