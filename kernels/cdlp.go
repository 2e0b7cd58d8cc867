package kernels

import (
	"errors"
	"slices"

	"github.com/garaph/garaph/gas/compiled"
	"github.com/garaph/garaph/gpuengine/device"
)

// CDLPArgs holds the arguments of kernel cdlp, which gives each of N vertices the most frequent label of the far ends
// of its edges, of several the least.
type CDLPArgs struct {
	InOff  device.Pointer // const uint64_t *: N+1 of them
	In     device.Pointer // const uint32_t *
	OutOff device.Pointer // const uint64_t *: if 0, In has both directions of every edge
	Out    device.Pointer // const uint32_t *
	Labels device.Pointer // const uint32_t *: N of them, each below N
	Next   device.Pointer // uint32_t *: the labels that the kernel sets, N of them
	Votes  device.Pointer // uint32_t *: N of them, 0
	Hubs   device.Pointer // uint32_t *: as many as vertices may have Hub edges or more
	Best   device.Pointer // uint64_t *: as many, 0
	State  device.Pointer // CDLPState *: 0
	N      uint32
	Hub    uint32 // the least number of edges that all blocks count together
}

// CDLPState is how far the kernel is.
type CDLPState struct {
	Taken          uint64 // vertices
	Arrived, Found uint32 // blocks at barriers, hubs
	Changed        uint32 // not 0: a label is another one
	_              uint32
}

// CDLP is kernel cdlp.
type CDLP struct {
	f      device.Function
	blocks int
}

// LoadCDLP loads the kernel, which is the same for all programs.
func LoadCDLP(d device.Device) (k CDLP, err error) {
	k.f, err = load(d, "cdlp", compiled.Fragments{}, guarded(cdlpTogether, nil))
	if err == nil {
		k.blocks, err = k.f.Together(Threads, 0)
	}
	return k, err
}

// Launch queues the kernel.
func (k CDLP) Launch(s device.Stream, a *CDLPArgs) error {
	return k.f.LaunchTogether(s, k.blocks, Threads, 0, bytesOf(a))
}

// cdlpTogether is the kernel, vertex by vertex.
func cdlpTogether(m device.Memory, g device.Grid, a *CDLPArgs) error {
	x, n := access{memory: m}, int64(a.N)
	state := view[CDLPState](&x, a.State, 1)
	labels, next := view[uint32](&x, a.Labels, n), view[uint32](&x, a.Next, n)
	in, out := viewRows(&x, a.InOff, a.In, n), viewRows(&x, a.OutOff, a.Out, n)
	if x.err == nil && state[0] != (CDLPState{}) {
		x.err = errors.New("the state of another launch")
	}
	if x.err != nil {
		return x.err
	}
	state[0].Taken, state[0].Arrived = uint64(n), uint32(g.Blocks)
	var votes []uint32
	for v := range labels {
		votes = votes[:0]
		for _, row := range [][]uint32{in.row(uint32(v)), out.row(uint32(v))} {
			for _, u := range row {
				votes = append(votes, labels[u])
			}
		}
		if next[v] = mostFrequent(votes, labels[v]); next[v] != labels[v] {
			state[0].Changed = 1
		}
	}
	return nil
}

// mostFrequent returns the most frequent of some labels, of several the least, and own if there are none.
func mostFrequent(labels []uint32, own uint32) uint32 {
	slices.Sort(labels)
	best, most := own, 0
	for i := 0; i < len(labels); {
		end := i + 1
		for end < len(labels) && labels[end] == labels[i] {
			end++
		}
		if end-i > most {
			best, most = labels[i], end-i
		}
		i = end
	}
	return best
}
