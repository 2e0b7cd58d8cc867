package packed

import (
	"math/bits"

	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/rows"
)

// digitBits bounds the buckets of a pass of the sort, so that the lines that they
// end in stay in the second-level cache.
const digitBits = 12

// Side takes the edges of a side in compressed sparse columns, with neighbours in
// ascending order, and weights of a size. It keeps none of its slices.
func (p *Packer) Side(s *rows.Side, weight int) error {
	h := shard.Header{Dir: s.Dir, Index: s.Index, First: s.First, Vertices: s.Vertices(), Weighted: weight > 0,
		Wide: weight == 8}
	if err := p.begin(h, len(s.Nbr), s.Plane()); err != nil {
		return err
	}
	p.list(s)
	p.sort(s)
	return p.plan()
}

// list writes the edges as the side has them.
func (p *Packer) list(s *rows.Side) {
	p.edges = sized(p.edges, len(s.Nbr))
	for v := range s.Vertices() {
		lo, hi := s.Off[v], s.Off[v+1]
		edges := p.edges[lo:hi]
		for i, u := range s.Nbr[lo:hi] {
			edges[i] = uint64(u)<<32 | uint64(v)<<16
		}
	}
	p.take(s.Plane())
}

// sort sorts the edges by source, digit by digit from the lowest. Edges of one
// source stay in the order of their destinations, and parallel ones in theirs.
func (p *Packer) sort(s *rows.Side) {
	var all uint32
	for _, u := range s.Nbr {
		all |= u
	}
	length := bits.Len32(all)
	passes := (length + digitBits - 1) / digitBits
	if passes == 0 {
		return
	}
	digit := (length + passes - 1) / passes
	next := make([]uint32, 1<<digit)
	mask := uint32(len(next) - 1)
	wide := p.header.Wide
	floats := p.header.Weighted && !wide && p.header.Coding == Floats
	p.spare = sized(p.spare, len(p.edges))
	if floats {
		p.spareWeights = sized(p.spareWeights, len(p.edges))
	}
	if wide {
		p.spareWide = sized(p.spareWide, len(p.edges))
	}
	for k := range passes {
		clear(next)
		for _, u := range s.Nbr {
			next[u>>(k*digit)&mask]++
		}
		sum := uint32(0)
		for i, n := range next {
			next[i] = sum
			sum += n
		}
		shift := (32 + k*digit) & 63
		to := p.spare
		for i, e := range p.edges {
			at := &next[uint32(e>>shift)&mask]
			to[*at] = e
			switch {
			case floats:
				p.spareWeights[*at] = p.weights[i]
			case wide:
				p.spareWide[*at] = p.wide[i]
			}
			*at++
		}
		p.edges, p.spare = p.spare, p.edges
		switch {
		case floats:
			p.weights, p.spareWeights = p.spareWeights, p.weights
		case wide:
			p.wide, p.spareWide = p.spareWide, p.wide
		}
	}
}
