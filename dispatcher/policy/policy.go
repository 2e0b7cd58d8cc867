// Package policy decides how an iteration of a job is processed, who does it and
// with what. Decide, Maintain and Learn are pure functions of plain data: they read
// no clock and do no I/O, so that a recorded run gives the same decisions again.
package policy

// Method says how an iteration finds the vertices to process.
type Method string

// The methods.
const (
	Auto       Method = "auto" // by the share of edges that lead out of active vertices
	Pull       Method = "pull" // all vertices
	NotifyPull Method = "notify-pull"
	Frontier   Method = "frontier" // active vertices push along their edges, or are sought
)

// Device says where a job, or an iteration of it, runs.
type Device string

// The devices. GPU stands for all GPUs of a job.
const (
	AutoDevice Device = "auto" // as Hybrid if there is a GPU and the program runs on it, otherwise the CPU
	CPU        Device = "cpu"
	GPU        Device = "gpu"
	Hybrid     Device = "hybrid" // either or both, as each iteration is done soonest
)

// Facts are what decisions depend on and what a job does not change.
type Facts struct {
	Method      Method        `json:"method"`       // that was asked for
	Device      Device        `json:"device"`       // that was asked for
	Vertices    uint64        `json:"vertices"`     // of the graph
	ValueBytes  uint64        `json:"value_bytes"`  // of one vertex
	PullEdges   uint64        `json:"pull_edges"`   // that a pull gathers along
	NotifyEdges uint64        `json:"notify_edges"` // on the sides along which active vertices notify
	Pages       int           `json:"pages"`
	InMemory    bool          `json:"in_memory"`  // all pages stay in the host's memory
	OneSide     bool          `json:"one_side"`   // vertices notify by sides that a pull reads too
	Saturates   bool          `json:"saturates"`  // the program has Saturated
	Aggregates  bool          `json:"aggregates"` // the program has an aggregate
	Fold        FoldFacts     `json:"fold"`
	Rows        FrontierFacts `json:"rows"`
}

// FoldFacts are those of how edges are gone through, whatever is active.
type FoldFacts struct {
	// News: pulls leave out edges that have no news, as notify-pulls do.
	News bool `json:"news,omitempty"`
	// Folded is the number of edges of the Shards that are packed: a vertex gathers along its
	// own only where its whole shard is folded.
	Folded uint64 `json:"folded,omitempty"`
	Shards uint64 `json:"shards,omitempty"`
	// Scans is the number of edges that are gone through to notify, whatever is active.
	Scans uint64 `json:"scans,omitempty"`
}

// FrontierFacts are those of a job that can advance frontiers.
type FrontierFacts struct {
	// Frontier: it can, when RowsEdges have been brought into memory.
	Frontier  bool   `json:"frontier,omitempty"`
	RowsEdges uint64 `json:"rows_edges,omitempty"`
	// Ordered: active vertices are done in a better order than that of pulls, however many
	// they are.
	Ordered bool `json:"ordered,omitempty"`
	// Weighted: vertices are done by their priorities, and edges have weights.
	Weighted   bool `json:"weighted,omitempty"`
	Iterations int  `json:"iterations,omitempty"` // at most; if 0, no limit
	// RowsBytes is the size of all rows, if they are read as they are needed.
	RowsBytes uint64 `json:"rows_bytes,omitempty"`
	// Seeks: vertices that are not settled look for active ones where that reads fewer rows.
	Seeks bool `json:"seeks,omitempty"`
}

// Observation is what stands before an iteration.
type Observation struct {
	Facts     Facts   `json:"facts"`
	Iteration int     `json:"iteration"` // from 0
	Fraction  float64 `json:"f"`         // Σ degrees of the active vertices / NotifyEdges
	// AggregateChanged: every vertex may have to change. So it is in the first
	// iteration of a program with an aggregate.
	AggregateChanged bool   `json:"aggregate_changed"`
	GPUs             int    `json:"gpus"`           // that work; if 0, there is none
	ResidentEdges    uint64 `json:"resident_edges"` // that stay on the GPUs
	HostStale        uint64 `json:"host_stale"`     // bytes of values of which a GPU has newer ones
	GPUStale         uint64 `json:"gpu_stale"`      // bytes of values that the GPUs would have to fetch
	Behind           bool   `json:"behind"`         // a GPU has newer values, or a newer active set, than the host
	// PullBytes is the number of bytes that a pull reads from disk, and NotifyBytes the number of those that
	// notifying reads before vertices gather.
	PullBytes   uint64 `json:"pull_bytes,omitempty"`
	NotifyBytes uint64 `json:"notify_bytes,omitempty"`
}

