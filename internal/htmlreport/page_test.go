package htmlreport

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/garaph/garaph/dispatcher"
)

// hybridRun is a run of n iterations on both devices, made up.
func hybridRun(n int) Run {
	r := Run{
		Title:  "pagerank on web.graph",
		Facts:  []Fact{{"Program", "pagerank"}, {"Vertices", "1,000,000"}},
		Report: dispatcher.Report{GPUUse: dispatcher.GPUUse{GPU: "made up"}, InMemory: true, NotifyLimit: 0.5},
	}
	for i := range n {
		f := math.Exp(-float64(i) / float64(n) * 8)
		it := dispatcher.Iteration{
			Iteration: i, Device: dispatcher.Hybrid, Method: dispatcher.Pull, Fraction: f, Alpha: 9 * f,
			Seconds: 0.01 + 0.1*f, Devices: map[dispatcher.Device]dispatcher.DeviceWork{
				dispatcher.CPU: {Seconds: 0.01 + 0.08*f}, dispatcher.GPU: {Seconds: 0.09 * f},
			},
		}
		if f <= 0.5 {
			it.Device, it.Method = dispatcher.CPU, dispatcher.NotifyPull
			delete(it.Devices, dispatcher.GPU)
		}
		r.Report.Iterations = append(r.Report.Iterations, it)
		for page := range 8 {
			edges := uint64(100_000 * (page + 1))
			r.Pages.Add(dispatcher.PageWork{Iteration: i, Device: dispatcher.CPU, Edges: edges, Compute: 3e-9 * float64(edges)})
			r.Pages.Add(dispatcher.PageWork{Iteration: i, Device: dispatcher.GPU, Edges: edges, Compute: 1e-9 * float64(edges), Copies: 4, Bytes: int64(6 * edges), Copy: 5e-10 * float64(edges)})
			r.Pages.Add(dispatcher.PageWork{Iteration: i, Device: dispatcher.GPU, Edges: edges, Compute: 2e-9 * float64(edges), Copies: 1, Bytes: int64(6 * edges), Copy: 5e-10 * float64(edges)})
		}
	}
	return r
}

// mixedRun has iterations of every kind that a job with a GPU has: no frontiers, the last.
func mixedRun() Run {
	r := hybridRun(12)
	for i := range r.Report.Iterations {
		it, k := &r.Report.Iterations[i], allKinds[i%(len(allKinds)-1)]
		it.Method, it.Device = k.method, k.device
	}
	return r
}

// cpuRun is a run of n iterations without a GPU, whose f becomes 0.
func cpuRun(n int) Run {
	r := Run{Title: "bfs on roads", Report: dispatcher.Report{AccessRatio: 20, NotifyLimit: 0.025}}
	for i := range n {
		it := dispatcher.Iteration{
			Iteration: i, Device: dispatcher.CPU, Method: dispatcher.NotifyPull, Fraction: float64(n-1-i) / 1e4, Seconds: 2e-5,
			Devices: map[dispatcher.Device]dispatcher.DeviceWork{dispatcher.CPU: {Pages: 1, Seconds: 2e-5}},
		}
		r.Report.Iterations = append(r.Report.Iterations, it)
		r.Pages.Add(dispatcher.PageWork{Iteration: i, Device: dispatcher.CPU, Edges: 1000, Compute: 1e-5})
	}
	return r
}

// strangeRun has numbers that no axis can show, and names that are no HTML.
func strangeRun() Run {
	r := Run{
		Title: `<script>alert(1)</script> on "a&b".graph`,
		Facts: []Fact{{"Graph", "<img src=x onerror='alert(1)'>"}, {"Parameters", "tolerance 1e-6 & more"}},
	}
	for i, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), -1, 0, 1e300, 5e-324, 1} {
		r.Report.Iterations = append(r.Report.Iterations, dispatcher.Iteration{
			Iteration: i, Device: dispatcher.GPU, Method: dispatcher.Pull, Fraction: x, Alpha: x, Seconds: x,
			Devices: map[dispatcher.Device]dispatcher.DeviceWork{dispatcher.GPU: {Seconds: x}, dispatcher.CPU: {Seconds: -x}},
		})
		r.Pages.Add(dispatcher.PageWork{Device: dispatcher.GPU, Edges: 10, Bytes: 10, Compute: x, Copy: x, Copies: x})
		r.Pages.Add(dispatcher.PageWork{Device: dispatcher.GPU, Compute: 1, Copy: 1})
	}
	return r
}

