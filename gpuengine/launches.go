package gpuengine

import (
	"errors"

	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/kernels"
)

// Launches launches kernels over the edges of a started engine one at a time, to measure each
// alone.
type Launches struct {
	stream device.Stream
	work   work // of an iteration
}

// Launches returns the launches in a stream. All edges of the engine must be resident and loaded.
func (e *Engine[V, A]) Launches(s device.Stream) (*Launches, error) {
	if e.plan.ring.slots > 0 || len(e.residency.shards) == 0 || !e.residency.loaded {
		return nil, errors.New("single launches require all edges to be resident on the GPU and loaded")
	}
	return &Launches{s, e.residency.join(e.plan.kept.From, e.plan.kept.To)}, nil
}

// GatherPacked decodes the packed edges and gathers values of their sources, of width bytes each,
// from an array.
func (l *Launches) GatherPacked(k kernels.GatherPacked, from device.Pointer, width uint64) error {
	for key := rowKeys; key < keys; key++ {
		if l.work.counts[key] == 0 {
			continue
		}
		if err := k.Launch(l.stream, l.work.counts[key], &kernels.GatherPackedArgs{Chunks: l.work.lists[key], Values: from,
			Sink: from, Width: width}); err != nil {
			return err
		}
	}
	return nil
}