// Decision is how an iteration is done.
type Decision struct {
	Method Method `json:"method"`
	Device Device `json:"device"` // Hybrid: the CPU and the GPUs together
	// Alpha is the time that the CPU alone would take, over that of the GPUs (Garaph,
	// section 5.3); 0 where nothing was to choose.
	Alpha float64 `json:"alpha"`
}

// State is what a policy knows. The zero value knows nothing; see [Start].
type State struct {
	Counts Counts `json:"counts"`
	// Limit is the f up to which an iteration notifies.
	Limit  float64 `json:"limit"`
	Speeds Speeds  `json:"speeds"`
	Fixed  bool    `json:"fixed"` // Speeds are given, and not measured
	// Compared is how far iterations have shown what the GPU takes alone, and beside
	// the CPU.
	Compared int `json:"compared"`
	// Notified: an iteration was a notify-pull, so that the sides for it are in memory.
	Notified bool `json:"notified"`
	// Missed is the number of seconds a GPU would have saved in the iterations that the CPU
	// did because values would have had to be copied; below 0, the CPU in those that a GPU did.
	Missed  float64 `json:"missed"`
	Untried float64 `json:"untried"` // seconds since a GPU did something
	Trying  int     `json:"trying"`  // iterations that are left of those in which it is tried
	// Alone and Unseen are the seconds that the GPU worked since the host was up to
	// date, and since the CPU was measured.
	Alone  float64 `json:"alone"`
	Unseen float64 `json:"unseen"`
}

// Counts are what the choice between pull and notify-pull depends on. They count
// work and not time, so that the same job always makes the same choices.
type Counts struct {
	Pulled uint64 `json:"pulled"` // edges and vertices of the last pull that the CPU did alone; if 0, none yet
	// Owed is the number of edges pulls look at in excess before the sides by which vertices
	// notify are read, which stay in memory then: as many as they have.
	Owed int64 `json:"owed"`
	// Spent is about how many edges a pull could have looked at in the time of the
	// iterations without frontiers, Reached how many edges the active vertices of all had.
	Spent   uint64 `json:"spent,omitempty"`
	Reached uint64 `json:"reached,omitempty"`
	Loaded  bool   `json:"loaded,omitempty"` // the rows for frontiers are in memory
	Reach   Reach  `json:"reach,omitzero"`
	// Spread is to how many shards a notified edge leads, at most one: how many there were
	// in the last notify-pull by its edges; if 0, there was none. Pulls is how many pulls there
	// were since.
	Spread float64 `json:"spread,omitempty"`
	Pulls  int     `json:"pulls_since,omitempty"`
}

// Reach is how far values go from the vertices that begin active.
type Reach struct {
	Few  bool `json:"few,omitempty"`  // they lead to few vertices
	Slow bool `json:"slow,omitempty"` // they lead to many after many steps
}

// Event is one call of Decide, Maintain or Learn in a run, with what it was given
// and what it gave. The first event of a run has only the State that it began with.
// In JSON, a run is a line for each event.
type Event struct {
	Observation *Observation `json:"observation,omitempty"` // of Decide and Maintain
	Decision    *Decision    `json:"decision,omitempty"`    // of Decide
	Seconds     float64      `json:"seconds,omitempty"`     // of Maintain
	Upkeep      *Upkeep      `json:"upkeep,omitempty"`      // of Maintain
	Measurement *Measurement `json:"measurement,omitempty"` // of Learn
	State       *State       `json:"state,omitempty"`       // that the policy was set to
}

// inMemoryLimit is the largest f with which an iteration notifies, in memory.
const inMemoryLimit = 0.5

// Start sets what a job that is not resumed begins with. accessRatio is the disk's
// sequential over its random read speed, which counts where the graph is not in
// memory (Garaph, section 5.2).
func Start(f Facts, s State, accessRatio float64) State {
	s.Limit = inMemoryLimit
	if !f.InMemory {
		s.Limit = 1 / (2 * accessRatio)
	} else if !f.OneSide && f.Rows.Iterations <= manyIterations {
		s.Counts.Owed = int64(f.NotifyEdges)
	}
	return s
}