// document is what a test needs of a page.
type document struct {
	text    string
	plots   []string          // ids of the figures that have one
	caption map[string]string // by id of the figure
}

// written writes the page of a run, which must be well-formed XML as well as
// HTML, and must neither fetch nor run anything.
func written(t *testing.T, r Run) document {
	t.Helper()
	var page bytes.Buffer
	if err := Write(&page, r); err != nil {
		t.Fatal(err)
	}
	d := document{text: page.String(), caption: map[string]string{}}
	for _, word := range []string{"http:", "https:", "NaN,", "Inf,", "url("} {
		if strings.Contains(d.text, word) {
			t.Errorf("the page has %q", word)
		}
	}
	elements := xml.NewDecoder(&page)
	elements.Strict = true
	figure, within := "", ""
	for {
		token, err := elements.Token()
		if errors.Is(err, io.EOF) {
			return d
		}
		if err != nil {
			t.Fatalf("the page is not well-formed: %v", err)
		}
		switch x := token.(type) {
		case xml.StartElement:
			within = x.Name.Local
			if slices.Contains([]string{"script", "img", "image", "link", "iframe", "object", "embed", "base"}, within) {
				t.Errorf("the page has an element %s", within)
			}
			for _, a := range x.Attr {
				name := strings.ToLower(a.Name.Local)
				if name == "src" || name == "href" || strings.HasPrefix(name, "on") {
					t.Errorf("the page has an attribute %s=%q", name, a.Value)
				}
				if within == "figure" && name == "id" {
					figure = a.Value
				}
			}
			if within == "svg" {
				d.plots = append(d.plots, figure)
			}
		case xml.EndElement:
			within = ""
		case xml.CharData:
			if within == "figcaption" {
				d.caption[figure] = string(x)
			}
		}
	}
}

var everyPlot = []string{"time", "f", "alpha", "pages", "copies"}

func TestHybridPage(t *testing.T) {
	for _, n := range []int{1, 2, 30, 5000} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			d := written(t, hybridRun(n))
			if diff := cmp.Diff(everyPlot, d.plots); diff != "" {
				t.Error(diff)
			}
			for _, text := range []string{
				"<title>pagerank on web.graph</title>", `<th scope="row">Vertices</th><td>1,000,000</td>`,
				">time (seconds)</text>", ">whole iteration</text>", ">CPU</text>", ">GPU</text>", ">pull, hybrid</text>", ">limit</text>",
				">α = 1</text>", ">GPU, replicated</text>", ">GPU, one accumulator each</text>", ">size (bytes)</text>",
			} {
				if !strings.Contains(d.text, text) {
					t.Errorf("the page lacks %s", text)
				}
			}
			if there := strings.Contains(d.text, ">notify-pull, cpu</text>"); there != (n > 1) {
				t.Errorf("notify-pull among what ran: %t", there)
			}
			if d2 := written(t, hybridRun(n)); d.text != d2.text {
				t.Error("the same run made another page")
			}
			if len(d.text) > 3<<20 {
				t.Errorf("the page has %d bytes", len(d.text))
			}
		})
	}
}

func TestCPUPage(t *testing.T) {
	d := written(t, cpuRun(5))
	if diff := cmp.Diff([]string{"time", "f", "pages"}, d.plots); diff != "" {
		t.Error(diff)
	}
	want := map[string]string{
		"time":  "The time of a device is from its first page to its last. 100 µs in all; the slowest iteration is 1, with 20 µs. The GPU had no page.",
		"f":     "Where the engine chooses, it notifies where f is at most the limit (1/(2k) = 0.025, from disk), and pulls otherwise; it also pulls when the aggregate changed, and where a pull looks at few edges. Marks at the bottom of the line stand for f = 0, as in 1 iteration.",
		"pages": "All pages were done by the CPU.",
	}
	if diff := cmp.Diff(want, d.caption); diff != "" {
		t.Error(diff)
	}
}

