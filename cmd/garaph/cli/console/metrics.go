package console

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/pprof"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	vm "github.com/VictoriaMetrics/metrics"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/cmd/garaph/cli/output"
	"github.com/garaph/garaph/cmd/garaph/cli/show"
	"github.com/garaph/garaph/dispatcher"
)

// metrics are the metrics of a command, in the text format of Prometheus. With --metrics they are
// served, and the profiles of the process with them, until the command ends; with --metrics-file they
// are written to a file. Its methods may be called from many goroutines.
type metrics struct {
	set    *vm.Set
	server *http.Server   // if they are served
	ended  sync.WaitGroup // the server, and the goroutine that writes the file
	file   string         // "" if there is none
	every  time.Duration  // how often it is written
	stop   chan struct{}  // closed at the end of the command

	active, queue, gpuMemory atomic.Int64
	phase                    atomic.Pointer[Stage] // in progress, or nil
}

func newMetrics(version string) *metrics {
	vm.ExposeMetadata(true)
	m := &metrics{set: vm.NewSet(), every: 15 * time.Second, stop: make(chan struct{})}
	m.set.NewGauge(fmt.Sprintf("garaph_info{version=%q}", version), nil).Set(1)
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
		return "", fmt.Errorf("--metrics %s: %w; expected an address such as localhost:9100, or localhost:0 for a free port",
			address, err)
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
	_, _ = w.Write(m.text()) // a client that has gone does not matter
}

// text returns all metrics.
func (m *metrics) text() []byte {
	var w bytes.Buffer
	m.set.WritePrometheus(&w)
	vm.WriteProcessMetrics(&w)
	if s := m.phase.Load(); s != nil {
		labels := fmt.Sprintf("{phase=%q,unit=%q}", s.name, s.unit.name)
		vm.WriteGaugeUint64(&w, "garaph_phase_done"+labels, uint64(s.done()))
		if s.total > 0 {
			vm.WriteGaugeUint64(&w, "garaph_phase_total"+labels, uint64(s.total))
		}
	}
	return helpLine.ReplaceAllFunc(w.Bytes(), func(line []byte) []byte {
		return fmt.Appendf(nil, "%s%s", line, metricHelp[string(line[len("# HELP "):])])
	})
}

var helpLine = regexp.MustCompile(`(?m)^# HELP \w+$`)

// metricHelp maps names of metrics to the texts of their HELP lines.
var metricHelp = map[string]string{
	"garaph_info":                 " Version of garaph.",
	"garaph_phase_done":           " How far the phase in progress is.",
	"garaph_phase_total":          " Size of the phase in progress, if known.",
	"garaph_iterations_total":     " Iterations of a vertex program by this process.",
	"garaph_vertices_total":       " Vertices processed.",
	"garaph_edges_total":          " Edges processed, by device.",
	"garaph_pages_total":          " Pages processed, by device; batches on a GPU.",
	"garaph_device_seconds_total": " Time at work, by device.",
	"garaph_active_vertices":      " Active vertices at the start of the last iteration.",
	"garaph_queue_shards":         " Shards of the current iteration that are left.",
	"garaph_read_bytes_total":     " Bytes read from disk.",
	"garaph_copied_bytes_total":   " Bytes copied to the GPU and to the host.",
	"garaph_gpu_memory_bytes":     " GPU memory of the job.",
	"garaph_log_lines_total":      " Log lines of levels warn and error.",
	"garaph_exit_code":            " Exit code of the command, once it has ended.",
	"garaph_end_time_seconds":     " Unix time when the command ended.",
}

// keep writes the metrics to a file, at once and then now and then.
func (m *metrics) keep(path string, log *zap.Logger) error {
	err := output.CheckBeside("the metrics", path, nil)
	if err == nil {
		m.file = path
		err = m.save()
	}
	if err != nil {
		return fmt.Errorf("--metrics-file: %w", err)
	}
	m.ended.Go(func() {
		failed := false
		for next := time.NewTicker(m.every); ; {
			select {
			case <-m.stop:
				next.Stop()
				return
			case <-next.C:
			}
			err := m.save()
			if err != nil && !failed {
				log.Warn(show.OneLine(err) + "; the job goes on")
			}
			failed = err != nil
		}
	})
	return nil
}

