package export

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/garaph/garaph/ingest/format"
	"github.com/garaph/garaph/internal/bitset"
	"github.com/garaph/garaph/store"
)

// labels describes the names of vertices in a file.
type labels struct {
	// stored is set for the ids of the graph, which lie in the store. Otherwise they are numbers from first.
	stored bool
	first  int64
	own    bool // the ids of the graph, if they are those
}

// label chooses the names of the vertices.
func (x *writer) label() error {
	ids := &x.cat.IDs
	base := ids.Kind == store.IDBase
	switch x.to.Labels {
	case format.OwnIDs:
		x.labels = labels{stored: !base, first: ids.Base, own: true}
	case format.IDs32:
		fits, err := x.fits32()
		if err != nil {
			return err
		}
		x.labels = labels{stored: fits && !base, own: fits}
		if fits && base {
			x.labels.first = ids.Base
		}
	case format.FromOne:
		x.labels = labels{first: 1, own: base && ids.Base == 1}
	case format.FromZero:
		x.labels = labels{own: base && ids.Base == 0}
	}
	return nil
}

// renumbered reports whether vertices are called otherwise than in the graph.
func (x *writer) renumbered() bool { return !x.labels.own }

// dense reports whether the labels are numbers from 0.
func (x *writer) dense() bool { return !x.labels.stored && x.labels.first == 0 }

// fits32 reports whether the ids are integers of 32 bits, as raw edges have them.
func (x *writer) fits32() (bool, error) {
	ids := &x.cat.IDs
	if ids.Kind == store.IDString {
		return false, nil
	}
	r := x.store.IDs()
	fits := func(v uint32) (bool, error) {
		b, err := r.Block(v)
		if err != nil {
			return false, err
		}
		if b.Uints != nil {
			return b.Uints[v-b.First] <= math.MaxUint32, nil
		}
		id := b.Ints[v-b.First]
		return id >= 0 && id <= math.MaxUint32, nil
	}
	first, err := fits(0)
	if err != nil || !first {
		return false, err
	}
	return fits(x.cat.Vertices - 1) // ids are ascending
}

// idBytes returns the memory of all ids, and the least for some of them; 0 where they are computed.
func (x *writer) idBytes(c *store.Catalogue) (all, least int64) {
	if !x.labels.stored || x.count {
		return 0, 0
	}
	words := int64(bitset.Words(c.Vertices))
	least = 9*words + max(1<<20, 2*int64(c.IDs.MaxBytes))
	all = 9*words + 8*int64(c.Vertices)
	if c.IDs.Kind == store.IDString {
		all = 9*words + 4*int64(c.Vertices+1) + int64(len(c.IDs.Blocks))*int64(64<<10+c.IDs.MaxBytes)
	}
	return max(all, least), least
}

// names give the labels of vertices, as text or as numbers.
type names struct {
	labels
	kind   store.IDKind
	set    *store.IDSet // stored ids of the window
	reader *store.IDs   // or, of a row whose ids did not fit, where they are read one after another
	text   func(dst []byte, name string) ([]byte, error)
}

// Number implements [format.Labeler].
func (n *names) Number(v uint32) (uint64, error) {
	switch {
	case !n.stored:
		return uint64(n.first + int64(v)), nil
	case n.reader != nil:
		b, err := n.reader.Block(v)
		if err != nil {
			return 0, err
		}
		if b.Uints != nil {
			return b.Uints[v-b.First], nil
		}
		return uint64(b.Ints[v-b.First]), nil
	case n.kind == store.IDUint:
		return n.set.Uint(v)
	default:
		id, err := n.set.Int(v)
		return uint64(id), err
	}
}

// name returns the label of v, which is a name.
func (n *names) name(v uint32) (string, error) {
	if n.reader == nil {
		return n.set.Text(v)
	}
	b, err := n.reader.Block(v)
	if err != nil {
		return "", err
	}
	return b.Strings[v-b.First], nil
}

// Label implements [format.Labeler].
func (n *names) Label(dst []byte, v uint32) ([]byte, error) {
	if n.stored && n.kind == store.IDString {
		name, err := n.name(v)
		if err != nil {
			return dst, err
		}
		return n.text(dst, name)
	}
	id, err := n.Number(v)
	if n.kind == store.IDUint {
		return strconv.AppendUint(dst, id, 10), err
	}
	return strconv.AppendInt(dst, int64(id), 10), err
}

// magics are the first bytes of files with a BOM and of compressed files. No name begins a file with them.
var magics = []string{"\ufeff", "\x1f\x8b", "\x28\xb5\x2f\xfd", "BZh"}

// plain reports whether a name may stand without quotes, wherever in a file.
func plain(name string) bool {
	if name == "" || name[0] == '#' || name[0] == '%' || strings.ContainsAny(name, " \t,\"") {
		return false
	}
	if len(name) >= 4 && name[0]&0xf0 == 0x50 && name[1:4] == "\x2a\x4d\x18" { // as zstd begins, too
		return false
	}
	return !slices.ContainsFunc(magics, func(magic string) bool { return strings.HasPrefix(name, magic) })
}

// quoted appends a name so that an import reads it as it is: in quotes where it has a separator, or
// begins like a comment or like a file of another kind.
func quoted(dst []byte, name string) ([]byte, error) {
	if strings.ContainsAny(name, "\n\r") {
		return dst, fmt.Errorf(
			"the id %.60q has a line end, which a file of lines cannot have; the formats graphml, parquet and arrow keep it",
			name,
		)
	}
	if plain(name) {
		return append(dst, name...), nil
	}
	dst = append(dst, '"')
	dst = append(dst, strings.ReplaceAll(name, `"`, `""`)...)
	return append(dst, '"'), nil
}

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
