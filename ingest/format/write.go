package format

import (
	"context"
	"errors"
	"io"

	"github.com/garaph/garaph/ingest/read"
	"github.com/garaph/garaph/internal/decimal"
	"github.com/garaph/garaph/internal/results"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

// Writer describes how a graph is written in a format: by Columns, by Write, or else by Header and Append.
type Writer struct {
	Import  read.FormatName // the name of the format when it is read, if that is another
	Content                 // the content of a file

	Columns results.Format // if not "", batches of rows are written in this format
	// Write, if not nil, writes a file. It calls walk for the parts that grow with the graph.
	Write func(ctx context.Context, g *Graph, walk Walk, w io.Writer) error
	// Header, if not nil, returns the text before the edges.
	Header func(g *Graph, edges uint64) string
	Append Append
	EndRow string // the text behind the edges of a vertex

	// Check, if not nil, refuses graphs that a file cannot hold.
	Check func(c *store.Catalogue) error
	// Flags, if not nil, returns more flags for the import of a file.
	Flags func(g *Graph, names bool) []string
	// Text appends a name. If nil, it is quoted as in text.
	Text func(dst []byte, name string) ([]byte, error)
	Wide int // the largest number of bytes of its text; if 0, 1
}

// Content describes the content of a file in a format.
type Content struct {
	Labels     Labels
	Half       Half
	Undirected Undirected
	Unweighted read.FormatName // the format for graphs without weights, if a file has them always
	Weighted   read.FormatName // the format for graphs with weights, if a file never has them
	Counted    bool            // the header has the number of edges
	Vertices   bool            // vertices without edges are in the file, or beside it
	Parts      bool            // several files are one graph
	Binary     bool
	Plain      bool // a file does not show its format
}

// Labels is the kind of names that vertices have in a file.
type Labels uint8

// The labels.
const (
	OwnIDs  Labels = iota // the ids of the graph
	IDs32                 // these, if they are integers of 32 bits, or numbers from 0
	FromOne               // numbers from 1
	FromZero
)

// Half selects the edges of an undirected graph that are written.
type Half uint8

// The halves.
const (
	Upper Half = iota // edges of a vertex to itself and to later ones
	Lower             // edges to itself and to earlier ones
	Whole             // all, also of directed graphs in the rows of their sources
)

// Undirected says which files show that their graph is undirected.
type Undirected uint8

// The files that do.
const (
	Never      Undirected = iota
	WhenHalved            // those with one direction of each edge
	WhenWhole             // those with both
)

// Graph is the graph that is written.
type Graph struct {
	Vertices  uint32
	Edges     uint64
	Symmetric bool
	Weighted  bool            // weights are written
	Wide      bool            // which have 64 bits
	Half      Half            // of the edges; Whole of directed graphs
	Side      shard.Direction // of the rows that are written
}

// AppendWeight appends a weight in decimal, as [decimal.Append] does.
func (g *Graph) AppendWeight(dst []byte, w float64) []byte {
	if g.Wide || w >= 1<<53 { // whole, and exact only with the digits of 64 bits
		return decimal.Append(dst, w, 64)
	}
	return decimal.Append(dst, w, 32)
}

// Walk goes over a graph, in the order of its vertices.
type Walk interface {
	// Rows writes the edges on a side, with or without their weights.
	Rows(ctx context.Context, side shard.Direction, weighted bool, add Append) error
	// Offsets writes the text of the begin and the end of each vertex's row.
	Offsets(ctx context.Context, side shard.Direction, text func(b []byte, begin, end uint64) []byte) error
	// Names writes the labels of all vertices, each between the texts before and behind.
	Names(ctx context.Context, before, behind string) error
}

// Append appends some edges of a vertex to b.
type Append func(b []byte, r *Row) ([]byte, error)

// Row is consecutive edges of a vertex.
type Row struct {
	*Graph
	Labeler
	Vertex  uint32
	List    []uint32
	Weights shard.Plane
	From    int  // how many edges of the vertex stand before these
	Turned  bool // the edges lead to the vertex
	Own     []byte
}

// Labeler gives the labels of vertices.
type Labeler interface {
	Label(dst []byte, v uint32) ([]byte, error)
	Number(v uint32) (uint64, error) // of integers
}

// ErrWeight is the error of a weight that is not as some formats have it.
var ErrWeight = errors.New("the format has whole numbers below 2^31 as weights, METIS from 1 on; choose another " +
	"format, or --no-weights")

// Lines appends text for each edge, with the texts around source, target and weight.
func Lines(before, between, beforeWeight, end string) Append {
	return func(b []byte, r *Row) (_ []byte, err error) {
		if r.Own, err = r.Label(r.Own[:0], r.Vertex); err != nil {
			return b, err
		}
		for i, u := range r.List {
			b = append(b, before...)
			if !r.Turned {
				b = append(append(b, r.Own...), between...)
			}
			if b, err = r.Label(b, u); err != nil {
				return b, err
			}
			if r.Turned {
				b = append(append(b, between...), r.Own...)
			}
			if r.Weighted {
				b = r.AppendWeight(append(b, beforeWeight...), r.Weights.At(i))
			}
			b = append(b, end...)
		}
		return b, nil
	}
}
