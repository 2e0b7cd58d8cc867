package dispatcher

import (
	"context"
	"fmt"
	"math"

	"go.uber.org/zap"

	"github.com/garaph/garaph/checkpoint"
	"github.com/garaph/garaph/dispatcher/policy"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/hostmem"
)

// restore takes over the state of the newest sound epoch, if the job is recorded
// and has one.
func (j *Job[V, A]) restore(ctx context.Context) (resumed bool, err error) {
	if j.epochs != nil && !j.epochs.job.Begun() { // it could not be recorded
		j.epochs.free()
		j.epochs = nil
	}
	if j.epochs == nil {
		return false, nil
	}
	r, err := j.epochs.job.Restore(ctx, restorer[V, A]{j})
	for _, passed := range r.Passed {
		j.opt.Log.Warn(fmt.Sprintf("job %d: a checkpoint is passed over: %v", j.epochs.job.ID(), passed))
	}
	if err != nil {
		return false, fmt.Errorf("graph %s: %w", j.store.Name(), err)
	}
	if r.Number == 0 {
		return false, nil
	}
	s := r.State
	j.standing.position.step = gas.Step{Iteration: s.Iteration, Aggregate: float64(s.Aggregate)}
	j.standing.position.previous = float64(s.Previous)
	known, err := policy.Decode(s.Policy, j.policy.State)
	if err != nil {
		j.opt.Log.Debug("the policy begins without what the checkpoint says", zap.Error(err))
	}
	j.policy.set(known)
	for i, a := range s.Aggregates {
		j.abilities.aggregates[i] = float64(a)
	}
	j.standing.position.unsummed = j.abilities.aggregable != nil && math.IsNaN(j.standing.position.previous)
	j.report.Before, j.report.Earlier = s.Iteration, s.Work
	j.opt.Log.Info(fmt.Sprintf("job %d goes on from checkpoint %d, after %d iterations", j.epochs.job.ID(), r.Number, s.Iteration))
	if s.Within && j.abilities.restless {
		j.opt.Log.Warn(fmt.Sprintf("job %d: iteration %d was cut and begins again, and the program is not idempotent: values may differ from those of a run that was not interrupted",
			j.epochs.job.ID(), s.Iteration+1))
	}
	return true, nil
}

// restorer is the [checkpoint.Sink] that fills the arrays of a job.
type restorer[V, A any] struct{ Job *Job[V, A] }

func (r restorer[V, A]) Begin(s checkpoint.State) error {
	if s.Vertices != r.Job.shape.cat.Vertices || s.ValueBytes != r.Job.shape.valueBytes || len(s.Aggregates) != len(r.Job.abilities.aggregates) {
		return fmt.Errorf("%w: it has %d vertices of %d bytes and %d aggregates, the job %d of %d and %d", checkpoint.ErrDiffers,
			s.Vertices, s.ValueBytes, len(s.Aggregates), r.Job.shape.cat.Vertices, r.Job.shape.valueBytes, len(r.Job.abilities.aggregates))
	}
	if n := r.Job.opt.Iterations; n > 0 && s.Iteration > n {
		return fmt.Errorf("%w: it has done %d iterations of %d", checkpoint.ErrDiffers, s.Iteration, n)
	}
	clear(r.Job.arrays.Active)
	return nil
}

func (r restorer[V, A]) Take(from, to uint32, values []byte, active []uint64) error {
	copy(hostmem.AsBytes(r.Job.arrays.Cur[from:to]), values)
	copy(r.Job.arrays.Active[from/64:(uint64(to)+63)/64], active)
	return nil
}
