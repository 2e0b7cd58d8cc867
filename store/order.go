package store

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/garaph/garaph/internal/bitset"
	"github.com/garaph/garaph/internal/hostmem"
)

// An Order is the order in which a graph stores its vertices. Vertex ids are in the order of the
// user's ids in any case. In a graph of another order, the place of a vertex, by which shards and
// arrays over vertices are divided, differs from its id.
type Order string

const (
	// ByInput places each vertex at its id.
	ByInput Order = "input"
	// ByDegree places vertices with more edges before those with fewer; equal ones in the order of their ids.
	ByDegree Order = "degree"
)

// ordering says where the ids of vertices lie, by place. It is empty if these are the places themselves.
type ordering struct {
	By     Order    `json:"by"`
	Blocks []Extent `json:"blocks"`
}

// orderBlock is the number of ids in a block.
const orderBlock = 1 << 16

// Order returns the order of places.
func (c *Catalogue) Order() Order { return cmp.Or(c.Ordering.By, ByInput) }

// OrderBytes returns the memory of the ids by place, or 0 where they are the places.
func (c *Catalogue) OrderBytes() int64 {
	if c.Order() == ByInput {
		return 0
	}
	return 4 * int64(c.Vertices)
}

// check returns an error if an order has not one block for each orderBlock of the vertices.
func (o *ordering) check(vertices uint32) error {
	blocks := (int64(vertices) + orderBlock - 1) / orderBlock
	if o.By == "" {
		blocks = 0
	}
	if o.By != "" && o.By != ByDegree || int64(len(o.Blocks)) != blocks {
		return fmt.Errorf("%w: order %q in %d blocks for %d vertices", ErrDamaged, o.By, len(o.Blocks), vertices)
	}
	return nil
}

// OrderedIDs reads the ids of all vertices by place, to memory that [hostmem.Free] frees; nil where they
// are the places themselves.
func (s *Store) OrderedIDs() (ids []uint32, err error) {
	c := s.cat
	if c.Order() == ByInput || c.Vertices == 0 {
		return nil, nil
	}
	if ids, err = hostmem.Slice[uint32](int(c.Vertices)); err != nil {
		return nil, err
	}
	if err = s.readOrder(ids); err != nil {
		hostmem.Free(ids)
		if closed := s.CheckOpen(); closed != nil {
			return nil, closed
		}
		return nil, s.repairable(fmt.Errorf("graph %s: order of vertices: %w", s.name, err))
	}
	return ids, nil
}

func (s *Store) readOrder(ids []uint32) error {
	words, err := hostmem.Slice[uint64](bitset.Words(s.cat.Vertices))
	if err != nil {
		return err
	}
	defer hostmem.Free(words)
	seen := bitset.Set(words)
	blob := make([]byte, envelopeBytes+4*orderBlock)
	for i, e := range s.cat.Ordering.Blocks {
		some := ids[i*orderBlock : min((i+1)*orderBlock, len(ids))]
		b := blob[:envelopeBytes+4*len(some)]
		err := s.payload.read(e, b)
		if err == nil {
			b, err = unseal(kindOrder, b)
		}
		if err != nil {
			return err
		}
		for k := range some {
			v := binary.LittleEndian.Uint32(b[4*k:])
			if v >= s.cat.Vertices || seen[v>>6]>>(v&63)&1 != 0 {
				return fmt.Errorf("%w: vertex %d of %d is there twice, or does not exist", ErrDamaged, v, s.cat.Vertices)
			}
			seen[v>>6] |= 1 << (v & 63)
			some[k] = v
		}
	}
	return nil
}

// Place returns the place of a vertex, given the ids by place.
func Place(ids []uint32, v uint32) uint32 {
	for p, id := range ids {
		if id == v {
			return uint32(p)
		}
	}
	return v
}

// PutOrder stores the ids of all vertices by place.
func (w *Writer) PutOrder(by Order, ids []uint32) error {
	w.order.By = by
	payload := make([]byte, 0, 4*orderBlock)
	for len(ids) > 0 {
		some := ids[:min(orderBlock, len(ids))]
		payload = payload[:0]
		for _, v := range some {
			payload = binary.LittleEndian.AppendUint32(payload, v)
		}
		b := seal(kindOrder, payload)
		w.orderSums = append(w.orderSums, binary.LittleEndian.Uint32(b[28:]))
		e, err := w.append(b, nil)
		if err != nil {
			return err
		}
		w.order.Blocks = append(w.order.Blocks, e)
		ids = ids[len(some):]
	}
	return nil
}

// checkOrder reads the order of vertices.
func checkOrder(s *Store) error {
	ids, err := s.OrderedIDs()
	hostmem.Free(ids)
	if errors.Is(err, ErrDamaged) {
		return err
	}
	return nil
}
