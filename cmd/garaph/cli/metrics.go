package cli

import (
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"
	"sync"
	"sync/atomic"
	"time"

	vm "github.com/VictoriaMetrics/metrics"
	"go.uber.org/zap/zapcore"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/dispatcher"
)

// metrics are the metrics of a command, in the text format of Prometheus. With --metrics they are
// served, and the profiles of the process with them, until the command ends. Its methods may be called
// from many goroutines.
type metrics struct {
	set    *vm.Set
	server *http.Server   // if they are served
	ended  sync.WaitGroup // the server

	active, queue, gpuMemory atomic.Int64
	phase                    atomic.Pointer[stage] // in progress, or nil
}

func newMetrics() *metrics {
	m := &metrics{set: vm.NewSet()}
	m.set.NewCounter(fmt.Sprintf("garaph_info{version=%q}", versionText())).Set(1)
	m.set.NewGauge("garaph_active_vertices", func() float64 { return float64(m.active.Load()) })
	m.set.NewGauge("garaph_queue_shards", func() float64 { return float64(m.queue.Load()) })
	m.set.NewGauge("garaph_gpu_memory_bytes", func() float64 { return float64(m.gpuMemory.Load()) })
	for _, name := range []string{"garaph_iterations_total", "garaph_vertices_total", "garaph_read_bytes_total"} {
		m.set.NewCounter(name)
	}
	for _, l := range []zapcore.Level{zapcore.WarnLevel, zapcore.ErrorLevel} {
		m.set.NewCounter(lineMetric(l))
	}
	return m
}

// serve serves the metrics at an address, host and port, and returns their URL.
func (m *metrics) serve(address string) (string, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return "", fmt.Errorf("--metrics %s: %w; expected an address such as localhost:9100, or localhost:0 for a free port", address, err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", m.write)
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	m.server = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	m.ended.Go(func() { _ = m.server.Serve(listener) }) // until close
	return "http://" + listener.Addr().String() + "/metrics", nil
}

// write answers a request.
func (m *metrics) write(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	m.set.WritePrometheus(w)
	vm.WriteProcessMetrics(w)
	s := m.phase.Load()
	if s == nil {
		return
	}
	done := s.done()
	labels := fmt.Sprintf("{phase=%q,unit=%q}", s.name, s.unit.name)
	_, _ = fmt.Fprintf(w, "garaph_phase_done%s %d\n", labels, done) // a client that has gone does not matter
	if s.total > 0 {
		_, _ = fmt.Fprintf(w, "garaph_phase_total%s %d\n", labels, s.total)
	}
}

// close ends the server and its requests.
func (m *metrics) close() {
	if m.server != nil {
		_ = m.server.Close() // nothing is lost
		m.ended.Wait()
	}
}

// iterated counts what an iteration did.
func (m *metrics) iterated(it garaph.Iteration) {
	m.count("garaph_iterations_total", int64(max(1, it.Levels)))
	m.count("garaph_vertices_total", int64(it.Vertices))
	m.count("garaph_read_bytes_total", it.BytesRead)
	for d, did := range it.Devices {
		label := fmt.Sprintf("{device=%q}", d)
		m.count("garaph_edges_total"+label, int64(did.Edges))
		m.count("garaph_pages_total"+label, int64(did.Pages))
		m.set.GetOrCreateFloatCounter("garaph_device_seconds_total" + label).Add(did.Seconds)
	}
	if it.BytesCopied+it.BytesBack > 0 {
		m.count(`garaph_copied_bytes_total{to="gpu"}`, it.BytesCopied)
		m.count(`garaph_copied_bytes_total{to="host"}`, it.BytesBack)
	}
	m.active.Store(int64(it.Active))
	m.queue.Store(0)
}

func (m *metrics) count(name string, n int64) { m.set.GetOrCreateCounter(name).AddInt64(n) }

// logged counts lines that say that something is wrong.
func (m *metrics) logged(e zapcore.Entry) error {
	if e.Level >= zapcore.WarnLevel {
		m.count(lineMetric(e.Level), 1)
	}
	return nil
}

func lineMetric(l zapcore.Level) string { return fmt.Sprintf("garaph_log_lines_total{level=%q}", l) }

// observe makes a run report its queue and the memory of GPUs, too.
func (m *metrics) observe(t *dispatcher.Trace) {
	t.Queue = func(shards int) { m.queue.Store(int64(shards)) }
	t.GPUMemory = m.gpuMemory.Store
	next := t.Page
	t.Page = func(w dispatcher.PageWork) {
		m.queue.Store(max(0, m.queue.Load()-int64(w.To-w.From)))
		if next != nil {
			next(w)
		}
	}
}
