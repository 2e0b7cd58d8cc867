package bench

import (
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/hostmem"
)

// Report is the result of a measurement.
type Report struct {
	// Facts are names and values: the machine, the GPU, the graph with its fingerprint, and how it was measured.
	Facts   [][2]string `json:"facts"`
	Date    time.Time   `json:"date"` // of its begin
	Seconds float64     `json:"seconds"`
	Tables  []*Table    `json:"tables"`
	Notes   []string    `json:"notes"`

	about    string // how to read the tables
	verdicts [][]any
}

// Table holds figures of one kind. A cell is text, a whole number or a *[Spread].
type Table struct {
	Columns []string `json:"columns"` // the first one names the table
	Rows    [][]any  `json:"rows"`
}

// Spread is a figure that was measured several times. A nil one is unknown.
type Spread struct {
	Median float64   `json:"median"`
	Min    float64   `json:"min"`
	Max    float64   `json:"max"`
	Values []float64 `json:"values"` // in order

	text func(float64) string
}

// newReport begins the report of a measurement that begins now.
func newReport(g *garaph.Graph, threads int, about string) *Report {
	c := g.Catalogue()
	r := &Report{Date: time.Now(), Tables: []*Table{}, Notes: []string{}, about: about}
	cpus, _ := os.ReadFile("/proc/cpuinfo") // unknown if it fails
	_, line, _ := strings.Cut(string(cpus), "model name")
	model, _, _ := strings.Cut(line, "\n")
	kernel, _ := os.ReadFile("/proc/version")
	r.fact("machine", "%s, %d cores, %s of memory", strings.Trim(model, "\t :"), runtime.NumCPU(),
		sizeText(hostmem.Total()))
	r.fact("system", "%s, %s", strings.Join(append(strings.Fields(string(kernel)), "", "", "")[:3], " "),
		runtime.Version())
	r.fact("graph", "%s: %s vertices, %s edges, %d shards, %s, symmetric %t, weighted %t, fingerprint %s",
		g.Store().Path(),
		humanize.Comma(int64(c.Vertices)), humanize.Comma(int64(c.Edges)), len(c.Shards), c.Layout, c.Symmetric, c.Weighted,
		c.Fingerprint)
	r.fact("threads", "%d", threads)
	return r
}

func (r *Report) fact(name, format string, args ...any) {
	r.Facts = append(r.Facts, [2]string{name, fmt.Sprintf(format, args...)})
}

// on records the GPU.
func (r *Report) on(i device.Info) {
	r.fact("gpu", "%s, %s, %d processors, capability %d.%d, driver %s", i.Name, sizeText(i.Memory), i.Processors,
		i.Capability/10, i.Capability%10, i.Driver)
}

// note adds a remark, once.
func (r *Report) note(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(r.Notes, text) {
		r.Notes = append(r.Notes, text)
	}
}

// table adds a table.
func (r *Report) table(columns ...string) *Table {
	t := &Table{Columns: columns}
	r.Tables = append(r.Tables, t)
	return t
}

func (t *Table) add(cells ...any) { t.Rows = append(t.Rows, cells) }

const (
	atLeast = "≥"
	atMost  = "≤"
)

// verdict adds a figure and the bar that it is to reach.
func (r *Report) verdict(name string, found float64, sign string, bar float64) {
	verdict := "missed"
	if sign == atLeast && found >= bar || sign == atMost && found <= bar {
		verdict = "met"
	}
	r.verdicts = append(r.verdicts, []any{name, figure(digits, found), fmt.Sprintf("%s %.2f", sign, bar), verdict})
}

// A job is stopped, and not run again, when it has taken hopelessShare of the best one's time
// longer than that, and hopelessSeconds longer at least.
const (
	hopelessShare   = 0.5
	hopelessSeconds = 1
)

// stopAfter returns after how many seconds a job is stopped, given the best time so far and the
// user's limit. 0 means never.
func stopAfter(best, limit float64) float64 {
	hopeless := best + max(hopelessShare*best, hopelessSeconds)
	if limit == 0 {
		return hopeless
	}
	return min(limit, hopeless)
}

// ended ends the measurement. Tables without rows are left out.
func (r *Report) ended() *Report {
	r.Seconds = time.Since(r.Date).Seconds()
	r.table("must show", "found", "bar", "verdict").Rows = r.verdicts
	r.Tables = slices.DeleteFunc(r.Tables, func(t *Table) bool { return len(t.Rows) == 0 })
	return r
}

// WriteTable writes the report for a reader.
func (r *Report) WriteTable(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, f := range r.Facts {
		fmt.Fprintf(t, "%s\t%s\n", f[0], f[1])
	}
	fmt.Fprintf(t, "date\t%s, %s s\n", r.Date.Format(time.DateOnly), digits(r.Seconds))
	for _, table := range r.Tables {
		fmt.Fprintf(t, "\n%s\n", strings.Join(table.Columns, "\t"))
		for _, row := range table.Rows {
			fmt.Fprintln(t, strings.TrimSuffix(fmt.Sprintf(strings.Repeat("%v\t", len(row)), row...), "\t"))
		}
	}
	fmt.Fprintf(t, "\n%s\n", r.about)
	for _, note := range r.Notes {
		fmt.Fprintf(t, "Note: %s.\n", note)
	}
	return t.Flush() // errors are kept until here
}

// figure returns the spread of the values that are numbers, or nil if there are none.
func figure(text func(float64) string, values ...float64) *Spread {
	known := slices.DeleteFunc(slices.Clone(values), func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) })
	if len(known) == 0 {
		return nil
	}
	return &Spread{Median: median(known), Min: slices.Min(known), Max: slices.Max(known), Values: known, text: text}
}

func rates(values ...float64) *Spread { return figure(rateText, values...) }

func seconds(values ...float64) *Spread { return figure(digits, values...) }

func shares(values ...float64) *Spread { return figure(shareText, values...) }

// String writes the median, with the least and the most if there are several values.
func (s *Spread) String() string {
	switch {
	case s == nil:
		return "–"
	case len(s.Values) == 1:
		return s.text(s.Median)
	default:
		return fmt.Sprintf("%s (%s–%s)", s.text(s.Median), s.text(s.Min), s.text(s.Max))
	}
}

// median returns the middle of the values, or the mean of the two in the middle. It is NaN of none.
func median(values []float64) float64 {
	n := len(values)
	if n == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// digits rounds to three digits.
func digits(x float64) string {
	if x >= 1000 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}

// rateText rounds to three digits and a prefix: 1.23G.
func rateText(x float64) string {
	scaled, prefix := humanize.ComputeSI(x)
	return digits(scaled) + prefix
}

func shareText(x float64) string { return digits(100*x) + "%" }

func sizeText(n int64) string { return humanize.IBytes(uint64(n)) }
