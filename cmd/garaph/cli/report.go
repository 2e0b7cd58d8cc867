package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/checkpoint"
	"github.com/garaph/garaph/cmd/garaph/cli/show"
	"github.com/garaph/garaph/dispatcher"
	"github.com/garaph/garaph/internal/results"
)

// jobReport is any run as JSON, of a vertex program or of an algorithm.
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
	// Summary is the results as the page of --report has them.
	Summary []summaryReport `json:"summary,omitempty"`
}

// columnReport describes a column of results.
type columnReport struct {
	Name     string `json:"name"`
	Kind     string `json:"kind"` // float32, float64, int64, or vertex id
	Nullable bool   `json:"nullable"`
}

// summaryReport describes how the values of a column are distributed, or how large the groups are that they name.
type summaryReport struct {
	Column   string      `json:"column"`
	Of       string      `json:"of"` // vertices, or the plural of the column, which are groups of vertices
	Count    int64       `json:"count"`
	Null     int64       `json:"null"`
	Infinite int64       `json:"infinite"`
	Zeros    int64       `json:"zeros"`
	Min      show.Number `json:"min"`
	Median   show.Number `json:"median"`
	Mean     show.Number `json:"mean"`
	P99      show.Number `json:"p99"`
	Max      show.Number `json:"max"`
	Bins     []binReport `json:"bins"`
}

// binReport has the values of an interval without its end.
type binReport struct {
	From  show.Number `json:"from"`
	To    show.Number `json:"to"`
	Count int64       `json:"count"`
}

func newSummaryReport(column, of string, s *results.Summary) summaryReport {
	median, _ := s.Quantile(0.5)
	p99, _ := s.Quantile(0.99)
	r := summaryReport{
		Column: column, Of: of, Count: s.Count, Null: s.Null, Infinite: s.Infinite, Zeros: s.Zeros, Min: show.Number(s.Min), Max: show.Number(s.Max),
		Median: show.Number(median), Mean: show.Number(s.Mean()), P99: show.Number(p99), Bins: []binReport{},
	}
	for _, b := range s.Bins() {
		r.Bins = append(r.Bins, binReport{show.Number(b.From), show.Number(b.To), b.Count})
	}
	return r
}

// runReport is the run of a vertex program as JSON.
type runReport struct {
	jobReport
	Iterations int `json:"iterations"`
	Resumed    int `json:"resumed_after,omitempty"` // iterations done before this process
	// Earlier is what earlier processes did of the job until its checkpoint. All else but
	// iterations and converged is of this process.
	Earlier        *checkpoint.Work `json:"earlier,omitempty"`
	Converged      bool             `json:"converged"`
	EdgesProcessed uint64           `json:"edges_processed"`
	BytesRead      int64            `json:"bytes_read"`
	LoadRead       int64            `json:"load_bytes_read"`               // of these, before the first iteration
	Calibration    show.Number      `json:"calibration_seconds,omitempty"` // of load_seconds
	K              show.Number      `json:"k,omitempty"`                   // left out: not measured
	// The bytes that were read of rows, out of core, and those of the rows themselves.
	RowsRead   int64 `json:"rows_read,omitempty"`
	RowsNeeded int64 `json:"rows_needed,omitempty"`

	Devices map[dispatcher.Device]dispatcher.DeviceWork `json:"devices"`
	gpuReport

	PerIteration []garaph.Iteration `json:"per_iteration"` // and then, if asked for, the rows of --top
}

// gpuReport is the GPU that a run had.
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

// jobReport reports what all runs have.
func (t *task) jobReport() jobReport {
	c := t.input.graph.Catalogue()
	took, load, edges, inMemory := t.took()
	var summary []summaryReport
	if t.page != nil {
		summary = t.page.summaries
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
func (t *task) writeReport(w io.Writer, top *topRows) error {
	r := t.result.Report
	report := runReport{
		jobReport:  t.jobReport(),
		Iterations: r.Done(), Resumed: r.Before, Converged: r.Converged, EdgesProcessed: r.Edges, BytesRead: r.Reads.BytesRead, LoadRead: r.Preparation.LoadRead,
		Earlier: r.Earlier, Calibration: show.Number(r.Preparation.Calibration.Seconds()), K: show.Number(r.AccessRatio),
		RowsRead: r.Reads.RowsRead, RowsNeeded: r.Reads.RowsNeeded,
		Devices: r.Devices, gpuReport: gpuReport{GPU: r.GPU.Name, GPUResident: r.GPU.Resident, GPUMemory: r.GPU.Memory,
			GPULost: r.GPU.Lost, GPUs: r.GPU.Each},
		PerIteration: append([]garaph.Iteration{}, r.Iterations...),
	}
	for i := range report.PerIteration {
		report.PerIteration[i].Iteration++ // from 1 on, as everywhere that a user looks
	}
	return writeObject(w, report, top.inObject())
}

// list is a part of a JSON object that is written item by item: there may be many.
type list struct {
	key  string
	each func(item func(json any) error) error
}

// writeObject writes a report as a JSON object, with a list as its last part, if that is not nil.
func writeObject(w io.Writer, report any, last *list) error {
	object, err := json.Marshal(report)
	if err != nil {
		return err
	}
	buffered := bufio.NewWriterSize(w, 1<<16)
	if last != nil {
		_, _ = fmt.Fprintf(buffered, "%s,%q:[", object[:len(object)-1], last.key) // errors are kept until Flush
		comma := ""
		err = last.each(func(item any) error {
			b, err := json.Marshal(item)
			if err == nil {
				_, err = fmt.Fprintf(buffered, "%s%s", comma, b)
			}
			comma = ","
			return err
		})
		object = []byte("]}")
	}
	if err != nil {
		return err
	}
	_, _ = buffered.Write(append(object, '\n'))
	return buffered.Flush()
}

// parameters returns the program's own flags and the options that a result may
// depend on, as they were used.
func (t *task) parameters() map[string]any {
	o, all := t.options, t.ownParameters()
	if a := t.result.Algorithm; a != nil {
		all["threads"], all["memory"] = o.Threads, o.Memory
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