// TestStrangePage: what cannot be shown is reported, and names are text.
func TestStrangePage(t *testing.T) {
	d := written(t, strangeRun())
	if diff := cmp.Diff(everyPlot, d.plots); diff != "" {
		t.Error(diff)
	}
	for id, text := range map[string]string{
		"time":   "Left out: 5 iterations without a time that could be shown.",
		"f":      "Left out: 6 iterations without an f that could be shown.",
		"alpha":  "In 1 iteration nothing was to choose. Left out: 6 iterations without an α that could be shown.",
		"pages":  "Left out: 15 pages without edges or a time.",
		"copies": "1 copy. Left out: 15 copies without bytes or a time.",
	} {
		if !strings.Contains(d.caption[id], text) {
			t.Errorf("the caption of %s is %q", id, d.caption[id])
		}
	}
}

// TestEmptyPage: a job that was resumed at its end does nothing.
func TestEmptyPage(t *testing.T) {
	d := written(t, Run{Title: "nothing"})
	if len(d.plots) > 0 || len(d.caption) != 3 || d.caption["time"] != "No iteration was done in this process." || d.caption["pages"] != "The engine reported no page." {
		t.Errorf("plots %v, captions %q", d.plots, d.caption)
	}
}

// TestTop: the first vertices stand in a table, and names are text.
func TestTop(t *testing.T) {
	r := cpuRun(2)
	if text := written(t, r).text; strings.Contains(text, "<section") {
		t.Error("a table of no vertices")
	}
	r.Top = Table{Title: "First vertices", Columns: []string{"rank", "id", "hops <nearest>"}, Rows: [][]string{{"1", "A&B", "0"}, {"2", "<b>", "none"}}}
	text := written(t, r).text
	for _, want := range []string{"<h2>First vertices</h2>", `<th scope="col">hops &lt;nearest&gt;</th>`, "<tr><td>1</td><td>A&amp;B</td><td>0</td></tr>", "<tr><td>2</td><td>&lt;b&gt;</td><td>none</td></tr>"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
}

// TestResident: batches of edges that stay on the GPU are not copied.
func TestResident(t *testing.T) {
	r := hybridRun(1)
	r.Pages = Pages{}
	r.Pages.Add(dispatcher.PageWork{Device: dispatcher.GPU, Edges: 10, Compute: 1e-6, Copies: 1})
	r.Report.Iterations[0].Alpha = 0
	d := written(t, r)
	if diff := cmp.Diff([]string{"time", "f", "pages"}, d.plots); diff != "" {
		t.Error(diff)
	}
	if d.caption["copies"] != "No page was copied: all edges that the GPU gathered along stayed there." || !strings.HasPrefix(d.caption["alpha"], "Nothing was to choose: the device was given") {
		t.Errorf("%q", d.caption)
	}
}

// TestSample: of a series with many pages an even part is kept, of one with few
// all.
func TestSample(t *testing.T) {
	var p Pages
	const many = 20 * maxPages
	for i := range many {
		p.Add(dispatcher.PageWork{Iteration: i, Device: dispatcher.GPU, Edges: 1, Compute: 1, Copies: 2})
	}
	for range 3 {
		p.Add(dispatcher.PageWork{Device: dispatcher.CPU, Edges: 1, Compute: 1})
	}
	kept := p.series[onReplicated].pages
	if len(kept) != maxPages || len(p.series[onCPU].pages) != 3 || len(p.series[onSingle].pages) != 0 {
		t.Fatalf("kept %d, %d and %d", len(kept), len(p.series[onCPU].pages), len(p.series[onSingle].pages))
	}
	tenths := [10]int{}
	for _, w := range kept {
		tenths[w.Iteration*10/many]++
	}
	for _, n := range tenths {
		if n < maxPages/10*9/10 || n > maxPages/10*11/10 {
			t.Errorf("of the tenths of the run, %v were kept", tenths)
		}
	}
	if caption := computeFigure(&p).Caption; !strings.Contains(caption, "an even sample: 6,003 of 120,003 pages") {
		t.Error(caption)
	}
}
