package bench

import (
	"fmt"
	"time"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/gas"
)

// Report is what [Measure] found.
type Report struct {
	Machine Machine   `json:"machine"`
	Date    time.Time `json:"date"` // when it began
	Seconds float64   `json:"seconds"`
	Graph   GraphInfo `json:"graph"`
	Rounds  int       `json:"rounds"`
	Threads int       `json:"threads"`
	Source  string    `json:"source"` // the user's id of the vertex that searches began at
	// Others is the share of the processors' time that other processes, and
	// other machines on the same hardware, had during the measurement.
	Others float64 `json:"others"`

	Ceilings []Ceiling `json:"ceilings"`
	Runs     []Run     `json:"runs"`
	Notes    []string  `json:"notes"`
}

// GraphInfo describes the graph.
type GraphInfo struct {
	Path        string `json:"path"`
	Vertices    uint32 `json:"vertices"`
	Edges       uint64 `json:"edges"`
	Weighted    bool   `json:"weighted"`
	Symmetric   bool   `json:"symmetric"`
	Shards      int    `json:"shards"`
	Fingerprint string `json:"fingerprint"`
}

// Run is a program within a budget of memory, over all rounds. Figures that the
// run cannot have are nil.
type Run struct {
	Program    string `json:"program"`
	InMemory   bool   `json:"in_memory"`
	Memory     int64  `json:"memory"` // the budget; 0: none
	Iterations int    `json:"iterations"`
	// Pulls is how many iterations of a round the figures about pulls are from:
	// those that brought no pages into memory to stay.
	Pulls       int     `json:"pulls"`
	PeakMemory  int64   `json:"peak_rss_bytes"` // the most of all rounds; 0: unknown
	Seconds     *Spread `json:"seconds"`        // of all iterations, without loading
	PullSeconds *Spread `json:"pull_seconds,omitempty"`
	// EdgesPerSecond and BytesPerSecond are gathered, and read from disk, during
	// pulls. Pulls count by their edges, where they differ.
	EdgesPerSecond *Spread `json:"edges_per_second,omitempty"`
	BytesPerSecond *Spread `json:"bytes_per_second,omitempty"`

	OfGather *Spread `json:"of_gather,omitempty"` // a run in memory: share of gather-only
	OfDisk   *Spread `json:"of_disk,omitempty"`   // a run from disk: bytes per second, of the disk's
	OfMemory *Spread `json:"of_memory,omitempty"` // a run from disk: edges per second, of the run in memory
	// OfCeiling is the share of the lowest ceiling of the run: OfGather, or the
	// larger of the other two.
	OfCeiling *Spread `json:"of_ceiling,omitempty"`
}

func (m *measurement) report(begin time.Time, used usage) (*Report, error) {
	c := m.graph.Catalogue()
	source, err := m.graph.ID(gas.VertexID(m.source))
	if err != nil {
		return nil, err
	}
	r := &Report{
		Machine: m.machine, Date: begin, Seconds: time.Since(begin).Seconds(),
		Graph:  graphInfo(m.graph),
		Rounds: m.opt.Rounds, Threads: m.opt.Threads, Source: source, Others: usageNow().othersSince(used), Notes: []string{},
	}
	for i := range m.speeds {
		r.Ceilings = append(r.Ceilings, Ceiling{Name: ceilingNames[i], Unit: ceilingUnits[i], Speed: spread(m.speeds[i])})
	}
	if m.gathered < len(c.Shards) {
		note := fmt.Sprintf("over %d of %d shards, as many as fit into a quarter of the memory", m.gathered, len(c.Shards))
		r.Ceilings[gather4].Note, r.Ceilings[gather8].Note = note, note
	}
	r.Ceilings[memoryCopy].Note = fmt.Sprintf("arrays of %s; bytes read and bytes written", sizeText(m.machine.copyBytes()))
	r.Ceilings[diskRead].Note = m.diskNote
	for row, rounds := range m.runs {
		run := runOf(rounds)
		run.Program, run.Memory = m.workloads[row/len(m.budgets)].name, m.budgets[row%len(m.budgets)]
		r.Runs = append(r.Runs, run)
		if within := row%len(m.budgets) == 1; within == run.InMemory {
			r.Notes = append(r.Notes, fitNote(run))
		}
	}
	return r, nil
}

func graphInfo(g *garaph.Graph) GraphInfo {
	c := g.Catalogue()
	return GraphInfo{
		Path: g.Store().Path(), Vertices: c.Vertices, Edges: c.Edges, Weighted: c.Weighted,
		Symmetric: c.Symmetric, Shards: len(c.Shards), Fingerprint: c.Fingerprint,
	}
}

// fitNote tells that a run was not where it was meant to be.
func fitNote(r Run) string {
	if r.InMemory {
		return fmt.Sprintf("%s fits into the %s given: it ran in memory", r.Program, sizeText(r.Memory))
	}
	return fmt.Sprintf("%s does not fit into the %s that may be used: it ran from disk", r.Program, sizeText(r.Memory))
}

// runOf sums up the rounds of a run.
func runOf(rounds []figures) Run {
	over := func(figure func(figures) float64) *Spread {
		var values []float64
		for _, f := range rounds {
			values = append(values, figure(f))
		}
		return spread(values)
	}
	last := rounds[len(rounds)-1]
	r := Run{
		InMemory: last.inMemory, Iterations: last.iterations, Pulls: last.pulls,
		Seconds:        over(func(f figures) float64 { return f.seconds }),
		PullSeconds:    over(func(f figures) float64 { return f.pullSeconds }),
		EdgesPerSecond: over(func(f figures) float64 { return f.edgesPerSecond }),
		OfGather:       over(func(f figures) float64 { return f.ofGather }),
		OfDisk:         over(func(f figures) float64 { return f.ofDisk }),
		OfMemory:       over(func(f figures) float64 { return f.ofMemory }),
		OfCeiling:      over(func(f figures) float64 { return f.ofCeiling }),
	}
	if !r.InMemory {
		r.BytesPerSecond = over(func(f figures) float64 { return f.bytesPerSecond })
	}
	for _, f := range rounds {
		r.PeakMemory = max(r.PeakMemory, f.peak)
	}
	return r
}