// save writes the file.
func (m *metrics) save() error {
	run := strings.TrimSuffix(filepath.Base(m.file), ".prom")
	return output.WriteWhole(m.file, true, func(w io.Writer) error {
		_, err := w.Write(forCollector(m.text(), run))
		return err
	})
}

// metricName is the name at the begin of a line, and whether labels come behind it.
var metricName = regexp.MustCompile(`(?m)^(# HELP |# TYPE )?(?:garaph_)?(\w+)(\{?)`)

// goMetric is a line about Go's runtime.
var goMetric = regexp.MustCompile(`(?m)^(# HELP |# TYPE )?go_.*\n`)

// forCollector returns metrics for the textfile collector of the node exporter, without those of Go's runtime.
// The collector joins the files of several commands, and metrics of its own process. Hence all names begin
// with garaph_, and a label tells runs apart.
func forCollector(text []byte, run string) []byte {
	return metricName.ReplaceAllFunc(goMetric.ReplaceAll(text, nil), func(begin []byte) []byte {
		part := metricName.FindSubmatch(begin)
		label := fmt.Sprintf("{run=%q}", run)
		switch {
		case len(part[1]) > 0:
			label = ""
		case len(part[3]) > 0:
			label = fmt.Sprintf("{run=%q,", run)
		}
		return fmt.Appendf(nil, "%sgaraph_%s%s", part[1], part[2], label)
	})
}

// Finish writes the file of a command that has ended.
func (m *metrics) Finish(code int, log *zap.Logger) {
	close(m.stop)
	if m.file == "" {
		return
	}
	m.ended.Wait()
	m.set.NewGauge("garaph_exit_code", func() float64 { return float64(code) })
	now := float64(time.Now().UnixMilli()) / 1000
	m.set.NewGauge("garaph_end_time_seconds", func() float64 { return now })
	if err := m.save(); err != nil {
		log.Warn(show.OneLine(err))
	}
}

// Close ends the server and its requests.
func (m *metrics) Close() {
	if m.server != nil {
		_ = m.server.Close() // nothing is lost
		m.ended.Wait()
	}
}

// iterated counts the work of an iteration.
func (m *metrics) iterated(it garaph.Iteration) {
	m.Count("garaph_iterations_total", int64(max(1, it.Levels)))
	m.Count("garaph_vertices_total", int64(it.Vertices))
	m.Count("garaph_read_bytes_total", it.Traffic.BytesRead)
	for d, did := range it.Devices {
		label := fmt.Sprintf("{device=%q}", d)
		m.Count("garaph_edges_total"+label, int64(did.Edges))
		m.Count("garaph_pages_total"+label, int64(did.Pages))
		m.set.GetOrCreateFloatCounter("garaph_device_seconds_total" + label).Add(did.Seconds)
	}
	if it.Traffic.BytesCopied+it.Traffic.BytesBack > 0 {
		m.Count(`garaph_copied_bytes_total{to="gpu"}`, it.Traffic.BytesCopied)
		m.Count(`garaph_copied_bytes_total{to="host"}`, it.Traffic.BytesBack)
	}
	m.active.Store(int64(it.Active))
	m.queue.Store(0)
}

// Count adds n to a counter.
func (m *metrics) Count(name string, n int64) { m.set.GetOrCreateCounter(name).AddInt64(n) }

// logged counts lines that say that something is wrong.
func (m *metrics) logged(e zapcore.Entry) error {
	if e.Level >= zapcore.WarnLevel {
		m.Count(lineMetric(e.Level), 1)
	}
	return nil
}

func lineMetric(l zapcore.Level) string { return fmt.Sprintf("garaph_log_lines_total{level=%q}", l) }

// Observe adds callbacks that count the queue of a run and the memory of GPUs.
func (m *metrics) Observe(t *dispatcher.Trace) {
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
