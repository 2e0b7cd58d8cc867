package store

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unsafe"
)

// A block of ids holds at most idBlockIDs ids or about idBlockBytes bytes: small
// enough that finding one id at random is cheap.
const (
	idBlockIDs   = 1 << 12
	idBlockBytes = 64 << 10
	// maxIDBytes is more than the longest string that an import takes as an id.
	maxIDBytes = 64 << 10
)

// IDBlock is the user ids of consecutive vertices; one slice is set, by kind. With [IDBase], Ints
// is computed.
type IDBlock struct {
	First   uint32 // dense id of the first one
	Ints    []int64
	Uints   []uint64
	Strings []string

	blob []byte // the bytes of Strings
}

// Len returns the number of ids in the block.
func (b *IDBlock) Len() int { return len(b.Ints) + len(b.Uints) + len(b.Strings) }

// Text returns the i-th id of the block as text.
func (b *IDBlock) Text(i int) string {
	switch {
	case b.Strings != nil:
		return b.Strings[i]
	case b.Uints != nil:
		return strconv.FormatUint(b.Uints[i], 10)
	default:
		return strconv.FormatInt(b.Ints[i], 10)
	}
}

// IDs reads the map from dense ids to the user's, a block at a time, keeping
// the last one: it is for ids in ascending order, and an [IDSet] for many in any
// other. Not for concurrent use.
type IDs struct {
	s    *Store
	last IDBlock
}

// IDs returns a reader of the id map.
func (s *Store) IDs() *IDs { return &IDs{s: s} }

// Block returns the block that holds dense id v, in memory of the reader: it lasts
// until the next call.
func (r *IDs) Block(v uint32) (*IDBlock, error) {
	b := &r.last
	if v >= b.First && v-b.First < uint32(b.Len()) {
		return b, nil
	}
	if err := r.s.checkVertex(v); err != nil {
		return nil, err
	}
	if err := r.s.readIDs(b, r.s.cat.IDs.blockOf(v)); err != nil {
		return nil, err
	}
	return b, nil
}

func (s *Store) checkVertex(v uint32) error {
	if v >= s.cat.Vertices {
		return fmt.Errorf("graph %s: %w: dense id %d of %d", s.name, ErrNoVertex, v, s.cat.Vertices)
	}
	return nil
}

// Text returns the user's id of v.
func (r *IDs) Text(v uint32) (string, error) {
	b, err := r.Block(v)
	if err != nil {
		return "", err
	}
	return strings.Clone(b.Text(int(v - b.First))), nil
}

func (m *IDMap) blockOf(v uint32) int {
	if m.Kind == IDBase {
		return int(v / idBlockIDs)
	}
	return sort.Search(len(m.Blocks), func(i int) bool { return m.Blocks[i] > v }) - 1
}

// blockRange returns the first vertex in block i, and the number of vertices in it.
func (m *IDMap) blockRange(i int, vertices uint32) (first uint32, n int) {
	end := uint64(vertices)
	if m.Kind == IDBase {
		first = uint32(i) * idBlockIDs
		end = min(end, uint64(first)+idBlockIDs)
	} else {
		first = m.Blocks[i]
		if i+1 < len(m.Blocks) {
			end = uint64(m.Blocks[i+1])
		}
	}
	return first, int(end) - int(first)
}

// mostBytes returns the largest size of a block of n ids, so that no memory is allocated for an impossible one of a
// forged directory.
func (m *IDMap) mostBytes(n int) int64 {
	if m.Kind != IDString {
		return envelopeBytes + 8*int64(n)
	}
	return envelopeBytes + 4*int64(n+1) + idBlockBytes + int64(m.MaxBytes)
}

// readIDs reads block i into b, whose memory it takes again: blocks that are read
// one after another leave no garbage.
func (s *Store) readIDs(b *IDBlock, i int) error {
	m := &s.cat.IDs
	first, n := m.blockRange(i, s.cat.Vertices)
	b.First, b.Ints, b.Uints, b.Strings = first, b.Ints[:0], b.Uints[:0], b.Strings[:0]
	if m.Kind == IDBase {
		for j := range n {
			b.Ints = append(b.Ints, m.Base+int64(first)+int64(j))
		}
		return nil
	}
	e := m.places[i]
	b.blob = slices.Grow(b.blob[:0], int(e.Bytes))[:e.Bytes]
	err := s.payload.read(e, b.blob)
	var ids []byte
	if err == nil {
		ids, err = unseal(kindIDs, b.blob)
	}
	if err == nil {
		err = b.decode(m, ids, n)
	}
	if err != nil {
		*b = IDBlock{}
		if closed := s.CheckOpen(); closed != nil {
			return closed
		}
		return s.repairable(fmt.Errorf("graph %s: id block %d: %w", s.name, i, err))
	}
	return nil
}

