package bench

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gpuengine/device"
)

// Report is what a measurement found: on what, and tables of figures.
type Report struct {
	Machine Machine   `json:"machine"`
	GPU     *GPUInfo  `json:"gpu,omitempty"`
	Graph   GraphInfo `json:"graph"`
	Date    time.Time `json:"date"` // when it began
	Seconds float64   `json:"seconds"`
	Rounds  int       `json:"rounds"`
	Threads int       `json:"threads"`
	Source  string    `json:"source,omitempty"` // the user's id of the vertex that searches began at
	// Others is the share of the processors' time that other processes, and
	// other machines on the same hardware, had during the measurement.
	Others float64  `json:"others"`
	Tables []*Table `json:"tables"`
	Notes  []string `json:"notes"`

	about string // how to read the tables
	used  usage  // when it began
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

// GPUInfo describes the GPU.
type GPUInfo struct {
	Name       string `json:"name"`
	Driver     string `json:"driver"`
	Memory     int64  `json:"memory_bytes"`
	Processors int    `json:"processors"`
	Capability int    `json:"capability"` // 70, 80, 90 …
}

// newReport begins the report of a measurement that begins now.
func newReport(g *garaph.Graph, rounds, threads int, about string) *Report {
	c := g.Catalogue()
	return &Report{
		Machine: thisMachine(), Date: time.Now(), Rounds: rounds, Threads: threads, Tables: []*Table{}, Notes: []string{}, about: about, used: usageNow(),
		Graph: GraphInfo{
			Path: g.Store().Path(), Vertices: c.Vertices, Edges: c.Edges, Weighted: c.Weighted,
			Symmetric: c.Symmetric, Shards: len(c.Shards), Fingerprint: c.Fingerprint,
		},
	}
}

// searched records the vertex that searches began at.
func (r *Report) searched(g *garaph.Graph, source uint32) (err error) {
	r.Source, err = g.ID(gas.VertexID(source))
	return err
}

// on records the GPU.
func (r *Report) on(i device.Info) {
	r.GPU = &GPUInfo{Name: i.Name, Driver: i.Driver, Memory: i.Memory, Processors: i.Processors, Capability: i.Capability}
}

// note adds a remark, once.
func (r *Report) note(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(r.Notes, text) {
		r.Notes = append(r.Notes, text)
	}
}

// ended ends the measurement. Tables without rows are left out.
func (r *Report) ended() *Report {
	r.Seconds, r.Others = time.Since(r.Date).Seconds(), usageNow().othersSince(r.used)
	r.Tables = slices.DeleteFunc(r.Tables, func(t *Table) bool { return len(t.Rows) == 0 })
	return r
}

// WriteTable writes the report for a reader.
func (r *Report) WriteTable(w io.Writer) error {
	var b strings.Builder
	r.header(&b)
	for _, t := range r.Tables {
		t.write(&b)
	}
	b.WriteString("\n" + r.about + "\n")
	for _, note := range r.Notes {
		b.WriteString("Note: " + note + ".\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// header says what was measured, and on what.
func (r *Report) header(b *strings.Builder) {
	m, g := r.Machine, r.Graph
	shape := []string{humanize.Comma(int64(g.Vertices)) + " vertices", humanize.Comma(int64(g.Edges)) + " edges"}
	if g.Symmetric {
		shape = append(shape, "symmetric")
	}
	if g.Weighted {
		shape = append(shape, "weighted")
	}
	cpu := m.CPU
	if cpu == "" {
		cpu = "unknown"
	}
	run := []string{plural(r.Rounds, "round"), plural(r.Threads, "thread")}
	if r.Source != "" {
		run = append(run, "source "+r.Source)
	}
	t := columns(b)
	if x := r.GPU; x != nil {
		fmt.Fprintf(t, "gpu\t%s, %s, %d processors, capability %d.%d, driver %s\n", x.Name, sizeText(x.Memory), x.Processors, x.Capability/10, x.Capability%10, x.Driver)
	}
	fmt.Fprintf(t, "cpu\t%s, %s, %s cache\n", cpu, plural(m.Cores, "core"), sizeText(m.Cache))
	fmt.Fprintf(t, "memory\t%s\n", sizeText(m.Memory))
	fmt.Fprintf(t, "kernel\t%s, %s\n", m.Kernel, m.Go)
	fmt.Fprintf(t, "date\t%s\n", r.Date.Format(time.DateOnly))
	fmt.Fprintf(t, "graph\t%s: %s, %s\n", g.Path, strings.Join(shape, ", "), plural(g.Shards, "shard"))
	fmt.Fprintf(t, "run\t%s, in %s s\n", strings.Join(run, ", "), secondsText(r.Seconds))
	fmt.Fprintf(t, "others\ttook %s of the processors meanwhile\n", shareText(r.Others))
	_ = t.Flush() // into memory
}
