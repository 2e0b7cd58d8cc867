package bench

import (
	"fmt"
	"slices"
	"time"

	"github.com/garaph/garaph/dispatcher"
	"github.com/garaph/garaph/gas"
)

// HybridReport is what [MeasureHybrid] found. Parts that were not measured are
// nil.
type HybridReport struct {
	Machine   Machine   `json:"machine"`
	GPU       GPUInfo   `json:"gpu"`
	Date      time.Time `json:"date"` // when it began
	Seconds   float64   `json:"seconds"`
	Graph     GraphInfo `json:"graph"`
	Rounds    int       `json:"rounds"`
	Threads   int       `json:"threads"`
	Source    string    `json:"source"` // as in [Report]
	Others    float64   `json:"others"` // as in [Report]
	GPUMemory int64     `json:"gpu_memory_bytes"`

	Pays     *Compared `json:"pays,omitempty"`     // within GPUMemory; the ratio is hybrid over the sum of both, in edges per second
	Resident *Compared `json:"resident,omitempty"` // the ratio is hybrid over the GPU alone, in seconds
	Switches []Switch  `json:"switches"`
	Disk     *FromDisk `json:"disk,omitempty"`
	Notes    []string  `json:"notes"`
}

// Compared is PageRank on several devices.
type Compared struct {
	Runs  []PageRankRun `json:"runs"`
	Ratio *Spread       `json:"ratio"` // by round
}

// PageRankRun is PageRank on one device: the later half of the iterations, a
// value for each round.
type PageRankRun struct {
	Device         dispatcher.Device `json:"device"`
	Resident       uint64            `json:"resident_edges"` // that stayed on the GPU
	Seconds        *Spread           `json:"seconds"`        // of an iteration
	EdgesPerSecond *Spread           `json:"edges_per_second"`
	OnCPU          *Spread           `json:"on_cpu"` // the CPU's share of the edges
}

// Switch is auto held against every fixed choice for one program.
type Switch struct {
	Program string      `json:"program"`
	Runs    []SwitchRun `json:"runs"` // auto is the first one
	Best    string      `json:"best"` // of the others; "": none was done
	// OfBest is the time of auto over that of the best, each the least of the
	// rounds.
	OfBest *float64 `json:"of_best,omitempty"`
}

// SwitchRun is a program with one choice of device and method.
type SwitchRun struct {
	Choice     string  `json:"choice"`
	Seconds    *Spread `json:"seconds,omitempty"` // from the first iteration to the end of the job
	Whole      *Spread `json:"whole,omitempty"`   // with opening and loading
	Iterations int     `json:"iterations"`        // of the fastest round
	Did        string  `json:"did"`               // who did them
	Stopped    bool    `json:"stopped"`           // it took much longer than another, and was not finished
}

// FromDisk is hybrid PageRank of a graph that fits into neither memory: the later
// half of the iterations, a value for each round.
type FromDisk struct {
	Memory         int64       `json:"memory_bytes"`
	Did            string      `json:"did"`
	EdgesPerSecond *Spread     `json:"edges_per_second"`
	Limits         []DiskLimit `json:"limits"`
	OfSlowest      *Spread     `json:"of_slowest"` // the share of the limit that leaves least
}

// DiskLimit is a speed that bounds a job from disk, and what the job reached of
// it.
type DiskLimit struct {
	Name    string  `json:"name"`
	Unit    string  `json:"unit"`
	Alone   *Spread `json:"alone,omitempty"` // nil: unknown
	Reached *Spread `json:"reached"`
	Share   *Spread `json:"share,omitempty"`
}

// bar is what a figure is to reach.
type bar struct {
	name  string
	found float64
	limit float64
	most  bool // the figure is to be at most the limit; otherwise at least
}

func (b bar) met() bool {
	if b.most {
		return b.found <= b.limit
	}
	return b.found >= b.limit
}

// bars are the figures that were measured, with what they are to reach.
func (r *HybridReport) bars() (list []bar) {
	if x := r.Pays; x != nil && x.Ratio != nil {
		list = append(list, bar{"streamed: edges/s of hybrid / (cpu + gpu)", x.Ratio.Median, 0.9, false})
	}
	if x := r.Resident; x != nil && x.Ratio != nil {
		list = append(list, bar{"resident: seconds of hybrid / gpu", x.Ratio.Median, 1.03, true})
	}
	for _, s := range r.Switches {
		if s.OfBest != nil {
			list = append(list, bar{fmt.Sprintf("%s: seconds of auto / %s", s.Program, s.Best), *s.OfBest, 1.1, true})
		}
	}
	if x := r.Disk; x != nil {
		list = append(list, bar{"from disk: share of the slowest alone", x.OfSlowest.Median, 0.85, false})
	}
	return list
}

func newHybridReport(m *hybridMeasurement) (*HybridReport, error) {
	source, err := m.graph.ID(gas.VertexID(m.source))
	return &HybridReport{
		Machine: thisMachine(), GPU: gpuInfo(m.device.Info()), Date: time.Now(), Graph: graphInfo(m.graph), Source: source,
		Rounds: m.opt.Rounds, Threads: m.opt.Threads, GPUMemory: m.opt.GPUMemory, Switches: []Switch{}, Notes: []string{},
	}, err
}

func (r *HybridReport) note(text string) {
	if !slices.Contains(r.Notes, text) {
		r.Notes = append(r.Notes, text)
	}
}
