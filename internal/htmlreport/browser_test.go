package htmlreport

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/garaph/garaph/internal/testsize"
)

// measure is a script for a copy of a page: it writes into the page how
// large a browser made each plot, and what it fetched.
const measure = `<pre id="measured"></pre><script>
const box = e => { const b = e.getBoundingClientRect(); return {Width: b.width, Height: b.height}; };
document.getElementById("measured").textContent = JSON.stringify({
	Plots: [...document.querySelectorAll("figure svg")].map(svg => ({
		ID: svg.closest("figure").id, ...box(svg), Shapes: [...svg.querySelectorAll("path")].filter(p => box(p).Width + box(p).Height > 0).length,
		Outside: [...svg.querySelectorAll("text, path")].filter(e => {
			const b = e.getBoundingClientRect(), s = svg.getBoundingClientRect();
			return b.left < s.left - 1 || b.right > s.right + 1 || b.top < s.top - 1 || b.bottom > s.bottom + 1;
		}).map(e => e.textContent || e.getAttribute("d")),
	})),
	Font: Math.min(...[...document.querySelectorAll("svg text")].map(t => 12 * t.getScreenCTM().a || 12 * Math.abs(t.getScreenCTM().b))),
	Scroll: document.documentElement.scrollWidth - innerWidth,
	Fetched: performance.getEntriesByType("resource").map(r => r.name),
});
</script>`

// TestBrowser opens pages in Chromium: every plot is there, has a size and
// nothing that sticks out, and the page fetches nothing.
func TestBrowser(t *testing.T) {
	testsize.OnlyLong(t, "it starts a browser many times")
	browser := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			browser = path
			break
		}
	}
	if browser == "" {
		t.Skip("no chromium, chromium-browser or google-chrome on the PATH")
	}
	for _, x := range []struct {
		name  string
		run   Run
		plots []string
	}{
		{"hybrid", hybridRun(30), everyPlot},
		{"mixed", mixedRun(), everyPlot},
		{"one", hybridRun(1), everyPlot},
		{"long", hybridRun(5000), everyPlot},
		{"cpu", cpuRun(5), []string{"time", "f", "pages"}},
		{"strange", strangeRun(), everyPlot},
	} {
		t.Run(x.name, func(t *testing.T) {
			for _, width := range []int{1000, 420} {
				look(t, browser, x.run, x.plots, width)
			}
		})
	}
}

// look measures the plots of a page in a window.
func look(t *testing.T, browser string, r Run, plots []string, window int) {
	t.Helper()
	var seen struct {
		Plots []struct {
			ID            string
			Width, Height float64
			Shapes        int
			Outside       []string
		}
		Scroll  float64
		Font    float64 // the height of the smallest letters
		Fetched []string
	}
	text := measured(t, browser, r, window)
	if err := json.Unmarshal([]byte(text), &seen); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if len(seen.Plots) != len(plots) || len(seen.Fetched) > 0 || seen.Scroll > 0 {
		t.Fatalf("%d plots, want %v; fetched %v; %v pixels wider than the window", len(seen.Plots), plots, seen.Fetched, seen.Scroll)
	}
	for i, p := range seen.Plots {
		if p.ID != plots[i] || p.Width < 370 || p.Height < 150 || p.Shapes < 4 || len(p.Outside) > 0 {
			t.Errorf("in a window of %d, want the plot of %s, got %+v", window, plots[i], p)
		}
	}
	if seen.Font < 9.5 {
		t.Errorf("in a window of %d, letters of %.1f pixels", window, seen.Font)
	}
}

// measured opens the page of a run, with the script, without a network.
func measured(t *testing.T, browser string, r Run, window int) string {
	var page bytes.Buffer
	if err := Write(&page, r); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "page.html")
	text := strings.Replace(page.String(), "default-src 'none'", "default-src 'none'; script-src 'unsafe-inline'", 1)
	text = strings.Replace(text, "</body>", measure+"</body>", 1)
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
		"--user-data-dir="+t.TempDir(), "--host-resolver-rules=MAP * ~NOTFOUND", fmt.Sprintf("--window-size=%d,800", window), "--dump-dom", "file://"+file)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	cmd.WaitDelay = 10 * time.Second
	dom, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", browser, err, stderr.String())
	}
	_, rest, there := strings.Cut(string(dom), `<pre id="measured">`)
	if !there {
		t.Fatalf("%s gave no measures\n%s", browser, stderr.String())
	}
	rest, _, _ = strings.Cut(rest, "</pre>")
	return html.UnescapeString(rest)
}
