package build

import (
	"context"
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/garaph/garaph/internal/hostmem"
)

// idNumbers gives ids the provisional numbers that they have while edges are read.
type idNumbers struct {
	limit   uint64 // integers below it number themselves
	ints    *intTable
	strings *nameTable
	mapped  atomic.Bool  // numbers come from a map
	convert sync.RWMutex // held for reading while edges are added unmapped, for writing to set mapped
	before  []uint64     // declared, of the time before mapped
}

// unmapped calls plain when integers up to top number themselves, and mapped
// otherwise, from the first larger one on for all goroutines.
func (w *bucketWriter) unmapped(top uint64, plain, mapped func() error) error {
	if top < w.limit {
		w.convert.RLock()
		defer w.convert.RUnlock()
		if !w.mapped.Load() {
			return plain()
		}
	} else if err := w.useMap(); err != nil {
		return err
	}
	if !w.mapping {
		w.turn()
	}
	return mapped()
}

// useMap makes numbers come from the map. Degrees are counted again, for the new
// numbers.
func (b *Builder) useMap() error {
	b.convert.Lock()
	defer b.convert.Unlock()
	if b.mapped.Load() {
		return nil
	}
	b.before, b.declared = b.declared, nil
	b.free()
	b.top.Store(0)
	b.mapped.Store(true)
	b.admit()
	return b.arrays()
}

// narrow returns integers as numbers, and the largest of them as it is.
func narrow(buf *[]uint32, ids []uint64) (out []uint32, top uint64) {
	out = sized(buf, len(ids))
	for i, id := range ids {
		out[i] = uint32(id)
		top = max(top, id)
	}
	return out, top
}

func sized(buf *[]uint32, n int) []uint32 {
	if cap(*buf) < n {
		*buf = make([]uint32, n)
	}
	return (*buf)[:n]
}

// numbers looks integers up in the map.
func (p *idNumbers) numbers(buf *[]uint32, ids []uint64) (out []uint32, err error) {
	out = sized(buf, len(ids))
	for i, id := range ids {
		if out[i], err = p.ints.number(id); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// named looks names up in their table.
func (p *idNumbers) named(buf *[]uint32, ids [][]byte) (out []uint32, err error) {
	out = sized(buf, len(ids))
	for i, id := range ids {
		if out[i], err = p.strings.number(id); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// renumber maps what was read before numbers came from the map.
func (b *Builder) renumber(ctx context.Context) error {
	if b.before == nil {
		return nil
	}
	defer func() {
		hostmem.Free(b.before)
		b.before = nil
	}()
	w := b.Worker().(*bucketWriter)
	w.mapping = true
	for i, word := range b.before {
		if i%askEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		for ; word != 0; word &= word - 1 {
			id := uint64(i)<<6 + uint64(bits.TrailingZeros64(word))
			list, err := b.numbers(&w.src, []uint64{id})
			if err == nil {
				err = w.declare(list)
			}
			if err != nil {
				return err
			}
		}
	}
	for _, old := range b.workers {
		for _, blocks := range old.old {
			if err := b.spill.eachUnpacked(ctx, blocks, w.renumber); err != nil {
				return err
			}
		}
		old.old = nil
	}
	return w.Close()
}

// renumber adds records between small integers by their numbers in the map.
// Mirrored edges are among them already.
func (w *bucketWriter) renumber(records []uint32) error {
	if err := w.tallies(); err != nil {
		return err
	}
	var weight []float64
	for record := recordWords(w.weightBytes()); len(records) >= record; records = records[record:] {
		if w.schema.Weighted {
			weight = []float64{weightOf(records[:record])}
		}
		ends, err := w.numbers(&w.src, []uint64{uint64(records[0]), uint64(records[1])})
		if err != nil {
			return err
		}
		if err := w.directed(endsOf(ends[:1]), endsOf(ends[1:]), weight); err != nil {
			return err
		}
	}
	return nil
}
