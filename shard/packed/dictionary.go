package packed

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
)

// maxEntries is the number of codes of 16 bits.
const maxEntries = 1 << 16

// Dictionary is the set of a shard's weights, where there are few.
type Dictionary struct {
	List []float32 // by bits, ascending
	// table is a hash table of open addressing: bits of the weight << 32 |
	// code << 1 | 1. Its size is a power of two, at least twice the entries.
	table []uint64
	shift int
}

// Make fills the dictionary from weights, and chooses the coding that takes the
// least space for a number of codes. With Floats, the dictionary is empty.
func (d *Dictionary) Make(weights []float32, codes int) Coding {
	size := 1 << bits.Len(uint(min(2*len(weights), 2*maxEntries)))
	d.table = sized(d.table, size)
	clear(d.table)
	d.shift = 64 - bits.Len(uint(size-1))
	d.List = d.List[:0]
	for _, w := range weights {
		if at := d.find(w); d.table[at] == 0 {
			if len(d.List) == maxEntries {
				d.List = d.List[:0]
				return Floats
			}
			d.table[at] = uint64(math.Float32bits(w))<<32 | 1
			d.List = append(d.List, w)
		}
	}
	coding := Words
	if len(d.List) <= 256 {
		coding = Bytes
	}
	if 4*len(d.List)+coding.Bytes()*codes >= 4*codes {
		d.List = d.List[:0]
		return Floats
	}
	slices.SortFunc(d.List, func(a, b float32) int { return int(math.Float32bits(a)) - int(math.Float32bits(b)) })
	for code, w := range d.List {
		d.table[d.find(w)] |= uint64(code) << 1
	}
	return coding
}

// find returns the place of a weight in the table, or where it would be.
func (d *Dictionary) find(w float32) int {
	b := uint64(math.Float32bits(w))
	at := int(b * 0x9e3779b97f4a7c15 >> d.shift)
	for d.table[at] != 0 && d.table[at]>>32 != b {
		at = (at + 1) & (len(d.table) - 1)
	}
	return at
}

// Code returns the place of a weight in the list.
func (d *Dictionary) Code(w float32) uint64 { return d.table[d.find(w)] >> 1 & (maxEntries - 1) }

// putWeights writes the dictionary and the code of every slot. The section is all
// zeros, which are the codes of dummies.
func (p *Packer) putWeights(blob []byte) {
	s := p.header.windows(blob)
	copy(s.Dictionary, p.dictionary.List)
	for i, b := range p.blocks {
		end := len(p.edges)
		if i+1 < len(p.blocks) {
			end = int(p.blocks[i+1].begin)
		}
		edges := p.edges[b.begin:end]
		k := i * BlockSlots
		last := edges[0] >> 32
		for j, e := range edges {
			k += dummies(uint32(e>>32-last), int(b.width))
			last = e >> 32
			switch {
			case p.header.Wide:
				binary.LittleEndian.PutUint64(s.codes[8*k:], math.Float64bits(p.wide[int(b.begin)+j]))
			case p.header.Coding == Bytes:
				s.codes[k] = byte(e)
			case p.header.Coding == Words:
				binary.LittleEndian.PutUint16(s.codes[2*k:], uint16(e))
			default:
				binary.LittleEndian.PutUint32(s.codes[4*k:], math.Float32bits(p.weights[int(b.begin)+j]))
			}
			k++
		}
	}
}
