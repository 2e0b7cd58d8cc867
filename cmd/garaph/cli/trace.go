package cli

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"

	"go.uber.org/zap"

	"github.com/garaph/garaph/gpuengine"
)

// trace collects what a GPU did, for a file that chrome://tracing and Perfetto
// show: a row for each stream, so that overlap can be seen.
type trace struct {
	path string

	mu    sync.Mutex // guards spans
	spans []gpuengine.Span
}

// traceEvent is an event of Chrome's trace format. Times are microseconds.
type traceEvent struct {
	Name     string         `json:"name"`
	Category string         `json:"cat,omitempty"`
	Phase    string         `json:"ph"` // X: from Time for Duration; M: a name for a row
	Time     float64        `json:"ts"`
	Duration float64        `json:"dur"`
	Process  int            `json:"pid"`
	Thread   int            `json:"tid"`
	Args     map[string]any `json:"args,omitempty"`
}

// newTrace gives nil for no path. The error is the one that writing would end
// with, before the job.
func newTrace(path string, inputs []string) (*trace, error) {
	if path == "" {
		return nil, nil
	}
	return &trace{path: path}, checkBeside("the trace", path, inputs)
}

// checkBeside reports what would keep a file that a run writes beside its
// results from being written.
func checkBeside(what, path string, inputs []string) error {
	if err := checkNoInput(what, path, inputs); err != nil {
		return err
	}
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("write %s to %s: it is not a file that can be replaced", what, path)
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o666) // left empty when the job fails
	if err != nil {
		return fmt.Errorf("write %s: %w", what, err)
	}
	return file.Close()
}

func (t *trace) add(s gpuengine.Span) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.spans = append(t.spans, s)
}

// save writes the file.
func (t *trace) save(gpu string, log *zap.Logger) error {
	if gpu == "" {
		log.Warn("the trace is empty: the job ran on the CPU")
	}
	return writeWhole(t.path, true, func(w io.Writer) error { return t.write(w, gpu) })
}

func (t *trace) write(w io.Writer, gpu string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	slices.SortStableFunc(t.spans, func(a, b gpuengine.Span) int { return cmp.Compare(a.Start, b.Start) })
	out := bufio.NewWriter(w)
	events := func(yield func(traceEvent) bool) {
		if !yield(traceEvent{Name: "process_name", Phase: "M", Args: map[string]any{"name": cmp.Or(gpu, "no GPU")}}) {
			return
		}
		named := map[int]bool{}
		for _, s := range t.spans {
			if !named[s.Stream] {
				named[s.Stream] = true
				if !yield(traceEvent{Name: "thread_name", Phase: "M", Thread: s.Stream, Args: map[string]any{"name": fmt.Sprintf("stream %d", s.Stream)}}) {
					return
				}
			}
			if !yield(eventOf(s)) {
				return
			}
		}
	}
	_, err := out.WriteString(`{"displayTimeUnit":"ms","traceEvents":[`)
	first := true
	for e := range events {
		if !first {
			_, also := out.WriteString(",\n")
			err = errors.Join(err, also)
		}
		first = false
		b, also := json.Marshal(e)
		_, last := out.Write(b)
		if err = errors.Join(err, also, last); err != nil {
			return err
		}
	}
	_, also := out.WriteString("]}\n")
	return errors.Join(err, also, out.Flush())
}

func eventOf(s gpuengine.Span) traceEvent {
	e := traceEvent{Name: s.Name, Category: "kernel", Phase: "X", Time: s.Start * 1e6, Duration: (s.End - s.Start) * 1e6, Thread: s.Stream, Args: map[string]any{}}
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