// Decide says how the next iteration is done.
func Decide(o Observation, s State) (Decision, State) {
	d := Decision{Method: method(o, s)}
	if d.Method == Frontier && o.GPUs > 0 {
		d.Device = GPU
		return d, s
	}
	d.Device, d.Alpha, s = choose(o, s, d.Method)
	// Where only the GPU may work and few vertices are active, notifying saves
	// copies of pages. An aggregate is over all vertices.
	if d.Device != CPU && (d.Alpha > 1 || o.ResidentEdges >= o.Facts.PullEdges || o.Facts.Aggregates) {
		d.Method = Pull
	}
	return d, s
}

// method chooses as Garaph does (section 5.2): notifying costs f·|E| random
// accesses and then pulls, pulling |E| sequential ones, or fewer. When the
// aggregate changed, every vertex has to be applied, so that marking none saves
// nothing.
func method(o Observation, s State) Method {
	switch {
	case o.AggregateChanged:
		return Pull
	case o.Facts.Method != Auto:
		return o.Facts.Method
	case o.Facts.Rows.Frontier && (o.Facts.Rows.Ordered || o.Fraction <= PushShare) && rowsPay(o, s) &&
		readsLess(o, s):
		return Frontier
	case gain(o, s) < 0, s.Counts.Owed > 0, s.Counts.Reach.Few, o.Facts.Rows.RowsBytes > 0, notifyReadsMore(o, s):
		return Pull // to notify, whole sides are read
	default:
		return NotifyPull
	}
}

// PushShare is the largest f with which a frontier without a better order pushes: to
// push along one edge takes as long as to pull along about eight in sequence.
const PushShare = 1. / 8

// rowsAround is the number of bytes that are read with one of a row, those around it, where few rows
// are active: on RMAT graphs 3 to 30, as on others whose rows are shorter.
const rowsAround = 4

// readsLess reports whether rows that are read as they are needed take no longer to read
// than the pages of a pull: 1/(2·Limit) is by how much reads here and there are slower than
// a sequence, which all rows are.
func readsLess(o Observation, s State) bool {
	f := o.Fraction
	if o.Facts.Rows.Seeks {
		f = min(f, max(0, 1-f-float64(s.Counts.Reached)/float64(o.Facts.NotifyEdges)))
	}
	share := min(1, rowsAround*f/(2*s.Limit))
	return o.Facts.Rows.RowsBytes == 0 || share*float64(o.Facts.Rows.RowsBytes) <= float64(o.PullBytes)
}

const (
	// rowsCost is the number of edges pulls look at before one is worth being brought into
	// memory: that takes as long as two to four, and was not needed if pulls end soon
	// after. RMAT 20 with 30 edges a vertex has components after 5, and shortest paths
	// after 4.
	rowsCost = 8
	// An iteration takes as long, beside its edges, as iterationEdges of them, and one for every
	// bitVertices vertices.
	iterationEdges = 1 << 14
	bitVertices    = 8
)

// spends returns the cost of an iteration of the CPU that looked at the given edges, in edges.
func (f Facts) spends(looked uint64) uint64 { return looked + iterationEdges + f.Vertices/bitVertices }

const (
	// Of programs with priorities over weights, more than 1/manyShare of the edges lead from many active
	// vertices, and from half of the edges on, as from the center of a star, a job may be over after
	// surveyed iterations.
	manyShare, surveyed = 16, 2
)

// manyIterations is the number of iterations asked for above which reading what only some of them
// need is little.
const manyIterations = 8

// rowsPay reports whether a job is sooner done with the rows for frontiers: they are there, it will
// take many iterations, or these have taken as long as the rows are worth. In the order of their
// priorities over weights, vertices are done about once, and in that of pulls 5 to 20 times; without
// weights, pulls are as many as the steps of the longest path.
func rowsPay(o Observation, s State) bool {
	r, many := o.Facts.Rows, o.Fraction > 1./manyShare
	weighted := r.Weighted && o.GPUs == 0
	switch {
	case s.Counts.Loaded || r.RowsEdges == 0:
		return true
	case weighted && many && (o.Iteration == 0 && o.Fraction < 0.5 || o.Iteration >= surveyed):
		return true
	case s.Counts.Reach.Few:
		return false
	case weighted && o.Iteration == 0 && !many:
		return true
	case !weighted && s.Counts.Reach.Slow && (r.Iterations == 0 || r.Iterations > manyIterations):
		return true
	}
	return s.Counts.Spent >= rowsCost*r.RowsEdges
}

