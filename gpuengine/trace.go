package gpuengine

import (
	"sync"

	"github.com/garaph/garaph/gpuengine/device"
)

// Span is an interval of device activity in a trace. Times are seconds since [Options.Began].
type Span struct {
	Stream     int
	Name       string // "copy", "expand", "pull", "apply", "advance"
	Page       int    // of the host, the first of several; -1 for what stays on the device
	Start, End float64
	Bytes      int64  // copied
	Edges      uint64 // gathered along
}

// PageTime is the time that a batch took on the device.
type PageTime struct {
	From, To int // shards that it completed
	Edges    uint64
	Bytes    int64 // copied to the device
	// Continued: the first of the shards began in an earlier batch, which may have
	// failed although this one has not.
	Continued bool
	Copy      float64 // seconds
	Compute   float64
	// Copies is the number of copies of each accumulator there were, the mean over the
	// edges.
	Copies float64
}

// time returns the time that the lane's batch took.
func (l *lane) time() (t PageTime, err error) {
	w := &l.work
	t = PageTime{From: w.from, To: w.to, Edges: w.edges, Bytes: w.bytes, Continued: w.continued}
	if w.edges > 0 {
		t.Copies = float64(w.replicas) / float64(w.edges)
	}
	if t.Compute, err = l.events.done.Since(l.events.started); err == nil && l.memory != 0 {
		t.Copy, err = l.events.copied.Since(l.events.begun)
	}
	return t, err
}

// tracer reports the activity of a device.
type tracer struct {
	epoch device.Event
	skew  float64 // seconds from Options.Began to epoch

	mu    sync.Mutex // guards calls of trace
	trace func(Span) // if nil, no trace
}

// spans reports the spans of a lane's batch.
func (t *tracer) spans(l *lane) error {
	if t.trace == nil {
		return nil
	}
	w := &l.work
	steps := []struct {
		span     Span
		from, to device.Event
	}{
		{Span{Name: "copy", Bytes: w.bytes}, l.events.begun, l.events.copied},
		{Span{Name: "expand"}, l.events.started, l.events.expanded},
		{Span{Name: "pull", Edges: w.edges}, l.events.expanded, l.events.pulled},
		{Span{Name: "apply"}, l.events.pulled, l.events.done},
	}
	if l.memory == 0 {
		steps = steps[2:]
	}
	for _, step := range steps {
		s := step.span
		s.Stream, s.Page = l.number, w.page
		if err := t.span(s, step.from, step.to); err != nil {
			return err
		}
	}
	return nil
}

// span reports the time between two events.
func (t *tracer) span(s Span, from, to device.Event) (err error) {
	if t.trace == nil {
		return nil
	}
	if s.Start, err = from.Since(t.epoch); err != nil {
		return err
	}
	if s.End, err = to.Since(t.epoch); err != nil {
		return err
	}
	s.Start, s.End = s.Start+t.skew, s.End+t.skew
	t.mu.Lock() // one at a time
	defer t.mu.Unlock()
	t.trace(s)
	return nil
}
