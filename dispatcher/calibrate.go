package dispatcher

import (
	"context"
	"time"

	"github.com/garaph/garaph/dispatcher/policy"
	"github.com/garaph/garaph/gpuengine"
	"github.com/garaph/garaph/page"
)

// measureSpeeds gets the speeds from where an earlier job on this machine left them, or from a
// short calibration: a page and a launch on either side, whose results are discarded.
func (w *workers[V, A]) measureSpeeds(ctx context.Context) error {
	s := w.state.policy.known
	s.Speeds, s.Fixed = w.plan.opt.hooks.speeds, w.plan.opt.hooks.speeds != (policy.Speeds{})
	o := w.observe()
	if !s.Fixed {
		s.Speeds = readMachine(w.plan.machineFolder()).Speeds[w.recorder.speedsKey()]
	}
	calibrated := !s.Fixed && o.Open() && !s.Speeds.Complete(o) && o.Facts.Method != Frontier // nothing is to choose then
	if calibrated {
		w.plan.opt.Trace.Phase(Calibrating)
		defer func(began time.Time) { w.recorder.report.Preparation.Calibration += time.Since(began) }(time.Now())
		s.Speeds = policy.Speeds{}
		if err := w.gpus.load(ctx); err != nil {
			return err
		}
		for range 2 { // the first time warms up
			if err := w.gpus.measureFirst(ctx, &s.Speeds); err != nil {
				return failed(w.gpus.live[0].number, err)
			}
		}
		for range 2 {
			if err := w.cpu.measureCPU(ctx, &s.Speeds); err != nil {
				return err
			}
		}
		n := float64(len(w.gpus.live)) // which share the work
		s.Speeds.Resident, s.Speeds.Streamed = s.Speeds.Resident/n, s.Speeds.Streamed/n
	}
	w.state.policy.set(s)
	return nil
}

// measureFirst times, on the first GPU, an iteration over a part of what stays, and one over a page that does not.
// Nothing is committed; in async mode the values are copied once more.
func (g *gpus[V, A]) measureFirst(ctx context.Context, v *policy.Speeds) error {
	if kept := g.live[0].engine.Kept(); kept.From < kept.To {
		kept.To = g.live[0].engine.Enough(kept.From)
		s, seconds, err := g.try(ctx, []page.Span{kept}, nil)
		if err != nil {
			return err
		}
		v.Resident = policy.Took{Seconds: seconds, Amount: float64(s.Edges)}.Rate()
	}
	if kept := g.stay(); kept < len(g.plan.shape.firsts) {
		list := gpuengine.Requests(g.plan.pages.Spans(), kept, len(g.plan.shape.firsts))
		one := list[len(list)/2 : len(list)/2+1]
		for range 2 { // after the first one the page is in memory, if it stays there
			s, seconds, err := g.try(ctx, nil, one)
			if err != nil {
				return err
			}
			v.Streamed = policy.Took{Seconds: seconds, Amount: max(1, float64(s.Edges))}.Rate() // a page without edges
		}
	}
	start := time.Now()
	if err := g.live[0].engine.Upload(0, g.plan.shape.cat.Vertices); err != nil {
		return err
	}
	v.Link = policy.Took{Seconds: time.Since(start).Seconds(),
		Amount: float64(g.plan.shape.cat.Vertices) * float64(g.plan.shape.valueBytes)}.Rate()
	return nil
}

// try times an iteration over launches and pages.
func (g *gpus[V, A]) try(ctx context.Context, launches []page.Span, pages []page.Request) (gpuengine.Stats, float64,
	error) {
	from := g.plan.newShare()
	from.launches, from.streamed = launches, pages
	start := time.Now()
	s, err := g.live[0].engine.Iterate(ctx, gpuengine.Work{Step: g.state.now.step, From: from, Quiet: true})
	return s, time.Since(start).Seconds(), err
}