const (
	// headEdges: the head of a block, of which there is one in 256 edges, takes as long
	// as four of them.
	headEdges = 64
	// newsNotify is the number of edges of packed shards a pull folds while notify-pull
	// notifies along one and gathers along it again, with [inMemoryLimit].
	newsNotify = 4
)

// gain estimates how many more edges a pull processes than notify-pull.
func gain(o Observation, s State) float64 {
	along := o.Fraction * float64(o.Facts.NotifyEdges)
	notify := along / s.Limit
	if o.Facts.Fold.News && o.Facts.InMemory { // both fold the same blocks, but a pull looks at all heads and vertices
		return float64(o.Facts.Vertices) + float64(o.Facts.NotifyEdges)/headEdges - newsNotify*notify
	}
	if o.Facts.Fold.Scans > 0 && o.Facts.InMemory && along >= float64(o.Facts.Vertices) {
		return -along // nearly all vertices are marked
	}
	cost := pullCost(o, s) - notify - float64(o.Facts.Fold.Scans)
	if o.Facts.InMemory { // a pull applies all vertices, and what is notified is at most at the ends of these edges
		cost += max(0, float64(o.Facts.Vertices)-along)
	}
	if o.Facts.Fold.Folded > 0 {
		cost -= marked(o, spread(s, o.Facts.InMemory && notify <= cost/retryShare)) * float64(o.Facts.Fold.Folded)
	}
	return cost
}

// marked estimates the share of shards that have marked vertices, by the spread of notified edges.
func marked(o Observation, spread float64) float64 {
	return min(1, spread*o.Fraction*float64(o.Facts.NotifyEdges)/float64(o.Facts.Fold.Shards))
}

// notifyReadsMore reports whether a notify-pull may read more bytes from disk than a pull: the sides of active
// vertices, and then the shards with marked ones, of which there may be a quarter more than the spread tells.
func notifyReadsMore(o Observation, s State) bool {
	const more = 1.25
	pull, notify := float64(o.PullBytes), float64(o.NotifyBytes)
	return pull+notify > 0 && notify+min(1, more*marked(o, spread(s, false)))*pull > pull
}

const (
	// retryPulls is after how many pulls a notify-pull is tried: what it needs has to be read,
	// which a job of few iterations would not regain. Where the last one led to all shards,
	// the next probably does.
	retryPulls, retryAll = 8, 32
	// retryShare: it is tried where its edges take so much less than a pull.
	retryShare = 8
)

// spread is to how many shards a notified edge leads: to another one, or as the last
// notify-pull has shown. It is taken for none where a notify-pull is to be tried: what is
// active in a grid has its neighbors in its own shard, and in a random graph in all of them.
func spread(s State, try bool) float64 {
	after := retryPulls
	if s.Counts.Spread == 1 {
		after = retryAll
	}
	switch {
	case try && s.Counts.Pulls >= after:
		return 0
	case s.Counts.Spread == 0:
		return 1
	default:
		return s.Counts.Spread
	}
}

// spreadOf is what a notify-pull shows of it: nothing where it led to most shards.
func spreadOf(m Measurement) float64 {
	const most = 0.75
	along := m.Observation.Fraction * float64(m.Observation.Facts.NotifyEdges)
	shards := float64(m.Shards)
	if along == 0 || shards > most*float64(m.Observation.Facts.Fold.Shards) {
		return 1
	}
	return min(1, shards/along)
}

// pullCost is about how many edges a pull gathers along: |E|, but for a program
// whose accumulators saturate, which looks at 1/f edges of a vertex until it finds
// an active one, and whose vertices settle, so that the next pull is about as long as
// the last one. From disk all edges are read in any case.
func pullCost(o Observation, s State) float64 {
	cost := float64(o.Facts.NotifyEdges)
	if s.Limit < inMemoryLimit || !o.Facts.Saturates {
		return cost
	}
	if o.Fraction > 0 {
		cost = min(cost, float64(o.Facts.Vertices)/o.Fraction)
	}
	if s.Counts.Pulled > 0 {
		cost = min(cost, float64(s.Counts.Pulled))
	}
	return cost
}
