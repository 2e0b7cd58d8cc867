package garaph_test

import (
	"context"
	"fmt"
	"log"
	"os"
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
	folder, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	if err := communities(folder); err != nil {
		log.Print(err)
	}
	// Output:
	// minimum degree 3, proven true
	// ann bob cid dan
}

func communities(folder string) error {
	edges, path := filepath.Join(folder, "edges.txt"), filepath.Join(folder, "friends.graph")
	const friends = "ann bob\nbob cid\ncid ann\nann dan\ndan bob\ncid dan\neve dan\neve cid\nfay eve\n"
	if err := os.WriteFile(edges, []byte(friends), 0o666); err != nil {
		return err
	}
	ctx := context.Background()
	if _, err := garaph.Import(ctx, []string{edges}, path, garaph.ImportOptions{}); err != nil {
		return err
	}
	g, err := garaph.Open(path)
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
		for i, v := range c.Members {
			id, err := g.ID(gas.VertexID(v))
			if err != nil {
				return err
			}
			if i > 0 {
				fmt.Print(" ")
			}
			fmt.Print(id)
		}
		fmt.Println()
		return nil
	})
	return err
}

// TestCommunitiesReal: on real graphs the members of every answer are connected to the query
// vertex, as many as wanted, and have the minimum degree that is reported; with less memory and
// other threads that degree is the same.
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
		for _, o := range []garaph.CommunityOptions{{TimeLimit: 5 * time.Second}, {Threads: 3, Memory: 64 << 20, TimeLimit: 5 * time.Second}} {
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
	if n := len(c.Members); !c.Proven || !slices.Contains(c.Members, c.Query.Vertex) || n < c.Query.Low || n > c.Query.High || len(reached) != n || least != c.MinDegree {
		t.Errorf("%+v: %d are connected, with minimum degree %d", c, len(reached), least)
	}
}

// TestMemberTableNames has members and query vertices in many blocks of names.
func TestMemberTableNames(t *testing.T) {
	const vertices = 3000
	name := func(v uint32) string { return fmt.Sprintf("a-rather-long-name-of-vertex-%05d", v) }
	var edges strings.Builder
	for v := range uint32(vertices) {
		fmt.Fprintf(&edges, "%s,%s\n", name(v), name((v+1)%vertices))
	}
	dir := t.TempDir()
	list, path := filepath.Join(dir, "ring.csv"), filepath.Join(dir, "ring.graph")
	if err := os.WriteFile(list, []byte(edges.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := garaph.Import(t.Context(), []string{list}, path, garaph.ImportOptions{}); err != nil {
		t.Fatal(err)
	}
	g, err := garaph.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	c := &garaph.Community{Query: garaph.CommunityQuery{Vertex: vertices / 2}}
	for v := uint32(0); v < vertices; v += 7 {
		c.Members = append(c.Members, v)
	}
	table := g.MemberTable([]*garaph.Community{c})
	err = table.Batches(func(b *results.Batch) error {
		for i, v := range c.Members {
			if b.IDs.Strings[i] != name(v) || b.Columns[0].V.Strings[i] != name(vertices/2) {
				return fmt.Errorf("row %d is %q, %q, not %q, %q", i, b.IDs.Strings[i], b.Columns[0].V.Strings[i], name(v), name(vertices/2))
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
