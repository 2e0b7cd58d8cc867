package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"github.com/dustin/go-humanize"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sys/unix"
)

const (
	epochFile  = "EPOCH"  // the closing record
	valuesFile = "VALUES" // values, active vertices and checksums

	epochHead  = "garaph epoch, version 1\n"
	epochLimit = 64 << 20 // more than an EPOCH file has

	// spareBytes must stay free on the disk beside the chunks of an epoch: for its closing record, and for others.
	spareBytes = 16 << 20

	writers       = 2        // chunks in use at most
	inFlightBytes = 16 << 20 // of their values, but for chunks that are larger
	maxValueBytes = 4 << 10  // of a vertex, as a chunk is held in memory
)

// Write writes an epoch and returns its number. The steps, each complete before
// the next:
//
//  1. a hidden folder, in it the file of values, with room reserved for it
//  2. chunks; sync, close
//  3. the closing record, synced
//  4. the folder synced
//  5. rename to its name; sync of the job's folder
//  6. older epochs removed
//
// After an error the older epochs are as they were, and the new one is removed.
// An error of the last step alone is given with the number of the new epoch.
func (f *Folder) Write(ctx context.Context, s State, source Source) (int, error) {
	err := holds(f.lock, f.at.Path("."))
	var numbers []int
	if err == nil {
		numbers, err = f.Numbers()
	}
	if err != nil {
		return 0, fmt.Errorf("write a checkpoint: %w", err)
	}
	n := 1
	if len(numbers) > 0 {
		n = numbers[len(numbers)-1] + 1
	}
	if n > maxID {
		return 0, fmt.Errorf("write a checkpoint: checkpoint %d was the last that there can be", maxID)
	}
	building := hidden + epochName(n) + writing
	err = f.build(ctx, building, s, source)
	if gone := holds(f.lock, f.at.Path(".")); errors.Is(gone, ErrGone) {
		err = gone
	}
	if err == nil {
		err = f.disk.rename(building, epochName(n))
	}
	if err != nil {
		return 0, errors.Join(fmt.Errorf("write checkpoint %d: %w", n, err), f.disk.remove(building))
	}
	if err = f.disk.syncFolder("."); err != nil {
		return 0, fmt.Errorf("write checkpoint %d: %w", n, err)
	}
	if err := f.prune(); err != nil {
		return n, fmt.Errorf("remove older checkpoints: %w", err)
	}
	f.passed = nil
	return n, nil
}

// build makes the folder of an epoch, whole and on disk.
func (f *Folder) build(ctx context.Context, folder string, s State, source Source) (err error) {
	c := &commit{State: s, Identity: f.id, ChunkVertices: f.chunk}
	if s.ValueBytes > maxValueBytes {
		return fmt.Errorf("values of %d bytes are too large for a checkpoint: the limit is %d", s.ValueBytes, maxValueBytes)
	}
	if err := f.checkSpace(c.bytes()); err != nil {
		return err
	}
	defer func() {
		if errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) {
			err = fmt.Errorf("%w: another process filled the disk of %s meanwhile, where %s are needed; free some: %w",
				ErrNoSpace, f.at.Path("."), humanize.IBytes(uint64(c.bytes()+spareBytes)), err)
		}
	}()
	if err := f.disk.makeFolder(folder); err != nil {
		return err
	}
	if err := f.putAll(ctx, filepath.Join(folder, valuesFile), c, source); err != nil {
		return err
	}
	text, err := sealText(epochFile, epochHead, c)
	if err == nil {
		err = f.disk.writeSynced(filepath.Join(folder, epochFile), text)
	}
	if err == nil {
		err = f.disk.syncFolder(folder)
	}
	return err
}

// checkSpace reports [ErrNoSpace] when fewer than n bytes, and some to spare,
// are free.
func (f *Folder) checkSpace(n int64) error {
	free, err := f.disk.free()
	if err == nil && free < n+spareBytes {
		err = fmt.Errorf("%w: %s free, %s needed on the disk of %s; free some", ErrNoSpace,
			humanize.IBytes(uint64(max(0, free))), humanize.IBytes(uint64(n+spareBytes)), f.at.Path("."))
	}
	return err
}

// putAll writes the chunks.
func (f *Folder) putAll(ctx context.Context, name string, c *commit, source Source) (err error) {
	file, err := f.disk.createValues(name, c.bytes())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	err = eachChunk(ctx, c, func(i int, b *buffer, from, to uint32) error {
		clear(b.active)
		if err := source.Fill(from, to, b.values, b.active); err != nil {
			return err
		}
		return writeChunk(file, c, i, from, b)
	})
	if err := errors.Join(err, ctx.Err()); err != nil {
		return err
	}
	return errors.Join(file.Sync(), ctx.Err())
}

// atOnce returns the number of chunks that are written at once.
func atOnce(c *commit) int { return int(max(1, min(writers, inFlightBytes/max(1, chunkBytes(c))))) }

func chunkBytes(c *commit) int64 {
	n := min(c.ChunkVertices, c.Vertices)
	return int64(n)*int64(c.ValueBytes) + 16*words(n)
}

// WriterBytes returns the memory that the writing of epochs takes, for values of this size.
func WriterBytes(vertices uint32, valueBytes int) int64 {
	c := &commit{State: State{Vertices: vertices, ValueBytes: valueBytes}, ChunkVertices: DefaultChunk}
	return int64(min(c.chunks(), atOnce(c))) * chunkBytes(c)
}

// eachChunk calls do for all chunks, several at once, each with its number, a buffer
// with as many values and words of active vertices as the chunk has, and its vertices.
func eachChunk(ctx context.Context, c *commit, do func(i int, b *buffer, from, to uint32) error) error {
	buffers := sync.Pool{New: func() any {
		n := min(c.ChunkVertices, c.Vertices)
		return &buffer{make([]byte, int64(n)*int64(c.ValueBytes)), make([]byte, 8*words(n)), make([]uint64, words(n))}
	}}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(atOnce(c))
	for i := range c.chunks() {
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			b := buffers.Get().(*buffer)
			defer buffers.Put(b)
			from, to := c.span(i)
			b.values, b.active = b.values[:int(to-from)*c.ValueBytes], b.active[:words(to-from)]
			return do(i, b, from, to)
		})
	}
	return g.Wait()
}
