package packedrows

import (
	"math"

	"github.com/garaph/garaph/shard"
)

// nearRuns is the number of runs that count from one place in a narrow index.
const nearRuns = 64

// index says where runs begin in the rows, and has their checksums.
type index struct {
	runs   int
	begins []uint32 // of each run; in a narrow index, of every one that others count from
	sums   []uint32
	behind []uint16 // in a narrow index, how far behind that place each run begins
}

// begin returns where run i begins.
func (x *index) begin(i int) int {
	if x.behind == nil {
		return int(x.begins[i])
	}
	return int(x.begins[i/nearRuns]) + int(x.behind[i])
}

// index returns the index of a blob that begins with these bytes.
func (h *layout) index(blob []byte) index {
	x := index{runs: Runs(h.Vertices)}
	at := int64(shard.HeaderBytes)
	x.begins = shard.View[uint32](blob, at, h.begins())
	at += int64(4 * h.begins())
	x.sums = shard.View[uint32](blob, at, x.runs)
	if h.Flags&narrow != 0 {
		x.behind = shard.View[uint16](blob, at+int64(4*x.runs), x.runs)
	}
	return x
}

// indexBytes returns the size of the index.
func (h *layout) indexBytes() int {
	n := 4*h.begins() + 4*Runs(h.Vertices)
	if h.Flags&narrow != 0 {
		n += 2 * Runs(h.Vertices)
	}
	return pad(n)
}

// begins returns the number of places of 32 bits.
func (h *layout) begins() int {
	if h.Flags&narrow == 0 {
		return Runs(h.Vertices)
	}
	return (Runs(h.Vertices) + nearRuns - 1) / nearRuns
}

// nearby reports whether a narrow index can have runs that begin there.
func nearby(begins []uint32) bool {
	for i, at := range begins {
		if at-begins[i&^(nearRuns-1)] > math.MaxUint16 {
			return false
		}
	}
	return true
}

// put writes where runs begin.
func (x *index) put(begins []uint32) {
	if x.behind == nil {
		copy(x.begins, begins)
		return
	}
	for i, at := range begins {
		if i%nearRuns == 0 {
			x.begins[i/nearRuns] = at
		}
		x.behind[i] = uint16(at - x.begins[i/nearRuns])
	}
}
