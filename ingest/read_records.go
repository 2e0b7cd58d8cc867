package ingest

import (
	"encoding/binary"
	"math"
	"slices"
)

const recordBytes = 16

// records hands edges out, a block at a time.
type records struct {
	f    *blockFeed
	plan *inputPlan
	buf  []byte // of the pool; nil: none
}

// newRecords returns records of an input.
func newRecords(f *blockFeed, plan *inputPlan) *records { return &records{f: f, plan: plan} }

func (x *records) add(u, v uint32, weight float64) error {
	return x.append(func(b []byte) []byte {
		le := binary.LittleEndian
		return le.AppendUint64(le.AppendUint32(le.AppendUint32(b, u), v), math.Float64bits(weight))
	})
}

// append adds a record of any form.
func (x *records) append(record func([]byte) []byte) error {
	if x.buf == nil {
		buf, err := x.f.pool.get(x.f.ctx)
		if err != nil {
			return err
		}
		x.buf = buf[:0]
	}
	x.buf = record(x.buf)
	if len(x.buf)+recordBytes <= x.f.pool.size {
		return nil
	}
	return x.flush()
}

// flush hands out what there is.
func (x *records) flush() error {
	if x.buf == nil {
		return nil
	}
	b := &readBlock{plan: x.plan, data: slices.Grow(x.buf, blockPad)}
	x.buf = nil
	return x.f.emit(b)
}

// parts is a list of numbers in parts, which are made no faster than a file proves to be long.
type parts [][]uint32

const partLength = 1 << 16

func (p *parts) add(x uint32) {
	if n := len(*p); n == 0 || len((*p)[n-1]) == partLength {
		*p = append(*p, make([]uint32, 0, partLength))
	}
	last := &(*p)[len(*p)-1]
	*last = append(*last, x)
}

func (p parts) at(i int64) uint32 { return p[i/partLength][i%partLength] }

// edgeHash is a number that looks random for each edge (SplitMix64).
func edgeHash(u, v, weight uint64) uint64 {
	x := u<<32 | v
	for _, add := range [2]uint64{0x9e3779b97f4a7c15, weight} {
		x += add
		x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
		x = (x ^ x>>27) * 0x94d049bb133111eb
		x ^= x >> 31
	}
	return x
}

// parseCounts reads numbers that are neither negative nor beyond int64.
func parseCounts(words [][]byte) ([]int64, bool) {
	counts := make([]int64, 0, len(words))
	for _, word := range words {
		n, kind := parseInteger(word)
		if kind != plainInteger || n > math.MaxInt64 {
			return nil, false
		}
		counts = append(counts, int64(n))
	}
	return counts, true
}
