package dispatcher

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/garaph/garaph/cpuengine"
	"github.com/garaph/garaph/dispatcher/policy"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gpuengine"
	"github.com/garaph/garaph/page"
)

// position is where a job stands beside its values and active set.
type position struct {
	step      gas.Step
	previous  float64 // aggregate
	activated uint64  // active vertices
	degrees   uint64  // Σ Degree of them
	unsummed  bool    // the aggregates by shard are not those of the values
}

// errAgain says that an iteration was not done, and the job goes on from where
// its host's state stands.
var errAgain = errors.New("the GPU was lost")

// lose goes on without the GPU, from the host's state.
func (j *Job[V, A]) lose(err error) {
	j.opt.Log.Warn(fmt.Sprintf("%v; the job goes on on the CPU", err))
	j.report.Lost = err.Error()
	j.lost, j.gpu = j.gpu, nil
	j.back()
}

// back returns to the host's state, if the GPU's was newer.
func (j *Job[V, A]) back() {
	if !j.behind {
		return
	}
	j.behind = false
	j.position = j.safe
	s := j.policy.State
	s.Counts = j.safeCounts
	j.policy.set(s)
	copy(j.unsettled, j.firsts) // the step is an earlier one
	clear(j.hostStale)
	clear(j.arrays.Rising)
	clear(j.arrays.Marks)
	done := slices.IndexFunc(j.report.Iterations, func(it Iteration) bool { return it.Iteration >= j.step.Iteration })
	if done >= 0 { // they are done again
		j.report.Iterations = j.report.Iterations[:done]
	}
}

// shared is an iteration that the GPU has a part in.
type shared struct {
	*handout
	it        *Iteration
	measured  *policy.Measurement
	following []page.Request // what the GPU copies at the end for the iteration after it
	early     bool           // it begins with what it has copied at the end of the one before
	stats     gpuengine.Stats
	failed    error // of the GPU
	untold    error // why it did not get what the CPU did
	host      cpuengine.Stats
	times     []PageWork     // of the CPU
	scan      policy.Scanned // of the CPU
	loaded    int64          // bytes of pages read before
}

// onGPU does an iteration on the GPU, alone or together with the CPU. A GPU that
// fails loses nothing: in an iteration of both, the CPU does what is left of it;
// otherwise the job goes on from the host's state.
func (j *Job[V, A]) onGPU(ctx context.Context, it *Iteration, m *policy.Measurement) error {
	began := time.Now()
	requests, err := j.forGPU(ctx, it)
	if err != nil {
		return err
	}
	x := &shared{handout: newHandout(j.pages, requests, j.edges, j.gpu.Pieces(), j.began), it: it, measured: m, loaded: j.pages.BytesRead()}
	x.enough, x.speeds = j.gpu.Enough, j.policy.Speeds
	if it.Device == Hybrid {
		x.share(j.ranks)
	}
	var before *snapshot[V] // one that is taken in the iteration is not of Next
	if j.epochs != nil && it.Device == Hybrid {
		before = j.epochs.taken
	}
	x.taken = func(shards []int) {
		for _, i := range shards {
			if from, to := j.interval(i); before != nil {
				before.keep(j.arrays.Next, from, to)
			}
		}
	}
	if it.Method == Pull {
		x.following = x.first()
	}
	x.early = x.beginWith(j.gpu.Early())
	j.behind = j.behind || it.Device == GPU // also when it breaks off
	err = j.together(ctx, x)
	x.release()
	if err == nil {
		err = j.outcome(ctx, x, requests)
	}
	j.account(x, time.Since(began).Seconds())
	return err
}

// forGPU lists the pages of an iteration with a part for the GPU.
func (j *Job[V, A]) forGPU(ctx context.Context, it *Iteration) ([]page.Request, error) {
	if j.aggregable != nil { // the aggregate is over all vertices
		return gpuengine.Requests(j.pages.Spans(), 0, len(j.firsts)), nil
	}
	if it.Method == Pull {
		return j.requests(false)
	}
	if err := j.mark(ctx, it); err != nil {
		return nil, err
	}
	requests, err := j.requests(true)
	clear(j.arrays.Marks)
	return requests, err
}

// mark marks who has to gather, by the active set that the GPU has where that is
// newer.
func (j *Job[V, A]) mark(ctx context.Context, it *Iteration) error {
	if a := j.arrays; j.behind {
		if err := j.gpu.Active(); err != nil {
			j.lose(err)
			return errAgain
		}
		a.Active, a.Rising = a.Rising, a.Active
		defer func() {
			a.Active, a.Rising = a.Rising, a.Active
			clear(a.Rising)
		}()
	}
	s, err := j.notify(ctx, j.activeSet())
	it.Edges += s.Edges
	return err
}

