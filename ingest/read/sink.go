package read

// IDKind says how the user's vertex ids become dense ids.
type IDKind uint8

const (
	// IDDense means that ids are the dense ids plus Schema.Base; every id up to the
	// largest is a vertex, mentioned or not.
	IDDense IDKind = iota
	// IDInt means that ids are signed or unsigned integers of 64 bits. The vertices are those
	// mentioned, numbered in ascending order.
	IDInt
	// IDString means that ids are text without separators. The vertices are those mentioned,
	// numbered in ascending byte order.
	IDString
)

// Schema describes the edges of the inputs before the first of them.
type Schema struct {
	Format   FormatName
	IDs      IDKind
	Base     int64 // IDDense: the user's id of dense vertex 0 (0, or 1 for Matrix Market, DIMACS and METIS)
	Vertices int64 // IDDense: the number of vertices that the header promises; if -1, largest id + 1
	Weighted bool
	Columnar bool // rows are read into Options.RowBytes
	Mirrored bool // each entry stands for both directions (Matrix Market symmetric)
	Both     bool // each edge has entries in both directions (undirected GAP graphs, METIS)
}

// Sink takes the results of the readers: first the schema, then edges and vertices
// from many goroutines.
type Sink interface {
	// Begin is called once, after the first input was recognised.
	Begin(Schema) error
	// Worker gives a sink for the use of one goroutine. Close of the worker is
	// called by that goroutine when it is done, without an error before.
	Worker() Worker
}

// Worker takes edges from one goroutine. The slices are the caller's again
// after each call. Weights are nil when Schema.Weighted is false; integer ids
// are the bits of an int64, or of a uint64 when above the range of int64; with
// IDDense they were checked against Schema.Base and Schema.Vertices and are
// dense ids already (Base subtracted).
type Worker interface {
	AddInts(src, dst []uint64, weight []float64) error
	AddStrings(src, dst [][]byte, weight []float64) error
	// AddVertices and AddVertexNames declare vertices that need not have edges.
	AddVertices(ids []uint64) error
	AddVertexNames(names [][]byte) error
	Close() error
}
