package parquetread

import (
	"errors"
	"fmt"
	"io"
	"math"
)

// Types of pages.
const (
	dataPage = iota
	indexPage
	dictionaryPage
	dataPageV2
)

// Encodings of values.
const (
	encodingPlain           = 0
	encodingPlainDictionary = 2 // of indexes in an old page, as RLEDictionary; or of a dictionary, as Plain
	encodingRLE             = 3
	encodingDelta           = 5
	encodingDeltaLength     = 6
	encodingDeltaBytes      = 7
	encodingRLEDictionary   = 8
	encodingSplit           = 9 // the first bytes of all values, then the second ones, …
)

// page is where a page is, and what its header says.
type page struct {
	at       int64 // of the bytes behind the header
	stored   int   // bytes in the file
	unpacked int
	values   int // nulls included: rows
	first    int64
	kind     int8
	encoding int8
	plain    bool // of version 2: its values are not compressed
	checked  bool // crc is there
	crc      uint32
	levels   int // of version 2: bytes of the definition levels
}

// The header of a page is read with so many bytes, and with more when it is longer:
// it may have statistics with long strings.
const (
	headBytes    = 256
	maxHeadBytes = 1 << 20
)

// readHead reads the header of the page at an offset of the file, in a chunk that ends at
// end.
func readHead(r io.ReaderAt, at, end int64, buf *[]byte) (page, error) {
	for size := int64(headBytes); ; size *= 16 {
		size = min(size, end-at)
		if int64(len(*buf)) < size {
			*buf = make([]byte, size)
		}
		b := (*buf)[:size]
		if err := readAt(r, b, at); err != nil {
			return page{}, err
		}
		p, n, err := parseHead(b)
		switch {
		case errors.Is(err, errShort) && size < min(maxHeadBytes, end-at):
			continue
		case errors.Is(err, errShort) && size < end-at:
			return page{}, fmt.Errorf("%w: its header has more than %d bytes, as of statistics with long strings", ErrUnsupported, maxHeadBytes)
		}
		if err != nil {
			return page{}, err
		}
		if p.at = at + int64(n); int64(p.stored) > end-p.at {
			return page{}, fmt.Errorf("%w: it is said to have %d bytes, and %d are left of its column", ErrDamaged, p.stored, end-p.at)
		}
		return p, nil
	}
}

// parseHead parses a header, and returns how many bytes it has.
func parseHead(b []byte) (page, int, error) {
	var p page
	t := &thrift{b: b}
	ids := int64(0)
	t.fields(func(id int64, kind byte) bool {
		switch id {
		case 1:
			p.kind = int8(t.bounded(kind, 0, math.MaxInt8))
		case 2:
			p.unpacked = int(t.bounded(kind, 0, math.MaxInt32))
		case 3:
			p.stored = int(t.bounded(kind, 0, math.MaxInt32))
		case 4:
			p.crc, p.checked = uint32(t.integer(kind)), true
		case 5, 7, 8:
			ids |= 1 << id
			t.pageHead(kind, id == 8, &p)
		default:
			return false
		}
		return true
	})
	if t.err != nil {
		return p, 0, t.err
	}
	needed := map[int8]int64{dataPage: 5, dictionaryPage: 7, dataPageV2: 8}[p.kind]
	if needed != 0 && ids != 1<<needed {
		return p, 0, fmt.Errorf("%w: its header is not of its kind", ErrDamaged)
	}
	return p, t.at, nil
}

// pageHead reads what is particular to a kind of pages. The first fields of all are
// the number of values and, but for version 2, the encoding.
func (t *thrift) pageHead(kind byte, v2 bool, p *page) {
	encoding := int64(2)
	if v2 {
		encoding = 4
	}
	t.structure(kind, func(id int64, kind byte) bool {
		switch {
		case id == 1:
			p.values = int(t.bounded(kind, 0, math.MaxInt32))
		case id == encoding:
			p.encoding = int8(t.bounded(kind, 0, math.MaxInt8))
		case v2 && id == 5:
			p.levels = int(t.bounded(kind, 0, math.MaxInt32))
		case v2 && id == 6:
			t.bounded(kind, 0, 0) // no column that is read has repetition levels
		case v2 && id == 7:
			p.plain = kind == thriftFalse
			return false
		default:
			return false
		}
		return true
	})
}

// bounded reads an integer that is in a range.
func (t *thrift) bounded(kind byte, least, most int64) int64 {
	x := t.integer(kind)
	if t.err == nil && (x < least || x > most) {
		t.fail(fmt.Errorf("%w: its header has %d where a number from %d to %d belongs", ErrDamaged, x, least, most))
	}
	if t.err != nil {
		return 0
	}
	return x
}
