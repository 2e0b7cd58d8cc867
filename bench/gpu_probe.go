package bench

import (
	"context"
	"errors"
	"fmt"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gpuengine"
)

// kernelTimes are what the kernels of a job take, each alone on the device: the
// least of several launches, in seconds.
type kernelTimes struct {
	expand, pull, apply float64 // over the whole graph
	shards              []shardTime
}

// shardTime is what the pull of one shard takes.
type shardTime struct {
	gpuengine.ShardPull
	seconds float64
}

// probe times the kernels of a way to gather.
func probe[V, A any](ctx context.Context, m *gpuMeasurement, program gas.Program[V, A], o gpuengine.Options) (t kernelTimes, err error) {
	j, err := newGPUJob(ctx, m, program, o)
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, j.close()) }()
	if j.engine.Resident() < m.graph.Catalogue().Edges {
		return t, errStreamed
	}
	w, err := newStopwatch(m.device)
	defer func() { err = errors.Join(err, w.close()) }()
	if err != nil {
		return t, err
	}
	k, err := j.engine.Launches(w.stream)
	if err != nil {
		return t, err
	}
	for _, step := range []struct {
		seconds *float64
		launch  func() error
	}{{&t.expand, k.Expand}, {&t.pull, k.Pull}, {&t.apply, k.Apply}} {
		if *step.seconds, err = w.least(m.opt.Rounds, step.launch); err != nil {
			return t, fmt.Errorf("timing kernels: %w", err)
		}
	}
	shards, err := k.Shards()
	for _, s := range shards {
		if err == nil {
			x := shardTime{ShardPull: s}
			x.seconds, err = w.least(m.opt.Rounds, func() error { return k.PullShard(&s) })
			t.shards = append(t.shards, x)
		}
	}
	if err != nil {
		err = fmt.Errorf("timing the pull of each shard: %w", err)
	}
	return t, err
}
