package arrowipc

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/garaph/garaph/internal/columnar"
)

// Dictionaries are those of a stream so far, by number. They are not changed, but replaced.
type Dictionaries map[int64]*columnar.Strings

// Unpacked is how much memory a message whose body was read takes beside its body.
func (s *Schema) Unpacked(m *Message, picked []int) (int64, error) {
	total := int64(0)
	err := s.each(m, picked, func(p *batchParts, l layout, first parts, _ int) error {
		if m.IsDictionary() {
			total += 8 * p.rows
		}
		if !p.compressed {
			return nil
		}
		at, n := first.buffers+p.viewsBefore(first.views), buffersOf(l.kind, table{}).buffers
		if l.width == viewBytes {
			n += int(p.t.i64At(p.views[0] + 8*first.views))
		}
		for i := range n {
			b, err := p.buffer(at + i)
			if err != nil {
				return err
			}
			size, err := unpackedSize(m.body[b.from:b.to])
			if err != nil {
				return err
			}
			total += size
		}
		return nil
	})
	return total, err
}

// each calls do for the columns of a batch that are picked, or for the values of a dictionary.
func (s *Schema) each(m *Message, picked []int, do func(p *batchParts, l layout, first parts, column int) error) error {
	if !m.IsDictionary() {
		p, err := partsOf(m, m.header, s.parts)
		if err != nil {
			return err
		}
		for _, i := range picked {
			f := &s.fields[i]
			l := f.layout
			if f.dictionary != noDictionary {
				l = f.index
			}
			if err := do(p, l, f.first, i); err != nil {
				return err
			}
		}
		return nil
	}
	for _, i := range picked {
		if f := &s.fields[i]; f.dictionary != noDictionary && f.dictionary == m.header.i64(0) {
			t, ok := m.header.table(1)
			if !ok {
				return fmt.Errorf("%w: a dictionary without values", ErrDamaged)
			}
			p, err := partsOf(m, t, buffersOf(f.kind, table{}))
			if err != nil {
				return err
			}
			return do(p, f.layout, parts{}, i)
		}
	}
	return nil // of a column that is not read
}

// Load finds the columns that are picked in a batch whose body was read.
func (s *Schema) Load(m *Message, picked []int, d Dictionaries) (*Batch, error) {
	b := &Batch{}
	err := s.each(m, picked, func(p *batchParts, l layout, first parts, column int) error {
		c, err := p.chunk(l, first)
		if err != nil {
			return fmt.Errorf("column %q: %w", s.Columns[column].Name, err)
		}
		if f := &s.fields[column]; f.dictionary != noDictionary {
			if c.dictionary = d[f.dictionary]; c.dictionary == nil {
				return fmt.Errorf("%w: column %q refers to dictionary %d, which was not there before it", ErrDamaged, s.Columns[column].Name, f.dictionary)
			}
		}
		b.Rows = int(p.rows)
		b.chunks = append(b.chunks, c)
		return nil
	})
	return b, err
}

// Dictionary is the number of the dictionary in a message, whether its values go behind those that
// there are, and whether a column that is picked refers to it.
func (s *Schema) Dictionary(m *Message, picked []int) (number int64, delta, known bool) {
	number, delta = m.header.i64(0), m.header.byte(2) != 0
	for _, i := range picked {
		known = known || s.fields[i].dictionary == number
	}
	return number, delta, known && number != noDictionary
}

// LoadDictionary puts the strings of a message whose body was read into d.
func (s *Schema) LoadDictionary(m *Message, picked []int, d Dictionaries) error {
	return s.each(m, picked, func(p *batchParts, l layout, first parts, column int) error {
		c, err := p.chunk(l, first)
		if err != nil {
			return fmt.Errorf("the dictionary of column %q: %w", s.Columns[column].Name, err)
		}
		var v columnar.Values
		var spans []columnar.Span
		if err := c.strings(&v, 0, int(p.rows), &spans); err != nil {
			return fmt.Errorf("the dictionary of column %q: %w", s.Columns[column].Name, err)
		}
		text, number := v.Text, s.fields[column].dictionary
		if old := d[number]; old != nil && m.header.byte(2) != 0 { // a delta
			text = joined(old, &text)
		}
		d[number] = &text
		return nil
	})
}

// joined are the strings of a and, behind them, those of b.
func joined(a, b *columnar.Strings) columnar.Strings {
	j := columnar.Strings{Data: append(append([]byte(nil), a.Data...), b.Data...)}
	j.Spans = append(j.Spans, a.Spans...)
	shift := uint32(len(a.Data))
	for _, s := range b.Spans {
		j.Spans = append(j.Spans, columnar.Span{From: s.From + shift, To: s.To + shift})
	}
	return j
}

// Scratch is what one goroutine decodes values into.
type Scratch struct {
	values  []columnar.Values
	buffers []scratch
}

type scratch struct {
	ints   []uint64
	floats []float64
	spans  []columnar.Span
	index  []uint32
	null   []bool
}

