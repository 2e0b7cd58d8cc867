package programs

import "github.com/garaph/garaph/gas"

// Which programs are gas.Paths: those whose values are lengths of shortest paths.

// Begins reports that the vertex is a source.
func (b BFS) Begins(v uint32) bool { return v == b.Source || among(b.More, v) }

// Nearer compares hops.
func (BFS) Nearer(a, b uint32) bool { return a < b }

// Over goes one hop further.
func (BFS) Over(src uint32, _ gas.Edge, length uint32) bool {
	return src != unreached && src+1 == length
}

// Begins reports that the vertex is a source.
func (p SSSP[F]) Begins(v uint32) bool { return v == p.Source || among(p.More, v) }

// Nearer compares distances.
func (SSSP[F]) Nearer(a, b F) bool { return a < b }

// Over adds the weight, as the program does.
func (p SSSP[F]) Over(src F, e gas.Edge, length F) bool { return p.Gather(src, e, length) == length }
