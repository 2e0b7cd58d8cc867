package parquetread

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/garaph/garaph/internal/columnar"
)

// decode decodes the values of a page, present of which are not null, into c.values.
func (c *cursor) decode(p *page, body []byte, present int) error {
	if c.kind == columnar.Text {
		return c.decodeText(p, body, present)
	}
	words := grown(&c.ints, p.values)
	switch e := p.encoding; {
	case e == encodingRLEDictionary || e == encodingPlainDictionary:
		index, err := c.indexes(body, p.values, present)
		if err != nil {
			return err
		}
		for i, at := range index[:present] {
			words[i] = c.words[at]
		}
	default:
		if err := c.decodeWords(e, words[:present], body); err != nil {
			return err
		}
	}
	if c.values.Null != nil {
		spread(words, c.values.Null, present)
	}
	c.values.Ints, c.values.Floats = words, nil
	if c.kind == columnar.Float {
		c.values.Ints, c.values.Floats = nil, grown(&c.floats, p.values)
		for i, w := range words {
			c.values.Floats[i] = math.Float64frombits(w)
		}
	}
	return nil
}

// decodeWords decodes numbers of fixed width, as 64 bits each.
func (c *cursor) decodeWords(encoding int8, dst []uint64, body []byte) error {
	width := 8
	if c.column.physical == typeInt32 || c.column.physical == typeFloat {
		width = 4
	}
	switch encoding {
	case encodingPlain, encodingSplit:
		if len(body)/width < len(dst) {
			return fmt.Errorf("%w: %d bytes for %d values of %d", ErrDamaged, len(body), len(dst), width)
		}
		switch {
		case encoding == encodingSplit:
			split(dst, body, width)
		case width == 8:
			for i := range dst {
				dst[i] = binary.LittleEndian.Uint64(body[8*i:])
			}
			return nil
		default:
			for i := range dst {
				dst[i] = uint64(binary.LittleEndian.Uint32(body[4*i:]))
			}
		}
	case encodingDelta:
		if c.kind == columnar.Float {
			return unsupportedEncoding(encoding)
		}
		if _, err := delta(dst, body); err != nil {
			return err
		}
	default:
		return unsupportedEncoding(encoding)
	}
	if width == 4 {
		c.widen(dst)
	}
	return nil
}

// widen makes 64 bits of 32.
func (c *cursor) widen(dst []uint64) {
	if c.kind != columnar.Float {
		signExtend(dst, c.kind == columnar.Int)
		return
	}
	for i, w := range dst {
		dst[i] = math.Float64bits(float64(math.Float32frombits(uint32(w))))
	}
}

func unsupportedEncoding(e int8) error {
	return fmt.Errorf("%w: values are in encoding %d", ErrUnsupported, e)
}

// split decodes BYTE_STREAM_SPLIT.
func split(dst []uint64, body []byte, width int) {
	n := len(body) / width
	clear(dst)
	for b := range width {
		for i := range dst {
			dst[i] |= uint64(body[b*n+i]) << (8 * b)
		}
	}
}

// spread moves values to the rows that are not null.
func spread[T any](v []T, null []bool, present int) {
	var zero T
	for i := len(null) - 1; i >= 0; i-- {
		if null[i] {
			v[i] = zero
			continue
		}
		present--
		v[i] = v[present]
	}
}

// indexes decodes places in the dictionary: n of them have room.
func (c *cursor) indexes(body []byte, n, present int) ([]uint32, error) {
	index := grown(&c.index, n)
	if present == 0 {
		return index, nil
	}
	if len(body) == 0 {
		return nil, fmt.Errorf("%w: it has no values", ErrDamaged)
	}
	if err := hybrid(index[:present], body[1:], uint(body[0])); err != nil {
		return nil, err
	}
	size := max(len(c.words), len(c.text.Spans))
	if c.dictionary.kind != dictionaryPage {
		size = 0
	}
	if top := slices.Max(index[:present]); int64(top) >= int64(size) {
		return nil, fmt.Errorf("%w: it refers to value %d of a dictionary with %d", ErrDamaged, top, size)
	}
	return index, nil
}

// loadDictionary reads the dictionary of a column.
func (c *cursor) loadDictionary(r io.ReaderAt) error {
	p := &c.dictionary
	if p.encoding != encodingPlain && p.encoding != encodingPlainDictionary {
		return unsupportedEncoding(p.encoding)
	}
	stored, err := c.readStored(r, p, &c.stored)
	if err != nil {
		return err
	}
	b := grown(&c.dictionaryBytes, p.unpacked)
	if err := unpack(c.codec, b, stored); err != nil {
		return err
	}
	c.words, c.text.Spans = c.words[:0], c.text.Spans[:0]
	if c.kind != columnar.Text {
		c.words = slices.Grow(c.words, p.values)[:p.values]
		return c.decodeWords(encodingPlain, c.words, b)
	}
	c.text.Data = b
	c.text.Spans = slices.Grow(c.text.Spans, p.values)[:p.values]
	return plainSpans(c.text.Spans, b)
}

