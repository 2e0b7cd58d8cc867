package build

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/garaph/garaph/shard"
)

// recordForm describes how a block encodes its edges: the low bits of the destination, relative
// to base, with the source above them. For 67 million edges between 4 million vertices, a record
// takes 5 bytes instead of 8.
type recordForm struct {
	base  uint32 // destinations count from it
	low   uint8  // bits of a destination
	bytes uint8  // of both numbers
	step  uint8  // of a record: the weight, where there is one, lies behind them
}

// recordRoom is the largest number of bytes that are written where a record begins.
const recordRoom = 16

// recordWords returns the words of an unpacked record with a weight of that many bytes.
func recordWords(weight int) int { return 2 + weight/4 }

// weightOf returns the weight in an unpacked record.
func weightOf(record []uint32) float64 {
	if len(record) == 3 {
		return float64(math.Float32frombits(record[2]))
	}
	return math.Float64frombits(uint64(record[2]) | uint64(record[3])<<32)
}

// mask has the bits of a record's two numbers, source above destination.
func (f *recordForm) mask() uint64 { return 1<<(8*f.bytes) - 1 }

// load returns the record at byte i, and what lies behind it.
func load(data *buffer, i int) uint64 { return binary.LittleEndian.Uint64(data[i : i+8]) }

// unpack appends the records of n bytes: source, destination and the bits of the weight, which may be wide.
func (f *recordForm) unpack(data *buffer, n int, to []uint32, wide bool) []uint32 {
	low, mask, weight := f.low&63, f.mask(), f.step-f.bytes
	for i := 0; i < n; i += int(f.step) {
		x := load(data, i) & mask
		to = append(to, uint32(x>>low), f.base+uint32(x&(1<<low-1)))
		at := i + int(f.bytes)
		switch {
		case weight == 4 && !wide:
			to = append(to, binary.LittleEndian.Uint32(data[at:at+4]))
		case weight == 4:
			w := math.Float64bits(float64(math.Float32frombits(binary.LittleEndian.Uint32(data[at : at+4]))))
			to = append(to, uint32(w), uint32(w>>32))
		case weight == 8:
			to = append(to, binary.LittleEndian.Uint32(data[at:at+4]), binary.LittleEndian.Uint32(data[at+4:at+8]))
		}
	}
	return to
}

// writer puts records into buckets, for one goroutine. A record goes to the
// bucket that the caller names.
type writer struct {
	spill   *spill
	weights int // bytes of a weight
	pending []pending
	buckets [][]*block
	shift   uint                                       // the range of a bucket is 2^shift numbers
	groups  []group                                    // if not nil, a bucket for each of them
	widest  uint32                                     // the largest source that came, as far as it is known
	filled  func(data *buffer, n int, form recordForm) // looks at each block, before it may be read by others
}

// pending is the block that a bucket fills.
type pending struct {
	buf  *buffer
	n    uint32 // bytes
	most uint32 // the largest source that its records hold
	recordForm
}

func (s *spill) writer(buckets, weight int) *writer {
	w := &writer{spill: s, weights: weight, pending: make([]pending, buckets), buckets: make([][]*block, buckets)}
	for i := range w.pending {
		w.pending[i].n = blockBytes
	}
	return w
}

// groupWriter returns a writer whose buckets are groups.
func (s *spill) groupWriter(groups []group, weight int) *writer {
	w := s.writer(len(groups), weight)
	w.groups = groups
	return w
}

// add appends a record to a bucket.
func (w *writer) add(bucket, src, dst uint32, weight float64) error {
	if w.weights == 4 && float64(float32(weight)) != weight {
		w.widen()
	}
	f := &w.pending[bucket]
	if f.n > blockBytes-recordRoom || src > f.most {
		if err := w.next(f, bucket, src); err != nil {
			return err
		}
	}
	b := f.buf[f.n:][:recordRoom]
	binary.LittleEndian.PutUint64(b, uint64(src)<<f.low|uint64(dst-f.base))
	switch w.weights {
	case 4:
		binary.LittleEndian.PutUint32(b[f.bytes:], math.Float32bits(float32(weight)))
	case 8:
		binary.LittleEndian.PutUint64(b[f.bytes:], math.Float64bits(weight))
	}
	f.n += uint32(f.step)
	return nil
}

// widen makes blocks from now on hold weights as float64, and all be unpacked so.
func (w *writer) widen() {
	w.flush()
	w.weights = 8
	w.spill.wide.Store(true)
}

// addAll appends edges without weights to the buckets of their destinations,
// 2^shift of them a bucket.
func (w *writer) addAll(src, dst []uint32) error {
	for {
		n := w.addSome(src, dst)
		if n == len(dst) {
			return nil
		}
		src, dst = src[n:], dst[n:]
		bucket := dst[0] >> w.shift
		if err := w.next(&w.pending[bucket], bucket, src[0]); err != nil {
			return err
		}
	}
}

// addSome appends edges until there is no room for one, and returns how many. Its loop calls
// nothing, so that all it needs is in registers.
func (w *writer) addSome(src, dst []uint32) int {
	all, shift := w.pending, w.shift&31
	low := uint32(1)<<shift - 1
	src = src[:len(dst)]
	for i, v := range dst {
		u := src[i]
		f := &all[v>>shift]
		n := f.n
		if n > blockBytes-recordRoom || u > f.most {
			return i
		}
		binary.LittleEndian.PutUint64(f.buf[n:n+8], uint64(u)<<shift|uint64(v&low))
		f.n = n + uint32(f.step)
	}
	return len(dst)
}

// addRun appends edges from one source to the buckets of their destinations' groups; there may be no weights.
func (w *writer) addRun(src uint32, dst []uint32, weights shard.Plane, find *grouping) error {
	for i, u := range dst {
		if err := w.add(find.of(u), src, u, weights.At(i)); err != nil {
			return err
		}
	}
	return nil
}

// next makes room in a bucket's buffer, for records with such a source.
func (w *writer) next(f *pending, bucket, src uint32) error {
	if f.buf == nil {
		if f.buf = w.spill.take(); f.buf == nil {
			f.buf = new(buffer) // the first buffers must exist whatever the budget
		}
	} else {
		b, fresh, err := w.put(f)
		if err != nil {
			return err
		}
		w.buckets[bucket] = append(w.buckets[bucket], b)
		f.buf = fresh
	}
	f.n = 0
	if w.groups != nil {
		g := &w.groups[bucket]
		f.base, f.low = g.first, uint8(bits.Len32(g.last-g.first))
	} else {
		f.base, f.low = bucket<<w.shift, uint8(w.shift)
	}
	f.bytes = max(1, uint8(bits.Len32(max(src, w.widest))+int(f.low)+7)/8)
	f.most, f.step = uint32(1)<<(8*f.bytes-f.low)-1, f.bytes+uint8(w.weights)
	return nil
}

// put turns what a bucket filled into a block.
func (w *writer) put(f *pending) (*block, *buffer, error) {
	if w.filled != nil {
		w.filled(f.buf, int(f.n), f.recordForm)
	}
	return w.spill.put(f.buf, int(f.n), f.recordForm)
}

// flush turns what is in the buffers into blocks.
func (w *writer) flush() {
	for i := range w.pending {
		f := &w.pending[i]
		switch {
		case f.buf == nil:
		case f.n > 0:
			if w.filled != nil {
				w.filled(f.buf, int(f.n), f.recordForm)
			}
			w.buckets[i] = append(w.buckets[i], newBlock(f.buf, 0, int(f.n), f.recordForm))
		default:
			w.spill.give(f.buf)
		}
		*f = pending{n: blockBytes}
	}
}
