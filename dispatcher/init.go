package dispatcher

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/garaph/garaph/gas"
)

// initialising is what finds degrees and first values while a GPU is opened.
type initialising struct {
	cancel  context.CancelFunc
	done    chan struct{} // closed at the end; then degrees and err are there
	degrees uint64
	err     error
}

// beginInit begins to initialise the vertices of a job that may not be resumed, unless its
// arrays do not fit into the memory: then it is refused soon.
func (j *Job[V, A]) beginInit(m memoryPlan) error {
	if j.opt.Memory > 0 && m.fixed+m.checkpoints > j.opt.Memory {
		return nil
	}
	if err := j.allocate(m); err != nil {
		return err
	}
	x := &initialising{done: make(chan struct{})}
	ctx, cancel := context.WithCancel(context.Background())
	x.cancel = cancel
	go func() {
		defer close(x.done)
		x.degrees, x.err = j.init(ctx, false)
	}()
	j.workers.opening.ahead = x
	return nil
}

// endInit waits for the vertices, and reports whether they are initialised.
func (j *Job[V, A]) endInit(ctx context.Context) (begun bool, err error) {
	x := j.workers.opening.ahead
	if x == nil {
		return false, nil
	}
	defer context.AfterFunc(ctx, x.cancel)()
	<-x.done
	x.cancel()
	j.standing.position.degrees = x.degrees
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	return true, x.err
}

// stopInit ends it, if it goes on.
func (j *Job[V, A]) stopInit() {
	if j.workers.opening.ahead != nil {
		j.workers.opening.ahead.cancel()
		<-j.workers.opening.ahead.done
	}
}

// init sets the degrees of every vertex and, unless the job was resumed, its first value.
// It returns Σ Degree of the active ones.
func (j *Job[V, A]) init(ctx context.Context, resumed bool) (sum uint64, err error) {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(j.opt.Threads)
	degrees := make([]uint64, len(j.shape.firsts))
	for i := range j.shape.firsts {
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			var sum uint64 // stored once at the end, as the aggregate: those of other shards lie in the same line of the cache
			var aggregate float64
			var active uint64 // of a word of bits: a locked instruction for each vertex takes a third of the time
			err := j.eachVertex(i, func(v gas.Vertex) {
				degree := j.shape.degree(v)
				j.arrays.Degree[v.ID] = degree
				if j.arrays.In != nil {
					j.arrays.In[v.ID] = v.In
				}
				if j.arrays.Out != nil {
					j.arrays.Out[v.ID] = v.Out
				}
				if resumed {
					if j.arrays.Active.Has(v.ID) {
						sum += uint64(degree)
					}
					return
				}
				if j.first(v, &aggregate) {
					sum += uint64(degree)
					active |= 1 << (v.ID & 63)
				}
				if v.ID&63 == 63 {
					j.arrays.Active.Or(v.ID>>6, active)
					active = 0
				}
			})
			if _, end := j.shape.interval(i); active != 0 {
				j.arrays.Active.Or((end-1)>>6, active)
			}
			degrees[i] = sum
			if j.abilities.aggregable != nil && !resumed {
				j.abilities.aggregates[i] = aggregate
			}
			return err
		})
	}
	err = g.Wait()
	for _, d := range degrees {
		sum += d
	}
	return sum, err
}

// first sets the first value of a vertex, adds it to the aggregate of its shard, and reports
// whether it is to be active.
func (j *Job[V, A]) first(v gas.Vertex, aggregate *float64) (active bool) {
	value, active := j.program.Init(v)
	j.arrays.Cur[v.ID] = value
	if j.abilities.aggregable != nil {
		*aggregate += j.abilities.aggregable.Aggregate(v, value)
	}
	return active
}
