package garaph_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/results"
	"github.com/garaph/garaph/internal/testgraph"
)

// ExampleFindCommunities finds the vertices around one that know each other best.
func ExampleFindCommunities() {
	err := func() error {
		ctx := context.Background()
		friends := [][2]string{
			{"ann", "bob"}, {"bob", "cid"}, {"cid", "ann"}, {"ann", "dan"}, {"dan", "bob"}, {"cid", "dan"},
			{"eve", "dan"}, {"eve", "cid"}, {"fay", "eve"},
		}
		g, err := garaph.FromSlice(ctx, friends, nil, garaph.GraphOptions{})
		if err != nil {
			return err
		}
		defer g.Close()
		v, err := g.Vertex("ann")
		if err != nil {
			return err
		}
		queries := []garaph.CommunityQuery{{Vertex: v, Low: 3, High: 5}}
		_, err = garaph.FindCommunities(ctx, g, queries, garaph.CommunityOptions{}, func(_ int, c *garaph.Community) error {
			fmt.Printf("minimum degree %d, proven %v\n", c.MinDegree, c.Proven)
			for _, v := range c.Members {
				id, err := g.ID(gas.VertexID(v))
				if err != nil {
					return err
				}
				fmt.Println(id)
			}
			return nil
		})
		return err
	}()
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// minimum degree 3, proven true
	// ann
	// bob
	// cid
	// dan
}

// TestCommunitiesReal checks that on real graphs the members of every answer are connected to the
// query vertex, as many as wanted, and have the minimum degree that is reported; with less memory
// and other threads that degree is the same.
func TestCommunitiesReal(t *testing.T) {
	for _, name := range []string{"ego-Facebook"} {
		path := filepath.Join(testgraph.Shared(t), name+".txt.gz")
		g := imported(t, garaph.ImportOptions{Edges: garaph.EdgeOptions{Undirected: true}}, path)
		_, edges := testgraph.LoadEdges(t, name, true)
		near := make([]map[uint32]bool, edges.N)
		for v := range near {
			near[v] = map[uint32]bool{}
		}
		for _, e := range edges.Edges {
			if e.Src != e.Dst {
				near[e.Src][e.Dst], near[e.Dst][e.Src] = true, true
			}
		}
		var queries []garaph.CommunityQuery
		for i := range uint32(6) {
			queries = append(queries, garaph.CommunityQuery{Vertex: i * 499, Low: 3, High: 5})
		}
		var degrees []int
		for _, o := range []garaph.CommunityOptions{{TimeLimit: 5 * time.Second},
			{Threads: 3, Memory: 72 << 20, TimeLimit: 5 * time.Second}} {
			_, err := garaph.FindCommunities(t.Context(), g, queries, o, func(i int, c *garaph.Community) error {
				checkMembers(t, near, c)
				if o.Threads == 0 {
					degrees = append(degrees, c.MinDegree)
				} else if degrees[i] != c.MinDegree {
					t.Errorf("%s, query %d: minimum degree %d, and %d with more threads", name, i, degrees[i], c.MinDegree)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

func checkMembers(t *testing.T, near []map[uint32]bool, c *garaph.Community) {
	t.Helper()
	least, reached := len(c.Members), map[uint32]bool{}
	var visit func(v uint32)
	visit = func(v uint32) {
		reached[v] = true
		degree := 0
		for _, u := range c.Members {
			if near[v][u] {
				if degree++; !reached[u] {
					visit(u)
				}
			}
		}
		least = min(least, degree)
	}
	visit(c.Query.Vertex)
	if n := len(c.Members); !c.Proven || !slices.Contains(c.Members, c.Query.Vertex) || n < c.Query.Low ||
		n > c.Query.High || len(reached) != n || least != c.MinDegree {
		t.Errorf("%+v: %d are connected, with minimum degree %d", c, len(reached), least)
	}
}

// TestMemberTableNames has members and query vertices in many blocks of names.
func TestMemberTableNames(t *testing.T) {
	const vertices = 3000
	name := func(v uint32) string { return fmt.Sprintf("a-rather-long-name-of-vertex-%05d", v) }
	var edges strings.Builder
	for v := range uint32(vertices) {
		fmt.Fprintf(&edges, "%s %s\n", name(v), name((v+1)%vertices))
	}
	g := importedText(t, garaph.ImportOptions{}, edges.String())
	c := &garaph.Community{Query: garaph.CommunityQuery{Vertex: vertices / 2}}
	for v := uint32(0); v < vertices; v += 7 {
		c.Members = append(c.Members, v)
	}
	table := g.MemberTable([]*garaph.Community{c})
	err := table.Batches(func(b *results.Batch) error {
		for i, v := range c.Members {
			if b.IDs.Strings[i] != name(v) || b.Columns[0].V.Strings[i] != name(vertices/2) {
				return fmt.Errorf("row %d is %q, %q, not %q, %q",
					i, b.IDs.Strings[i], b.Columns[0].V.Strings[i], name(v), name(vertices/2))
			}
		}
		return nil
	})
	if err != nil {
		t.Error("Batches:", err)
	}
	err = table.IDsOf(len(c.Members), func(i int) uint32 { return c.Members[i] }, func(from int, ids *results.IDs) error {
		for i, id := range ids.Strings {
			if want := name(c.Members[from+i]); id != want {
				return fmt.Errorf("id %d is %q, not %q", from+i, id, want)
			}
		}
		return nil
	})
	if err != nil {
		t.Error("IDsOf:", err)
	}
}
