package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// lockedBuffer is standard error that is read while it is written.
type lockedBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// eventually waits for what f returns, "" meaning that it is not there yet.
func eventually(t *testing.T, f func() string) string {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if x := f(); x != "" {
			return x
		}
	}
	t.Fatal("it did not come within a minute")
	return ""
}

// get returns the body of a page, or "" if there is none.
func get(url string) string {
	r, err := http.Get(url)
	if err != nil {
		return ""
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusOK {
		return ""
	}
	return string(b)
}

// metric is the value of a metric, -1 where it is not there.
func metric(page, name string) float64 {
	for line := range strings.Lines(page) {
		if rest, is := strings.CutPrefix(line, name+" "); is {
			if x, err := strconv.ParseFloat(strings.TrimSpace(rest), 64); err == nil {
				return x
			}
		}
	}
	return -1
}

// TestMetrics reads metrics and profiles of a run while it runs, and finds nobody there when it has ended.
func TestMetrics(t *testing.T) {
	for _, device := range []string{"cpu", "gpu"} {
		t.Run(device, func(t *testing.T) { testMetrics(t, device) })
	}
}

func testMetrics(t *testing.T, device string) {
	edges := filepath.Join(t.TempDir(), "edges.txt")
	var text strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&text, "%d %d\n%d %d\n", i, (i+1)%1000, i, 7*i%1000)
	}
	if err := os.WriteFile(edges, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var stderr lockedBuffer
	ended := make(chan int)
	args := []string{"run", "heat", edges, "--source", "0", "--iterations", "0", "--step", "1e-6",
		"--metrics", "127.0.0.1:0", "--device", device}
	if device == "gpu" {
		args = append(args, "--gpu", "emulated")
	}
	go func() { ended <- Run(ctx, args, strings.NewReader(""), io.Discard, &stderr) }()
	url := eventually(t, func() string {
		return regexp.MustCompile(`http://127.0.0.1:[0-9]+/metrics`).FindString(stderr.String())
	})
	page := eventually(t, func() string {
		if page := get(url); metric(page, "garaph_iterations_total") > 3 {
			return page
		}
		return ""
	})
	for name, least := range map[string]float64{
		fmt.Sprintf("garaph_edges_total{device=%q}", device):          3 * 2000,
		fmt.Sprintf("garaph_pages_total{device=%q}", device):          3,
		fmt.Sprintf("garaph_device_seconds_total{device=%q}", device): 0,
		"garaph_vertices_total":                                       3 * 1000,
		"garaph_active_vertices":                                      1,
		"garaph_read_bytes_total":                                     0,
		"garaph_queue_shards":                                         0,
		"garaph_gpu_memory_bytes":                                     map[string]float64{"cpu": 0, "gpu": 1}[device],
		`garaph_phase_done{phase="heat",unit="iterations"}`:           1,
		`garaph_log_lines_total{level="warn"}`:                        1, // it may never end
		`garaph_log_lines_total{level="error"}`:                       0,
		"process_resident_memory_bytes":                               1 << 20,
		"go_goroutines":                                               2,
	} {
		if got := metric(page, name); got < least {
			t.Errorf("%s is %v, want %v or more:\n%s", name, got, least, page)
		}
	}
	if !strings.Contains(page, `garaph_info{version="garaph `) || metric(page, "garaph_queue_shards") > 1 {
		t.Errorf("got\n%s", page)
	}
	if profiles := get(strings.Replace(url, "/metrics", "/debug/pprof/goroutine?debug=1", 1)); !strings.Contains(profiles,
		"goroutine profile") {
		t.Errorf("got %.100s", profiles)
	}
	address := strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/metrics")
	t.Run("taken", func(t *testing.T) {
		var second bytes.Buffer
		code := Run(t.Context(), []string{"version", "--metrics", address}, strings.NewReader(""), io.Discard, &second)
		if code != exitFailed || !strings.Contains(second.String(), "--metrics "+address) {
			t.Errorf("exit code %d: %s", code, second.String())
		}
	})
	cancel()
	if code := <-ended; code != exitInterrupted {
		t.Errorf("exit code %d: %s", code, stderr.String())
	}
	if c, err := net.Dial("tcp", address); err == nil {
		_ = c.Close()
		t.Error("somebody listens still")
	}
	http.DefaultClient.CloseIdleConnections()
}

