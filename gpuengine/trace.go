package gpuengine

import "github.com/garaph/garaph/gpuengine/device"

// Span is something that a device did, for a trace. Times are seconds since
// [Options.Began].
type Span struct {
	Stream     int
	Name       string // "copy", "expand", "pull", "apply"
	Page       int    // of the host, the first of several; -1 for what stays on the device
	Start, End float64
	Bytes      int64  // copied
	Edges      uint64 // gathered along
}

// PageTime is how long a batch took on the device.
type PageTime struct {
	From, To int // shards that it completed
	Edges    uint64
	Bytes    int64 // copied to the device
	// Continued: the first of the shards began in an earlier batch, which may have
	// failed although this one has not.
	Continued bool
	Copy      float64 // seconds
	Compute   float64
	// Copies is how many copies of each accumulator there were, the mean over the
	// edges.
	Copies float64
}

// measure takes the times of what a lane has done.
func (e *Engine[V, A]) measure(l *lane) error {
	w := &l.work
	t := PageTime{From: w.from, To: w.to, Edges: w.edges, Bytes: w.bytes, Continued: w.continued}
	if w.edges > 0 {
		t.Copies = float64(w.replicas) / float64(w.edges)
	}
	var err error
	if t.Compute, err = l.done.Since(l.started); err != nil {
		return err
	}
	if l.memory != 0 {
		if t.Copy, err = l.copied.Since(l.begun); err != nil {
			return err
		}
	}
	e.mu.Lock()
	e.times = append(e.times, t)
	e.work.From.Done(t)
	e.mu.Unlock()
	if e.opt.Trace == nil || e.work.Quiet {
		return nil
	}
	steps := []struct {
		name     string
		from, to device.Event
	}{{"copy", l.begun, l.copied}, {"expand", l.started, l.expanded}, {"pull", l.expanded, l.pulled}, {"apply", l.pulled, l.done}}
	if l.memory == 0 {
		steps = steps[2:]
	}
	for _, step := range steps {
		s := Span{Stream: l.number, Name: step.name, Page: w.page}
		switch step.name {
		case "copy":
			s.Bytes = w.bytes
		case "pull":
			s.Edges = w.edges
		}
		if s.Start, err = step.from.Since(e.epoch); err != nil {
			return err
		}
		if s.End, err = step.to.Since(e.epoch); err != nil {
			return err
		}
		s.Start, s.End = s.Start+e.skew, s.End+e.skew
		e.mu.Lock() // one at a time
		e.opt.Trace(s)
		e.mu.Unlock()
	}
	return nil
}
