package dispatcher

import (
	"bytes"
	"sync"
	"time"

	"github.com/garaph/garaph/dispatcher/policy"
	"github.com/garaph/garaph/internal/hostmem"
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

// throughHost moves values between the workers of a run through the host's memory: GPUs send what they
// have done to the host behind the kernels of each batch, and get what others have done from there. An
// iteration that several do leaves all of them with all new values; one that one does alone leaves the
// others behind, shard by shard, until they need them. Errors are a [failure] of a worker.
type throughHost[V, A any] struct {
	Job     *Job[V, A]
	sending sync.Mutex // one call of Receive at a time
}

// fetch brings the host's values and active set up to date. When it fails, they are as they were.
func (x *throughHost[V, A]) fetch() error {
	if len(x.Job.workers.gpus) == 0 || !x.Job.workers.place.behind() {
		return nil
	}
	x.Job.keep(x.Job.arrays.Next, x.Job.shape.allShards())
	stale := x.Job.workers.place.stale(host)
	start := time.Now()
	for _, r := range stale {
		g := x.Job.workers.gpu(x.Job.workers.place.owner[r.from])
		if err := g.engine.Download(x.Job.shape.vertices(r)); err != nil {
			return failed(g.number, err)
		}
	}
	x.Job.policy.learn(policy.Measurement{Link: policy.Took{Seconds: time.Since(start).Seconds(), Amount: float64(x.Job.shape.bytesIn(stale))}})
	clear(x.Job.arrays.Rising)
	if err := x.Job.workers.gpu(x.Job.workers.place.active).engine.Active(); err != nil {
		clear(x.Job.arrays.Rising)
		return failed(x.Job.workers.place.active, err)
	}
	x.takeOver(stale)
	return nil
}

// takeOver makes what was fetched the host's values and active set.
func (x *throughHost[V, A]) takeOver(stale []span) {
	whole := len(stale) == 1 && stale[0] == span{0, len(x.Job.shape.firsts)}
	if whole {
		x.Job.arrays.Swap()
	}
	for _, r := range stale {
		shards := shardsOfSpan(r)
		if !whole {
			x.Job.keep(x.Job.arrays.Cur, shards)
			from, to := x.Job.shape.vertices(r)
			x.Job.arrays.Publish(from, to, false)
		}
		for _, i := range shards {
			x.Job.workers.place.copied(host, i)
		}
	}
	x.Job.arrays.Advance()
	x.Job.workers.place.active = host
}

// supply brings the GPUs' values up to date. What a GPU misses is on the host: with several of them, the host
// is up to date after each iteration.
func (x *throughHost[V, A]) supply() error {
	for _, g := range x.Job.workers.gpus {
		for _, r := range x.Job.workers.place.stale(g.number) {
			if err := g.engine.Upload(x.Job.shape.vertices(r)); err != nil {
				return failed(g.number, err)
			}
			for _, i := range shardsOfSpan(r) {
				x.Job.workers.place.copied(g.number, i)
			}
		}
	}
	return nil
}

// exchangeBytes is the unit in which values that changed are distinguished from those
// that did not.
const exchangeBytes = 64 << 10

// send sends the new values of shards that a worker has done in this iteration to all GPUs but
// itself, in blocks that differ from the old ones. An error is noted with the GPU.
func (x *throughHost[V, A]) send(from int, shards []int) {
	x.sending.Lock()
	defer x.sending.Unlock()
	for _, r := range x.changed(shards) {
		for _, g := range x.Job.workers.gpus {
			if g.number != from && g.unsent == nil {
				g.unsent = g.engine.Receive(uint32(r.from), uint32(r.to))
			}
		}
	}
}

// changed lists the blocks of vertices in shards whose new values differ.
func (x *throughHost[V, A]) changed(shards []int) (list []span) {
	block := uint32(max(1, exchangeBytes/max(1, x.Job.shape.valueBytes)))
	for _, i := range shards {
		first, end := x.Job.shape.interval(i)
		for from := first; from < end; from += min(block, end-from) {
			to := from + min(block, end-from)
			if bytes.Equal(hostmem.AsBytes(x.Job.arrays.Cur[from:to]), hostmem.AsBytes(x.Job.arrays.Next[from:to])) {
				continue
			}
			if n := len(list); n > 0 && list[n-1].to == int(from) {
				list[n-1].to = int(to)
			} else {
				list = append(list, span{int(from), int(to)})
			}
		}
	}
	return list
}
