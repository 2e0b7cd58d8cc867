// Package hostmem allocates the large arrays of a job outside the Go heap, so
// that the collector neither scans nor doubles them and a memory budget means
// what it says.
package hostmem

import (
	"errors"
	"fmt"
	"math"
	"os"
	"reflect"
	"sync"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// ErrBudget is a memory budget that is too small for what is to be done.
var ErrBudget = errors.New("not enough memory")

// hugeFrom is the size from which huge pages are asked for: beyond the cache,
// address translation costs as much as the memory itself.
const hugeFrom = 4 << 20

// Bytes returns n zeroed bytes, aligned to a page of memory. [FreeBytes] frees them.
func Bytes(n int64) ([]byte, error) {
	if n == 0 {
		return nil, nil
	}
	b, err := unix.Mmap(-1, 0, int(n), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, fmt.Errorf("allocate %d bytes of memory: %w", n, Limited(err))
	}
	if n >= hugeFrom {
		_ = unix.Madvise(b, unix.MADV_HUGEPAGE) // a wish: works without
	}
	return b, nil
}

// Apart is like Bytes, but its result never adjoins another allocation: pieces that are pinned one by one must not
// be copied as one.
func Apart(n int64) ([]byte, error) {
	if n == 0 {
		return nil, nil
	}
	b, err := Bytes(n + int64(os.Getpagesize())) // the last page remains untouched
	if err != nil {
		return nil, err
	}
	return b[:n], nil
}

// Sparse returns n zeroed values of which only those that are used take memory, in
// units of a huge page. [Free] returns them.
func Sparse[T any](n int64) ([]T, error) {
	var t T
	size := n * int64(unsafe.Sizeof(t))
	b, err := unix.Mmap(-1, 0, int(size), unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_NORESERVE)
	if err != nil {
		return nil, fmt.Errorf("reserve %d bytes of addresses: %w", size, Limited(err))
	}
	_ = unix.Madvise(b, unix.MADV_HUGEPAGE) // a wish: works without
	return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), n), nil
}

// Limited says of an error of an allocation that the process has a limit of addresses.
func Limited(err error) error {
	if limit := addresses(); limit > 0 {
		return fmt.Errorf("%w: the process may have %d MiB of addresses (ulimit -v), of which those that nothing lies at "+
			"count too: raise that, and limit the memory with --memory instead", err, limit>>20)
	}
	return err
}

// addresses returns the number of bytes of addresses the process may have; if 0, as many as there are.
func addresses() int64 {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_AS, &limit) != nil || limit.Cur > math.MaxInt64 {
		return 0
	}
	return int64(limit.Cur)
}

// FreeBytes frees the result of Bytes or Apart. b must be the whole slice, or nil.
func FreeBytes(b []byte) {
	if len(b) > 0 {
		_ = unix.Munmap(b[:cap(b)]) // fails only for slices that are not of Bytes
	}
}

// SmallPages makes the system use its smallest pages for memory that is still untouched: for
// what is written once, in order, at many places. Where the system must get a huge page from
// elsewhere, as on a virtual machine, it may cost more than all of its faults.
func SmallPages(b []byte) {
	if len(b) > 0 {
		_ = unix.Madvise(b, unix.MADV_NOHUGEPAGE) // advice only
	}
}

// Populate allocates the pages of untouched memory at once, instead of one by one as they are touched, which would
// interrupt the goroutine for each. A first touch that reads, as the check
// of a pointer does, would even be followed by a second interruption, and by one of all other
// processors.
func Populate(b []byte) {
	if len(b) > 0 {
		_ = unix.Madvise(b, unix.MADV_POPULATE_WRITE) // page by page otherwise
	}
}

// PopulateAll is [Populate] of several blocks of memory on goroutines, each of which takes huge pages of its own: where
// several touch one at the same time, the system clears one for each of them.
func PopulateAll(goroutines int, blocks ...[]byte) {
	const huge = 2 << 20
	var parts [][]byte
	for _, b := range blocks {
		for len(b) > 0 {
			n := min(len(b), huge-int(uintptr(unsafe.Pointer(&b[0]))%huge))
			parts, b = append(parts, b[:n]), b[n:]
		}
	}
	var next atomic.Int64
	var g sync.WaitGroup
	for range min(goroutines, len(parts)) {
		g.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(parts); i = int(next.Add(1)) - 1 {
				Populate(parts[i])
			}
		})
	}
	g.Wait()
}

// Slice returns n zeroed values of a type without pointers.
func Slice[T any](n int) ([]T, error) {
	var t T
	size := int(unsafe.Sizeof(t))
	if n == 0 || size == 0 {
		return make([]T, n), nil
	}
	b, err := Bytes(int64(n) * int64(size))
	if err != nil {
		return nil, err
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), n), nil
}

// Free frees the result of Slice.
func Free[T any](s []T) {
	if b := AsBytes(s); len(b) > 0 {
		FreeBytes(b)
	}
}

// AsBytes returns the memory of a slice.
func AsBytes[T any](s []T) []byte {
	var t T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(t)))
}

// Drop returns the memory pages that lie wholly or partly in b back to the system. Of a
// window into a mapped file, their content stays in the file, changed bytes included; the next
// access reads it from there. Of what Bytes gave, it is zeros from then on.
func Drop(b []byte) {
	if len(b) == 0 {
		return
	}
	page := uintptr(unix.Getpagesize())
	start := uintptr(unsafe.Pointer(&b[0])) &^ (page - 1)
	end := uintptr(unsafe.Pointer(&b[len(b)-1])) + 1
	_, _, _ = unix.Syscall(unix.SYS_MADVISE, start, end-start, unix.MADV_DONTNEED) // advice only
}

// CheckPlain reports why T cannot live in such arrays, in files and on devices:
// it holds pointers, or has no fixed size.
func CheckPlain[T any]() error {
	return plain(reflect.TypeFor[T]())
}

func plain(t reflect.Type) error {
	switch t.Kind() {
	case reflect.Bool, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint8, reflect.Uint16,
		reflect.Uint32, reflect.Uint64, reflect.Float32, reflect.Float64:
		return nil
	case reflect.Array:
		return plain(t.Elem())
	case reflect.Struct:
		for f := range t.NumField() {
			if err := plain(t.Field(f).Type); err != nil {
				return fmt.Errorf("field %s: %w", t.Field(f).Name, err)
			}
		}
		return nil
	default:
		return fmt.Errorf("type %s is not plain data of fixed size: use bool, sized numbers, and arrays or structs of them",
			t)
	}
}
