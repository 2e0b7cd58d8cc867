package export

import (
	"context"
	"io"
	"strconv"

	"github.com/garaph/garaph/store"
)

// WriteIDs writes the ids of all vertices, one a line, in the order of their numbers: the vertices of a
// graph as LDBC has them.
func WriteIDs(ctx context.Context, s *store.Store, w io.Writer) error {
	var buf []byte
	flush := func() error {
		_, err := w.Write(buf)
		buf = buf[:0]
		return err
	}
	err := eachID(ctx, s, func(b *store.IDBlock) (err error) {
		for i := range b.Len() {
			switch {
			case b.Strings != nil:
				if buf, err = quoted(buf, b.Strings[i]); err != nil {
					return err
				}
			case b.Uints != nil:
				buf = strconv.AppendUint(buf, b.Uints[i], 10)
			default:
				buf = strconv.AppendInt(buf, b.Ints[i], 10)
			}
			buf = append(buf, '\n')
		}
		if len(buf) < bufferBytes {
			return nil
		}
		return flush()
	})
	if err != nil {
		return err
	}
	return flush()
}

// eachID calls do with the ids of all vertices, some at a time.
func eachID(ctx context.Context, s *store.Store, do func(b *store.IDBlock) error) error {
	ids := s.IDs()
	for v := uint32(0); v < s.Catalogue().Vertices; {
		if err := ctx.Err(); err != nil {
			return err
		}
		b, err := ids.Block(v)
		if err != nil {
			return err
		}
		if err := do(b); err != nil {
			return err
		}
		v += uint32(b.Len())
	}
	return nil
}
