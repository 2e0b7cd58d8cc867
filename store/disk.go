package store

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
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
	seq, err := s.SequentialRead(probeBytes, 1)
	if err != nil {
		return 1
	}
	random, err := s.randomRead()
	if err != nil || random <= 0 {
		return 1
	}
	return max(1, seq/random)
}

// SequentialRead reads up to limit bytes of the store's payload past the
// page cache, in requests of 1 MiB of which at most atOnce are under way, and
// gives the speed in bytes per second.
func (s *Store) SequentialRead(limit int64, atOnce int) (float64, error) {
	atOnce = max(1, atOnce)
	buf, err := hostmem.Bytes(int64(atOnce) * probeBlock)
	if err != nil {
		return 0, err
	}
	defer hostmem.FreeBytes(buf)
	var read, next atomic.Int64
	start := time.Now()
	err = s.direct(func(f *os.File, size int64) error {
		size = min(size, limit-read.Load())
		next.Store(0)
		var g errgroup.Group
		for i := range atOnce {
			part := buf[i*probeBlock : (i+1)*probeBlock]
			g.Go(func() error {
				for {
					at := next.Add(probeBlock) - probeBlock
					if at >= size {
						return nil
					}
					n, err := f.ReadAt(part, at)
					read.Add(int64(n))
					if err != nil && !errors.Is(err, io.EOF) {
						return err
					}
				}
			})
		}
		return g.Wait()
	})
	return float64(read.Load()) / time.Since(start).Seconds(), err
}

func (s *Store) randomRead() (float64, error) {
	buf, err := hostmem.Bytes(probeRandom)
	if err != nil {
		return 0, err
	}
	defer hostmem.FreeBytes(buf)
	rng := rand.New(rand.NewPCG(1, 2))
	var read int64
	start := time.Now()
	err = s.direct(func(f *os.File, size int64) error {
		for i := 0; i < probeReads && size > probeRandom; i++ {
			n, err := f.ReadAt(buf, rng.Int64N(size/probeRandom)*probeRandom)
			read += int64(n)
			if err != nil && !errors.Is(err, io.EOF) {
				return err
			}
		}
		return nil
	})
	return float64(read) / time.Since(start).Seconds(), err
}

// direct calls f for the payload, opened past the page cache.
func (s *Store) direct(f func(file *os.File, size int64) error) error {
	if s.payload.direct == nil {
		return fmt.Errorf("graph %s cannot be read past the page cache: %w", s.name, errors.ErrUnsupported)
	}
	return f(s.payload.direct, s.payload.size)
}
