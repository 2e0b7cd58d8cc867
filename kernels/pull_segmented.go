package kernels

import "github.com/garaph/garaph/gpuengine/device"

// Run is how many consecutive edges a thread folds in registers.
const Run = 16

// pullSegmented: each thread folds consecutive edges, and adds to the
// block's accumulators where the destination changes.
func (k *emulator[V, A]) pullSegmented(m device.Memory, g device.Grid, a *PullArgs) error {
	b, err := k.enter(m, g, a)
	if err != nil {
		return err
	}
	n := len(b.nbr)
	for first := 0; first < n; first += Run * g.Threads {
		for t := range g.Threads {
			from, to := min(first+Run*t, n), min(first+Run*(t+1), n)
			if from == to {
				break
			}
			at, acc := b.dst[from], b.edge(from)
			for e := from + 1; e < to; e++ {
				x := b.edge(e)
				if b.dst[e] != at {
					b.add(uint32(at), acc)
					at, acc = b.dst[e], x
					continue
				}
				acc = k.program.Sum(acc, x)
			}
			b.add(uint32(at), acc)
		}
	}
	return k.leave(m, a, b)
}
