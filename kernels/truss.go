package kernels

import (
	"math"
	"slices"

	"github.com/garaph/garaph/gas/compiled"
	"github.com/garaph/garaph/gpuengine/device"
)

// TrussArgs holds the arguments of kernel truss, which sets Best[v] to the largest k of a k-truss with v, for all N
// vertices of a graph as an undirected simple one. It has E edges, fewer than [MostTrussEdges]. Its rows are
// overwritten.
type TrussArgs struct {
	InOff   device.Pointer // const uint64_t *: N+1 of them
	In      device.Pointer // uint32_t *: ascending rows
	OutOff  device.Pointer // const uint64_t *: if 0, In has both directions of every edge
	Out     device.Pointer // uint32_t *
	Nbr     device.Pointer // uint32_t *: as many as In and Out have together; without Out, it is In
	Edge    device.Pointer // uint32_t *: as many
	Size    device.Pointer // uint32_t *: N of them
	Ends    device.Pointer // uint2 *: E of them
	Support device.Pointer // uint32_t *: E of them; may be In, if there is Out
	List    device.Pointer // uint32_t *: E of them; may be Out
	Best    device.Pointer // uint64_t *: N of them, 0 at first

	// State is a TrussState *, with Units N at first. Launches go on until its stage is TrussDone.
	State        device.Pointer
	N            uint32
	Milliseconds uint32 // a launch ends after that time, to be continued by another one
}

// TrussState is how far the kernel is.
type TrussState struct {
	Next                  uint64
	Units, Edges          uint32
	Stage, Parts          uint32
	Level, Least          uint32
	Peeled, From, To, End uint32
	Live, Arrived         uint32
}

// The stages of [TrussState] that the host knows, as truss.cu has them.
const (
	TrussCount = 2 // before it, rows are made
	TrussPeel  = 3 // from it on, edges leave
	TrussDone  = 7
)

// MostTrussEdges is the number of edges from which some numbers of edges have no 32 bits.
const MostTrussEdges = math.MaxUint32 - 1

// Truss is kernel truss.
type Truss struct {
	f      device.Function
	blocks int
}

// LoadTruss loads the kernel, which is the same for all programs.
func LoadTruss(d device.Device) (k Truss, err error) {
	k.f, err = load(d, "truss", compiled.Fragments{}, guarded(trussBlock, nil))
	if err == nil {
		k.blocks, err = k.f.Together(Threads, 0)
	}
	return k, err
}

// Launch queues some of a stage, or all.
func (k Truss) Launch(s device.Stream, a *TrussArgs) error {
	return k.f.Launch(s, k.blocks, Threads, 0, bytesOf(a))
}

// trussBlock does all stages, or nothing if another block has: edge by edge.
func trussBlock(m device.Memory, _ device.Grid, a *TrussArgs) error {
	x, n := access{memory: m}, int64(a.N)
	in, out := viewRows(&x, a.InOff, a.In, n), viewRows(&x, a.OutOff, a.Out, n)
	state, best := view[TrussState](&x, a.State, 1), view[uint64](&x, a.Best, n)
	if x.err != nil || state[0].Stage == TrussDone {
		return x.err
	}
	near := make([]map[uint32]bool, n)
	for v := range near {
		near[v] = map[uint32]bool{}
	}
	for v := range uint32(n) {
		for _, u := range slices.Concat(in.row(v), out.row(v)) {
			if u != v {
				near[v][u], near[u][v] = true, true
			}
		}
	}
	edges := peel(near, best)
	state[0] = TrussState{Stage: TrussDone, Edges: uint32(edges), To: uint32(edges)}
	for _, p := range []device.Pointer{a.Support, a.List, a.Ends, a.Ends + device.Pointer(4*edges)} {
		clear(x.bytes(p, 4*edges))
	}
	for _, p := range []device.Pointer{a.Nbr, a.Edge} {
		clear(x.bytes(p, 4*int64(len(in.nbr)+len(out.nbr))))
	}
	clear(x.bytes(a.Size, 4*n))
	return x.err
}

// peel takes all edges away, and returns their number.
func peel(near []map[uint32]bool, best []uint64) (edges int64) {
	type edge struct{ least, most uint32 }
	support := map[edge]uint64{}
	common := func(e edge, f func(w uint32)) {
		u, v := e.least, e.most
		if len(near[u]) > len(near[v]) {
			u, v = v, u
		}
		for w := range near[u] {
			if near[v][w] {
				f(w)
			}
		}
	}
	for v := range uint32(len(near)) {
		for u := range near[v] {
			if e := (edge{u, v}); u < v {
				support[e] = 0
				common(e, func(uint32) { support[e]++ })
			}
		}
	}
	edges = int64(len(support))
	for k := uint64(2); len(support) > 0; k++ {
		var leave []edge
		for e, triangles := range support {
			if triangles == k-2 {
				leave = append(leave, e)
			}
		}
		for i := 0; i < len(leave); i++ {
			e := leave[i]
			delete(support, e)
			delete(near[e.least], e.most)
			delete(near[e.most], e.least)
			best[e.least], best[e.most] = k, k
			common(e, func(w uint32) {
				for _, v := range []uint32{e.least, e.most} {
					f := edge{min(v, w), max(v, w)}
					if support[f]--; support[f] == k-2 {
						leave = append(leave, f)
					}
				}
			})
		}
	}
	return edges
}
