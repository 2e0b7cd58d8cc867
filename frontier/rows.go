package frontier

import "unsafe"

// Rows are the edges of a whole graph by vertex: those of vertex v are Off[v] to Off[v+1]
// of Nbr or, where they have weights, of Arcs. They may be memory outside the Go heap,
// which is whose who made it.
type Rows struct {
	Off  []uint64
	Nbr  []uint32
	Arcs []Arc
}

// Arc is an edge as its one end has it. To and weight lie side by side: a row is one
// stream from memory.
type Arc struct {
	To     uint32
	Weight float32
}

// Bytes is the memory of the edges.
func (r *Rows) Bytes() []byte {
	if len(r.Arcs) > 0 {
		return unsafe.Slice((*byte)(unsafe.Pointer(&r.Arcs[0])), len(r.Arcs)*int(unsafe.Sizeof(Arc{})))
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(r.Nbr))), 4*len(r.Nbr))
}

// RowsBytes is the memory of rows with so many vertices and edges.
func RowsBytes(vertices uint32, edges uint64, weighted bool) int64 {
	n := 8*(int64(vertices)+1) + 4*int64(edges)
	if weighted {
		n += 4 * int64(edges)
	}
	return n
}
