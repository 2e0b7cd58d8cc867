package cpuengine

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/page"
	"github.com/garaph/garaph/shard/rows"
)

// TestCut: the chunks of a shard are its edges, in order and in about equal
// numbers; each vertex begins in one of them. Borders don't depend on the page.
func TestCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, d := draw(t), directions().Draw(t, "direction")
		most := rapid.Uint64Range(1, 12).Draw(t, "edges per chunk")
		e := &Engine[value, sum]{chunkEdges: most}
		whole := s.page(0, len(s.firsts), d)
		cut := e.sheet(whole, Work{})
		chunks, starts := cut.chunks, cut.starts
		for i := range whole.Shards {
			x := cut.rows[i]
			own := chunks[starts[i]:starts[i+1]]
			edge, vertex := uint64(0), 0
			for k, c := range own {
				if c.Shard != i || c.From != edge || c.Begin != vertex || c.To < c.From || c.To-c.From > most {
					t.Fatalf("shard %d, chunk %d: %+v does not go on at edge %d and vertex %d", i, k, c, edge, vertex)
				}
				if last := k == len(own)-1; !last && c.To == c.From {
					t.Fatalf("shard %d, chunk %d: %+v is empty", i, k, c)
				}
				for v := c.Begin; v < c.End; v++ {
					if at := x.Before(v); at < c.From || at >= c.To && k < len(own)-1 {
						t.Fatalf("shard %d, chunk %d: vertex %d begins at edge %d, outside %+v", i, k, v, at, c)
					}
				}
				edge, vertex = c.To, c.End
			}
			n := x.Vertices()
			if edge != x.Before(n) || vertex != n {
				t.Fatalf("shard %d: chunks end at edge %d of %d and vertex %d of %d", i, edge, x.Before(n), vertex, n)
			}
			for k, c := range e.sheet(s.page(i, i+1, d), Work{}).chunks {
				c.Shard = i
				if c != own[k] {
					t.Fatalf("shard %d alone: chunk %d is %+v, in a page %+v", i, k, c, own[k])
				}
			}
		}
	})
}

// TestEmptyPage: a page of no shards is no work.
func TestEmptyPage(t *testing.T) {
	s := newShards(oracle.Graph{N: 3}, 2, false, false)
	a := newArrays[value](t, s, gas.In)
	defer a.Free()
	e := newEngine(t, gas.Program[value, sum](mix{}), a, s, 3, rows.ChunkEdges)
	if st, err := e.Process(&page.Page{}, Work{}); err != nil || st != (Stats{}) {
		t.Errorf("no shards: %+v, %v", st, err)
	}
	if st, err := e.Process(s.page(0, 2, gas.In), Work{}); err != nil || st.Vertices != 3 || st.Edges != 0 {
		t.Errorf("no edges: %+v, %v", st, err)
	}
}
