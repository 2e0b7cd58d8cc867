package dispatcher

import (
	"errors"
	"testing"

	"github.com/garaph/garaph/dispatcher/policy"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/testgraph"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/programs"
	"github.com/garaph/garaph/store"
)

// TestNotifyBytes checks that no iteration from disk that notifies reads more than a pull would, and that some
// notify where few vertices are active.
func TestNotifyBytes(t *testing.T) {
	for _, c := range []struct {
		name  string
		graph oracle.Graph
		k     uint32
		some  bool // iterations notify
	}{
		{"grid", lattice(60), 3, true},
		{"skewed", testgraph.Skewed(12, 16<<12, 1), 12, false},
	} {
		for _, layout := range []store.Layout{store.Packed, store.CSC} {
			s := teststore.Build(t, c.graph, teststore.Options{ShardVertices: 60, Layout: layout, Symmetric: true})
			p := gas.Program[uint32, uint32](programs.KCore{K: c.k})
			o := Options{Device: CPU, Threads: 2, Memory: 1}
			var need *MemoryError
			if _, err := New(s, p, o); !errors.As(err, &need) {
				t.Fatal(err)
			}
			o.Memory = need.Least()
			var pulls []uint64 // bytes of a pull, by iteration
			o.hooks.decided = func(e policy.Event) {
				if e.Decision != nil {
					pulls = append(pulls, e.Observation.PullBytes)
				}
			}
			_, r, err := runJob(s, p, o)
			if err != nil || r.InMemory {
				t.Fatal(err, r.InMemory)
			}
			notified := 0
			for i, it := range r.Iterations {
				if it.Method == NotifyPull {
					notified++
				}
				if got := it.Traffic.Requested; got > int64(pulls[i]) || it.Method == Pull && got < int64(pulls[i]) {
					t.Errorf("%s, %s: iteration %d, %s, reads %d bytes, and a pull %d", c.name, layout, i, it.Method, got,
						pulls[i])
				}
			}
			if c.some && notified == 0 {
				t.Errorf("%s, %s: no iteration notifies", c.name, layout)
			}
		}
	}
}