// TestMetricsRefused checks that an address that nothing can listen to is an error.
func TestMetricsRefused(t *testing.T) {
	for _, address := range []string{"9100", "localhost:65536", "192.0.2.1:9100"} {
		var stderr bytes.Buffer
		code := Run(t.Context(), []string{"version", "--metrics", address}, strings.NewReader(""), io.Discard, &stderr)
		if code != exitFailed || !strings.Contains(stderr.String(), address) {
			t.Errorf("%s: exit code %d: %s", address, code, stderr.String())
		}
	}
}

// sample is a line of the text format of Prometheus with a label run.
var sample = regexp.MustCompile(`^(garaph_\w+)\{run="[^"]+"(?:, ?\w+="[^"]*")*\} -?[0-9.e+-]+\n$`)

// metricsFile returns the content of a file for the textfile collector, and reports what is no line of one, or
// has no HELP and TYPE before it.
func metricsFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	described := map[string]int{}
	for line := range strings.Lines(string(text)) {
		if words := strings.Fields(line); words[0] == "#" {
			described[words[2]]++
		} else if m := sample.FindStringSubmatch(line); m == nil || described[m[1]] != 2 {
			t.Errorf("got %q", line)
		}
	}
	return string(text)
}

// TestMetricsFile checks that the file is there, whole, while a command runs and when it has ended, with its exit code.
func TestMetricsFile(t *testing.T) {
	dir := t.TempDir()
	edges, file := filepath.Join(dir, "edges.txt"), filepath.Join(dir, "nightly.prom")
	if err := os.WriteFile(edges, []byte("0 1\n1 2\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	do := func(ctx context.Context, args ...string) int {
		return Run(ctx, append(args, "--metrics-file", file), strings.NewReader(""), io.Discard, io.Discard)
	}
	if code := do(t.Context(), "run", "pagerank", edges); code != exitDone {
		t.Fatalf("exit code %d", code)
	}
	text := metricsFile(t, file)
	for name, least := range map[string]float64{
		`garaph_exit_code{run="nightly"}`:        0,
		`garaph_iterations_total{run="nightly"}`: 1, `garaph_log_lines_total{run="nightly",level="warn"}`: 0,
		`garaph_end_time_seconds{run="nightly"}`: 1e9, `garaph_process_resident_memory_peak_bytes{run="nightly"}`: 1 << 20,
	} {
		if got := metric(text, name); got < least {
			t.Errorf("%s is %v, want %v or more:\n%s", name, got, least, text)
		}
	}
	if code := do(t.Context(), "run", "bfs", edges, "--source", "7"); code != exitFailed ||
		metric(metricsFile(t, file), `garaph_exit_code{run="nightly"}`) != 1 {
		t.Errorf("exit code %d:\n%s", code, metricsFile(t, file))
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan int)
	go func() { ended <- do(ctx, "run", "heat", edges, "--source", "0", "--iterations", "0") }()
	eventually(t, func() string {
		if text := metricsFile(t, file); !strings.Contains(text, "garaph_exit_code") {
			return text
		}
		return ""
	})
	cancel()
	if code := <-ended; code != exitInterrupted ||
		metric(metricsFile(t, file), `garaph_exit_code{run="nightly"}`) != exitInterrupted {
		t.Errorf("exit code %d:\n%s", code, metricsFile(t, file))
	}
	if code := do(t.Context(), "run", "wcc", edges, "--output", file); code != exitUsage {
		t.Errorf("results in the same file: exit code %d", code)
	}
	file = filepath.Join(dir, "nowhere", "x.prom")
	if code := do(t.Context(), "version"); code != exitFailed {
		t.Errorf("no such folder: exit code %d", code)
	}
}
