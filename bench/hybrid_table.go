package bench

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// WriteTable writes the report for a reader.
func (r *HybridReport) WriteTable(w io.Writer) error {
	var b strings.Builder
	gpuHeader(&b, r.GPU, r.Machine, r.Graph, [][2]string{
		{"date", r.Date.Format(time.DateOnly)},
		{"run", fmt.Sprintf("%s, %s, source %s, in %s s", plural(r.Rounds, "round"), plural(r.Threads, "thread"), r.Source, secondsText(r.Seconds))},
		{"others", "took " + shareText(r.Others) + " of the processors meanwhile"},
	})
	r.comparedTable(&b, "streamed, "+sizeText(r.GPUMemory)+" of the GPU", r.Pays)
	r.comparedTable(&b, "resident", r.Resident)
	r.switchTable(&b)
	r.diskTable(&b)
	r.barTable(&b)
	b.WriteString(`
Streamed, resident and from disk are the later half of the iterations of PageRank: the median (least–most) of the
rounds. Of a whole job the fastest round counts, from the first iteration to the end; one that took much longer than
the best was stopped. C is an iteration on the CPU, G on the GPU, H on both; N is notify-pull.
`)
	for _, note := range r.Notes {
		b.WriteString("Note: " + note + ".\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *HybridReport) comparedTable(b *strings.Builder, title string, x *Compared) {
	if x == nil {
		return
	}
	b.WriteByte('\n')
	t := columns(b)
	fmt.Fprintf(t, "%s\ton the GPU\tseconds/iteration\tedges/s\tby the CPU\n", title)
	for _, run := range x.Runs {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", run.Device, shareText(float64(run.Resident)/float64(r.Graph.Edges)),
			middle(run.Seconds, secondsText), cell(run.EdgesPerSecond, rateText), middle(run.OnCPU, shareText))
	}
	_ = t.Flush() // into memory
}

func (r *HybridReport) switchTable(b *strings.Builder) {
	if len(r.Switches) == 0 {
		return
	}
	b.WriteByte('\n')
	t := columns(b)
	fmt.Fprintln(t, "whole job\tchoice\tseconds\twith loading\titerations\twho did them")
	for _, s := range r.Switches {
		for _, x := range s.Runs {
			if x.Seconds == nil {
				continue
			}
			more := ""
			if x.Stopped {
				more = "> "
			}
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%d\t%s\n", s.Program, x.Choice, more+secondsText(x.Seconds.Min), more+secondsText(x.Whole.Min), x.Iterations, x.Did)
		}
	}
	_ = t.Flush()
}

func (r *HybridReport) diskTable(b *strings.Builder) {
	x := r.Disk
	if x == nil {
		return
	}
	b.WriteByte('\n')
	t := columns(b)
	fmt.Fprintf(t, "from disk, within %s\talone\treached\tunit\tshare\n", sizeText(x.Memory))
	for _, limit := range x.Limits {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", limit.Name, cell(limit.Alone, rateText), cell(limit.Reached, rateText), limit.Unit, middle(limit.Share, shareText))
	}
	fmt.Fprintf(t, "whole iterations (%s)\t%s\t%s\tedges/s\t\n", x.Did, absent, cell(x.EdgesPerSecond, rateText))
	_ = t.Flush()
}

func (r *HybridReport) barTable(b *strings.Builder) {
	list := r.bars()
	if len(list) == 0 {
		return
	}
	b.WriteByte('\n')
	t := columns(b)
	fmt.Fprintln(t, "must show\tfound\tbar\t")
	for _, x := range list {
		sign, verdict := "≥", "met"
		if x.most {
			sign = "≤"
		}
		if !x.met() {
			verdict = "missed"
		}
		fmt.Fprintf(t, "%s\t%.3f\t%s %.2f\t%s\n", x.name, x.found, sign, x.limit, verdict)
	}
	_ = t.Flush()
}
