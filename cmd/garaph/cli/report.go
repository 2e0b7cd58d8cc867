package cli

import (
	"encoding/json"
	"io"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/checkpoint"
	"github.com/garaph/garaph/cmd/garaph/cli/report"
	"github.com/garaph/garaph/cmd/garaph/cli/show"
	"github.com/garaph/garaph/dispatcher"
)

// jobReport is the JSON form of a run, of a vertex program or an algorithm.
type jobReport struct {
	Program        string         `json:"program"`
	Graph          string         `json:"graph"`
	Parameters     map[string]any `json:"parameters"`
	Vertices       uint32         `json:"vertices"`
	Edges          uint64         `json:"edges"`
	Seconds        show.Number    `json:"seconds"` // without loading
	LoadSeconds    show.Number    `json:"load_seconds"`
	Import         *importReport  `json:"import,omitempty"`
	EdgesPerSecond show.Number    `json:"edges_per_second"`
	PeakMemory     int64          `json:"peak_rss_bytes"`
	InMemory       bool           `json:"in_memory"`
	Columns        []columnReport `json:"columns"` // of the results, in order
	// Summary describes the results, as the page of --report does.
	Summary []report.Summary `json:"summary,omitempty"`
}

// columnReport describes a column of results.
type columnReport struct {
	Name     string `json:"name"`
	Kind     string `json:"kind"` // float32, float64, int64, or vertex id
	Nullable bool   `json:"nullable"`
}

// runReport is the JSON form of a run of a vertex program.
type runReport struct {
	jobReport
	Iterations int `json:"iterations"`
	Resumed    int `json:"resumed_after,omitempty"` // iterations done before this process
	// Earlier is the work of earlier processes on the job, until its checkpoint. All else but
	// iterations and converged is of this process.
	Earlier        *checkpoint.Work `json:"earlier,omitempty"`
	Converged      bool             `json:"converged"`
	EdgesProcessed uint64           `json:"edges_processed"`
	readReport
	Calibration show.Number `json:"calibration_seconds,omitempty"` // of load_seconds
	K           show.Number `json:"k,omitempty"`                   // left out: not measured
	// The bytes that were read of rows, out of core, and those of the rows themselves.
	RowsRead   int64 `json:"rows_read,omitempty"`
	RowsNeeded int64 `json:"rows_needed,omitempty"`

	Devices map[dispatcher.Device]dispatcher.DeviceWork `json:"devices"`
	gpuReport

	PerIteration []garaph.Iteration `json:"per_iteration"` // and then, if asked for, the rows of --top
}

// readReport counts bytes that were read.
type readReport struct {
	BytesRead int64 `json:"bytes_read"`
	Requested int64 `json:"bytes_requested"`
	LoadRead  int64 `json:"load_bytes_read"` // of BytesRead, before the first iteration
}

// gpuReport describes the GPU of a run.
type gpuReport struct {
	GPU         string `json:"gpu,omitempty"`
	GPUResident uint64 `json:"gpu_resident_edges,omitempty"`
	GPUMemory   int64  `json:"peak_gpu_bytes,omitempty"`
	GPULost     string `json:"gpu_lost,omitempty"` // why the job went on without it
	// GPUs are the figures of each, if the run had several.
	GPUs []dispatcher.GPUWork `json:"gpus,omitempty"`
}

// took returns how long the run took, and loading before it, how many edges it processed, and whether those that it
// needs stayed in memory.
func (t *task) took() (took, load time.Duration, edges uint64, inMemory bool) {
	if a := t.result.Algorithm; a != nil {
		return a.Duration, a.Load, t.input.graph.Catalogue().Edges, a.InMemory
	}
	r := t.result.Report
	return r.Duration, r.Preparation.Load, r.Edges, r.InMemory
}

