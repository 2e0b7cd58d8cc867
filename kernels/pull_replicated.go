package kernels

import "github.com/garaph/garaph/gpuengine/device"

// pullReplicated: a thread per edge adds to its copy of the accumulator; then
// the copies are added up as a tree (Garaph, section 4.3).
func (k *emulator[V, A]) pullReplicated(m device.Memory, g device.Grid, a *PullArgs) error {
	b, err := k.enter(m, g, a)
	if err != nil {
		return err
	}
	r := uint32(1) << b.chunk.Copies
	for e := range b.nbr {
		t := uint32(e % g.Threads)
		b.add(uint32(b.dst[e])*r+t%r, b.edge(e))
	}
	for half := r / 2; half > 0; half /= 2 {
		for i := range b.chunk.Count {
			for j := range half {
				b.add(i*r+j, *b.shared.at(i*r + j + half))
			}
		}
	}
	for i := uint32(1); i < b.chunk.Count; i++ {
		*b.shared.at(i) = *b.shared.at(i * r)
	}
	return k.leave(m, a, b)
}
