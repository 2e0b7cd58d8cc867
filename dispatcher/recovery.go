package dispatcher

import (
	"cmp"
	"errors"
	"fmt"
)

// failure is why a GPU is lost.
type failure struct {
	worker int
	error
}

func (f *failure) Unwrap() error { return f.error }

// failed makes an error one of a worker.
func failed(worker int, err error) error {
	if err == nil {
		return nil
	}
	return &failure{worker, err}
}

// survive loses the GPU of a failure; other errors end the job.
func (w *workers[V, A]) survive(err error) error {
	var f *failure
	if errors.As(err, &f) {
		w.lose(f.worker, f.error)
		return nil
	}
	return err
}

// lose drops a GPU. The job continues with its edges on the others, from the values of the last iteration, or from
// those of the host if no other GPU has these.
func (w *workers[V, A]) lose(number int, err error) {
	within := w.state.within && w.plan.opt.Mode == Async || w.state.place.behind
	clear(w.state.arrays.Rising)
	clear(w.state.arrays.Marks)
	w.state.now.unsummed = true
	for err != nil {
		without := "the job goes on on the CPU"
		if len(w.gpus.live) > 1 {
			without = "the job goes on without it"
		}
		w.plan.opt.Log.Warn(fmt.Sprintf("%v; %s", err, without))
		w.recorder.report.GPU.Lost = cmp.Or(w.recorder.report.GPU.Lost, err.Error())
		w.gpus.lose(number)
		if len(w.gpus.live) == 0 {
			break
		}
		if err = w.gpus.fetch(); err == nil {
			err = w.gpus.regroup()
		}
		var f *failure
		if errors.As(err, &f) {
			number = f.worker
		}
	}
	if len(w.gpus.live) > 0 {
		w.reportGPUs()
	} else {
		w.plan.opt.Trace.GPUMemory(0)
	}
	switch {
	case w.state.rewind():
		w.recorder.rewind()
	case within: // vertices that rose in the iteration may be lost with it
		for v := range w.state.arrays.N {
			w.state.arrays.Active.Add(v)
		}
		w.state.now.activated, w.state.now.degrees = uint64(w.state.arrays.N), w.plan.shape.notifyEdges
	}
}
