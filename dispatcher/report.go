package dispatcher

import "time"

// Iteration says what one iteration did.
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
	Pages    int     `json:"pages"`
	// Levels is how many iterations this stands for, from Iteration on, where the engine
	// did several within a millisecond; 0: one.
	Levels      int           `json:"levels,omitempty"`
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

// Done is how many iterations were done, in this process and before.
func (r *Report) Done() int {
	n := r.Before
	for i := range r.Iterations {
		n += max(1, r.Iterations[i].Levels)
	}
	return n
}

// add adds an iteration to the report.
func (j *Job[V, A]) add(it Iteration) {
	if it.Devices == nil {
		it.Devices = map[Device]DeviceWork{it.Device: {it.Pages, it.Edges, it.Seconds}}
	}
	j.report.Iterations = append(j.report.Iterations, it)
	j.report.Edges += it.Edges
	j.report.Duration += it.Duration
	if j.report.Devices == nil {
		j.report.Devices = map[Device]DeviceWork{}
	}
	for d, did := range it.Devices {
		sum := j.report.Devices[d]
		j.report.Devices[d] = DeviceWork{sum.Pages + did.Pages, sum.Edges + did.Edges, sum.Seconds + did.Seconds}
	}
	if j.opt.Progress != nil {
		j.opt.Progress(it)
	}
}