// together lets the devices work until everything is done. The error is not one of
// the GPU.
func (j *Job[V, A]) together(ctx context.Context, x *shared) (err error) {
	reading, stop := context.WithCancel(ctx) // and what the GPU does
	defer stop()
	var g errgroup.Group
	if x.reading {
		g.Go(func() error {
			x.read(reading)
			return nil
		})
	}
	iterate := func() error {
		x.stats, x.failed = j.gpu.Iterate(reading, gpuengine.Work{
			Step: j.step, From: x.handout, Exchange: x.it.Device == Hybrid, Next: x.following, Last: j.step.Iteration+1 == j.opt.Iterations, Early: x.early,
		})
		x.end()
		if x.failed != nil {
			stop() // nobody takes what is read
		}
		return nil
	}
	if x.it.Device == GPU {
		_ = iterate()
	} else {
		g.Go(iterate)
		if err = j.beside(ctx, x); err != nil {
			stop()
		}
	}
	_ = g.Wait() // the errors are in x
	x.failed = cmp.Or(x.failed, x.untold)
	return err
}

// spared is how many goroutines of the CPU leave their processors to those that keep the
// GPU busy.
const spared = 2

// beside is the CPU's part of an iteration of both.
func (j *Job[V, A]) beside(ctx context.Context, x *shared) error {
	w := cpuengine.Work{Step: j.step, Aggregates: j.aggregates, SourceOrder: x.it.SourceOrder}
	// With all processors at work on pages, copies to the GPU stood still for as long
	// as a page took.
	spare := min(spared, j.opt.Threads/4)
	x.threads, x.order, x.orderPulls = j.cpu.Goroutines(spare), len(j.pages.Spans()), j.policy.OrderPulls
	if w.SourceOrder {
		x.order = j.policy.Lowest
	}
	x.measured.Lowest = len(j.pages.Spans())
	j.unsummed = true
	err := j.onPages(ctx, spare, func(ctx context.Context) (*page.Page, cpuengine.Work, error) {
		for {
			t, err := x.forHost(ctx)
			if len(t.arrived) > 0 && j.opt.Mode == Async {
				err = j.publish(t.arrived, false)
			}
			if err != nil || len(t.arrived) == 0 {
				if t.page != nil {
					x.measured.Lowest = min(x.measured.Lowest, j.ranks[t.page.Index])
				}
				w.MakeOrder = t.order
				return t.page, w, err
			}
		}
	}, func(p processed) error {
		if pull := x.takes(p.shards); p.work.MakeOrder && pull > 0 {
			x.measured.Orders = append(x.measured.Orders, (p.End-p.Start)/pull)
		} else if !p.work.MakeOrder {
			x.scan.Seconds += p.Compute
			x.scan.Edges += j.edgesOf(p.shards)
			x.scan.Looked += float64(p.stats.Edges + p.stats.Vertices)
		}
		x.times = append(x.times, p.PageWork)
		x.host.Add(p.stats)
		if x.untold == nil {
			x.untold = j.tell(p.shards)
		}
		return nil
	})
	x.measured.Late = x.late
	return err
}

// outcome ends an iteration that was worked on.
func (j *Job[V, A]) outcome(ctx context.Context, x *shared, requests []page.Request) error {
	switch {
	case x.failed == nil && x.unread == nil: // whatever has happened since
		exchanged, err := j.gpu.Commit()
		x.it.BytesCopied = x.stats.Bytes + exchanged
		x.failed = err
	case ctx.Err() != nil:
		j.broken(x)
		return ctx.Err()
	case x.unread != nil:
		j.broken(x)
		return x.unread
	}
	if x.failed != nil {
		alone := x.it.Device == GPU
		j.lose(x.failed)
		if alone {
			return errAgain
		}
		x.stats = gpuengine.Stats{Edges: x.did[stays] + x.did[streams], Pages: len(x.handout.times)}
		for i, s := range x.state {
			if s == fromGPU {
				x.stats.Vertices += uint64(j.cat.Shards[i].Vertices)
			}
		}
		if err := j.finishOnHost(ctx, x); err != nil {
			return err
		}
	}
	it := x.it
	it.Edges += x.stats.Edges + x.host.Edges
	it.Vertices = x.stats.Vertices + x.host.Vertices
	it.Pages = x.stats.Pages + len(x.times)
	it.BytesBack = x.stats.Back
	aggregate := x.stats.Aggregate
	if it.Device == GPU {
		for i, s := range x.state {
			j.hostStale[i] = j.hostStale[i] || s == fromGPU || s == mended
		}
	} else {
		if j.opt.Mode == Sync {
			if err := j.commit(requests, false); err != nil {
				return err
			}
		}
		j.arrays.Advance()
		for i, s := range x.state {
			if s == onHost && j.aggregates != nil {
				aggregate += j.aggregates[i]
			}
		}
	}
	j.activated, j.degrees = x.stats.Activated+x.host.Activated, x.stats.Degrees+x.host.Degrees
	if j.gpu == nil { // what it has counted is lost with it
		if err := j.recount(); err != nil {
			j.lose(err)
			return errAgain
		}
	}
	if j.gpu == nil {
		if err := j.resum(); err != nil {
			return err
		}
		aggregate = j.aggregate()
	} else {
		j.unsummed = true
	}
	j.previous = j.step.Aggregate
	j.step = gas.Step{Iteration: j.step.Iteration + 1, Aggregate: aggregate}
	return nil
}

