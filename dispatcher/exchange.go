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
	if len(g.live) == 0 || !g.state.place.behind {
		return nil
	}
	g.state.keep(g.state.arrays.Next, g.plan.shape.allShards())
	stale := g.state.place.stale(host)
	start := time.Now()
	for _, r := range stale {
		if err := g.live[0].engine.Download(g.plan.shape.vertices(r)); err != nil {
			return failed(g.live[0].number, err)
		}
	}
	g.state.policy.learn(policy.Measurement{Link: policy.Took{Seconds: time.Since(start).Seconds(),
		Amount: float64(g.plan.shape.bytesIn(stale))}})
	if err := g.active(); err != nil {
		return err
	}
	g.takeOver(stale)
	return nil
}

// active puts the active set of the GPUs into the host's rising vertices. After an error, these are none.
func (g *gpus[V, A]) active() error {
	clear(g.state.arrays.Rising)
	for _, gpu := range g.live {
		if err := gpu.engine.Active(); err != nil {
			clear(g.state.arrays.Rising)
			return failed(gpu.number, err)
		}
	}
	return nil
}

// takeOver makes what was fetched the host's values and active set.
func (g *gpus[V, A]) takeOver(stale []page.Span) {
	var shards []int
	for _, r := range stale {
		shards = append(shards, r.List()...)
	}
	g.state.makeCurrent(shards, false)
	for _, i := range shards {
		g.state.place.share(i)
	}
	g.state.arrays.Advance()
	g.state.place.behind = false
}

// supply brings the GPUs' values up to date with the host's.
func (g *gpus[V, A]) supply() error {
	stale := g.state.place.stale(onGPUs)
	if len(stale) == 0 {
		return nil
	}
	err := g.each(func(gpu *gpuWorker[V, A]) error {
		for _, r := range stale {
			if err := gpu.engine.Upload(g.plan.shape.vertices(r)); err != nil {
				return err
			}
		}
		return nil
	})
	for _, r := range stale {
		for _, i := range r.List() {
			g.state.place.lacks[onGPUs][i] = err != nil
		}
	}
	return err
}

// exchangeBytes is the unit in which values that changed are distinguished from those that did not.
const exchangeBytes = 64 << 10

// send sends the new values of shards that the CPU has done in this iteration to all GPUs, in blocks that differ
// from the old ones. An error is noted with the GPU.
func (g *gpus[V, A]) send(shards []int) {
	for _, r := range g.changed(shards) {
		for _, gpu := range g.live {
			if gpu.unsent == nil {
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
