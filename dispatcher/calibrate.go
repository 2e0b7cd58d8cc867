package dispatcher

import (
	"context"
	"iter"
	"time"

	"github.com/garaph/garaph/cpuengine"
	"github.com/garaph/garaph/dispatcher/policy"
	"github.com/garaph/garaph/gpuengine"
	"github.com/garaph/garaph/page"
)

// measureSpeeds gets the speeds from where an earlier job on this machine left them, or from a short
// calibration: a page and a launch on either side, whose results are discarded.
func (j *Job[V, A]) measureSpeeds(ctx context.Context) error {
	s := j.policy.State
	s.Speeds, s.Fixed = j.opt.speeds, j.opt.speeds != (policy.Speeds{})
	o := j.observe()
	if !s.Fixed {
		s.Speeds = readMachine(j.machineFolder()).Speeds[j.speedsKey()]
	}
	calibrated := !s.Fixed && o.Open() && !s.Speeds.Complete(o) && o.Facts.Method != Frontier // nothing is to choose then
	if calibrated {
		j.phase(Calibrating)
		defer func(began time.Time) { j.report.Calibration += time.Since(began) }(time.Now())
		s.Speeds = policy.Speeds{}
		for range 2 { // the first time warms up
			if err := j.measureGPU(ctx, &s.Speeds); err != nil {
				return err
			}
		}
		for range 2 {
			if err := j.measureCPU(ctx, &s.Speeds); err != nil {
				return err
			}
		}
	}
	if n := float64(len(j.workers.gpus)); calibrated { // several share the work
		s.Speeds.Resident, s.Speeds.Streamed = s.Speeds.Resident/n, s.Speeds.Streamed/n
	}
	j.policy.set(s)
	return nil
}

// measureCPU times a pull over a page.
func (j *Job[V, A]) measureCPU(ctx context.Context, v *policy.Speeds) error {
	for p, err := range j.pages.Stream(ctx, []page.Request{{Page: len(j.pages.Spans()) / 2}}) {
		if err != nil {
			return err
		}
		scan, err := j.timePage(p)
		p.Release()
		if err != nil {
			return err
		}
		v.Page, v.CPU = scan.Rates()
	}
	if v.Page == 0 || v.CPU == 0 { // a page without edges
		v.Page, v.CPU = 1e-9, 1e-9
	}
	return nil
}

// timePage times a pull over a page. Nothing is published.
func (j *Job[V, A]) timePage(p *page.Page) (policy.Scanned, error) {
	shards := shardsOf(p)
	start := time.Now()
	j.keep(j.arrays.Next, shards)
	s, err := j.workers.cpu.engine.Process(p, cpuengine.Work{Step: j.standing.position.step})
	took := time.Since(start).Seconds()
	clear(j.arrays.Rising)
	return policy.Scanned{Seconds: took, Edges: float64(j.shape.edgesOf(shards)), Looked: float64(s.Edges + s.Vertices)}, err
}

// lookAtCPU measures the CPU while the GPU works alone, by a page that is in
// memory. What goes wrong with it does so again where it matters.
func (j *Job[V, A]) lookAtCPU() {
	i := len(j.pages.Spans()) / 2
	if !j.pages.Stays(i) {
		return
	}
	if p, err := j.pages.Get(page.Request{Page: i}); err == nil {
		scan, err := j.timePage(p)
		p.Release()
		if err == nil {
			j.policy.learn(policy.Measurement{Scan: scan})
		}
	}
}

// sample is the source of an iteration over one launch, or one page.
type sample struct {
	pieces int
	pages  *page.Cache
	one    []page.Request
}

func (s *sample) Stay() (from, to int) {
	to, s.pieces = s.pieces, 0
	return 0, to
}

func (s *sample) Pages(ctx context.Context) iter.Seq2[*page.Page, error] {
	return s.pages.Stream(ctx, s.one)
}

func (s *sample) Done(gpuengine.PageTime) {}

// measureGPU times an iteration over a part of what stays, and one over a page
// that does not. Nothing is committed; in async mode the values are copied once
// more.
func (j *Job[V, A]) measureGPU(ctx context.Context, v *policy.Speeds) error {
	if err := j.workers.gpus[0].engine.Load(ctx); err != nil {
		return err
	}
	pieces := j.workers.gpus[0].engine.Pieces()
	if len(pieces) > 0 {
		s, seconds, err := j.try(ctx, &sample{pieces: j.workers.gpus[0].engine.Enough(0), pages: j.pages})
		if err != nil {
			return err
		}
		v.Resident = policy.Took{Seconds: seconds, Amount: float64(s.Edges)}.Rate()
	}
	if resident := residentShards(pieces); resident < len(j.shape.firsts) {
		list := gpuengine.Requests(j.pages.Spans(), resident, len(j.shape.firsts))
		one := list[len(list)/2 : len(list)/2+1]
		for range 2 { // after the first one the page is in memory, if it stays there
			s, seconds, err := j.try(ctx, &sample{pages: j.pages, one: one})
			if err != nil {
				return err
			}
			v.Streamed = policy.Took{Seconds: seconds, Amount: max(1, float64(s.Edges))}.Rate() // a page without edges
		}
	}
	start := time.Now()
	if err := j.workers.gpus[0].engine.Upload(0, j.shape.cat.Vertices); err != nil {
		return err
	}
	v.Link = policy.Took{Seconds: time.Since(start).Seconds(), Amount: float64(j.shape.cat.Vertices) * float64(j.shape.valueBytes)}.Rate()
	return nil
}

func (j *Job[V, A]) try(ctx context.Context, from gpuengine.Source) (gpuengine.Stats, float64, error) {
	start := time.Now()
	s, err := j.workers.gpus[0].engine.Iterate(ctx, gpuengine.Work{Step: j.standing.position.step, From: from, Quiet: true})
	return s, time.Since(start).Seconds(), err
}
