package compiled

import (
	"reflect"
	"sync/atomic"
	"unsafe"

	"github.com/garaph/garaph/frontier"
)

// Advance holds the state of one goroutine in loops over a frontier, besides values: the
// rows of edges, and where vertices go that have changed.
type Advance struct {
	Next    frontier.Collector
	Buckets frontier.Buckets // of Relax, in place of Next
	Rows    *frontier.Rows   // along which vertices make others gather

	// Cut is set if only the edges [From, To) of the one vertex in the list are meant.
	Cut      bool
	From, To uint64

	Edges    uint64 // that were looked at
	Vertices uint64 // that were pushed from or applied
	Touched  uint32 // of edges that are only loaded: no load may be left out
}

// RowsAhead is the number of vertices before its turn at which Push loads the first edge of one. Where a
// frontier lies across the order of the vertices, as on a grid, each row is elsewhere in memory,
// and the processor, which cannot guess which edges lead to news, begins to load it late. Relax
// does not: much of the content of its buckets has been done, and the rows are not needed.
const RowsAhead = 8

// CanReplace reports whether values of a type can be loaded and replaced while other
// goroutines do so. All of their bytes belong to fields: Go need not copy others, with which
// a value would never be found where it was loaded.
func CanReplace[V any]() bool {
	t := reflect.TypeFor[V]()
	size := t.Size()
	return (size == 4 || size == 8) && t.Align() >= 4 && fieldBytes(t) == size
}

// fieldBytes returns the number of bytes of a type in fields with a name.
func fieldBytes(t reflect.Type) (n uintptr) {
	switch t.Kind() {
	case reflect.Array:
		return uintptr(t.Len()) * fieldBytes(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); f.Name != "_" {
				n += fieldBytes(f.Type)
			}
		}
		return n
	}
	return t.Size()
}

// Same reports whether two values that [CanReplace] have the same bits.
func Same[V any](p, q *V) bool {
	if unsafe.Sizeof(*p) == 4 {
		return *(*uint32)(unsafe.Pointer(p)) == *(*uint32)(unsafe.Pointer(q))
	}
	return *(*[2]uint32)(unsafe.Pointer(p)) == *(*[2]uint32)(unsafe.Pointer(q))
}

// Load reads a value that other goroutines may replace. Those of 8 bytes lie at multiples
// of 8, as in the arrays over vertices.
func Load[V any](p *V) V {
	var v V
	if unsafe.Sizeof(v) == 4 {
		x := atomic.LoadUint32((*uint32)(unsafe.Pointer(p)))
		return *(*V)(unsafe.Pointer(&x))
	}
	x := atomic.LoadUint64((*uint64)(unsafe.Pointer(p)))
	return *(*V)(unsafe.Pointer(&x))
}

// Touch loads the values of a list, so that they come from memory side by side: each [Replace] waits for its own.
func Touch[V any](list []uint32, cur []V) (touched uint32) {
	for _, v := range list {
		touched += atomic.LoadUint32((*uint32)(unsafe.Pointer(&cur[v])))
	}
	return touched
}

// TouchArcs is [Touch] of the ends of arcs.
func TouchArcs[V any](row []frontier.Arc, cur []V) (touched uint32) {
	for i := range row {
		touched += atomic.LoadUint32((*uint32)(unsafe.Pointer(&cur[row[i].To])))
	}
	return touched
}

// Replace stores a value in the place of another, and reports whether that was there still.
func Replace[V any](p *V, old, value V) bool {
	if unsafe.Sizeof(old) == 4 {
		return atomic.CompareAndSwapUint32((*uint32)(unsafe.Pointer(p)), *(*uint32)(unsafe.Pointer(&old)),
			*(*uint32)(unsafe.Pointer(&value)))
	}
	return atomic.CompareAndSwapUint64((*uint64)(unsafe.Pointer(p)), *(*uint64)(unsafe.Pointer(&old)),
		*(*uint64)(unsafe.Pointer(&value)))
}
