package kernels

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packed"
	"github.com/garaph/garaph/shard/rows"
)

// csc is a graph by destination.
type csc struct {
	off    []uint64
	nbr    []uint32
	out    []uint32
	weight func(u, v uint32) float64 // nil without
	wide   bool                      // weights are stored as float64
}

func (g *csc) vertices() int { return len(g.off) - 1 }

// each calls f for all in-edges of v.
func (g *csc) each(v int, f func(u uint32, weight float64)) {
	for _, u := range g.nbr[g.off[v]:g.off[v+1]] {
		w := 1.0
		if g.weight != nil {
			w = g.weight(u, uint32(v))
		}
		f(u, w)
	}
}

func parallelRanges(n int, f func(from, to int)) {
	var wg sync.WaitGroup
	k := runtime.GOMAXPROCS(0)
	for i := range k {
		wg.Go(func() { f(n*i/k, n*(i+1)/k) })
	}
	wg.Wait()
}

// hash is a number of an edge, in [0, n).
func hash(u, v, n uint32) uint32 {
	x := uint64(u)*0x9e3779b97f4a7c15 + uint64(v)*0xc2b2ae3d27d4eb4f
	return uint32((x ^ x>>29) * 0xbf58476d1ce4e5b9 >> 32 * uint64(n) >> 32)
}

// weightings are the codings of weights, each with some that it stands for.
var weightings = map[string]func(u, v uint32) float64{
	"unweighted": nil,
	"bytes":      func(u, v uint32) float64 { return float64(1 + hash(u, v, 255)) },
	"words":      func(u, v uint32) float64 { return 1 + float64(hash(u, v, 5000))/64 },
	"floats":     func(u, v uint32) float64 { return float64(1 + float32(hash(u, v, 1<<30))/(1<<24)) },
	doubles:      func(u, v uint32) float64 { return 1 + float64(hash(u, v, 1<<30))/(1<<30) },
}

// doubles is the coding of weights that are stored as float64.
const doubles = "doubles"

// pack cuts a graph into shards of so many vertices and edges at most, and packs
// their in-edges.
func pack(t testing.TB, g *csc, vertices int, edges uint64) [][]byte {
	t.Helper()
	var begins []int
	for v, at := 0, uint64(0); v < g.vertices(); v++ {
		if len(begins) == 0 || v-begins[len(begins)-1] == vertices || g.off[v+1]-at > edges {
			begins, at = append(begins, v), g.off[v]
		}
	}
	begins = append(begins, g.vertices())
	blobs := make([][]byte, len(begins)-1)
	var next atomic.Int64
	parallelRanges(64, func(int, int) {
		var p packed.Packer
		for i := int(next.Add(1) - 1); i < len(blobs); i = int(next.Add(1) - 1) {
			s := side(g, begins[i], begins[i+1])
			s.Index = uint32(i)
			if err := p.Side(s, shard.WeightBytes(g.weight != nil, g.wide)); err != nil {
				t.Error(err)
				return
			}
			blobs[i] = make([]byte, p.Size())
			p.Write(blobs[i])
		}
	})
	return blobs
}

// side is that of the in-edges of vertices from begin to end, whose neighbours it
// sorts.
func side(g *csc, begin, end int) *rows.Side {
	s := &rows.Side{First: uint32(begin), Off: make([]uint32, end-begin+1), Nbr: g.nbr[g.off[begin]:g.off[end]]}
	for v := begin; v < end; v++ {
		slices.Sort(g.nbr[g.off[v]:g.off[v+1]])
		s.Off[v-begin+1] = uint32(g.off[v+1] - g.off[begin])
		switch {
		case g.wide:
			g.each(v, func(_ uint32, w float64) { s.Wide = append(s.Wide, w) })
		case g.weight != nil:
			g.each(v, func(_ uint32, w float64) { s.Weight = append(s.Weight, float32(w)) })
		}
	}
	return s
}

