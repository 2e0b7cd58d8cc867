package arrowipc

import (
	"encoding/binary"
	"fmt"
	"math"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/garaph/garaph/internal/columnar"
)

// viewBytes are those of a view of a string.
const viewBytes = 16

// Batch is some columns of a record batch, or the values of a dictionary.
type Batch struct {
	Rows   int
	chunks []chunk
}

// chunk is the values of a column. Its buffers are parts of arena.
type chunk struct {
	layout
	arena                []byte
	valid, data, offsets span // offsets of strings, or views
	more                 []span
	dictionary           *columnar.Strings
}

type span struct{ from, to int }

func (s span) size() int { return s.to - s.from }

// batchParts reads lists of a record batch.
type batchParts struct {
	m          *Message
	t          table
	rows       int64
	nodes      [2]int // place and number
	buffers    [2]int
	views      [2]int
	codec      int
	compressed bool
}

// partsOf reads the head of a record batch, in which there are that many parts.
func partsOf(m *Message, t table, want parts) (*batchParts, error) {
	p := &batchParts{m: m, t: t, rows: t.i64(0)}
	p.nodes[0], p.nodes[1] = t.vector(1, 16)
	p.buffers[0], p.buffers[1] = t.vector(2, 16)
	p.views[0], p.views[1] = t.vector(4, 8)
	if c, ok := t.table(3); ok {
		p.compressed, p.codec = true, c.byte(0)
	}
	variadic := int64(0)
	for i := range p.views[1] {
		n := p.t.i64At(p.views[0] + 8*i)
		if n < 0 || n > int64(p.buffers[1]) {
			*t.bad = true
		}
		variadic += n
	}
	if *t.bad || p.rows < 0 || p.rows > math.MaxInt32*8 || p.nodes[1] != want.nodes || p.views[1] != want.views || int64(p.buffers[1]) != int64(want.buffers)+variadic {
		return nil, fmt.Errorf("%w: a record batch of %d rows does not have the columns of its schema", ErrDamaged, p.rows)
	}
	return p, nil
}

// buffer is where the i-th buffer lies in the body.
func (p *batchParts) buffer(i int) (span, error) {
	from, n := p.t.i64At(p.buffers[0]+16*i), p.t.i64At(p.buffers[0]+16*i+8)
	if *p.t.bad || from < 0 || n < 0 || from > p.m.Body || n > p.m.Body-from {
		return span{}, fmt.Errorf("%w: a buffer at bytes %d to %d of a body of %d", ErrDamaged, from, from+n, p.m.Body)
	}
	return span{int(from), int(from + n)}, nil
}

// viewsBefore is how many buffers the first views columns have beside their usual ones.
func (p *batchParts) viewsBefore(views int) int {
	n := 0
	for i := range views {
		n += int(p.t.i64At(p.views[0] + 8*i))
	}
	return n
}

// chunk finds the buffers of a column.
func (p *batchParts) chunk(l layout, first parts) (chunk, error) {
	c := chunk{layout: l}
	at := first.buffers + p.viewsBefore(first.views)
	count := buffersOf(l.kind, table{}).buffers
	var list []span
	extra := 0
	if l.width == viewBytes {
		extra = int(p.t.i64At(p.views[0] + 8*first.views))
	}
	for i := range count + extra {
		s, err := p.buffer(at + i)
		if err != nil {
			return c, err
		}
		list = append(list, s)
	}
	c.arena, c.valid = p.m.body, list[0]
	switch {
	case l.width == viewBytes:
		c.offsets, c.more = list[1], list[2:]
	case count == 3:
		c.offsets, c.data = list[1], list[2]
	default:
		c.data = list[1]
	}
	if p.compressed {
		if err := c.unpack(p.codec); err != nil {
			return c, err
		}
	}
	return c, c.check(p.rows)
}

// spans are those of all buffers.
func (c *chunk) spans() []*span {
	all := []*span{&c.valid, &c.offsets, &c.data}
	for i := range c.more {
		all = append(all, &c.more[i])
	}
	return all
}

// unpackedSize is how many bytes a compressed buffer has unpacked.
func unpackedSize(b []byte) (int64, error) {
	if len(b) == 0 {
		return 0, nil
	}
	if len(b) < 8 {
		return 0, fmt.Errorf("%w: a compressed buffer of %d bytes", ErrDamaged, len(b))
	}
	n := int64(binary.LittleEndian.Uint64(b))
	if n == uncompressedBuffers {
		n = int64(len(b) - 8)
	}
	if n < 0 || n > math.MaxUint32 {
		return 0, fmt.Errorf("%w: a compressed buffer of %d bytes", ErrDamaged, n)
	}
	return n, nil
}

// unpack unpacks all buffers into an arena of their own.
func (c *chunk) unpack(codec int) error {
	total := int64(0)
	for _, s := range c.spans() {
		n, err := unpackedSize(c.arena[s.from:s.to])
		if err != nil {
			return err
		}
		total += n
	}
	if total > math.MaxUint32 {
		return fmt.Errorf("%w: a column of %d bytes in one record batch", ErrUnsupported, total)
	}
	arena, at := make([]byte, total), 0
	for _, s := range c.spans() {
		b := c.arena[s.from:s.to]
		n, _ := unpackedSize(b)
		if n > 0 {
			if err := unpackBuffer(codec, arena[at:at+int(n):at+int(n)], b); err != nil {
				return err
			}
		}
		*s = span{at, at + int(n)}
		at += int(n)
	}
	c.arena = arena
	return nil
}

// zstdDecoder unpacks no more than there is room for.
var zstdDecoder = sync.OnceValues(func() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderLowmem(true), zstd.WithDecodeAllCapLimit(true))
})

func unpackBuffer(codec int, dst, b []byte) error {
	raw := int64(binary.LittleEndian.Uint64(b)) == uncompressedBuffers
	b = b[8:]
	var err error
	n := len(dst)
	switch {
	case raw:
		n = copy(dst, b)
	case codec == compressedLZ4:
		err = unpackFrame(dst, b)
	case codec == compressedZstd:
		var z *zstd.Decoder
		if z, err = zstdDecoder(); err == nil {
			var out []byte
			out, err = z.DecodeAll(b, dst[:0])
			n = len(out)
		}
	default:
		return fmt.Errorf("%w: buffers are compressed with codec %d", ErrUnsupported, codec)
	}
	if err != nil {
		return fmt.Errorf("%w: a buffer that should have %d bytes cannot be unpacked: %w", ErrDamaged, len(dst), err)
	}
	if n != len(dst) {
		return fmt.Errorf("%w: a buffer that should have %d bytes has %d when unpacked", ErrDamaged, len(dst), n)
	}
	return nil
}

// check compares the sizes of buffers with the number of rows.
func (c *chunk) check(rows int64) error {
	need := func(what string, s span, n int64) error {
		if int64(s.size()) < n {
			return fmt.Errorf("%w: %s of %d bytes for %d rows", ErrDamaged, what, s.size(), rows)
		}
		return nil
	}
	if c.valid.size() > 0 {
		if err := need("a bitmap of nulls", c.valid, (rows+7)/8); err != nil {
			return err
		}
	}
	switch {
	case c.width == viewBytes:
		return need("a buffer of strings", c.offsets, rows*viewBytes)
	case c.kind == typeInt || c.kind == typeFloat:
		return need("a buffer of numbers", c.data, rows*int64(c.width))
	case rows > 0:
		return need("a buffer of offsets", c.offsets, (rows+1)*int64(c.width))
	}
	return nil
}
