package bench

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/dustin/go-humanize"
)

// WriteTable writes the report for a reader.
func (r *Report) WriteTable(w io.Writer) error {
	var b strings.Builder
	r.header(&b)
	r.ceilingTable(&b)
	r.runTable(&b)
	b.WriteString(`
A figure is the median (least–most) of the rounds. Pulls are those that neither bring pages into memory to stay nor put them in source order. The ceiling
of a run in memory is gather-only with values of its size, that of a run from disk the lower of the disk and the same
program in memory.
`)
	for _, note := range r.Notes {
		b.WriteString("Note: " + note + ".\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

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
	t := columns(b)
	for _, line := range [][2]string{
		{"cpu", fmt.Sprintf("%s, %s, %s cache", cpu, plural(m.Cores, "core"), sizeText(m.Cache))},
		{"memory", sizeText(m.Memory)},
		{"kernel", m.Kernel + ", " + m.Go},
		{"date", r.Date.Format(time.DateOnly)},
		{"graph", g.Path + ": " + strings.Join(shape, ", ")},
		{"run", fmt.Sprintf("%s, %s, source %s, in %s s", plural(r.Rounds, "round"), plural(r.Threads, "thread"), r.Source, secondsText(r.Seconds))},
		{"others", "took " + shareText(r.Others) + " of the processors meanwhile"},
	} {
		fmt.Fprintf(t, "%s\t%s\n", line[0], line[1])
	}
	_ = t.Flush() // into memory
}

func (r *Report) ceilingTable(b *strings.Builder) {
	b.WriteByte('\n')
	t := columns(b)
	fmt.Fprintln(t, "ceiling\tspeed\tunit\t")
	for _, c := range r.Ceilings {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", c.Name, cell(c.Speed, rateText), c.Unit, c.Note)
	}
	_ = t.Flush()
}

func (r *Report) runTable(b *strings.Builder) {
	b.WriteByte('\n')
	t := columns(b)
	fmt.Fprintln(t, "program\tfrom\titerations\tseconds\tpulls\tseconds/pull\tedges/s\tread B/s\tof disk\tof memory\tof ceiling\tpeak memory")
	for _, x := range r.Runs {
		from := "disk"
		if x.InMemory {
			from = "memory"
		}
		fmt.Fprintf(t, "%s\t%s\t%d\t%s\t%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", x.Program, from, x.Iterations, middle(x.Seconds, secondsText),
			x.Pulls, middle(x.PullSeconds, secondsText), cell(x.EdgesPerSecond, rateText), middle(x.BytesPerSecond, rateText),
			middle(x.OfDisk, shareText), middle(x.OfMemory, shareText), cell(x.OfCeiling, shareText), humanize.Bytes(uint64(x.PeakMemory)))
	}
	_ = t.Flush()
}

func columns(w io.Writer) *tabwriter.Writer { return tabwriter.NewWriter(w, 0, 0, 2, ' ', 0) }

const absent = "–"

// cell is a figure with its least and its most.
func cell(s *Spread, text func(float64) string) string {
	if s == nil || len(s.Values) == 1 {
		return middle(s, text)
	}
	return fmt.Sprintf("%s (%s–%s)", text(s.Median), text(s.Min), text(s.Max))
}

// middle is the median of a figure alone.
func middle(s *Spread, text func(float64) string) string {
	if s == nil {
		return absent
	}
	return text(s.Median)
}

// rateText rounds to three digits: 1.23G.
func rateText(x float64) string {
	scaled, prefix := humanize.ComputeSI(x)
	return digits(scaled) + prefix
}

func secondsText(x float64) string { return digits(x) }

func shareText(x float64) string { return digits(100*x) + "%" }

// digits rounds to three digits, without an exponent.
func digits(x float64) string {
	switch {
	case x >= 99.95:
		return fmt.Sprintf("%.0f", x)
	case x >= 9.995:
		return fmt.Sprintf("%.1f", x)
	case x >= 0.9995:
		return fmt.Sprintf("%.2f", x)
	case x < 1e-6:
		return "0"
	default:
		return strconv.FormatFloat(x, 'f', 2-int(math.Floor(math.Log10(x))), 64)
	}
}

func sizeText(n int64) string { return humanize.IBytes(uint64(n)) }

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
