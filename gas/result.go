package gas

import "math"

// Result methods return the output of a vertex. The type that the method
// returns is the type of the output column. Without one, a V that is itself a
// number is written as it is. A program with more than one result is [Columned].
type (
	// Float32Result writes 32-bit floats.
	Float32Result[V any] interface {
		Result(v Vertex, value V) float32
	}
	// Float64Result writes 64-bit floats.
	Float64Result[V any] interface {
		Result(v Vertex, value V) float64
	}
	// Int64Result writes integers. [Unreached] is null, unless the program is [Nullable]
	// and defines null itself.
	Int64Result[V any] interface {
		Result(v Vertex, value V) int64
	}
	// VertexResult writes vertices, under the user's own ids.
	VertexResult[V any] interface {
		Result(v Vertex, value V) VertexID
	}
)

// Nullable is the ability to have no result for some vertices, as for those that a search
// has not reached. Null reports that value is none. It is null in every
// format that has nulls; tsv has the number of the program there, such as inf. Null
// belongs to the one result of a program, and does nothing for one that is [Columned].
type Nullable[V any] interface {
	Null(v Vertex, value V) bool
}

// Named is the ability to name the one result, which files and [garaph.ValuesOf] then call so: any
// name but "id", that of the vertices. It does nothing for a program that is [Columned].
//
// [garaph.ValuesOf]: https://pkg.go.dev/github.com/garaph/garaph#ValuesOf
type Named interface {
	ColumnName() string
}

// Columned is the ability to have several results, which are written side by side, such as
// the distance, the vertex before on the path, and the number of hops. It goes before a
// Result method.
type Columned[V any] interface {
	Columns() []Column[V]
}

// Column is one of several results: a name, and one function. Columns of a program have
// different names, and none is called "id", as that of the vertex is.
type Column[V any] struct {
	Name string

	Float32 func(v Vertex, value V) float32
	Float64 func(v Vertex, value V) float64
	Int64   func(v Vertex, value V) int64
	Vertex  func(v Vertex, value V) VertexID // not called where Null

	// Null, if it is not nil, reports that the vertex has no result in this column.
	Null func(v Vertex, value V) bool
}

// Paths is the ability of a [Nullable] program whose values are lengths of shortest paths to tell
// the vertex before another one on such a path: its parent. Lengths of paths do not fall along edges. The result
// is then the length and the parent.
type Paths[V any] interface {
	Nullable[V]
	// Begins reports that a path begins at the vertex.
	Begins(v uint32) bool
	// Nearer reports that a path of length a is shorter than one of length b.
	Nearer(a, b V) bool
	// Over reports that a path over an edge, from a vertex at the end of one of length src, has this length.
	Over(src V, e Edge, length V) bool
}

// VertexID is a dense vertex id in a result, translated back to the user's id
// when it is written.
type VertexID uint32

// Unreached is the integer result of a vertex that was not reached. It is null in the
// formats that have nulls; tsv has inf.
const Unreached int64 = math.MaxInt64
