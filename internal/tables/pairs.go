package tables

import (
	"strings"

	"github.com/garaph/garaph/internal/results"
	"github.com/garaph/garaph/store"
)

// pairs is a table of pairs of vertices.
type pairs struct {
	Table[struct{}]  // for the ids
	vertices, values []uint32
	name             string // of the column of values
}

// pairsMemory is the memory for ids.
const pairsMemory = 2 << 20

// NewPairs returns a table with a row for each of some vertices. Its one column has another vertex for each.
func NewPairs(s *store.Store, vertices []uint32, name string, values []uint32) results.Table {
	return &pairs{Table[struct{}]{Store: s, Memory: pairsMemory}, vertices, values, name}
}

func (p *pairs) Rows() int64          { return int64(len(p.vertices)) }
func (p *pairs) Filler() results.Fill { return nil }
func (p *pairs) Columns() []results.Column {
	return []results.Column{{Name: p.name, Kind: results.VertexID}}
}

// Batches yields the pairs, some at a time.
func (p *pairs) Batches(yield func(*results.Batch) error) error {
	b := results.Batch{Columns: make([]results.Values, 1)}
	for from := 0; from < len(p.vertices); from += idsAtOnce {
		to := min(from+idsAtOnce, len(p.vertices))
		b.IDs.Empty()
		b.Columns[0].Empty()
		if err := p.appendIDs(&b.IDs, p.vertices[from:to]); err != nil {
			return err
		}
		if err := p.appendIDs(&b.Columns[0].V, p.values[from:to]); err != nil {
			return err
		}
		if err := yield(&b); err != nil {
			return err
		}
	}
	return nil
}

// appendIDs appends copies of the ids of vertices.
func (p *pairs) appendIDs(to *results.IDs, vertices []uint32) error {
	return p.IDsOf(len(vertices), func(i int) uint32 { return vertices[i] }, func(_ int, ids *results.IDs) error {
		to.Ints, to.Uints = append(to.Ints, ids.Ints...), append(to.Uints, ids.Uints...)
		for _, id := range ids.Strings {
			to.Strings = append(to.Strings, strings.Clone(id))
		}
		return nil
	})
}

// Vertices yields the values.
func (p *pairs) Vertices(_ int, yield func([]uint32) error) error { return yield(p.values) }
