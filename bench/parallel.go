package bench

import (
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// parallel calls task for 0 ≤ i < n on some goroutines, each of which
// acquires the next i when it has done its last, and returns the first error, after
// which no task begins.
func parallel(threads, n int, task func(i int) error) error {
	var next atomic.Int64
	var g errgroup.Group
	for range min(threads, n) {
		g.Go(func() error {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				if err := task(i); err != nil {
					next.Store(int64(n))
					return err
				}
			}
			return nil
		})
	}
	return g.Wait()
}
