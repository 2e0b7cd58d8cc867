package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/garaph/garaph/cmd/garaph/cli/output"
	"github.com/garaph/garaph/dispatcher"
	"github.com/garaph/garaph/gpuengine"
)

// trace collects the work of devices, for a file that chrome://tracing and Perfetto
// show: of the GPU a row for each stream, so that overlap can be seen, and one
// for when it got each page; of the CPU a row for its pages.
type trace struct {
	path string

	mu     sync.Mutex // guards events
	events []traceEvent
}

// The rows that are not streams.
const (
	gpuProcess, cpuProcess = 0, 1
	handedOut              = 1000 // a thread of the GPU
)

// traceEvent is an event of Chrome's trace format. Times are microseconds.
type traceEvent struct {
	Name     string         `json:"name"`
	Category string         `json:"cat,omitempty"`
	Phase    string         `json:"ph"` // X: from Time for Duration; i: at Time; M: a name for a row
	Time     float64        `json:"ts"`
	Duration float64        `json:"dur"`
	Process  int            `json:"pid"`
	Thread   int            `json:"tid"`
	Args     map[string]any `json:"args,omitempty"`
}

// newTrace returns nil for no path. The error is the one that writing would end
// with, before the job.
func newTrace(path string, inputs []string) (*trace, error) {
	if path == "" {
		return nil, nil
	}
	return &trace{path: path}, output.CheckBeside("the trace", path, inputs)
}

func (t *trace) add(s gpuengine.Span) { t.append(eventOf(s)) }

// page adds the work of a device on a page.
func (t *trace) page(w dispatcher.PageWork) { t.append(eventOfPage(w)) }

func (t *trace) append(e traceEvent) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.events = append(t.events, e)
}

// save writes the file: the names of rows, and then the events in the order of time.
func (t *trace) save(gpu string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	file := struct {
		Unit   string       `json:"displayTimeUnit"`
		Events []traceEvent `json:"traceEvents"`
	}{"ms", []traceEvent{
		rowName("process_name", gpuProcess, 0, cmp.Or(gpu, "no GPU")), rowName("process_name", cpuProcess, 0, "CPU"),
		rowName("thread_name", gpuProcess, handedOut, "handed out"), rowName("thread_name", cpuProcess, 0, "pages"),
	}}
	named := map[int]bool{handedOut: true}
	for _, e := range t.events {
		if e.Process == gpuProcess && !named[e.Thread] {
			named[e.Thread] = true
			file.Events = append(file.Events, rowName("thread_name", gpuProcess, e.Thread, fmt.Sprintf("stream %d", e.Thread)))
		}
	}
	slices.SortStableFunc(t.events, func(a, b traceEvent) int { return cmp.Compare(a.Time, b.Time) })
	file.Events = append(file.Events, t.events...)
	return output.WriteWhole(t.path, true, func(w io.Writer) error { return json.NewEncoder(w).Encode(file) })
}

// rowName names a row.
func rowName(what string, process, thread int, name string) traceEvent {
	return traceEvent{Name: what, Phase: "M", Process: process, Thread: thread, Args: map[string]any{"name": name}}
}

func eventOf(s gpuengine.Span) traceEvent {
	e := traceEvent{
		Name: s.Name, Category: "kernel", Phase: "X", Time: s.Start * 1e6, Duration: (s.End - s.Start) * 1e6,
		Process: gpuProcess, Thread: s.Stream, Args: map[string]any{},
	}
	if s.Name == "copy" {
		e.Category = "copy"
		e.Args["bytes"] = s.Bytes
	}
	if s.Edges > 0 {
		e.Args["edges"] = s.Edges
	}
	if s.Page >= 0 {
		e.Args["page"] = s.Page
	} else {
		e.Args["page"] = "on the GPU"
	}
	return e
}

// eventOfPage returns the event of a page of the CPU, or the moment when the GPU got one.
func eventOfPage(w dispatcher.PageWork) traceEvent {
	e := traceEvent{
		Name: fmt.Sprintf("shards %d to %d", w.From, w.To-1), Category: "page", Time: w.Start * 1e6,
		Args: map[string]any{"iteration": w.Iteration + 1, "edges": w.Edges},
	}
	if w.From == w.To {
		e.Name = fmt.Sprintf("part of shard %d", w.From)
	}
	if w.Device == dispatcher.CPU {
		e.Phase, e.Duration, e.Process = "X", (w.End-w.Start)*1e6, cpuProcess
		return e
	}
	e.Phase, e.Process, e.Thread = "i", gpuProcess, handedOut
	e.Args["bytes"], e.Args["seconds"] = w.Bytes, w.End-w.Start
	return e
}