// broken notes what an iteration of the GPU alone leaves that ends in its middle,
// so that the job can be saved: in async mode, some new values.
func (j *Job[V, A]) broken(x *shared) {
	if x.it.Device != GPU || j.opt.Mode == Sync {
		return
	}
	for i := range j.hostStale {
		j.hostStale[i] = true
	}
}

// finishOnHost does on the CPU what the GPU has not done before it failed.
func (j *Job[V, A]) finishOnHost(ctx context.Context, x *shared) error {
	var requests []page.Request
	for _, i := range x.unfinished() {
		p := j.pages.PageOf(i)
		if n := len(requests); n == 0 || requests[n-1].Page != p {
			requests = append(requests, page.Request{Page: p})
		}
		last := &requests[len(requests)-1]
		last.Shards = append(last.Shards, i)
		x.state[i] = onHost
	}
	s, err := j.pull(ctx, requests, cpuengine.Work{Step: j.step, Aggregates: j.aggregates}, x.it, func(w PageWork) {
		x.times = append(x.times, w)
	})
	x.host.Add(s)
	return err
}

// recount counts the active vertices and their edges.
func (j *Job[V, A]) recount() error {
	active := j.arrays.Active
	if j.behind {
		if err := j.gpu.Active(); err != nil {
			return err
		}
		active = j.arrays.Rising
		defer clear(active)
	}
	j.activated, j.degrees = 0, 0
	for v, ok := active.Next(0, j.cat.Vertices); ok; v, ok = active.Next(v+1, j.cat.Vertices) {
		j.activated++
		j.degrees += uint64(j.arrays.Degree[v])
	}
	return nil
}

// resum sums the aggregate over the host's values, by shard.
func (j *Job[V, A]) resum() error {
	j.unsummed = false
	if j.aggregable == nil {
		return nil
	}
	var g errgroup.Group
	g.SetLimit(j.opt.Threads)
	for i := range j.firsts {
		g.Go(func() error {
			sum := 0.0
			err := j.eachVertex(i, func(v gas.Vertex) { sum += j.aggregable.Aggregate(v, j.arrays.Cur[v.ID]) })
			j.aggregates[i] = sum
			return err
		})
	}
	return g.Wait()
}

// account notes what each device did in an iteration that took so long, and how
// fast it was.
func (j *Job[V, A]) account(x *shared, took float64) {
	it := x.it
	it.Devices = map[Device]DeviceWork{}
	worked := 0.0 // until all pages were done
	if n := len(x.handout.times); n > 0 {
		worked = x.last - x.start
		it.Devices[GPU] = DeviceWork{Pages: n, Edges: x.stats.Edges, Seconds: worked}
	}
	if n := len(x.times); n > 0 {
		seconds := x.times[n-1].End - x.start // done is told in this order
		worked = max(worked, seconds)
		it.Devices[CPU] = DeviceWork{Pages: n, Edges: x.host.Edges, Seconds: seconds}
	}
	m := x.measured
	m.GPUWorked = x.last - x.start
	if loading := j.pages.InMemory() && j.pages.BytesRead() > x.loaded; x.failed == nil && !loading { // pages that stay
		m.Beside, m.Scan = took-worked, x.scan
		if x.did[streams] > 0 {
			m.Streamed = policy.Took{Seconds: m.GPUWorked, Amount: float64(x.did[streams])}
		} else {
			m.Resident = policy.Took{Seconds: m.GPUWorked, Amount: float64(x.did[stays])}
		}
	}
	if j.opt.PageDone == nil {
		return
	}
	all := slices.Concat(x.handout.times, x.times)
	slices.SortFunc(all, func(a, b PageWork) int { return cmp.Compare(a.Start, b.Start) })
	for _, w := range all {
		w.Iteration = it.Iteration
		j.opt.PageDone(w)
	}
}

// maintain does what the policy wants for the sake of later iterations.
func (j *Job[V, A]) maintain(took time.Duration) error {
	due := j.policy.maintain(j.observe(), took)
	if due.Fetch {
		if err := j.fetch(); err != nil {
			return err
		}
	}
	if due.TimeCPU {
		j.lookAtCPU()
	}
	return nil
}
