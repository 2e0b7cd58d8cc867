package bench

import (
	"slices"
	"time"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/gpuengine/device"
)

// GPUReport is what [MeasureGPU] found.
type GPUReport struct {
	Machine Machine   `json:"machine"`
	GPU     GPUInfo   `json:"gpu"`
	Date    time.Time `json:"date"` // when it began
	Seconds float64   `json:"seconds"`
	Graph   GraphInfo `json:"graph"`
	Rounds  int       `json:"rounds"`

	Link        Link           `json:"link"`    // bytes per second
	Ceiling     GPUCeiling     `json:"ceiling"` // gather-only
	Kernels     []KernelFigure `json:"kernels"`
	Replication []Replication  `json:"replication"`
	Pipelines   []Pipeline     `json:"pipelines"`
	Notes       []string       `json:"notes"`
}

// GPUInfo describes the GPU.
type GPUInfo struct {
	Name       string `json:"name"`
	Driver     string `json:"driver"`
	Memory     int64  `json:"memory_bytes"`
	Processors int    `json:"processors"`
	Capability int    `json:"capability"` // 70, 80, 90 …
}

// KernelFigure is a kernel over the whole graph, alone on the device.
type KernelFigure struct {
	Name      string   `json:"name"`
	Seconds   float64  `json:"seconds"`
	PerSecond float64  `json:"per_second"` // edges, or vertices
	OfGather  *float64 `json:"of_gather,omitempty"`
}

// Replication is how long the pulls of single shards take in one way to gather,
// each alone on the device.
type Replication struct {
	Name    string    `json:"name"`
	Seconds *Spread   `json:"seconds"`  // least, median and most over shards; values by shard
	PerEdge *Spread   `json:"per_edge"` // seconds for each edge
	Copies  *Spread   `json:"copies"`   // of an accumulator
	Shards  []int     `json:"shards"`   // those with edges
	Edges   []float64 `json:"edges"`    // of these shards
}

// Pipeline is whole iterations in one way to gather.
type Pipeline struct {
	Name     string  `json:"name"`
	Resident uint64  `json:"resident_edges"`
	Memory   int64   `json:"gpu_memory_bytes"` // the budget; 0: all
	Streams  int     `json:"streams"`
	Batches  int     `json:"batches"`      // of an iteration
	Bytes    int64   `json:"bytes_copied"` // of an iteration
	Seconds  *Spread `json:"seconds"`      // of an iteration, apply and active set included

	EdgesPerSecond *Spread  `json:"edges_per_second"`
	OfGather       *float64 `json:"of_gather"`
	BytesPerSecond *Spread  `json:"bytes_per_second,omitempty"` // to the device
	OfLink         *float64 `json:"of_link,omitempty"`
	// Copies and Kernels are how long batches were copied and computed, over the
	// time of the iteration: more than 1 where streams overlap.
	Copies  *float64 `json:"copies,omitempty"`
	Kernels *float64 `json:"kernels,omitempty"`
}

func newGPUReport(g *garaph.Graph, i device.Info, o GPUOptions) *GPUReport {
	return &GPUReport{
		Machine: thisMachine(), Date: time.Now(), Graph: graphInfo(g), Rounds: o.Rounds,
		GPU:     gpuInfo(i),
		Kernels: []KernelFigure{}, Replication: []Replication{}, Pipelines: []Pipeline{}, Notes: []string{},
	}
}

func gpuInfo(i device.Info) GPUInfo {
	return GPUInfo{Name: i.Name, Driver: i.Driver, Memory: i.Memory, Processors: i.Processors, Capability: i.Capability}
}

func (r *GPUReport) note(text string) {
	if !slices.Contains(r.Notes, text) {
		r.Notes = append(r.Notes, text)
	}
}

// kernel adds a figure. ceiling is NaN for a kernel that does not gather.
func (r *GPUReport) kernel(name string, seconds, amount, ceiling float64) {
	r.Kernels = append(r.Kernels, KernelFigure{name, seconds, amount / seconds, number(amount / seconds / ceiling)})
}

func replicationOf(name string, times []shardTime) Replication {
	r := Replication{Name: name}
	var seconds, perEdge, copies []float64
	for _, t := range times {
		seconds, perEdge, copies = append(seconds, t.seconds), append(perEdge, t.seconds/float64(t.Edges)), append(copies, t.Copies)
		r.Shards, r.Edges = append(r.Shards, t.Shard), append(r.Edges, float64(t.Edges))
	}
	r.Seconds, r.PerEdge, r.Copies = spread(seconds), spread(perEdge), spread(copies)
	return r
}
