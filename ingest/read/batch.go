package read

// A parse goroutine gathers batches before it calls its sink worker:
// large enough that the call costs nothing, small enough that the arrays stay
// near the processor between the parser and the sink.
const (
	BatchSize     = 2048
	nameBatchSize = 2048
)

// Batch gathers the edges, or the vertices, of one parse goroutine.
type Batch struct {
	Sink            Worker
	Entries         int64   // edges delivered so far
	rounded         int64   // weights of the kind RoundedWeight so far
	largest         float64 // of them, as it was rounded
	negative, large bool    // there are such ids, see [IntegerKind]

	N                  int // edges held
	Src, Dst           []uint64
	Weight             []float64 // nil when the input is not weighted
	SrcNames, DstNames [][]byte  // they alias the block: flushed before it is recycled
	vertices           []uint64
	vertexNames        [][]byte
}

// NewBatch makes the arrays that a schema needs.
func NewBatch(sink Worker, s Schema) *Batch {
	size := BatchSize
	b := &Batch{Sink: sink}
	if s.IDs == IDString {
		size = nameBatchSize
		b.SrcNames, b.DstNames = make([][]byte, size), make([][]byte, size)
	} else {
		b.Src, b.Dst = make([]uint64, size), make([]uint64, size)
	}
	if s.Weighted {
		b.Weight = make([]float64, size)
	}
	return b
}

// Size returns the number of edges that the batch can hold.
func (b *Batch) Size() int { return max(len(b.Src), len(b.SrcNames)) }

// FreeWeight returns the part of the weights that is still free; nil without weights.
func (b *Batch) FreeWeight() []float64 {
	if b.Weight == nil {
		return nil
	}
	return b.Weight[b.N:]
}

// Add takes one parsed line; there is room for it.
func (b *Batch) Add(e *Edge, kind IDKind) {
	if kind != IDString {
		for _, k := range e.Kinds[:e.Count] {
			b.negative, b.large = b.negative || k == NegativeInteger, b.large || k == LargeInteger
		}
	}
	switch {
	case e.Count == 1 && kind == IDString:
		b.vertexNames = append(b.vertexNames, e.Names[0])
		return
	case e.Count == 1:
		b.vertices = append(b.vertices, e.IDs[0])
		return
	case kind == IDString:
		b.SrcNames[b.N], b.DstNames[b.N] = e.Names[0], e.Names[1]
	default:
		b.Src[b.N], b.Dst[b.N] = e.IDs[0], e.IDs[1]
	}
	if b.Weight != nil {
		b.Weight[b.N] = e.Weight
		if e.Rounded {
			b.Round(e.Weight)
		}
	}
	b.N++
}

// Round counts a whole number that was rounded to a weight.
func (b *Batch) Round(weight float64) {
	b.largest = max(b.largest, weight)
	b.rounded++
}

// Full reports whether there is no room for a further line.
func (b *Batch) Full() bool {
	return b.N == b.Size() || len(b.vertices) == BatchSize || len(b.vertexNames) == nameBatchSize
}

// Flush passes the edges of the batch to the sink.
func (b *Batch) Flush() error {
	if err := b.flushVertices(); err != nil {
		return err
	}
	if b.N == 0 {
		return nil
	}
	n := b.N
	b.N = 0
	b.Entries += int64(n)
	var weight []float64
	if b.Weight != nil {
		weight = b.Weight[:n]
	}
	if b.SrcNames != nil {
		return b.Sink.AddStrings(b.SrcNames[:n], b.DstNames[:n], weight)
	}
	return b.Sink.AddInts(b.Src[:n], b.Dst[:n], weight)
}

func (b *Batch) flushVertices() error {
	if len(b.vertices) > 0 {
		ids := b.vertices
		b.vertices = b.vertices[:0]
		return b.Sink.AddVertices(ids)
	}
	if len(b.vertexNames) > 0 {
		names := b.vertexNames
		b.vertexNames = b.vertexNames[:0]
		return b.Sink.AddVertexNames(names)
	}
	return nil
}
