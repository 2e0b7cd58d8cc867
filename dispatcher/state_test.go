package dispatcher

import (
	"testing"

	"github.com/garaph/garaph/internal/testgraph"
	"github.com/garaph/garaph/internal/teststore"
)

// TestQueue checks that a trace gets the number of shards of an iteration before their pages are
// processed.
func TestQueue(t *testing.T) {
	s := teststore.Build(t, testgraph.Diamond(), teststore.Options{ShardVertices: 1})
	shards := len(s.Catalogue().Shards)
	for _, on := range []Device{CPU, GPU} {
		var queued []int
		o := Options{Device: on, Method: Pull, GPU: GPUOptions{Name: "emulated"},
			Trace: Trace{Queue: func(n int) { queued = append(queued, n) }}}
		_, r, err := runJob[uint32, uint32](s, WCC{}, o)
		if err != nil || len(queued) != len(r.Iterations) || queued[0] != shards {
			t.Errorf("%s: queued %v in %d iterations, of %d shards: %v", on, queued, len(r.Iterations), shards, err)
		}
	}
}