// decodeText decodes strings.
func (c *cursor) decodeText(p *page, body []byte, present int) error {
	text := &c.values.Text
	if p.encoding == encodingRLEDictionary || p.encoding == encodingPlainDictionary {
		index, err := c.indexes(body, p.values, present)
		if err != nil {
			return err
		}
		if c.values.Null != nil {
			spread(index, c.values.Null, present)
		}
		*text = columnar.Strings{Data: c.text.Data, Spans: c.text.Spans, Index: index}
		if len(text.Spans) == 0 { // all are null
			text.Spans, text.Data = noSpan, nil
		}
		return nil
	}
	spans := grown(&c.spans, p.values)
	data := body
	var err error
	switch p.encoding {
	case encodingPlain:
		err = plainSpans(spans[:present], body)
	case encodingDeltaLength:
		data, err = c.deltaLengths(spans[:present], body)
	case encodingDeltaBytes:
		data, err = c.deltaBytes(spans[:present], body)
	default:
		err = unsupportedEncoding(p.encoding)
	}
	if err != nil {
		return err
	}
	if c.values.Null != nil {
		spread(spans, c.values.Null, present)
	}
	*text = columnar.Strings{Data: data, Spans: spans}
	return nil
}

// noSpan is the dictionary of a column of nulls.
var noSpan = make([]columnar.Span, 1)

// plainSpans finds strings behind their lengths.
func plainSpans(dst []columnar.Span, b []byte) error {
	at := uint64(0)
	for i := range dst {
		if uint64(len(b))-at < 4 {
			return fmt.Errorf("%w: it ends before string %d of %d", ErrDamaged, i, len(dst))
		}
		n := uint64(binary.LittleEndian.Uint32(b[at:]))
		at += 4
		if n > uint64(len(b))-at {
			return fmt.Errorf("%w: it ends within string %d of %d", ErrDamaged, i, len(dst))
		}
		dst[i] = columnar.Span{From: uint32(at), To: uint32(at + n)}
		at += n
	}
	return nil
}

// deltaLengths decodes DELTA_LENGTH_BYTE_ARRAY: lengths, then bytes.
func (c *cursor) deltaLengths(dst []columnar.Span, body []byte) ([]byte, error) {
	lengths := grown(&c.lengths[0], len(dst))
	data, err := delta(lengths, body)
	if err != nil {
		return nil, err
	}
	at := uint64(0)
	for i, n := range lengths {
		to, err := addLength(at, n, uint64(len(data)))
		if err != nil {
			return nil, err
		}
		dst[i] = columnar.Span{From: uint32(at), To: uint32(to)}
		at = to
	}
	return data, nil
}

// deltaBytes decodes DELTA_BYTE_ARRAY: of each string, how many bytes it has in common with
// the one before it, and the rest.
func (c *cursor) deltaBytes(dst []columnar.Span, body []byte) ([]byte, error) {
	prefixes, suffixes := grown(&c.lengths[0], len(dst)), grown(&c.lengths[1], len(dst))
	body, err := delta(prefixes, body)
	if err == nil {
		body, err = delta(suffixes, body)
	}
	if err != nil {
		return nil, err
	}
	total, rest := uint64(0), uint64(0)
	for i := range dst {
		if rest, err = addLength(rest, suffixes[i], uint64(len(body))); err != nil {
			return nil, err
		}
		before := uint64(0)
		if i > 0 {
			before = uint64(dst[i-1].To - dst[i-1].From)
		}
		if prefixes[i] > before {
			return nil, fmt.Errorf("%w: string %d has %d bytes of the one before it, which has %d", ErrDamaged, i, prefixes[i], before)
		}
		n := prefixes[i] + suffixes[i]
		if total+n > min(uint64(c.expanded), math.MaxUint32) {
			return nil, &NeedError{What: "a page whose strings have prefixes in common", Bytes: int64(total + n), Limit: c.expanded}
		}
		dst[i] = columnar.Span{From: uint32(total), To: uint32(total + n)}
		total += n
	}
	out := grown(&c.expandedText, int(total))
	for i, s := range dst {
		at := int(s.From)
		if i > 0 {
			at += copy(out[at:], out[dst[i-1].From:uint64(dst[i-1].From)+prefixes[i]])
		}
		body = body[copy(out[at:s.To], body):]
	}
	return out, nil
}
