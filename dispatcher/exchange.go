package dispatcher

import (
	"bytes"
	"time"

	"github.com/garaph/garaph/dispatcher/policy"
	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/page"
)

// fetch brings the host's values and active set up to date. When it fails, they are as they were.
func (g *gpus[V, A]) fetch() error {
	if len(g.live) == 0 || !g.state.place.behind() {
		return nil
	}
	g.state.keep(g.state.arrays.Next, g.plan.shape.allShards())
	stale := g.state.place.stale(host)
	start := time.Now()
	for _, r := range stale {
		gpu := g.get(g.state.place.owner[r.From])
		if err := gpu.engine.Download(g.plan.shape.vertices(r)); err != nil {
			return failed(gpu.number, err)
		}
	}
	g.state.policy.learn(policy.Measurement{Link: policy.Took{Seconds: time.Since(start).Seconds(),
		Amount: float64(g.plan.shape.bytesIn(stale))}})
	clear(g.state.arrays.Rising)
	if err := g.get(g.state.place.active).engine.Active(); err != nil {
		clear(g.state.arrays.Rising)
		return failed(g.state.place.active, err)
	}
	g.takeOver(stale)
	return nil
}

// takeOver makes what was fetched the host's values and active set.
func (g *gpus[V, A]) takeOver(stale []page.Span) {
	whole := len(stale) == 1 && stale[0] == page.Span{To: len(g.plan.shape.firsts)}
	if whole {
		g.state.arrays.Swap()
	}
	for _, r := range stale {
		shards := r.List()
		if !whole {
			g.state.keep(g.state.arrays.Cur, shards)
			from, to := g.plan.shape.vertices(r)
			g.state.arrays.Publish(from, to, false)
		}
		for _, i := range shards {
			g.state.place.copied(host, i)
		}
	}
	g.state.arrays.Advance()
	g.state.place.active = host
}

// supply brings the GPUs' values up to date. What a GPU misses is on the host: with several of
// them, the host is up to date after each iteration.
func (g *gpus[V, A]) supply() error {
	for _, gpu := range g.live {
		for _, r := range g.state.place.stale(gpu.number) {
			if err := gpu.engine.Upload(g.plan.shape.vertices(r)); err != nil {
				return failed(gpu.number, err)
			}
			for _, i := range r.List() {
				g.state.place.copied(gpu.number, i)
			}
		}
	}
	return nil
}

// exchangeBytes is the unit in which values that changed are distinguished from those that did not.
const exchangeBytes = 64 << 10

// send sends the new values of shards that a worker has done in this iteration to all GPUs but
// itself, in blocks that differ from the old ones. An error is noted with the GPU.
func (g *gpus[V, A]) send(from int, shards []int) {
	g.sending.Lock()
	defer g.sending.Unlock()
	for _, r := range g.changed(shards) {
		for _, gpu := range g.live {
			if gpu.number != from && gpu.unsent == nil {
				gpu.unsent = gpu.engine.Receive(r[0], r[1])
			}
		}
	}
}

// changed lists the blocks of vertices in shards whose new values differ.
func (g *gpus[V, A]) changed(shards []int) (list [][2]uint32) {
	block := uint32(max(1, exchangeBytes/max(1, g.plan.shape.valueBytes)))
	for _, i := range shards {
		first, end := g.plan.shape.interval(i)
		for from := first; from < end; from += min(block, end-from) {
			to := from + min(block, end-from)
			if bytes.Equal(hostmem.AsBytes(g.state.arrays.Cur[from:to]), hostmem.AsBytes(g.state.arrays.Next[from:to])) {
				continue
			}
			if n := len(list); n > 0 && list[n-1][1] == from {
				list[n-1][1] = to
			} else {
				list = append(list, [2]uint32{from, to})
			}
		}
	}
	return list
}
