package garaph

import (
	"context"
	"strings"

	"github.com/garaph/garaph/algorithms/community"
	"github.com/garaph/garaph/internal/results"
)

// Types of community search.
type (
	// CommunityQuery asks for a community of a Vertex, by its dense id, of Low to High vertices; these are the fields of
	// [community.Query].
	CommunityQuery = community.Query
	// Community is the answer to a query; [community.Result] has its fields.
	Community = community.Result
	// CommunityReport says what the preparation of a graph took; [community.Report] has its fields.
	CommunityReport = community.Report
)

// FindCommunities answers queries one after another, and calls answer with each result: of all
// connected subgraphs with the vertex and l to h vertices, one whose minimum degree is the
// largest (package [github.com/garaph/garaph/algorithms/community]). The minimum degree does not
// depend on the number of threads; where several communities have it, which one is found may.
// After a cancellation the error is the context's.
func FindCommunities(ctx context.Context, g *Graph, queries []CommunityQuery, o CommunityOptions, answer func(i int, c *Community) error) (report CommunityReport, err error) {
	if err := g.begin(); err != nil {
		return CommunityReport{}, err
	}
	defer g.end(ctx, &err)
	return community.Find(ctx, g.store, queries, o, answer)
}

// MemberTable has a row for each member of each community: its id, and that of the query vertex.
func (g *Graph) MemberTable(found []*Community) results.Table {
	m := &memberTable{table: table[struct{}]{graph: g, memory: 2 << 20}}
	for _, c := range found {
		for _, v := range c.Members {
			m.members, m.queries = append(m.members, v), append(m.queries, c.Query.Vertex)
		}
	}
	return m
}

// memberTable is a table of pairs of vertices.
type memberTable struct {
	table[struct{}]  // of the graph, for the kind of ids
	members, queries []uint32
}

func (m *memberTable) Rows() int64          { return int64(len(m.members)) }
func (m *memberTable) Filler() results.Fill { return nil }
func (m *memberTable) Columns() []results.Column {
	return []results.Column{{Name: "query", Kind: results.VertexID}}
}

// Batches yields the pairs, some at a time.
func (m *memberTable) Batches(yield func(*results.Batch) error) error {
	b := results.Batch{Columns: make([]results.Values, 1)}
	for from := 0; from < len(m.members); from += idsAtOnce {
		to := min(from+idsAtOnce, len(m.members))
		b.IDs.Empty()
		b.Columns[0].Empty()
		if err := m.appendIDs(&b.IDs, m.members[from:to]); err != nil {
			return err
		}
		if err := m.appendIDs(&b.Columns[0].V, m.queries[from:to]); err != nil {
			return err
		}
		if err := yield(&b); err != nil {
			return err
		}
	}
	return nil
}

// appendIDs appends copies of the ids of vertices.
func (m *memberTable) appendIDs(to *results.IDs, vertices []uint32) error {
	return m.IDsOf(len(vertices), func(i int) uint32 { return vertices[i] }, func(_ int, ids *results.IDs) error {
		to.Ints, to.Uints = append(to.Ints, ids.Ints...), append(to.Uints, ids.Uints...)
		for _, id := range ids.Strings {
			to.Strings = append(to.Strings, strings.Clone(id))
		}
		return nil
	})
}

// Vertices yields the query vertices.
func (m *memberTable) Vertices(_ int, yield func([]uint32) error) error { return yield(m.queries) }
