package community

// Problem is a simple undirected graph under local ids 0 to N-1, the query vertex and the
// bounds of the size. Nothing of it changes after it was made, so that any number of workers
// may read it.
type Problem struct {
	N         int
	Query     uint32 // a local id
	Low, High int    // l and h

	Offsets    []uint32 // N+1; where rows begin
	Neighbours []uint32 // ascending in a row, both directions of every edge, no loops
	IDs        []uint32 // by local id, what a vertex is called outside
}

// Row returns the neighbours of v.
func (p *Problem) Row(v uint32) []uint32 { return p.Neighbours[p.Offsets[v]:p.Offsets[v+1]] }

// bound sets the bounds to those of a query, or to one more than there are vertices, which says the
// same and fits wherever the number of vertices does.
func (p *Problem) bound(q Query) { p.Low, p.High = min(q.Low, p.N+1), min(q.High, p.N+1) }

// bytes returns the memory of the problem.
func (p *Problem) bytes() int64 { return problemBytes(p.N, uint64(len(p.Neighbours))) }

func problemBytes(vertices int, arcs uint64) int64 { return 4*int64(arcs) + 8*int64(vertices) }

// Words returns the number of 64-bit words of a set of vertices.
func (p *Problem) Words() int { return (p.N + 63) / 64 }

// part returns the problem that vertices of p induce, given in ascending order; local has room for
// N local ids, and q is among the vertices.
func (p *Problem) part(vertices, local []uint32) *Problem {
	for v := range local {
		local[v] = absent
	}
	sub := induced(vertices, local, p.Row)
	for i, v := range vertices {
		sub.IDs[i] = p.IDs[v]
	}
	sub.Query, sub.Low, sub.High = local[p.Query], p.Low, p.High
	return sub
}

// absent is the local id of a vertex that a problem does not have.
const absent = ^uint32(0)

// induced returns the graph that vertices induce, given in ascending order, with the ids that they
// have. local has absent for all vertices, and gets their local ids.
func induced(vertices, local []uint32, row func(v uint32) []uint32) *Problem {
	for i, v := range vertices {
		local[v] = uint32(i)
	}
	arcs := 0
	for _, v := range vertices {
		for _, u := range row(v) {
			if local[u] != absent {
				arcs++
			}
		}
	}
	n := len(vertices)
	words := make([]uint32, 2*n+1+arcs)
	sub := &Problem{N: n, IDs: words[:n:n], Offsets: words[n : 2*n+1 : 2*n+1], Neighbours: words[2*n+1 : 2*n+1]}
	for i, v := range vertices {
		sub.IDs[i] = v
		for _, u := range row(v) {
			if local[u] != absent {
				sub.Neighbours = append(sub.Neighbours, local[u])
			}
		}
		sub.Offsets[i+1] = uint32(len(sub.Neighbours))
	}
	return sub
}
