package store

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sys/unix"

	"github.com/garaph/garaph/internal/hostmem"
)

const (
	probeBlock  = 1 << 20  // of sequential reads
	probeRandom = 64 << 10 // about the least that notify-pull reads of a shard
	probeBytes  = 8 << 20  // sequential
	probeReads  = 48       // random
)

// DiskBytes returns the number of bytes that the process has read from disks so far, for any purpose.
func DiskBytes() int64 {
	var r unix.Rusage
	_ = unix.Getrusage(unix.RUSAGE_SELF, &r) // does not fail
	return r.Inblock * 512
}

// AccessRatio is k, the speed of sequential over that of random reads of the
// store's disk, at least 1. It reads past the system's page cache; where that
// is not possible (a file system in memory), k is 1.
func (s *Store) AccessRatio() float64 {
	blocks, rng := s.payload.size/probeRandom, rand.New(rand.NewPCG(1, 2))
	seq, err := s.SequentialRead(probeBytes, 1)
	if err != nil || blocks == 0 {
		return 1
	}
	random, err := s.speed(probeReads, probeRandom, 1, func(int64) int64 { return rng.Int64N(blocks) * probeRandom })
	if err != nil || random <= 0 {
		return 1
	}
	return max(1, seq/random)
}

// SequentialRead reads up to limit bytes of the store's payload past the
// page cache, in requests of 1 MiB of which at most atOnce are under way, and
// gives the speed in bytes per second.
func (s *Store) SequentialRead(limit int64, atOnce int) (float64, error) {
	n := (min(limit, s.payload.size) + probeBlock - 1) / probeBlock
	return s.speed(n, probeBlock, max(1, atOnce), func(i int64) int64 { return i * probeBlock })
}

// speed reads n blocks of a size past the page cache, where at says, at most atOnce at a time, and returns how many
// bytes that is per second.
func (s *Store) speed(n, size int64, atOnce int, at func(i int64) int64) (float64, error) {
	f := s.payload.direct
	if f == nil {
		return 0, fmt.Errorf("graph %s cannot be read past the page cache: %w", s.name, errors.ErrUnsupported)
	}
	buf, err := hostmem.Bytes(int64(atOnce) * size)
	if err != nil {
		return 0, err
	}
	defer hostmem.FreeBytes(buf)
	var read, next atomic.Int64
	start := time.Now()
	var g errgroup.Group
	for part := range slices.Chunk(buf, int(size)) {
		g.Go(func() error {
			for i := next.Add(1) - 1; i < n; i = next.Add(1) - 1 {
				got, err := f.ReadAt(part, at(i))
				read.Add(int64(got))
				if err != nil && !errors.Is(err, io.EOF) {
					return err
				}
			}
			return nil
		})
	}
	err = g.Wait()
	return float64(read.Load()) / time.Since(start).Seconds(), err
}
