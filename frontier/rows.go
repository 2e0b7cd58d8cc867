package frontier

import (
	"sort"
	"unsafe"
)

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

// To is where an edge leads, by its position.
func (r *Rows) To(edge uint64) uint32 {
	if r.Arcs != nil {
		return r.Arcs[edge].To
	}
	return r.Nbr[edge]
}

// Source is the vertex whose row has an edge, which a binary search finds.
func (r *Rows) Source(edge uint64) uint32 {
	return uint32(sort.Search(len(r.Off)-1, func(v int) bool { return r.Off[v+1] > edge }))
}

// RowsBytes is the memory of rows with so many vertices and edges.
func RowsBytes(vertices uint32, edges uint64, weighted bool) int64 {
	n := 8*(int64(vertices)+1) + 4*int64(edges)
	if weighted {
		n += 4 * int64(edges)
	}
	return n
}
