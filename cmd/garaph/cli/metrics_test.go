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

// get is the body of a page, "" where there is none.
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
	args := []string{"run", "heat", edges, "--source", "0", "--iterations", "0", "--metrics", "127.0.0.1:0", "--device", device}
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
		"garaph_active_vertices":                                      1000,
		"garaph_read_bytes_total":                                     0,
		"garaph_queue_shards":                                         0,
		"garaph_gpu_memory_bytes":                                     map[string]float64{"cpu": 0, "gpu": 1}[device],
		`garaph_phase_done{phase="heat",unit="iterations"}`:           1,
		`garaph_log_lines_total{level="warn"}`:                        1, // it does not end by itself
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
	if profiles := get(strings.Replace(url, "/metrics", "/debug/pprof/goroutine?debug=1", 1)); !strings.Contains(profiles, "goroutine profile") {
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

// TestMetricsRefused: an address that nothing can listen to is an error.
func TestMetricsRefused(t *testing.T) {
	for _, address := range []string{"9100", "localhost:65536", "192.0.2.1:9100"} {
		var stderr bytes.Buffer
		if code := Run(t.Context(), []string{"version", "--metrics", address}, strings.NewReader(""), io.Discard, &stderr); code != exitFailed || !strings.Contains(stderr.String(), address) {
			t.Errorf("%s: exit code %d: %s", address, code, stderr.String())
		}
	}
}
