package algorithms

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"
	"unsafe"

	"github.com/dustin/go-humanize"
	"golang.org/x/sys/unix"

	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/internal/scratch"
	"github.com/garaph/garaph/store"
)

// Scratch is a temporary file of numbers, for data that outgrows the budget. It has no name: the system removes it with
// the process. Goroutines may write and read at once.
type Scratch struct {
	env  *Env
	file *os.File
	name string
}

// Scratch makes the temporary file that [Plan] has under a name, if its disk has the space. The run closes it.
func (e *Env) Scratch(name string) (*Scratch, error) {
	i := slices.IndexFunc(e.plan.Scratch, func(a Array) bool { return a.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("algorithm %T writes a temporary file for %s that its plan does not include",
			e.algorithm, name)
	}
	file, err := scratch.File(e.options.Scratch)
	if err != nil {
		return nil, fmt.Errorf("make a temporary file for %s (see --scratch): %w", name, err)
	}
	s := &Scratch{e, file, name}
	e.scratch = append(e.scratch, file)
	var disk unix.Statfs_t
	if err := unix.Fstatfs(int(file.Fd()), &disk); err != nil {
		return nil, fmt.Errorf("free space for %s: %w", name, err)
	}
	if free, need := disk.Bavail*uint64(disk.Bsize), uint64(e.plan.Scratch[i].Bytes); free < need {
		return nil, s.full(fmt.Errorf("%s free, %s needed", humanize.IBytes(free), humanize.IBytes(need)))
	}
	return s, nil
}

// full returns the error of a disk without the space.
func (s *Scratch) full(cause error) error {
	dir := s.env.options.Scratch
	if dir == "" {
		dir = os.TempDir()
	}
	return fmt.Errorf("%w on the disk of %s for %s: %w; --scratch DIR names another one",
		store.ErrNoSpace, dir, s.name, cause)
}

// Write writes numbers from a position on.
func (s *Scratch) Write(numbers []uint32, at uint64) error {
	n, err := s.file.WriteAt(hostmem.AsBytes(numbers), int64(4*at))
	s.env.mu.Lock()
	s.env.spilled += int64(n)
	s.env.mu.Unlock()
	if errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) {
		return s.full(err)
	}
	if err != nil {
		return fmt.Errorf("write %s to a temporary file: %w", s.name, err)
	}
	return nil
}

// Read reads numbers from a position on. They have been written.
func (s *Scratch) Read(numbers []uint32, at uint64) error {
	if _, err := s.file.ReadAt(hostmem.AsBytes(numbers), int64(4*at)); err != nil {
		return fmt.Errorf("read %s from a temporary file: %w", s.name, err)
	}
	return nil
}

// Map makes the file memory: n values, zeroed where none were written. Free frees them. What of mapped files is
// resident does not exceed [Env.Room] for long: the system reads the rest again as it is used.
func Map[E any](s *Scratch, n int) ([]E, error) {
	if err := hostmem.CheckPlain[E](); err != nil || n == 0 {
		return nil, err
	}
	var x E
	e, bytes := s.env, int64(n)*int64(unsafe.Sizeof(x))
	written, err := s.file.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, fmt.Errorf("map a temporary file for %s: %w", s.name, err)
	}
	err = unix.Fallocate(int(s.file.Fd()), 0, 0, bytes)
	if errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) {
		return nil, s.full(err)
	}
	if err != nil { // of a file system without it
		err = s.file.Truncate(bytes)
	}
	var b []byte
	if err == nil {
		b, err = unix.Mmap(int(s.file.Fd()), 0, int(bytes), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	}
	if err != nil {
		return nil, fmt.Errorf("map a temporary file for %s: %w", s.name, err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.spilled += max(0, bytes-written)
	if e.trimmed == nil {
		e.trimmed = make(chan struct{})
		go e.trim(e.trimmed)
	}
	e.arrays[unsafe.Pointer(&b[0])] = array{free: func() { _ = unix.Munmap(b) }, mapped: b}
	return unsafe.Slice((*E)(unsafe.Pointer(&b[0])), n), nil
}

// trim drops the pages of mapped files when they exceed half of the room, until stop receives.
func (e *Env) trim(stop chan struct{}) {
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for least := sharedBytes(); ; {
		select {
		case <-stop:
			return
		case <-tick.C:
		}
		now := sharedBytes()
		if least = min(least, now); now-least <= e.Room()/2 {
			continue
		}
		e.mu.Lock()
		for _, a := range e.arrays {
			if a.mapped != nil {
				_ = unix.Madvise(a.mapped, unix.MADV_DONTNEED) // the file keeps the bytes
			}
		}
		e.mu.Unlock()
	}
}

// sharedBytes returns how much of files is resident.
func sharedBytes() int64 {
	var size, resident, shared int64
	text, _ := os.ReadFile("/proc/self/statm") // without it, nothing is trimmed
	_, _ = fmt.Sscan(string(text), &size, &resident, &shared)
	return shared * int64(os.Getpagesize())
}
