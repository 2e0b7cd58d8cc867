package frontier

import (
	"sort"
	"unsafe"
)

// Rows are the edges of a whole graph by vertex: those of vertex v are Off[v] to Off[v+1]
// of Nbr or, where they have weights, of Arcs; wide weights are in Wide, beside Nbr. They may
// be in memory outside the Go heap, which belongs to their maker.
type Rows struct {
	Off  []uint64
	Nbr  []uint32
	Arcs []Arc
	Wide []float64
}

// Arc is an edge as its one end has it. To and weight lie side by side: a row is one
// stream from memory.
type Arc struct {
	To     uint32
	Weight float32
}

// Bytes returns the memory of the edges.
func (r *Rows) Bytes() []byte {
	if len(r.Arcs) > 0 {
		return unsafe.Slice((*byte)(unsafe.Pointer(&r.Arcs[0])), len(r.Arcs)*int(unsafe.Sizeof(Arc{})))
	}
	if len(r.Wide) > 0 { // neighbours lie behind them
		return unsafe.Slice((*byte)(unsafe.Pointer(&r.Wide[0])), 12*len(r.Wide))
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(r.Nbr))), 4*len(r.Nbr))
}

// To returns where an edge leads, by its position.
func (r *Rows) To(edge uint64) uint32 {
	if r.Arcs != nil {
		return r.Arcs[edge].To
	}
	return r.Nbr[edge]
}

// Arc returns where an edge leads, and its weight, 1 without weights, by its position.
func (r *Rows) Arc(edge uint64) (to uint32, weight float64) {
	switch {
	case r.Arcs != nil:
		return r.Arcs[edge].To, float64(r.Arcs[edge].Weight)
	case r.Wide != nil:
		return r.Nbr[edge], r.Wide[edge]
	}
	return r.Nbr[edge], 1
}

// Source returns the vertex whose row has an edge, which a binary search finds.
func (r *Rows) Source(edge uint64) uint32 {
	return uint32(sort.Search(len(r.Off)-1, func(v int) bool { return r.Off[v+1] > edge }))
}

// RowsBytes returns the memory of rows with numbers of vertices and edges, and weights of a size.
func RowsBytes(vertices uint32, edges uint64, weight int) int64 {
	return 8*(int64(vertices)+1) + int64(4+weight)*int64(edges)
}