// packedChunks are the chunks, of so many vertices and blocks at most, of a packed side that lies
// on a device. shared bounds the copies of accumulators of so many bytes.
func packedChunks(t testing.TB, blob []byte, at device.Pointer, window, blocks, slot, shared int) (list []PackedChunk) {
	t.Helper()
	h, err := packed.Decode(blob)
	if err != nil {
		t.Fatal(err)
	}
	if h.Layout.Blocks == 0 {
		return nil
	}
	places := h.Layout.Places()
	heads, data := at+device.Pointer(places.Heads), at+device.Pointer(places.Data)
	dictionary, codes := at+device.Pointer(places.Dictionary), at+device.Pointer(places.Codes)
	windows := (h.Layout.Vertices + window - 1) / window
	parts := (h.Layout.Blocks + blocks - 1) / blocks
	for n := range parts * windows {
		i, at := n/windows, n%windows
		from, to := h.Layout.Blocks*i/parts, h.Layout.Blocks*(i+1)/parts
		c := PackedChunk{
			Heads: heads + device.Pointer(8*from), Data: data, Blocks: uint32(to - from),
			From: uint32(h.Layout.Vertices * at / windows), Bits: uint32(h.Layout.Bits),
		}
		c.First, c.Count = h.Layout.First+c.From, uint32(h.Layout.Vertices*(at+1)/windows)-c.From
		if h.Layout.Weighted {
			c.Code = uint32(h.Layout.CodeBytes())
			c.Codes, c.Dictionary = codes+device.Pointer(from*BlockSlots*int(c.Code)), dictionary
		}
		if parts > 1 {
			c.Common = 1
		}
		for c.Copies < 5 && (to-from)*BlockSlots > h.Layout.Vertices<<c.Copies &&
			slot*int(c.Count+1)<<(c.Copies+1) <= shared {
			c.Copies++
		}
		list = append(list, c)
	}
	return list
}

// rmat is an RMAT graph (a = 0.57, b = c = 0.19) of 2^scale vertices.
func rmat(scale, degree int) *csc {
	n, m := 1<<scale, degree<<scale
	src, dst := make([]uint32, m), make([]uint32, m)
	g := &csc{off: make([]uint64, n+1), nbr: make([]uint32, m), out: make([]uint32, n)}
	count := make([]uint32, n+1)
	parallelRanges(m, func(from, to int) {
		rng := rand.New(rand.NewPCG(uint64(from), 7))
		for e := from; e < to; e++ {
			var u, v uint32
			for range scale {
				x := rng.Uint32()
				u, v = u<<1, v<<1
				switch {
				case x < 2448131358: // 0.57
				case x < 3264175145:
					v |= 1
				case x < 4080218931:
					u |= 1
				default:
					u |= 1
					v |= 1
				}
			}
			src[e], dst[e] = u, v
			atomic.AddUint32(&count[v+1], 1)
			atomic.AddUint32(&g.out[u], 1)
		}
	})
	for v := range n {
		g.off[v+1] = g.off[v] + uint64(count[v+1])
	}
	at := make([]uint64, n)
	copy(at, g.off)
	parallelRanges(m, func(from, to int) {
		for e := from; e < to; e++ {
			g.nbr[atomic.AddUint64(&at[dst[e]], 1)-1] = src[e]
		}
	})
	return g
}

// gpu is a device that a test uses.
type gpu struct {
	t testing.TB
	device.Device
	s   device.Stream
	pin []byte
}

// newGPU has a stream of a device, and pinned memory.
func newGPU(t testing.TB, d device.Device) *gpu {
	g := &gpu{t: t, Device: d}
	var err error
	g.s, err = d.NewStream(device.Normal)
	g.must(err)
	g.pin, err = d.Pin(64 << 20)
	g.must(err)
	return g
}

func (g *gpu) must(err error) {
	g.t.Helper()
	if err != nil {
		g.t.Fatal(err)
	}
}

func upload[T any](g *gpu, list []T) device.Pointer {
	g.t.Helper()
	var x T
	b := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(list))), len(list)*int(unsafe.Sizeof(x)))
	p, err := g.Alloc(max(int64(len(b)), 256))
	g.must(err)
	for at := 0; at < len(b); at += len(g.pin) {
		n := copy(g.pin, b[at:])
		g.must(g.s.ToDevice(p+device.Pointer(at), g.pin[:n]))
		g.must(g.s.Sync())
	}
	return p
}

func download[T any](g *gpu, p device.Pointer, n int) []T {
	g.t.Helper()
	list := make([]T, n)
	var x T
	b := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(list))), n*int(unsafe.Sizeof(x)))
	for at := 0; at < len(b); at += len(g.pin) {
		k := min(len(g.pin), len(b)-at)
		g.must(g.s.ToHost(g.pin[:k], p+device.Pointer(at)))
		g.must(g.s.Sync())
		copy(b[at:], g.pin[:k])
	}
	return list
}
