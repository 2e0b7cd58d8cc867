package cli

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/garaph/garaph/dispatcher"
	"github.com/garaph/garaph/gpuengine"
	"github.com/garaph/garaph/internal/results"
	"github.com/garaph/garaph/internal/wholefile"
)

// trace collects what devices did, for a file that chrome://tracing and Perfetto
// show: of the GPU a row for each stream, so that overlap can be seen, and one
// for when it got each page; of the CPU a row for its pages.
type trace struct {
	path string

	mu    sync.Mutex // guards what follows
	spans []gpuengine.Span
	pages []dispatcher.PageWork
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
	return &trace{path: path}, checkBeside("the trace", path, inputs)
}

// checkBeside reports what would keep a file that is written beside results from
// being written. It is called before what takes long, and leaves nothing behind.
func checkBeside(what, path string, inputs []string) error {
	if err := checkNoInput(what, path, inputs); err != nil {
		return err
	}
	if err := checkReplaceable(path); err != nil {
		return fmt.Errorf("cannot write %s to %s: %w", what, path, err)
	}
	return nil
}

// checkReplaceable is checkBeside without its words.
func checkReplaceable(path string) error {
	if fd, is := results.Descriptor(path); is {
		return results.CheckInherited(fd, unix.O_RDONLY, "writing")
	}
	path = wholefile.Through(path)
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := results.CheckFolder(path); err != nil {
			return err
		}
	case err != nil:
		return err
	case info.IsDir():
		return results.ErrIsFolder
	case results.IsNull(info):
		return nil
	case !info.Mode().IsRegular():
		return results.NoFile(info)
	default:
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		_ = f.Close() // nothing was written
	}
	return wholefile.Check(wholefile.Folder(path), 0)
}

func (t *trace) add(s gpuengine.Span) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.spans = append(t.spans, s)
}

// page adds what a device did with a page.
func (t *trace) page(w dispatcher.PageWork) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pages = append(t.pages, w)
}

// save writes the file.
func (t *trace) save(gpu string) error {
	return writeWhole(t.path, true, func(w io.Writer) error { return t.write(w, gpu) })
}

func (t *trace) write(w io.Writer, gpu string) error {
	out := bufio.NewWriter(w)
	_, err := out.WriteString(`{"displayTimeUnit":"ms","traceEvents":[`)
	for i, e := range t.events(gpu) {
		if i > 0 {
			_, also := out.WriteString(",\n")
			err = errors.Join(err, also)
		}
		b, also := json.Marshal(e)
		_, last := out.Write(b)
		if err = errors.Join(err, also, last); err != nil {
			return err
		}
	}
	_, also := out.WriteString("]}\n")
	return errors.Join(err, also, out.Flush())
}

// events are those of the file: names of rows, and then in the order of time.
func (t *trace) events(gpu string) []traceEvent {
	t.mu.Lock()
	defer t.mu.Unlock()
	names := []traceEvent{
		rowName("process_name", gpuProcess, 0, cmp.Or(gpu, "no GPU")), rowName("process_name", cpuProcess, 0, "CPU"),
		rowName("thread_name", gpuProcess, handedOut, "handed out"), rowName("thread_name", cpuProcess, 0, "pages"),
	}
	var all []traceEvent
	named := map[int]bool{}
	for _, s := range t.spans {
		if !named[s.Stream] {
			named[s.Stream] = true
			names = append(names, rowName("thread_name", gpuProcess, s.Stream, fmt.Sprintf("stream %d", s.Stream)))
		}
		all = append(all, eventOf(s))
	}
	for _, p := range t.pages {
		all = append(all, eventOfPage(p))
	}
	slices.SortStableFunc(all, func(a, b traceEvent) int { return cmp.Compare(a.Time, b.Time) })
	return append(names, all...)
}

// rowName names a row.
func rowName(what string, process, thread int, name string) traceEvent {
	return traceEvent{Name: what, Phase: "M", Process: process, Thread: thread, Args: map[string]any{"name": name}}
}

func eventOf(s gpuengine.Span) traceEvent {
	e := traceEvent{Name: s.Name, Category: "kernel", Phase: "X", Time: s.Start * 1e6, Duration: (s.End - s.Start) * 1e6, Process: gpuProcess, Thread: s.Stream, Args: map[string]any{}}
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

// eventOfPage is a page of the CPU, or the moment when the GPU got one.
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
