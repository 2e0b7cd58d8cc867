package read

import (
	"encoding/binary"
	"math"
	"slices"
)

// RecordBytes is the size of an edge among [Records]: two vertices and a weight.
const RecordBytes = 16

// Records hands edges out, a block at a time.
type Records struct {
	f    *Feed
	plan *Plan
	buf  []byte // of the pool; nil if there is none
}

// NewRecords returns records of an input.
func NewRecords(f *Feed, plan *Plan) *Records { return &Records{f: f, plan: plan} }

// Add appends an edge, and emits a block that is full.
func (x *Records) Add(u, v uint32, weight float64) error {
	return x.Append(func(b []byte) []byte {
		le := binary.LittleEndian
		return le.AppendUint64(le.AppendUint32(le.AppendUint32(b, u), v), math.Float64bits(weight))
	})
}

// Append adds a record of any form.
func (x *Records) Append(record func([]byte) []byte) error {
	if x.buf == nil {
		buf, err := x.f.Pool.Get(x.f.Ctx)
		if err != nil {
			return err
		}
		x.buf = buf[:0]
	}
	x.buf = record(x.buf)
	if len(x.buf)+RecordBytes <= x.f.Pool.size {
		return nil
	}
	return x.Flush()
}

// Flush passes on the records that are collected, if any.
func (x *Records) Flush() error {
	if x.buf == nil {
		return nil
	}
	b := &Block{Plan: x.plan, Data: slices.Grow(x.buf, Padding)}
	x.buf = nil
	return x.f.Emit(b)
}

// Parts is a list of numbers in fixed-size parts, allocated as the input is read rather than by
// the length it claims.
type Parts [][]uint32

// PartLength is the number of numbers in a part.
const PartLength = 1 << 16

// Add appends a number.
func (p *Parts) Add(x uint32) {
	if n := len(*p); n == 0 || len((*p)[n-1]) == PartLength {
		*p = append(*p, make([]uint32, 0, PartLength))
	}
	last := &(*p)[len(*p)-1]
	*last = append(*last, x)
}

// At returns number i.
func (p Parts) At(i int64) uint32 { return p[i/PartLength][i%PartLength] }

// EdgeHash returns a number that looks random for each edge (SplitMix64).
func EdgeHash(u, v, weight uint64) uint64 {
	x := u<<32 | v
	for _, add := range [2]uint64{0x9e3779b97f4a7c15, weight} {
		x += add
		x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
		x = (x ^ x>>27) * 0x94d049bb133111eb
		x ^= x >> 31
	}
	return x
}

// ParseCounts reads numbers that are neither negative nor beyond int64.
func ParseCounts(words [][]byte) ([]int64, bool) {
	counts := make([]int64, 0, len(words))
	for _, word := range words {
		n, kind := ParseInteger(word)
		if kind != PlainInteger || n > math.MaxInt64 {
			return nil, false
		}
		counts = append(counts, int64(n))
	}
	return counts, true
}
