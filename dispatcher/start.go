package dispatcher

import (
	"context"

	"go.uber.org/zap"

	"github.com/garaph/garaph/dispatcher/policy"
	"github.com/garaph/garaph/gas"
)

// start brings the job to where its first iteration can begin on the CPU.
func (j *Job[V, A]) start(ctx context.Context) error {
	p, s, r := j.plan, j.state, j.recorder
	p.opt.Trace.Phase(Loading)
	begun, err := s.endInit(ctx)
	if err != nil {
		return err
	}
	resumed, err := r.restore(ctx)
	if err != nil {
		return err
	}
	if !begun || resumed {
		if s.now.degrees, err = s.init(ctx, resumed); err != nil {
			return err
		}
	}
	s.now.activated = uint64(s.arrays.Active.Count(0, p.shape.cat.Vertices))
	if !resumed {
		s.now.step = gas.Step{Aggregate: s.aggregate()}
	}
	r.report.InMemory = p.pages.InMemory()
	if s.policy.Limit == 0 { // that of the job's first run holds, wherever it goes on
		if !r.report.InMemory {
			p.opt.Trace.Phase(TimingDisk)
			r.report.AccessRatio = p.store.AccessRatio()
			p.opt.Trace.Phase(Loading)
		}
		s.policy.set(policy.Start(s.policy.facts, s.policy.State, r.report.AccessRatio))
	}
	r.report.NotifyLimit = s.policy.Limit
	if len(j.workers.gpus.live) == 0 && j.advances() {
		read, err := j.workers.cpu.loadRows(ctx)
		if err != nil {
			return err
		}
		r.report.LoadRead += read
		clear(s.arrays.Next) // so that memory is there
	}
	if !r.report.InMemory {
		p.opt.Log.Info("the graph does not fit into memory: pages are streamed from disk",
			zap.Int64("memory", p.opt.Memory), zap.Float64("notify limit", s.policy.Limit))
		j.workers.cpu.engine.Yield = true
	}
	return nil
}

// startGPUs makes the GPUs ready for the first iteration. It goes on without those that fail.
func (j *Job[V, A]) startGPUs(ctx context.Context) error {
	if err := j.workers.start(ctx); err != nil {
		return err
	}
	if len(j.workers.gpus.live) == 0 || !j.advances() {
		return nil
	}
	read, err := j.workers.gpus.frontier.load(ctx, j.workers.gpus.live[0])
	j.recorder.report.LoadRead += read
	return j.workers.survive(err)
}

// advances reports whether the next iteration, if there is one, advances a frontier.
func (j *Job[V, A]) advances() bool {
	return !j.last() && j.state.policy.peek(j.workers.observe()) == Frontier
}
