package algorithms

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/testsize"
)

// TestForestAtOnce checks that two goroutines, which wait for each other before every link, hang the
// same root below two others, and neither link is lost.
func TestForestAtOnce(t *testing.T) {
	n := uint32(200_000)
	if !testsize.Long {
		n = 20_000
	}
	f := make(forest, 3*n)
	for v := range f {
		f[v] = gas.VertexID(v)
	}
	var arrived atomic.Uint32
	var group sync.WaitGroup
	for side := range uint32(2) {
		group.Go(func() {
			for v := range n {
				arrived.Add(1)
				for spins := 1; arrived.Load() < 2*(v+1); spins++ {
					if spins%1000 == 0 { // the other may have no processor
						runtime.Gosched()
					}
				}
				f.link(2*n+v, side*n+v)
			}
		})
	}
	group.Wait()
	if roots := f.compress(0, uint32(len(f))); roots != int64(n) {
		t.Fatalf("%d components of three vertices each, want %d", roots, n)
	}
}
