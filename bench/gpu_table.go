package bench

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
)

// WriteTable writes the report for a reader.
func (r *GPUReport) WriteTable(w io.Writer) error {
	var b strings.Builder
	gpuHeader(&b, r.GPU, r.Machine, r.Graph, [][2]string{
		{"date", r.Date.Format(time.DateOnly)},
		{"run", fmt.Sprintf("%s, in %s s", plural(r.Rounds, "round"), secondsText(r.Seconds))},
	})
	r.ceilingTable(&b)
	r.kernelTable(&b)
	r.pipelineTable(&b)
	r.replicationTable(&b)
	b.WriteString(`
PageRank with 4-byte values, sums of 8 bytes. Kernels run alone over the whole graph, or over one shard; the fastest of
the rounds counts. A pipeline is whole iterations: the median (least–most). Copies and kernels are the time of all
batches over that of the iteration, above 100% where streams overlap.
`)
	for _, note := range r.Notes {
		b.WriteString("Note: " + note + ".\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// gpuHeader says what was measured, and on what.
func gpuHeader(b *strings.Builder, g GPUInfo, m Machine, c GraphInfo, more [][2]string) {
	t := columns(b)
	for _, line := range append([][2]string{
		{"gpu", fmt.Sprintf("%s, %s, %d processors, capability %d.%d, driver %s", g.Name, sizeText(g.Memory), g.Processors, g.Capability/10, g.Capability%10, g.Driver)},
		{"host", fmt.Sprintf("%s, %s, %s", m.CPU, plural(m.Cores, "core"), sizeText(m.Memory))},
		{"graph", fmt.Sprintf("%s: %s vertices, %s edges, %s", c.Path, humanize.Comma(int64(c.Vertices)), humanize.Comma(int64(c.Edges)), plural(c.Shards, "shard"))},
	}, more...) {
		fmt.Fprintf(t, "%s\t%s\n", line[0], line[1])
	}
	_ = t.Flush() // into memory
}

func (r *GPUReport) ceilingTable(b *strings.Builder) {
	b.WriteByte('\n')
	t := columns(b)
	fmt.Fprintln(t, "ceiling\tspeed\tunit")
	for _, x := range []struct {
		name, unit string
		speed      float64
	}{
		{"gather-only, 4-byte values", "edges/s", r.Ceiling.Four},
		{"gather-only, 8-byte values", "edges/s", r.Ceiling.Eight},
		{"link, to the GPU", "bytes/s", r.Link.To},
		{"link, from the GPU", "bytes/s", r.Link.From},
		{"link, both at once", "bytes/s", r.Link.Both},
	} {
		fmt.Fprintf(t, "%s\t%s\t%s\n", x.name, rateText(x.speed), x.unit)
	}
	_ = t.Flush()
}

func (r *GPUReport) kernelTable(b *strings.Builder) {
	b.WriteByte('\n')
	t := columns(b)
	fmt.Fprintln(t, "kernel\tseconds\tedges/s\tof gather-only")
	for _, k := range r.Kernels {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", k.Name, secondsText(k.Seconds), rateText(k.PerSecond), share(k.OfGather))
	}
	_ = t.Flush()
}

func (r *GPUReport) pipelineTable(b *strings.Builder) {
	b.WriteByte('\n')
	t := columns(b)
	fmt.Fprintln(t, "pipeline\ton the GPU\tGPU memory\tstreams\tbatches\tseconds/iteration\tedges/s\tof gather-only\tcopied B/s\tof link\tcopies\tkernels")
	for _, p := range r.Pipelines {
		memory := "all"
		if p.Memory > 0 {
			memory = sizeText(p.Memory)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%d\t%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", p.Name, shareText(float64(p.Resident)/float64(r.Graph.Edges)), memory, p.Streams, p.Batches,
			middle(p.Seconds, secondsText), cell(p.EdgesPerSecond, rateText), share(p.OfGather), middle(p.BytesPerSecond, rateText), share(p.OfLink),
			share(p.Copies), share(p.Kernels))
	}
	_ = t.Flush()
}

// replicationTable is the effect of replication over shards.
func (r *GPUReport) replicationTable(b *strings.Builder) {
	if len(r.Replication) == 0 {
		return
	}
	b.WriteByte('\n')
	t := columns(b)
	fmt.Fprintln(t, "pull of a shard\tshards\tcopies\tleast\tmedian\tmost seconds\tleast\tmedian\tmost ns/edge")
	nano := func(x float64) string { return digits(1e9 * x) }
	for _, x := range r.Replication {
		fmt.Fprintf(t, "%s\t%d\t%s", x.Name, len(x.Shards), middle(x.Copies, digits))
		for _, figures := range []struct {
			of   *Spread
			text func(float64) string
		}{{x.Seconds, secondsText}, {x.PerEdge, nano}} {
			if s := figures.of; s != nil {
				fmt.Fprintf(t, "\t%s\t%s\t%s", figures.text(s.Min), figures.text(s.Median), figures.text(s.Max))
			}
		}
		fmt.Fprintln(t)
	}
	_ = t.Flush()
}

func share(x *float64) string {
	if x == nil {
		return absent
	}
	return shareText(*x)
}
