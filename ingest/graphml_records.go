package ingest

import (
	"encoding/binary"
	"math"
)

// namedRecords hands out nodes and edges by their ids as text: records of u32 and u32, the lengths of the
// ids, float32 weight, and the ids. A node has noTarget in place of the second length.
type namedRecords struct {
	f    *blockFeed
	plan *inputPlan
	buf  []byte // nil: none
	size int    // of a block of the pool
}

const (
	namedHead = 12
	noTarget  = math.MaxUint32
)

func (x *namedRecords) add(source, target string, weight float32, node bool) error {
	if x.buf == nil {
		buf, err := x.f.pool.get(x.f.ctx)
		if err != nil {
			return err
		}
		x.buf, x.size = buf[:0], len(buf)
	}
	le, second := binary.LittleEndian, uint32(len(target))
	if node {
		second = noTarget
	}
	x.buf = le.AppendUint32(le.AppendUint32(le.AppendUint32(x.buf, uint32(len(source))), second), math.Float32bits(weight))
	x.buf = append(append(x.buf, source...), target...)
	if len(x.buf) < x.size {
		return nil
	}
	return x.flush()
}

// element is what an edge or a node is called in errors.
func (e *lineEdge) element() string {
	if e.count == 1 {
		return "node " + string(e.names[0])
	}
	return "edge from " + string(e.names[0]) + " to " + string(e.names[1])
}

// flush hands out what there is.
func (x *namedRecords) flush() error {
	if x.buf == nil {
		return nil
	}
	n := len(x.buf)
	b := &readBlock{plan: x.plan, data: append(x.buf, make([]byte, blockPad)...)[:n]}
	x.buf = nil
	return x.f.emit(b)
}

// parse delivers the nodes and edges of one block.
func (t *graphmlBody) parse(b *readBlock, w *parseWorker) error {
	batch, le := w.batch, binary.LittleEndian
	for r := b.data; len(r) >= namedHead; {
		if batch.full() {
			if err := batch.flush(); err != nil {
				return err
			}
		}
		first, second := le.Uint32(r), le.Uint32(r[4:])
		weight := math.Float32frombits(le.Uint32(r[8:]))
		r = r[namedHead:]
		e := lineEdge{count: 2, weight: weight}
		if second == noTarget {
			e.count, second = 1, 0
		}
		e.names[0], e.names[1] = r[:first], r[first:first+second]
		if t.ids != IDString { // which were checked
			for i := range e.count {
				e.ids[i], e.kinds[i] = parseInteger(e.names[i])
			}
			if e.kinds[0]|e.kinds[1] != plainInteger && (w.negative.err == nil || w.large.err == nil) {
				w.noteSignsAt(&e, b, e.element())
			}
		}
		r = r[first+second:]
		batch.add(&e, t.ids)
	}
	if t.ids == IDString { // names are in the block
		if err := batch.flush(); err != nil {
			return err
		}
		return batch.flush()
	}
	return nil
}
