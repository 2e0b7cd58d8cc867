package garaph

import (
	"context"
	"errors"
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
	if err := g.beginUseIn(ctx); err != nil {
		return CommunityReport{}, err
	}
	defer g.endUse(&err)
	defer ofContext(ctx, &err)
	if answer == nil {
		return CommunityReport{}, errNoAnswer
	}
	return community.Find(ctx, g.store, queries, o.search(), answer)
}

// errNoAnswer is the error of a nil function.
var errNoAnswer = errors.New("the function that takes the answers is nil")

// MemberTable has a row for each member of each community: its id, and that of the query vertex.
func (g *Graph) MemberTable(found []*Community) results.Table {
	m := &memberTable{table: table[struct{}]{graph: g}}
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
func (m *memberTable) Room() int64          { return 1 << 20 }
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

// appendIDs copies names, whose memory the next block may take.
func (m *memberTable) appendIDs(to *results.IDs, vertices []uint32) error {
	ids := m.graph.store.IDs()
	for _, v := range vertices {
		block, err := ids.Block(v)
		if err != nil {
			return err
		}
		appendIDs(to, block, int(v-block.First), 1)
		if n := len(to.Strings); n > 0 {
			to.Strings[n-1] = strings.Clone(to.Strings[n-1])
		}
	}
	return nil
}

// Vertices yields the query vertices.
func (m *memberTable) Vertices(_ int, yield func([]uint32) error) error { return yield(m.queries) }

// IDsOf yields the ids of n vertices in their order.
func (m *memberTable) IDsOf(n int, vertex func(i int) uint32, yield func(from int, ids *results.IDs) error) error {
	var ids results.IDs
	for from := 0; from < n; from += idsAtOnce {
		var vertices []uint32
		for i := from; i < min(n, from+idsAtOnce); i++ {
			vertices = append(vertices, vertex(i))
		}
		ids.Empty()
		if err := m.appendIDs(&ids, vertices); err != nil {
			return err
		}
		if err := yield(from, &ids); err != nil {
			return err
		}
	}
	return nil
}
