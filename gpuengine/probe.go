package gpuengine

import (
	"errors"
	"fmt"
	"sort"
	"unsafe"

	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/kernels"
)

// KernelTimes are what the kernels of a job take, each alone on the device: the
// least of several launches, in seconds.
type KernelTimes struct {
	Expand, Pull, Apply float64 // over the whole graph
	Shards              []ShardTime
}

// ShardTime is what the pull of one shard takes, alone on the device.
type ShardTime struct {
	Shard   int
	Edges   uint64
	Copies  float64 // of an accumulator, the mean over edges
	Seconds float64
}

// Probe times the kernels of a started engine, over a graph that stays on the
// device as a whole. Values and the next iteration are as if it had not been
// called.
func (e *Engine[V, A]) Probe(rounds int) (t KernelTimes, err error) {
	if e.opt.Async || e.plan.resident < len(e.plan.cat.Shards) || len(e.pieces) == 0 {
		return t, errors.New("kernels are timed in sync mode, where all edges stay on the GPU")
	}
	l, err := newOwnLane(e.device)
	defer func() { err = errors.Join(err, l.closeOwn(e.device)) }()
	if err != nil {
		return t, err
	}
	zero := kernels.ZeroArgs{Acc: e.at[accumulators], Parameters: e.at[parameterBlock], Fault: e.fault(), N: e.plan.cat.Vertices}
	all := e.join(0, len(e.pieces))
	for _, step := range []struct {
		seconds *float64
		launch  func() error
	}{
		{&t.Expand, func() error { return e.expandAll(l) }},
		{&t.Pull, func() error { l.work = all; return e.pull(l) }},
		{&t.Apply, func() error { l.work = all; return e.apply(l) }},
	} {
		if *step.seconds, err = l.least(rounds, step.launch); err != nil {
			return t, fmt.Errorf("timing kernels: %w", err)
		}
	}
	if t.Shards, err = e.probeShards(l, all, rounds); err != nil {
		return t, fmt.Errorf("timing the pull of each shard: %w", err)
	}
	if err := e.kernels.Zero.Launch(l.stream, &zero); err != nil {
		return t, err
	}
	return t, l.stream.Sync()
}

// expandAll expands the destinations of all pages once more, where they are.
func (e *Engine[V, A]) expandAll(l *lane) error {
	for i := range e.pieces {
		w := &e.pieces[i]
		n := 0
		for _, count := range w.counts {
			n += count
		}
		if n == 0 {
			continue
		}
		l.expandArgs = kernels.ExpandArgs{Chunks: w.placed, Ranges: w.placed + device.Pointer(n)*device.Pointer(unsafe.Sizeof(kernels.Chunk{}))}
		if err := e.kernels.Expand.Launch(l.stream, n, &l.expandArgs); err != nil {
			return err
		}
	}
	return nil
}

// probeShards times the pull of each shard.
func (e *Engine[V, A]) probeShards(l *lane, all work, rounds int) ([]ShardTime, error) {
	var lists [keys][]kernels.Chunk
	for k, n := range all.counts {
		lists[k] = make([]kernels.Chunk, n)
		if err := e.staging.toHost(e.main, bytesOfSlice(lists[k]), all.chunks[k]); err != nil {
			return nil, err
		}
	}
	var times []ShardTime
	for i, s := range e.plan.cat.Shards {
		t, w := ShardTime{Shard: i}, work{}
		for k, list := range lists {
			from := sort.Search(len(list), func(c int) bool { return list[c].First >= s.First })
			to := sort.Search(len(list), func(c int) bool { return list[c].First >= s.First+uint32(s.Vertices) })
			w.chunks[k], w.counts[k] = all.chunks[k]+device.Pointer(from)*device.Pointer(unsafe.Sizeof(kernels.Chunk{})), to-from
			for _, c := range list[from:to] {
				w.shared[k] = max(w.shared[k], int(c.Count)*e.plan.slot<<c.Copies)
				t.Edges += uint64(c.Edges)
				t.Copies += float64(c.Edges) * float64(uint(1)<<c.Copies)
			}
		}
		if t.Edges == 0 {
			continue
		}
		t.Copies /= float64(t.Edges)
		l.work = w
		var err error
		if t.Seconds, err = l.least(rounds, func() error { return e.pull(l) }); err != nil {
			return nil, err
		}
		times = append(times, t)
	}
	return times, nil
}
