// Package vertices has the state of a job that every engine shares: Garaph's
// GlobalVertices, the active set and the degrees.
package vertices

import (
	"cmp"
	"fmt"
	"unsafe"

	"github.com/garaph/garaph/internal/bitset"
	"github.com/garaph/garaph/internal/hostmem"
)

// Arrays are the arrays over all vertices, outside the Go heap. Engines read
// Cur and write Next; the dispatcher makes Next current.
type Arrays[V any] struct {
	N    uint32
	Cur  []V
	Next []V
	// Degree is the number of edges along which a vertex notifies: its
	// out-degree when the program gathers along in-edges.
	Degree []uint32
	// In and Out are the in- and out-degrees of vertices, where a job has added them
	// ([Arrays.AddDegrees]). If nil, they equal Degree or are not read.
	In, Out []uint32
	// IDs are the ids of vertices, by their places in the arrays. If nil, they are the places.
	IDs []uint32

	Active bitset.Set // changed significantly in the last iteration
	Rising bitset.Set // will be Active in the next one
	Marks  bitset.Set // notified in this iteration

	pinned  Pinning // registers Cur and Next; if nil, they are not registered
	regions [2][]byte
}

// Pinning registers memory of the arrays with a device that copies from it.
type Pinning interface {
	Register(b []byte) error
	Unregister(b []byte) error
}

// Bytes returns the memory that n vertices take.
func Bytes[V any](n uint32) int64 {
	var v V
	return int64(n)*(2*int64(unsafe.Sizeof(v))+4) + 3*8*int64(bitset.Words(n))
}

// TrimmedBytes returns the part of Bytes that is left after FreeSpare.
func TrimmedBytes[V any](n uint32) int64 {
	var v V
	return int64(n)*int64(unsafe.Sizeof(v)) + 2*8*int64(bitset.Words(n))
}

// New allocates the arrays, and registers Cur and Next with m, unless that is nil. V must be
// plain data.
func New[V any](n uint32, m Pinning) (*Arrays[V], error) {
	if err := hostmem.CheckPlain[V](); err != nil {
		return nil, fmt.Errorf("vertex value: %w", err)
	}
	a := &Arrays[V]{N: n}
	var errs [6]error
	a.Cur, errs[0] = hostmem.Slice[V](int(n))
	a.Next, errs[1] = hostmem.Slice[V](int(n))
	a.Degree, errs[2] = hostmem.Slice[uint32](int(n))
	a.Active, errs[3] = hostmem.Slice[uint64](bitset.Words(n))
	a.Rising, errs[4] = hostmem.Slice[uint64](bitset.Words(n))
	a.Marks, errs[5] = hostmem.Slice[uint64](bitset.Words(n))
	err := cmp.Or(errs[:]...)
	if err == nil && m != nil {
		err = a.Pin(m)
	}
	if err != nil {
		a.Free()
		return nil, err
	}
	return a, nil
}

// Pin registers Cur and Next with m, until Unpin.
func (a *Arrays[V]) Pin(m Pinning) error {
	a.pinned = m
	for i, values := range [...][]V{a.Cur, a.Next} {
		if b := hostmem.AsBytes(values); len(b) > 0 {
			if err := m.Register(b); err != nil {
				return err
			}
			a.regions[i] = b
		}
	}
	return nil
}

// Unpin ends the registration of Cur and Next. What a device does not give back is gone with
// it.
func (a *Arrays[V]) Unpin() {
	a.unpin(a.Cur)
	a.unpin(a.Next)
	a.pinned = nil
}

func (a *Arrays[V]) unpin(values []V) {
	b := hostmem.AsBytes(values)
	for i, region := range a.regions {
		if len(region) > 0 && len(b) > 0 && &region[0] == &b[0] {
			_ = a.pinned.Unregister(b)
			a.regions[i] = nil
		}
	}
}

// ID returns the id of the vertex at a place.
func (a *Arrays[V]) ID(place uint32) uint32 {
	if a.IDs == nil {
		return place
	}
	return a.IDs[place]
}

// AddDegrees allocates In, Out or both.
func (a *Arrays[V]) AddDegrees(in, out bool) error {
	var errs [2]error
	if in {
		a.In, errs[0] = hostmem.Slice[uint32](int(a.N))
	}
	if out {
		a.Out, errs[1] = hostmem.Slice[uint32](int(a.N))
	}
	return cmp.Or(errs[:]...)
}

// Free returns the memory.
func (a *Arrays[V]) Free() {
	a.FreeSpare(true)
	a.unpin(a.Cur)
	hostmem.Free(a.Cur)
	hostmem.Free(a.Active)
	hostmem.Free(a.Rising)
	hostmem.Free(a.IDs)
	*a = Arrays[V]{}
}

// FreeSpare frees the arrays that only an iteration needs: degrees, Marks and, when next is
// set, Next. Cur, Active and Rising remain.
func (a *Arrays[V]) FreeSpare(next bool) {
	if next {
		a.unpin(a.Next)
		hostmem.Free(a.Next)
		a.Next = nil
	}
	for _, degrees := range [...]*[]uint32{&a.Degree, &a.In, &a.Out} {
		hostmem.Free(*degrees)
		*degrees = nil
	}
	hostmem.Free(a.Marks)
	a.Marks = nil
}

// Bytes returns how much memory the arrays take now.
func (a *Arrays[V]) Bytes() int64 {
	var v V
	return int64(unsafe.Sizeof(v))*int64(len(a.Cur)+len(a.Next)) + 4*int64(len(a.Degree)+len(a.In)+len(a.Out)+len(a.IDs)) +
		8*int64(len(a.Active)+len(a.Rising)+len(a.Marks))
}

// Publish makes the new values of the vertices in [from, to) current: of all,
// or of the marked ones.
func (a *Arrays[V]) Publish(from, to uint32, marked bool) {
	if !marked {
		copy(a.Cur[from:to], a.Next[from:to])
		return
	}
	for v, ok := a.Marks.Next(from, to); ok; v, ok = a.Marks.Next(v+1, to) {
		a.Cur[v] = a.Next[v]
	}
}

// Swap makes all new values current.
func (a *Arrays[V]) Swap() { a.Cur, a.Next = a.Next, a.Cur }

// Advance makes the rising vertices active, and empties the set of rising ones.
func (a *Arrays[V]) Advance() {
	a.Active, a.Rising = a.Rising, a.Active
	a.Rising.Clear()
}
