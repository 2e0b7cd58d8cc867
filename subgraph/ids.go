package subgraph

import (
	"context"

	"github.com/garaph/garaph/store"
)

// smallIDs are integers that an import stores no map of, where they have no gaps.
const smallIDs = 1 << 22

// writeIDs writes the ids of the set, as an import of them would.
func (x *maker) writeIDs(ctx context.Context, w *store.Writer) error {
	kind := x.cat.IDs.Kind
	if kind == store.IDBase {
		kind = store.IDInt
	}
	if first, ok, err := x.consecutive(); err != nil {
		return err
	} else if ok {
		return w.IDs(store.IDBase, first).Finish()
	}
	ids := w.IDs(kind, 0)
	err := x.eachID(ctx, func(b *store.IDBlock, i int) error {
		switch {
		case b.Strings != nil:
			return ids.AppendString([]byte(b.Strings[i]))
		case b.Uints != nil:
			return ids.AppendInt(b.Uints[i])
		default:
			return ids.AppendInt(uint64(b.Ints[i]))
		}
	})
	if err != nil {
		return err
	}
	return ids.Finish()
}

// consecutive reports whether the ids are small integers without gaps, and the first one.
func (x *maker) consecutive() (first int64, ok bool, err error) {
	if x.cat.IDs.Kind == store.IDString || x.cat.IDs.Kind == store.IDUint {
		return 0, false, nil
	}
	r := x.store.IDs()
	id := func(v uint32) (int64, error) {
		b, err := r.Block(v)
		if err != nil {
			return 0, err
		}
		return b.Ints[v-b.First], nil
	}
	low, _ := x.set.bits.Next(0, x.set.n)
	high := x.last()
	if first, err = id(low); err != nil {
		return 0, false, err
	}
	last, err := id(high)
	if err != nil || first < 0 || last >= smallIDs {
		return 0, false, err
	}
	return first, last-first+1 == int64(x.set.Len()), nil
}

// last returns the last vertex of the set, which has some.
func (x *maker) last() uint32 {
	v := x.set.n - 1
	for !x.set.Has(v) {
		v--
	}
	return v
}

// eachID calls f with the ids of the set, in order.
func (x *maker) eachID(ctx context.Context, f func(b *store.IDBlock, i int) error) error {
	r := x.store.IDs()
	for v, ok := x.set.bits.Next(0, x.set.n); ok; {
		if err := ctx.Err(); err != nil {
			return err
		}
		b, err := r.Block(v)
		if err != nil {
			return err
		}
		for end := b.First + uint32(b.Len()); ok && v < end; v, ok = x.set.bits.Next(v+1, x.set.n) {
			if err := f(b, int(v-b.First)); err != nil {
				return err
			}
		}
	}
	return nil
}
