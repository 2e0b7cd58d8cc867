package garaph

import (
	"context"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/algorithms/community"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/results"
	"github.com/garaph/garaph/internal/tables"
)

// Types of community search.
type (
	// CommunityQuery asks for a community of a Vertex, by its dense id, of Low to High vertices; these are the fields of
	// [community.Query].
	CommunityQuery = community.Query
	// Community is the answer to a query; [community.Result] has its fields.
	Community = community.Result
)

// FindCommunities answers queries one after another, and calls answer with each result: of all
// connected subgraphs with the vertex and l to h vertices, one whose minimum degree is the
// largest (package [github.com/garaph/garaph/algorithms/community]). The minimum degree does not
// depend on the number of threads; where several communities have it, which one is found may.
// After a cancellation the error is the context's.
func FindCommunities(
	ctx context.Context, g *Graph, queries []CommunityQuery, o CommunityOptions,
	answer func(i int, c *Community) error,
) (report community.Report, err error) {
	if err := g.begin(); err != nil {
		return community.Report{}, err
	}
	defer g.end(ctx, &err)
	return community.Find(ctx, g.store, queries, o, answer)
}

// MemberTable returns a table with a row for each member of each community: its id, and that of the query vertex.
func (g *Graph) MemberTable(found []*Community) results.Table {
	var members, queries []gas.VertexID
	for _, c := range found {
		for _, v := range c.Members {
			members, queries = append(members, gas.VertexID(v)), append(queries, gas.VertexID(c.Query.Vertex))
		}
	}
	return tables.NewKeyed(g.store, results.IDColumn, members, algorithms.Column{Name: "query", Values: queries})
}
