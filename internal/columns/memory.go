package columns

import (
	"fmt"
	"sync"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/dustin/go-humanize"
)

// Memory bounds the memory of all that is read with it. It may be used by many goroutines.
type Memory struct {
	limit int64

	mu      sync.Mutex
	freed   sync.Cond
	used    int64 // guarded by mu
	batches int   // guarded by mu: batches that were returned and not released
}

// NewMemory returns a Memory of limit bytes.
func NewMemory(limit int64) *Memory {
	m := &Memory{limit: limit}
	m.freed.L = &m.mu
	return m
}

// MemoryError is the error of a page, dictionary or record batch that does not fit in a [Memory].
type MemoryError struct{ Limit int64 }

func (e *MemoryError) Error() string {
	return fmt.Sprintf("a page, dictionary or record batch does not fit in the %s of memory for rows",
		humanize.IBytes(uint64(e.Limit)))
}

// take takes n bytes. While batches are in use, it waits for them rather than fail.
func (m *Memory) take(n int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for n > m.limit-m.used && m.batches > 0 {
		m.freed.Wait()
	}
	if n > m.limit-m.used {
		return &MemoryError{m.limit}
	}
	m.used += n
	return nil
}

// give returns n bytes and some batches.
func (m *Memory) give(n int64, batches int) {
	m.mu.Lock()
	m.used, m.batches = m.used-n, m.batches-batches
	m.mu.Unlock()
	m.freed.Broadcast()
}

// account is the part of a Memory that one reader uses. Arrow-go takes memory from it.
type account struct {
	*Memory
	mu   sync.Mutex
	used int64 // guarded by mu
	err  error // guarded by mu: the first error
}

func (a *account) add(n int64) {
	err := a.take(n)
	a.mu.Lock()
	defer a.mu.Unlock()
	if err != nil {
		a.err = err
		panic(err)
	}
	a.used += n
}

func (a *account) failed() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.err
}

// Allocate implements [memory.Allocator]. It panics if the memory is not there.
func (a *account) Allocate(size int) []byte {
	a.add(int64(size))
	return memory.DefaultAllocator.Allocate(size)
}

// Reallocate implements [memory.Allocator].
func (a *account) Reallocate(size int, b []byte) []byte {
	if size <= cap(b) {
		return b[:size]
	}
	old := b
	b = a.Allocate(size)
	copy(b, old)
	a.Free(old)
	return b
}

// Free implements [memory.Allocator].
func (a *account) Free(b []byte) {
	a.mu.Lock()
	n := min(int64(cap(b)), a.used)
	a.used -= n
	a.mu.Unlock()
	a.give(n, 0)
}

// close returns the rest.
func (a *account) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.give(a.used, 0)
	a.used = 0
}
