package bench

import (
	"context"
	"fmt"

	"github.com/garaph/garaph/internal/hostmem"
)

// gatherSpeed is the gather-only ceiling in edges per second, with values of
// type F for n vertices. All values are 1, so that the sum over all slots is
// their number: a pass that skipped some is an error.
func gatherSpeed[F float32 | float64](ctx context.Context, e *edges, n uint32, threads int) (float64, error) {
	values, err := hostmem.Slice[F](int(n))
	if err != nil {
		return 0, fmt.Errorf("measure gather-only: %w", err)
	}
	defer hostmem.Free(values)
	for i := range values {
		values[i] = 1
	}
	sums := make([]float64, len(e.tasks)+len(e.packed))
	return speed(ctx, float64(e.count), func() error {
		err := parallel(threads, len(sums), func(i int) error {
			if k := i - len(e.tasks); k >= 0 {
				sums[i] = float64(gatherPacked(values, e.packed[k]))
			} else {
				sums[i] = float64(gatherOnly(values, e.tasks[i]))
			}
			return nil
		})
		var sum float64
		for _, s := range sums {
			sum += s
		}
		if err == nil && sum != float64(e.slots) {
			err = fmt.Errorf("measure gather-only: the values of %d sources, each 1, sum to %v", e.slots, sum)
		}
		return err
	})
}

// gatherOnly sums the values of the sources. The eight sums don't wait for each
// other; fewer are slower, and without bounds checks it is not faster
// (BenchmarkGatherLoops).
func gatherOnly[F float32 | float64](values []F, sources []uint32) F {
	var a, b, c, d, e, f, g, h F
	for len(sources) >= 8 {
		s := sources[:8:8]
		a += values[s[0]]
		b += values[s[1]]
		c += values[s[2]]
		d += values[s[3]]
		e += values[s[4]]
		f += values[s[5]]
		g += values[s[6]]
		h += values[s[7]]
		sources = sources[8:]
	}
	for _, s := range sources {
		a += values[s]
	}
	return a + b + c + d + e + f + g + h
}
