package dispatcher

import (
	"cmp"
	"context"

	"go.uber.org/zap"
	"golang.org/x/sync/errgroup"

	"github.com/garaph/garaph/dispatcher/policy"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/hostmem"
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
		if err = s.init(ctx, resumed); err != nil {
			return err
		}
	}
	s.now.activated = uint64(s.arrays.Active.Count(0, p.shape.cat.Vertices))
	if !resumed {
		s.now.step = gas.Step{Aggregate: s.aggregate()}
	}
	r.report.InMemory = p.pages.InMemory()
	if s.policy.known.Limit == 0 { // that of the job's first run holds, wherever it goes on
		if !r.report.InMemory {
			p.opt.Trace.Phase(TimingDisk)
			r.report.AccessRatio = p.store.AccessRatio()
			p.opt.Trace.Phase(Loading)
		}
		known := policy.Start(s.policy.facts, s.policy.known, r.report.AccessRatio)
		if known.Counts.Reach, err = p.reach(s); err != nil {
			return err
		}
		s.policy.set(known)
	}
	r.report.NotifyLimit = s.policy.known.Limit
	if len(j.workers.gpus.live) == 0 && j.advances() {
		read, err := j.workers.cpu.loadRows(ctx)
		if err != nil {
			return err
		}
		r.report.Preparation.Reads.Requested += read
	}
	if !r.report.InMemory {
		p.opt.Log.Info("the graph does not fit into memory: pages are streamed from disk",
			zap.Int64("memory", p.opt.Memory), zap.Float64("notify limit", s.policy.known.Limit))
		j.workers.cpu.engine.Yield = true
	}
	return nil
}

// startGPUs makes the GPUs ready for the first iteration. It drops those that fail.
func (j *Job[V, A]) startGPUs(ctx context.Context) error {
	if err := j.workers.start(ctx); err != nil {
		return err
	}
	if len(j.workers.gpus.live) == 0 || !j.advances() {
		return nil
	}
	read, err := j.workers.gpus.frontier.load(ctx, j.workers.gpus.live)
	j.recorder.report.Preparation.Reads.Requested += read
	return j.workers.survive(err)
}

// advances reports whether the next iteration, if there is one, advances a frontier.
func (j *Job[V, A]) advances() bool {
	return !j.last() && j.state.policy.peek(j.workers.observe()) == Frontier
}

// initialising is the computation of degrees and first values while a GPU is opened.
type initialising struct {
	errgroup.Group
	cancel context.CancelFunc
}

// beginInit starts initialising the vertices, as if the job were not resumed. It does nothing if
// the arrays exceed the budget, for which the job is refused later.
func (s *state[V, A]) beginInit() error {
	if m := s.plan.memory; s.plan.opt.Memory > 0 && m.fixed+m.checkpoints > s.plan.opt.Memory {
		return nil
	}
	if err := s.allocate(); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	x := &initialising{cancel: cancel}
	x.Go(func() error { return s.init(ctx, false) })
	s.ahead = x
	return nil
}

// endInit waits for the initialisation that beginInit started, and reports whether it was started.
func (s *state[V, A]) endInit(ctx context.Context) (begun bool, err error) {
	x := s.ahead
	if x == nil {
		return false, nil
	}
	defer context.AfterFunc(ctx, x.cancel)()
	err = x.Wait()
	x.cancel()
	return true, cmp.Or(ctx.Err(), err)
}

// stopInit cancels the initialisation and waits for its end.
func (s *state[V, A]) stopInit() {
	if s.ahead != nil {
		s.ahead.cancel()
		_ = s.ahead.Wait() // which endInit returns
	}
}

// init sets the degrees of every vertex and, unless the job was resumed, its first value. It sums
// those of the active ones.
func (s *state[V, A]) init(ctx context.Context, resumed bool) error {
	a := s.arrays
	hostmem.PopulateAll(s.plan.opt.Threads, hostmem.AsBytes(a.Cur), hostmem.AsBytes(a.Degree), hostmem.AsBytes(a.In),
		hostmem.AsBytes(a.Out), hostmem.AsBytes(a.Next))
	degrees := make([]uint64, len(s.shape.firsts))
	err := s.plan.eachShard(ctx, func(i int) error {
		var sum uint64 // stored once at the end, as the aggregate: those of other shards lie in the same line of the cache
		var aggregate float64
		var active uint64 // of a word of bits: a locked instruction for each vertex takes a third of the time
		err := s.plan.eachVertex(i, s.arrays.IDs, func(at uint32, v gas.Vertex) {
			degree := s.shape.degree(v)
			s.arrays.Degree[at] = degree
			if s.arrays.In != nil {
				s.arrays.In[at] = v.In
			}
			if s.arrays.Out != nil {
				s.arrays.Out[at] = v.Out
			}
			if resumed {
				if s.arrays.Active.Has(at) {
					sum += uint64(degree)
				}
				return
			}
			value, rises := s.plan.program.Init(v)
			s.arrays.Cur[at] = value
			if s.plan.can.aggregable != nil {
				aggregate += s.plan.can.aggregable.Aggregate(v, value)
			}
			if rises {
				sum += uint64(degree)
				active |= 1 << (at & 63)
			}
			if at&63 == 63 {
				s.arrays.Active.Or(at>>6, active)
				active = 0
			}
		})
		if _, end := s.shape.interval(i); active != 0 {
			s.arrays.Active.Or((end-1)>>6, active)
		}
		degrees[i] = sum
		if s.plan.can.aggregable != nil && !resumed {
			s.aggregates[i] = aggregate
		}
		return err
	})
	s.now.degrees = 0
	for _, d := range degrees {
		s.now.degrees += d
	}
	return err
}
