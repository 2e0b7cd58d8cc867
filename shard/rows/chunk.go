package rows

import "sort"

// ChunkEdges is the size of a chunk: small enough that goroutines end a page
// together, large enough that a chunk's start costs nothing.
const ChunkEdges = 1 << 14

// Shard holds the sides of one shard along which a program gathers, the rows of a vertex on
// the first side and then those on the second.
type Shard []*Side

// Chunk is a range of a shard's edges, the unit of work of goroutines. Edges of
// both sides of a shard count as one sequence: those of a vertex on the first
// side, then those on the second. Borders depend on the shard alone, so that
// sums are grouped in the same way by any number of goroutines.
type Chunk struct {
	Shard      int    // in the page
	From, To   uint64 // edges [From, To)
	Begin, End int    // local vertices whose edges begin in the chunk: [Begin, End)
}

// Vertices returns the number of vertices of the shard.
func (s Shard) Vertices() int { return s[0].Vertices() }

// Edges returns the number of edges on all sides.
func (s Shard) Edges() uint64 { return s.Before(s.Vertices()) }

// Before returns the number of edges, on all sides, of the vertices before v.
func (s Shard) Before(v int) uint64 {
	n := uint64(s[0].Off[v])
	if len(s) > 1 {
		n += uint64(s[1].Off[v])
	}
	return n
}

// AppendChunks appends the chunks of the shard, the i-th of its page, of about size
// edges each, in order.
func (s Shard) AppendChunks(list []Chunk, i int, size uint64) []Chunk {
	vertices, edges := s.Vertices(), s.Edges()
	n := max(1, (edges+size-1)/size)
	begin := 0
	for k := range n {
		c := Chunk{Shard: i, From: edges * k / n, To: edges * (k + 1) / n, Begin: begin, End: vertices}
		if k+1 < n {
			c.End = begin + sort.Search(vertices-begin, func(v int) bool { return s.Before(begin+v) >= c.To })
		}
		begin = c.End
		list = append(list, c)
	}
	return list
}