// Values are the rows from one up to another, valid until the next are asked for.
func (b *Batch) Values(from, to int, x *Scratch) ([]columnar.Values, error) {
	for len(x.buffers) < len(b.chunks) {
		x.buffers = append(x.buffers, scratch{})
	}
	x.values = make([]columnar.Values, len(b.chunks))
	for i := range b.chunks {
		c, v, s := &b.chunks[i], &x.values[i], &x.buffers[i]
		c.nulls(v, from, to, &s.null)
		var err error
		switch {
		case c.dictionary != nil:
			err = c.refer(v, from, to, s)
		case c.kind == typeInt:
			v.Ints = grown(&s.ints, to-from)
			c.integers(v.Ints, from)
		case c.kind == typeFloat:
			v.Floats = grown(&s.floats, to-from)
			c.floats(v.Floats, from)
		default:
			err = c.strings(v, from, to, &s.spans)
		}
		if err != nil {
			return nil, err
		}
	}
	return x.values, nil
}

func grown[T any](b *[]T, n int) []T {
	if cap(*b) < n {
		*b = make([]T, n)
	}
	return (*b)[:n]
}

// nulls reads the bitmap of what is there.
func (c *chunk) nulls(v *columnar.Values, from, to int, buf *[]bool) {
	if c.valid.size() == 0 {
		return
	}
	bits, null, any := c.arena[c.valid.from:c.valid.to], grown(buf, to-from), false
	for i := range null {
		null[i] = bits[(from+i)/8]>>((from+i)%8)&1 == 0
		any = any || null[i]
	}
	if any {
		v.Null = null
	}
}

func (c *chunk) integers(dst []uint64, from int) {
	b := c.arena[c.data.from+from*c.width : c.data.to]
	switch c.width {
	case 8:
		for i := range dst {
			dst[i] = binary.LittleEndian.Uint64(b[8*i:])
		}
	case 4:
		for i := range dst {
			dst[i] = uint64(binary.LittleEndian.Uint32(b[4*i:]))
		}
	case 2:
		for i := range dst {
			dst[i] = uint64(binary.LittleEndian.Uint16(b[2*i:]))
		}
	default:
		for i := range dst {
			dst[i] = uint64(b[i])
		}
	}
	if shift := 64 - 8*c.width; c.signed && shift > 0 {
		for i, x := range dst {
			dst[i] = uint64(int64(x<<shift) >> shift)
		}
	}
}

func (c *chunk) floats(dst []float64, from int) {
	b := c.arena[c.data.from+from*c.width : c.data.to]
	for i := range dst {
		if c.width == 8 {
			dst[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
		} else {
			dst[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])))
		}
	}
}

// refer reads places in a dictionary.
func (c *chunk) refer(v *columnar.Values, from, to int, s *scratch) error {
	places := grown(&s.ints, to-from)
	c.integers(places, from)
	index, size := grown(&s.index, to-from), uint64(len(c.dictionary.Spans))
	for i, at := range places {
		if v.IsNull(i) {
			index[i] = 0
			continue
		}
		if at >= size {
			return fmt.Errorf("%w: row %d refers to value %d of a dictionary with %d", ErrDamaged, from+i, int64(at), size)
		}
		index[i] = uint32(at)
	}
	v.Text = *c.dictionary
	v.Text.Index = index
	return nil
}

// strings finds strings in the arena.
func (c *chunk) strings(v *columnar.Values, from, to int, buf *[]columnar.Span) error {
	spans := grown(buf, to-from)
	v.Text = columnar.Strings{Data: c.arena, Spans: spans}
	if c.width == viewBytes {
		return c.views(spans, from, v)
	}
	if to == from {
		return nil
	}
	b := c.arena[c.offsets.from+from*c.width : c.offsets.to]
	read := func(i int) int64 {
		if c.width == 8 {
			return int64(binary.LittleEndian.Uint64(b[8*i:]))
		}
		return int64(int32(binary.LittleEndian.Uint32(b[4*i:])))
	}
	at, size := read(0), int64(c.data.size())
	for i := range spans {
		end := read(i + 1)
		if at < 0 || end < at || end > size {
			return fmt.Errorf("%w: the string of row %d is at bytes %d to %d of %d", ErrDamaged, from+i, at, end, size)
		}
		spans[i] = columnar.Span{From: uint32(c.data.from + int(at)), To: uint32(c.data.from + int(end))}
		at = end
	}
	return nil
}

// shortView is up to how many bytes stand in a view itself.
const shortView = 12

// views reads strings of which short ones stand in place.
func (c *chunk) views(spans []columnar.Span, from int, v *columnar.Values) error {
	for i := range spans {
		at := c.offsets.from + (from+i)*viewBytes
		view := c.arena[at : at+viewBytes]
		n := int(binary.LittleEndian.Uint32(view))
		switch {
		case v.IsNull(i):
			spans[i] = columnar.Span{}
		case n <= shortView:
			spans[i] = columnar.Span{From: uint32(at + 4), To: uint32(at + 4 + n)}
		default:
			buffer, offset := int(binary.LittleEndian.Uint32(view[8:])), int(binary.LittleEndian.Uint32(view[12:]))
			if buffer >= len(c.more) || offset+n > c.more[buffer].size() {
				return fmt.Errorf("%w: the string of row %d is not where it should be", ErrDamaged, from+i)
			}
			offset += c.more[buffer].from
			spans[i] = columnar.Span{From: uint32(offset), To: uint32(offset + n)}
		}
	}
	return nil
}