// jobReport returns the part of the report that all runs have.
func (t *task) jobReport() jobReport {
	c := t.input.graph.Catalogue()
	took, load, edges, inMemory := t.took()
	var summary []report.Summary
	if t.page != nil {
		summary = t.page.result.Summaries
	}
	var columns []columnReport
	for _, column := range t.result.Table(t.program.column()).Columns() {
		columns = append(columns, columnReport{column.Name, column.Kind.String(), column.Nullable})
	}
	return jobReport{
		Columns: columns, Summary: summary,
		Program: t.program.Name, Graph: t.name(), Parameters: t.parameters(), Vertices: c.Vertices, Edges: c.Edges,
		Seconds: show.Number(took.Seconds()), LoadSeconds: show.Number(load.Seconds()), Import: t.input.imported,
		EdgesPerSecond: show.Number(show.PerSecond(float64(edges), took)), PeakMemory: t.peakMemory(), InMemory: inMemory,
	}
}

// writeReport writes the report, with rows of --top where there are any.
func (t *task) writeReport(w io.Writer, top *report.TopRows) error {
	r := t.result.Report
	out := runReport{
		jobReport:  t.jobReport(),
		Iterations: r.Done(), Resumed: r.Before, Converged: r.Converged, EdgesProcessed: r.Edges,
		readReport: readReport{r.Reads.BytesRead, r.Reads.Requested, r.Preparation.Reads.BytesRead},
		Earlier:    r.Earlier, Calibration: show.Number(r.Preparation.Calibration.Seconds()), K: show.Number(r.AccessRatio),
		RowsRead: r.Reads.RowsRead, RowsNeeded: r.Reads.RowsNeeded,
		Devices: r.Devices, gpuReport: gpuReport{GPU: r.GPU.Name, GPUResident: r.GPU.Resident, GPUMemory: r.GPU.Memory,
			GPULost: r.GPU.Lost, GPUs: r.GPU.Each},
		PerIteration: append([]garaph.Iteration{}, r.Iterations...),
	}
	for i := range out.PerIteration {
		out.PerIteration[i].Iteration++ // from 1 on, as everywhere that a user looks
	}
	return report.WriteObject(w, out, top.InObject())
}

// parameters returns the program's own flags and the options that a result may
// depend on, as they were used.
func (t *task) parameters() map[string]any {
	o, all := t.options, t.ownParameters()
	if a := t.result.Algorithm; a != nil {
		all["threads"], all["memory"] = o.Threads, o.Memory
		if t.program.Algorithm && t.program.Iterations > 0 && t.by() == "" {
			all["iterations"] = o.Iterations
		}
		if t.program.GPU || t.by() != "" {
			all["device"] = o.Device
		}
		if a.GPU != "" {
			all["gpu"], all["gpu_memory"] = o.GPU.Name, o.GPU.Memory
		}
		return all
	}
	all["device"], all["mode"], all["method"] = *t.flags.device, o.Mode, o.Method
	all["threads"], all["memory"], all["iterations"] = o.Threads, o.Memory, o.Iterations
	if t.result.Report.GPU.Name != "" {
		all["gpu"], all["gpu_memory"], all["streams"], all["gather"] = o.GPU.Name, o.GPU.Memory, o.GPU.Streams, o.GPU.Gather
		all["advance"], all["filter"], all["direction"] = o.GPU.Advancing.Names()
	}
	return all
}

// ownParameters returns the program's own flags.
func (t *task) ownParameters() map[string]any {
	all := map[string]any{}
	t.cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		text := f.Value.String()
		if list, ok := f.Value.(pflag.SliceValue); ok {
			if text = strings.Join(list.GetSlice(), ", "); len(list.GetSlice()) > 1 {
				all[f.Name] = list.GetSlice()
				return
			}
		}
		switch kind := f.Value.Type(); {
		case f.Name == "help" || text == "":
		case kind != "string" && kind != "stringArray" && json.Valid([]byte(text)):
			all[f.Name] = json.RawMessage(text)
		default:
			all[f.Name] = text
		}
	})
	return all
}
