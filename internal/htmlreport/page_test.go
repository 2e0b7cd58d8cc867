package htmlreport

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/garaph/garaph/dispatcher"
	"github.com/garaph/garaph/internal/results"
)

// hybridRun is a run of n iterations on both devices.
func hybridRun(n int) (r dispatcher.Report, pages *Pages) {
	pages = new(Pages)
	r = dispatcher.Report{GPU: dispatcher.GPUUse{Name: "made up"}, InMemory: true, NotifyLimit: 0.5}
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
		r.Iterations = append(r.Iterations, it)
		for page := range 8 {
			edges := uint64(100_000 * (page + 1))
			pages.Add(dispatcher.PageWork{Iteration: i, Device: dispatcher.CPU, Edges: edges, Compute: 3e-9 * float64(edges)})
			pages.Add(dispatcher.PageWork{Iteration: i, Device: dispatcher.GPU, Edges: edges, Compute: 1e-9 * float64(edges),
				Copies: 4, Bytes: int64(6 * edges), Copy: 5e-10 * float64(edges)})
			pages.Add(dispatcher.PageWork{Iteration: i, Device: dispatcher.GPU, Edges: edges, Compute: 2e-9 * float64(edges),
				Copies: 1, Bytes: int64(6 * edges), Copy: 5e-10 * float64(edges)})
		}
	}
	return r, pages
}

func runPage(r dispatcher.Report, pages *Pages) Page {
	hops := results.Summary{}
	for i := range 10 {
		hops.Add(float64(i % 4))
	}
	top := Table{
		Title: "First vertices", Columns: []string{"rank", "id", "hops"},
		Rows: [][]string{{"1", "A&B", "0"}, {"2", "<b>", "none"}},
	}
	return Page{Title: `<script>alert(1)</script> on "a&b".graph`, Sections: []Section{
		{Facts: []Fact{{"Vertices", "1,000,000"}, {"Graph", "</script><img src=x onerror='alert(1)'>"}}},
		{Title: "Result", Plots: []Plot{Distribution("Distribution of hops", "hops", "vertices", &hops)}, Table: top},
		{Title: "How it ran", Plots: RunPlots(r, pages)},
	}}
}

// TestDistribution checks that axes fit the numbers, and no vertex is missing from the plot.
func TestDistribution(t *testing.T) {
	for _, test := range []struct {
		name       string
		value      func(i int) float64
		x, y, bars bool // logarithmic axes
		places     []Value
	}{
		{"hops", func(i int) float64 { return float64(i % 5) }, false, false, true, []Value{0, 1, 2, 3, 4}},
		{"degrees", func(i int) float64 { return math.Ceil(1000 / float64(i+1)) }, true, true, false,
			[]Value{1, 2, 4, 8, 16, 32, 64, 128, 256, 512}},
		{"distances", func(i int) float64 { return float64(i) / 1000 }, false, false, true, nil},
		{"ranks", func(i int) float64 { return 1 / math.Pow(float64(i+1), 1.5) }, true, true, false, nil},
		{"outlier", func(i int) float64 { return 1.5 + math.Floor(float64(i)/1999) }, false, true, false, nil},
	} {
		s := results.Summary{}
		for i := range 2000 {
			s.Add(test.value(i))
		}
		p := Distribution(test.name, "value", "vertices", &s)
		if p.X.Log != test.x || p.Y.Log != test.y || p.Series[0].Bars != test.bars ||
			test.places != nil && !slices.Equal(p.Data[0], test.places) {
			t.Errorf("%s: logarithmic x: %v, y: %v; bars: %v, at %v", test.name, p.X.Log, p.Y.Log, p.Series[0].Bars, p.Data[0])
		}
		total := 0.0
		for _, n := range p.Data[1] {
			if !math.IsNaN(float64(n)) {
				total += float64(n)
			}
		}
		if total != 2000 {
			t.Errorf("%s: %v of 2000 are there", test.name, total)
		}
	}
	s := new(results.Summary)
	for range 2 {
		if p := Distribution("none or one", "value", "vertices", s); len(p.Series) != 0 {
			t.Error("a plot of nothing")
		}
		s.Add(7)
	}
}

func written(t *testing.T, p Page) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// shown returns the series of each plot of a page, by title.
func shown(t *testing.T, text string) map[string][]string {
	t.Helper()
	_, data, _ := strings.Cut(text, "const page = ")
	var p struct {
		Sections []struct {
			Plots []struct {
				Title  string
				Series []Series
				Data   [][]*float64
			}
		}
	}
	if err := json.NewDecoder(strings.NewReader(data)).Decode(&p); err != nil {
		t.Fatal(err)
	}
	all := map[string][]string{}
	for _, plot := range p.Sections[len(p.Sections)-1].Plots {
		if len(plot.Data) != 1+len(plot.Series) {
			t.Errorf("%s: %d columns for %d series", plot.Title, len(plot.Data), len(plot.Series))
		}
		for i, s := range plot.Series {
			all[plot.Title] = append(all[plot.Title], s.Name)
			if len(plot.Data[i+1]) != len(plot.Data[0]) {
				t.Errorf("%s, %s: %d values for %d places", plot.Title, s.Name, len(plot.Data[i+1]), len(plot.Data[0]))
			}
		}
	}
	return all
}

