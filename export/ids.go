package export

import (
	"context"
	"fmt"
	"io"

	"github.com/garaph/garaph/store"
)

// WriteIDs writes the ids of all vertices, one a line, in the order of their numbers: the vertices of a
// graph as LDBC has them.
func WriteIDs(ctx context.Context, s *store.Store, w io.Writer) error {
	ids := &s.Catalogue().IDs
	n := &names{
		labels: labels{stored: ids.Kind != store.IDBase, first: ids.Base}, kind: ids.Kind, reader: s.IDs(), text: quoted,
	}
	return n.writeAll(ctx, s, w, "", "\n")
}

// writeAll writes the labels of all vertices, each between the texts before and behind.
func (n *names) writeAll(ctx context.Context, s *store.Store, w io.Writer, before, behind string) (err error) {
	var b []byte
	for v := range s.Catalogue().Vertices {
		if b, err = n.Label(append(b, before...), v); err != nil {
			return fmt.Errorf("graph %s: %w", s.Name(), err)
		}
		if b = append(b, behind...); len(b) < bufferBytes {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, err := w.Write(b); err != nil {
			return err
		}
		b = b[:0]
	}
	_, err = w.Write(b)
	return err
}
