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

// restore takes over the state of the newest sound epoch, if the job is recorded and has one.
func (r *recorder[V, A]) restore(ctx context.Context) (resumed bool, err error) {
	if r.epochs != nil && !r.epochs.Job.Begun() { // it could not be recorded
		r.epochs.free()
		r.epochs = nil
	}
	if r.epochs == nil {
		return false, nil
	}
	epoch, err := r.epochs.Restore(ctx, r.state)
	if err != nil {
		return false, fmt.Errorf("graph %s: %w", r.plan.store.Name(), err)
	}
	if epoch.Number == 0 {
		return false, nil
	}
	log := r.plan.opt.Log
	if err := r.state.resume(epoch.State); err != nil {
		log.Debug("the policy begins without what the checkpoint says", zap.Error(err))
	}
	r.report.Before, r.report.Earlier = epoch.State.Iteration, epoch.State.Work
	if epoch.State.Within && r.plan.can.restless {
		log.Warn(fmt.Sprintf("job %d: iteration %d was interrupted and starts again, and the program is not idempotent: "+
			"values may differ from those of an uninterrupted run",
			r.epochs.Job.ID(), epoch.State.Iteration+1))
	}
	return true, nil
}

// resume takes over what an epoch holds beside values and active set. The error is that of its
// policy, without which the run goes on.
func (s *state[V, A]) resume(from checkpoint.State) error {
	s.now.step = gas.Step{Iteration: from.Iteration, Aggregate: float64(from.Aggregate)}
	s.now.previous = float64(from.Previous)
	known, err := policy.Decode(from.Policy, s.policy.known)
	s.policy.set(known)
	for i, a := range from.Aggregates {
		s.aggregates[i] = float64(a)
	}
	s.now.unsummed = s.plan.can.aggregable != nil && math.IsNaN(s.now.previous)
	return err
}

// Begin implements [checkpoint.Sink].
func (s *state[V, A]) Begin(from checkpoint.State) error {
	if from.Vertices != s.shape.cat.Vertices || from.ValueBytes != s.shape.valueBytes ||
		len(from.Aggregates) != len(s.aggregates) {
		return fmt.Errorf("%w: it has %d vertices of %d bytes and %d aggregates, the job %d of %d and %d",
			checkpoint.ErrDiffers,
			from.Vertices, from.ValueBytes, len(from.Aggregates), s.shape.cat.Vertices, s.shape.valueBytes, len(s.aggregates))
	}
	if n := s.plan.opt.Iterations; n > 0 && from.Iteration > n {
		return fmt.Errorf("%w: it has done %d iterations of %d", checkpoint.ErrDiffers, from.Iteration, n)
	}
	clear(s.arrays.Active)
	return nil
}

// Take implements [checkpoint.Sink].
func (s *state[V, A]) Take(from, to uint32, values []byte, active []uint64) error {
	copy(hostmem.AsBytes(s.arrays.Cur[from:to]), values)
	copy(s.arrays.Active[from/64:(uint64(to)+63)/64], active)
	return nil
}
