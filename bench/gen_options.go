package bench

import (
	"cmp"
	"fmt"
	"math/bits"
)

// Kinds of generated graphs.
const (
	RMAT    = "rmat"    // recursive matrix: skewed degrees, as in social and web graphs
	Uniform = "uniform" // both ends of each edge uniformly at random
	Grid    = "grid"    // a lattice with four neighbours: large diameter, as in road networks
)

// Formats of generated graphs.
const (
	Text = "text" // "src<TAB>dst[<TAB>weight]" per line, behind # comments
	Raw  = "raw"  // src, dst as little-endian uint32
	RawW = "raww" // the same, each followed by the weight as float32
)

// GenOptions describes the graph that [Generate] writes. The bytes depend on all of it
// except Threads.
type GenOptions struct {
	Kind string

	Scale   int     // rmat: 2^Scale vertices, 1 … 40
	Degree  int     // rmat: edges per vertex
	A, B, C float64 // rmat: chance of the quadrants; all 0 stands for 0.57, 0.19, 0.19 (Graph500)
	Permute bool    // rmat: scramble the ids, so that hubs are spread; otherwise low ids are hubs

	Vertices, Edges uint64 // uniform
	Rows, Cols      uint64 // grid

	Seed    uint64 // of the random choices and the weights
	Weights bool   // integers 1 … 255, uniformly; always with raww
	Format  string // text when empty
	Threads int    // GOMAXPROCS when 0
}

// Bounds on sizes: ids, and numbers of edges that 64 bits hold with room for
// counting random numbers.
const (
	maxScale    = 40
	maxVertices = 1 << maxScale
	maxDegree   = 1 << 16
	maxEdges    = 1 << (maxScale + 16)
)

// Size returns the numbers of vertices and edges that the options ask for, or what is wrong with them.
func (o GenOptions) Size() (vertices, edges uint64, err error) {
	o = o.withDefaults()
	overflow := false
	switch o.Kind {
	case RMAT:
		if o.Scale < 1 || o.Scale > maxScale || o.Degree < 1 || o.Degree > maxDegree {
			return 0, 0, fmt.Errorf("an rmat graph needs a scale of 1 to %d and a degree of 1 to %d, not %d and %d", maxScale,
				maxDegree, o.Scale, o.Degree)
		}
		if !(o.A >= 0 && o.B >= 0 && o.C >= 0 && o.A+o.B+o.C < 1) {
			return 0, 0, fmt.Errorf(
				"the chances a, b and c of an rmat graph must be ≥ 0 and sum to less than 1; they are %g, %g and %g",
				o.A, o.B, o.C,
			)
		}
		vertices, edges = 1<<o.Scale, uint64(o.Degree)<<o.Scale
	case Uniform:
		vertices, edges = o.Vertices, o.Edges
	case Grid:
		var high uint64
		high, vertices = bits.Mul64(o.Rows, o.Cols)
		overflow = high > 0
		edges = 2*vertices - o.Rows - o.Cols
	default:
		return 0, 0, fmt.Errorf("%q is not a kind of graph; the kinds are %s, %s and %s", o.Kind, RMAT, Uniform, Grid)
	}
	switch {
	case overflow || vertices == 0 || edges == 0 || vertices > maxVertices || edges > maxEdges:
		err = fmt.Errorf("a %s graph needs 1 to 2^%d vertices and 1 to 2^%d edges", o.Kind, maxScale, bits.Len64(maxEdges)-1)
	case o.Threads < 0:
		err = fmt.Errorf("a graph cannot be generated with %d threads", o.Threads)
	case o.Format == Raw && o.Weights:
		err = fmt.Errorf("the format %s has no room for weights; choose %s or leave the weights out", Raw, RawW)
	case o.Format != Text && o.Format != Raw && o.Format != RawW:
		err = fmt.Errorf("%q is not a format of generated graphs; the formats are %s, %s and %s", o.Format, Text, Raw, RawW)
	case o.Format != Text && vertices > 1<<32:
		err = fmt.Errorf("the format %s has ids of 32 bits, too few for %d vertices; choose %s", o.Format, vertices, Text)
	}
	if err != nil {
		return 0, 0, err
	}
	return vertices, edges, nil
}

func (o GenOptions) withDefaults() GenOptions {
	if o.A == 0 && o.B == 0 && o.C == 0 {
		o.A, o.B, o.C = 0.57, 0.19, 0.19
	}
	o.Format = cmp.Or(o.Format, Text)
	o.Weights = o.Weights || o.Format == RawW
	return o
}

// describe returns the comment at the head of a text file.
func (o GenOptions) describe(vertices, edges uint64) string {
	var kind string
	switch o.Kind {
	case RMAT:
		kind = fmt.Sprintf("directed; scale %d, degree %d, a %g, b %g, c %g, permuted %t, seed %d", o.Scale, o.Degree, o.A,
			o.B, o.C, o.Permute, o.Seed)
	case Uniform:
		kind = fmt.Sprintf("directed; seed %d", o.Seed)
	case Grid:
		kind = fmt.Sprintf("undirected, each edge once; %d rows, %d columns, seed %d", o.Rows, o.Cols, o.Seed)
	}
	columns := "source, destination"
	if o.Weights {
		columns += ", weight 1..255"
	}
	return fmt.Sprintf("# %s graph: %d vertices, %d edges; %s; made by garaph\n# %s\n", o.Kind, vertices, edges,
		kind, columns)
}
