package ingest

// Batches are what a parse goroutine gathers before it calls its sink worker:
// large enough that the call costs nothing, small enough that the arrays stay
// near the processor between the parser and the sink.
const (
	edgeBatchSize = 2048
	nameBatchSize = 2048
)

// edgeBatch gathers the edges, or the vertices, of one parse goroutine.
type edgeBatch struct {
	sink    Worker
	entries int64   // edges delivered so far
	rounded int64   // weights of the kind roundedWeight so far
	largest float64 // of them, as it was rounded

	n                  int // edges held
	src, dst           []uint64
	weight             []float64 // nil when the input is not weighted
	srcNames, dstNames [][]byte  // they alias the block: flushed before it is recycled
	vertices           []uint64
	vertexNames        [][]byte
}

// newEdgeBatch makes the arrays that a schema needs.
func newEdgeBatch(sink Worker, s Schema) *edgeBatch {
	size := edgeBatchSize
	b := &edgeBatch{sink: sink}
	if s.IDs == IDString {
		size = nameBatchSize
		b.srcNames, b.dstNames = make([][]byte, size), make([][]byte, size)
	} else {
		b.src, b.dst = make([]uint64, size), make([]uint64, size)
	}
	if s.Weighted {
		b.weight = make([]float64, size)
	}
	return b
}

// size is the number of edges that the batch can hold.
func (b *edgeBatch) size() int { return max(len(b.src), len(b.srcNames)) }

// freeWeight is the part of the weights that is still free; nil without weights.
func (b *edgeBatch) freeWeight() []float64 {
	if b.weight == nil {
		return nil
	}
	return b.weight[b.n:]
}

// add takes one parsed line; there is room for it.
func (b *edgeBatch) add(e *lineEdge, kind IDKind) {
	switch {
	case e.count == 1 && kind == IDString:
		b.vertexNames = append(b.vertexNames, e.names[0])
		return
	case e.count == 1:
		b.vertices = append(b.vertices, e.ids[0])
		return
	case kind == IDString:
		b.srcNames[b.n], b.dstNames[b.n] = e.names[0], e.names[1]
	default:
		b.src[b.n], b.dst[b.n] = e.ids[0], e.ids[1]
	}
	if b.weight != nil {
		b.weight[b.n] = e.weight
		if e.rounded {
			b.round(e.weight)
		}
	}
	b.n++
}

// round counts a whole number that was rounded to a weight.
func (b *edgeBatch) round(weight float64) {
	b.largest = max(b.largest, weight)
	b.rounded++
}

// full reports whether there is no room for a further line.
func (b *edgeBatch) full() bool {
	return b.n == b.size() || len(b.vertices) == edgeBatchSize || len(b.vertexNames) == nameBatchSize
}

// flush hands what is held to the sink.
func (b *edgeBatch) flush() error {
	if err := b.flushVertices(); err != nil {
		return err
	}
	if b.n == 0 {
		return nil
	}
	n := b.n
	b.n = 0
	b.entries += int64(n)
	var weight []float64
	if b.weight != nil {
		weight = b.weight[:n]
	}
	if b.srcNames != nil {
		return b.sink.AddStrings(b.srcNames[:n], b.dstNames[:n], weight)
	}
	return b.sink.AddInts(b.src[:n], b.dst[:n], weight)
}

func (b *edgeBatch) flushVertices() error {
	if len(b.vertices) > 0 {
		ids := b.vertices
		b.vertices = b.vertices[:0]
		return b.sink.AddVertices(ids)
	}
	if len(b.vertexNames) > 0 {
		names := b.vertexNames
		b.vertexNames = b.vertexNames[:0]
		return b.sink.AddVertexNames(names)
	}
	return nil
}
