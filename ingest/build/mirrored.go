package build

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"sync"

	"github.com/garaph/garaph/shard/rows"
	"github.com/garaph/garaph/store"
)

// mirrorTest finds whether every edge of a graph has its reverse, from the sums of its in-edges alone.
// Each vertex v gets two numbers x(v) and y(v) of the field of mirrorPrime elements, and an edge from u to v
// adds x(u)·y(v) − y(u)·x(v), times a number of its weight: its reverse adds the opposite. A number of a
// vertex or a weight is the product of three random ones, one for each digit of it, so that the
// products of two different edges are different monomials, of no more than nine variables. Where edges
// lack their reverses, the sum is a polynomial of that degree that is not zero, and has one of its
// zeros at random values with a probability of 9/mirrorPrime at most, less than 2⁻⁵⁷, whatever the
// graph (Schwartz and Zippel).
type mirrorTest struct {
	vertex [mirrorDigits][1 << mirrorDigit]mirrorPair
	weight [mirrorDigits][1 << mirrorDigit]uint64

	mu  sync.Mutex
	sum uint64 // guarded by mu
}

// mirrorPair is both numbers of a vertex, or of a digit of it.
type mirrorPair struct{ x, y uint64 }

const (
	mirrorPrime  = 1<<61 - 1
	mirrorDigit  = 11
	mirrorDigits = 3 // of 32 bits
	mirrorMask   = 1<<mirrorDigit - 1
	// mirrorRun is the number of products of two elements are added before their sum is reduced: it has
	// no more than 128 bits then.
	mirrorRun = 32
)

func newMirrorTest() *mirrorTest {
	m := new(mirrorTest)
	for d := range m.vertex {
		for i := range m.vertex[d] {
			m.vertex[d][i] = mirrorPair{rand.Uint64N(mirrorPrime), rand.Uint64N(mirrorPrime)}
			m.weight[d][i] = rand.Uint64N(mirrorPrime)
		}
	}
	return m
}

// mirrorTestOf returns the test for a graph, or nil if its degrees show that it is not mirrored, or where
// it is not needed. Graphs with wide weights or giants are not tested.
func (b *Builder) mirrorTestOf(shards []store.ShardInfo) *mirrorTest {
	if b.mirror || b.inRows() || b.weightBytes() == 8 || b.opt.Storage.Layout != store.Packed ||
		b.uneven && !b.opt.Edges.Parallel.joins() {
		return nil
	}
	for i := range shards {
		if uint64(max(shards[i].In, shards[i].Out)) > maxShardEdges {
			return nil
		}
	}
	return newMirrorTest()
}

// mirrored returns the result, when all edges were added. A nil test has none.
func (m *mirrorTest) mirrored() bool { return m != nil && m.sum == 0 }

// add adds to the sum.
func (m *mirrorTest) add(sum uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sum = mirrorReduce(0, m.sum+sum)
}

// upper returns the product of the upper digits of a vertex.
func (m *mirrorTest) upper(v uint32) mirrorPair {
	return m.vertex[1][v>>mirrorDigit&mirrorMask].times(m.vertex[2][v>>(2*mirrorDigit)])
}

// ofWeight returns the number of a weight.
func (m *mirrorTest) ofWeight(weight float32) uint64 {
	w := math.Float32bits(weight)
	upper := mirrorTimes(m.weight[1][w>>mirrorDigit&mirrorMask], m.weight[2][w>>(2*mirrorDigit)])
	return mirrorTimes(upper, m.weight[0][w&mirrorMask])
}

func (p mirrorPair) times(q mirrorPair) mirrorPair {
	return mirrorPair{mirrorTimes(p.x, q.x), mirrorTimes(p.y, q.y)}
}

// mirrorReduce reduces a 128-bit number to an element of the field.
func mirrorReduce(hi, lo uint64) uint64 {
	x := lo&mirrorPrime + (hi<<3|lo>>61)&mirrorPrime + hi>>58
	x = x&mirrorPrime + x>>61
	if x >= mirrorPrime {
		x -= mirrorPrime
	}
	return x
}

func mirrorTimes(a, b uint64) uint64 { return mirrorReduce(bits.Mul64(a, b)) }

// mirrorLess returns a − b.
func mirrorLess(a, b uint64) uint64 { return mirrorReduce(0, a+mirrorPrime-b) }

// keys adds the edges of a shard of vertices from first on: source << 32 | destination << 16, in the
// order of sources. local is memory for its vertices' numbers, which it returns.
func (m *mirrorTest) keys(first uint32, vertices int, keys []uint64, local []mirrorPair) []mirrorPair {
	local = local[:0]
	for v := range uint32(vertices) {
		local = append(local, m.upper(first+v).times(m.vertex[0][(first+v)&mirrorMask]))
	}
	var sum uint64
	for len(keys) > 0 {
		n, x, y := m.run(keys[:min(mirrorRun, len(keys))], local)
		up := m.upper(uint32(keys[0] >> 32))
		sum = mirrorReduce(0, sum+mirrorLess(mirrorTimes(up.x, y), mirrorTimes(up.y, x)))
		keys = keys[n:]
	}
	m.add(sum)
	return local
}

// run adds edges up to the first whose source has other upper digits, without these: it returns how
// many, and the sums of y(u)·x(v) and x(u)·y(v).
func (m *mirrorTest) run(keys []uint64, local []mirrorPair) (n int, x, y uint64) {
	upper, low := keys[0]>>(32+mirrorDigit), &m.vertex[0]
	var xh, xl, yh, yl, carry uint64
	for _, k := range keys {
		if k>>(32+mirrorDigit) != upper {
			break
		}
		u, v := &low[k>>32&mirrorMask], &local[k>>16&(1<<16-1)]
		h, l := bits.Mul64(u.y, v.x)
		xl, carry = bits.Add64(xl, l, 0)
		xh += h + carry
		h, l = bits.Mul64(u.x, v.y)
		yl, carry = bits.Add64(yl, l, 0)
		yh += h + carry
		n++
	}
	return n, mirrorReduce(xh, xl), mirrorReduce(yh, yl)
}

// rows adds the edges of a side of in-edges.
func (m *mirrorTest) rows(side *rows.Side) {
	var sum uint64
	for i := range side.Vertices() {
		id := side.First + uint32(i)
		v := m.upper(id).times(m.vertex[0][id&mirrorMask])
		for at := side.Off[i]; at < side.Off[i+1]; at++ {
			u := m.upper(side.Nbr[at]).times(m.vertex[0][side.Nbr[at]&mirrorMask])
			edge := mirrorLess(mirrorTimes(u.x, v.y), mirrorTimes(u.y, v.x))
			if side.Weight != nil {
				edge = mirrorTimes(edge, m.ofWeight(side.Weight[at]))
			}
			sum = mirrorReduce(0, sum+edge)
		}
	}
	m.add(sum)
}