func TestRunPlots(t *testing.T) {
	hybrid, pages := hybridRun(30)
	cpu := dispatcher.Report{NotifyLimit: 0.025, Iterations: []dispatcher.Iteration{{
		Device: dispatcher.CPU, Method: dispatcher.NotifyPull, Fraction: 0.1, Seconds: 1,
		Devices: map[dispatcher.Device]dispatcher.DeviceWork{dispatcher.CPU: {Seconds: 1}},
	}}}
	// Numbers that no axis can show.
	var strange dispatcher.Report
	odd := new(Pages)
	for i, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), -1, 0, 1e300, 5e-324, 1} {
		strange.Iterations = append(strange.Iterations, dispatcher.Iteration{Iteration: i, Device: dispatcher.GPU,
			Method: dispatcher.Pull, Fraction: x, Alpha: x, Seconds: x})
		odd.Add(dispatcher.PageWork{Device: dispatcher.GPU, Edges: 10, Bytes: 10, Compute: x, Copy: x, Copies: x})
	}
	for _, test := range []struct {
		name  string
		page  Page
		plots map[string][]string
	}{
		{"hybrid", runPage(hybrid, pages), map[string][]string{
			"Time of each iteration":                  {"whole iteration", "cpu", "gpu"},
			"Share of active edges, and what ran":     {"notify-pull, cpu", "pull, hybrid", "limit 0.5"},
			"α: time of the CPU over time of the GPU": {"α"},
			"Time of a page":                          {"CPU", "GPU, replicated", "GPU, one accumulator each"},
			"Time of a copy to the GPU":               {"GPU, replicated", "GPU, one accumulator each"},
		}},
		{"cpu", runPage(cpu, new(Pages)), map[string][]string{
			"Time of each iteration":              {"whole iteration", "cpu"},
			"Share of active edges, and what ran": {"notify-pull, cpu", "limit 0.025"},
		}},
		{"empty", runPage(dispatcher.Report{}, new(Pages)), map[string][]string{}},
		{"strange", runPage(strange, odd), map[string][]string{
			"Time of each iteration":                  {"whole iteration"},
			"Share of active edges, and what ran":     {"pull, gpu"},
			"α: time of the CPU over time of the GPU": {"α"},
			"Time of a page":                          {"GPU, one accumulator each", "GPU, replicated"},
			"Time of a copy to the GPU":               {"GPU, one accumulator each", "GPU, replicated"},
		}},
	} {
		text := written(t, test.page)
		got := shown(t, text)
		for title, want := range test.plots {
			if len(got[title]) != len(want) {
				t.Errorf("%s: %s shows %q, want %q", test.name, title, got[title], want)
			}
			for _, name := range want {
				if !strings.Contains(strings.Join(got[title], "; "), name) {
					t.Errorf("%s: %s does not show %q", test.name, title, name)
				}
			}
		}
		if len(got) != len(test.plots) {
			t.Errorf("%s: plots %v", test.name, got)
		}
		if n := strings.Count(text, "<script"); n != 2 || strings.Contains(text, "<img") {
			t.Errorf("%s: %d scripts: text of a run is not escaped", test.name, n)
		}
		if text != written(t, test.page) {
			t.Errorf("%s: the same run gives two pages", test.name)
		}
	}
}

// TestSample checks that of many pages an even part is kept.
func TestSample(t *testing.T) {
	var p Pages
	const many = 20 * mostPages
	for i := range many {
		p.Add(dispatcher.PageWork{Iteration: i, Device: dispatcher.CPU, Edges: 1, Compute: 1})
	}
	tenths := [10]int{}
	for _, w := range p.kept {
		tenths[w.Iteration*10/many]++
	}
	for _, n := range tenths {
		if len(p.kept) != mostPages || n < mostPages/10*9/10 || n > mostPages/10*11/10 {
			t.Errorf("kept %d; by tenths of the run %v", len(p.kept), tenths)
		}
	}
	if plots := RunPlots(dispatcher.Report{}, &p); !strings.Contains(plots[3].Caption,
		"An even sample: 15,000 of 300,000 pages.") {
		t.Error(plots[3].Caption)
	}
}

// TestBrowser opens a page in Chromium without a network: its tables and plots are drawn.
func TestBrowser(t *testing.T) {
	browser, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("this test needs chromium")
	}
	for _, n := range []int{30} {
		text := written(t, runPage(hybridRun(n)))
		// Failures of a script would be seen on the console alone.
		text = strings.Replace(text, "<script>",
			"<script>onerror = (m, _, l) => document.body.append(`failed: ${m}, line ${l}`);", 1)
		file := filepath.Join(t.TempDir(), "page.html")
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
			"--user-data-dir="+t.TempDir(), "--host-resolver-rules=MAP * ~NOTFOUND", "--window-size=1000,800",
			"--dump-dom", "file://"+file)
		cmd.WaitDelay = 10 * time.Second
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		_, dom, _ := strings.Cut(string(out), "</noscript>")
		for what, want := range map[string]int{"<canvas": 6, `<table class="u-legend`: 6, "<td>1,000,000</td>": 1,
			"<td>&lt;b&gt;</td>": 1, "failed: ": 0, "GPU, replicated": 2} {
			_, body, _ := strings.Cut(dom, "drawPlot);")
			if got := strings.Count(body, what); got != want {
				t.Errorf("%d iterations: %q is there %d times, want %d", n, what, got, want)
			}
		}
	}
}
