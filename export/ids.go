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
	ids := s.IDs()
	var buf []byte
	for v := uint32(0); v < s.Catalogue().Vertices; {
		if err := ctx.Err(); err != nil {
			return err
		}
		b, err := ids.Block(v)
		if err != nil {
			return err
		}
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
		v += uint32(b.Len())
		if len(buf) < bufferBytes && v < s.Catalogue().Vertices {
			continue
		}
		if _, err := w.Write(buf); err != nil {
			return err
		}
		buf = buf[:0]
	}
	return nil
}