// decode appends the ids in p. Strings are windows into it.
func (b *IDBlock) decode(m *IDMap, p []byte, n int) error {
	kind := m.Kind
	le := binary.LittleEndian
	switch kind {
	case IDInt, IDUint:
		if len(p) != 8*n {
			return fmt.Errorf("%w: %d bytes for %d ids", ErrDamaged, len(p), n)
		}
		for ; len(p) > 0; p = p[8:] {
			if kind == IDInt {
				b.Ints = append(b.Ints, int64(le.Uint64(p)))
			} else {
				b.Uints = append(b.Uints, le.Uint64(p))
			}
		}
		return nil
	case IDString:
		if len(p) < 4*(n+1) {
			return fmt.Errorf("%w: %d bytes for %d ids", ErrDamaged, len(p), n)
		}
		text := p[4*(n+1):]
		for i := range n {
			from, to := le.Uint32(p[4*i:]), le.Uint32(p[4*i+4:])
			if from > to || int(to) > len(text) {
				return fmt.Errorf("%w: id %d lies outside its block", ErrDamaged, i)
			}
			if int(to-from) > m.MaxBytes {
				return fmt.Errorf("%w: id %d has %d bytes, and the longest of the graph %d", ErrDamaged, i, to-from, m.MaxBytes)
			}
			id := text[from:to]
			b.Strings = append(b.Strings, unsafe.String(unsafe.SliceData(id), len(id)))
		}
		return nil
	}
	return fmt.Errorf("%w: ids of kind %q", ErrDamaged, kind)
}

// IDWriter writes the id map, in ascending dense order.
type IDWriter struct {
	w    *Writer
	m    IDMap
	next uint32
	n    int
	ends []uint32
	data []byte
	sums []uint32
}

// IDs begins the id map of the graph. For [IDBase] there is nothing to append.
func (w *Writer) IDs(kind IDKind, base int64) *IDWriter {
	return &IDWriter{w: w, m: IDMap{Kind: kind, Base: base}}
}

// AppendInt appends an id of kind IDInt or IDUint, as its 64 bits.
func (iw *IDWriter) AppendInt(bits uint64) error {
	iw.data = binary.LittleEndian.AppendUint64(iw.data, bits)
	return iw.appended()
}

// AppendString appends an id of kind IDString.
func (iw *IDWriter) AppendString(id []byte) error {
	if len(iw.ends) == 0 {
		iw.ends = append(iw.ends, 0)
	}
	iw.data = append(iw.data, id...)
	iw.ends = append(iw.ends, uint32(len(iw.data)))
	iw.m.MaxBytes = max(iw.m.MaxBytes, len(id))
	return iw.appended()
}

func (iw *IDWriter) appended() error {
	if iw.next == math.MaxUint32 {
		return fmt.Errorf("more than %d vertices: dense ids have 32 bits", uint32(math.MaxUint32))
	}
	iw.next++
	iw.n++
	if iw.n < idBlockIDs && len(iw.data) < idBlockBytes {
		return nil
	}
	return iw.flush()
}

func (iw *IDWriter) flush() error {
	if iw.n == 0 {
		return nil
	}
	var payload []byte
	for _, e := range iw.ends {
		payload = binary.LittleEndian.AppendUint32(payload, e)
	}
	payload = append(payload, iw.data...)
	b := seal(kindIDs, payload)
	iw.sums = append(iw.sums, binary.LittleEndian.Uint32(b[28:]))
	e, err := iw.w.append(b, nil)
	iw.m.Blocks, iw.m.places = append(iw.m.Blocks, iw.next-uint32(iw.n)), append(iw.m.places, e)
	iw.n, iw.ends, iw.data = 0, iw.ends[:0], iw.data[:0]
	return err
}

// Finish writes the remaining ids and adds the map to the writer's catalogue.
func (iw *IDWriter) Finish() error {
	if err := iw.flush(); err != nil {
		return err
	}
	iw.w.ids, iw.w.idSums = iw.m, iw.sums
	return nil
}
