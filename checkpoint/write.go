package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/dustin/go-humanize"
	"golang.org/x/sync/errgroup"
)

const (
	dbDir = "db" // Badger's folder inside an epoch's

	// spareBytes must stay free on the disk beside an epoch: writing into a
	// mapped file on a full one kills the process.
	spareBytes = 16 << 20

	writers       = 4        // chunks under way at most
	inFlightBytes = 16 << 20 // of their values, but for chunks that are larger
	maxValueBytes = 4 << 10  // of a vertex, so that a chunk is no larger than Badger's logs
)

// Write writes an epoch and gives its number. The steps, each complete before
// the next:
//
//  1. a hidden folder, and in it a Badger database with room reserved
//  2. chunks; sync
//  3. the commit record; sync; close
//  4. each file of Badger's synced, and its checksum in the file EPOCH, synced
//  5. both folders synced
//  6. rename to its name; sync of the job's folder
//  7. older epochs removed
//
// After an error the older epochs are as they were, and what was begun is gone.
// An error of the last step alone is given with the number of the new epoch.
func (f *Folder) Write(ctx context.Context, s State, source Source) (int, error) {
	err := holds(f.lock, f.path)
	var numbers []int
	if err == nil {
		numbers, err = f.Numbers()
	}
	if err != nil {
		return 0, fmt.Errorf("write an epoch: %w", err)
	}
	n := 1
	if len(numbers) > 0 {
		n = numbers[len(numbers)-1] + 1
	}
	building := filepath.Join(f.path, hidden+epochName(n)+writing)
	if err := f.build(ctx, building, s, source); err != nil {
		return 0, errors.Join(fmt.Errorf("write epoch %d: %w", n, err), f.disk.remove(building))
	}
	err = f.disk.rename(building, f.epochPath(n))
	if err != nil {
		return 0, errors.Join(fmt.Errorf("write epoch %d: %w", n, err), f.disk.remove(building))
	}
	if err = f.disk.syncFolder(f.path); err != nil {
		return 0, fmt.Errorf("write epoch %d: %w", n, err)
	}
	if err := f.prune(); err != nil {
		return n, fmt.Errorf("remove older epochs: %w", err)
	}
	f.passed = nil
	return n, nil
}

// build makes the folder of an epoch, whole and on disk.
func (f *Folder) build(ctx context.Context, folder string, s State, source Source) error {
	c := &commit{State: s, Identity: f.id, ChunkVertices: f.chunk}
	if s.ValueBytes > maxValueBytes {
		return fmt.Errorf("values of %d bytes are too large for an epoch, which takes %d at most", s.ValueBytes, maxValueBytes)
	}
	bytes := epochBytes(c)
	if err := f.checkSpace(bytes); err != nil {
		return err
	}
	if err := f.disk.makeFolder(folder); err != nil {
		return err
	}
	at := filepath.Join(folder, dbDir)
	db, err := f.disk.createDB(at, c.chunks()+1, bytes)
	if err != nil {
		return err
	}
	err = f.putAll(ctx, db, c, source)
	if err = errors.Join(err, db.close()); err != nil {
		return err
	}
	lines, err := f.sumAll(at)
	if err == nil {
		err = f.disk.writeSynced(filepath.Join(folder, sealFile), sealText(lines))
	}
	if err == nil {
		err = f.disk.syncFolder(at)
	}
	if err == nil {
		err = f.disk.syncFolder(folder)
	}
	return err
}

// epochBytes is a little more than the logs of an epoch take.
func epochBytes(c *commit) int64 {
	const entry, numbers = 64, 64 << 10
	shares := int64(len(c.Aggregates)) * 24
	return int64(c.Vertices)*int64(c.ValueBytes) + int64(c.chunks())*(maxActive(c.ChunkVertices)+entry) + shares + numbers
}

func maxActive(chunkVertices uint32) int64 { return int64(words(chunkVertices)/1024) * maxActiveBytes }

// checkSpace reports [ErrNoSpace] when fewer than n bytes, and some to spare,
// are free.
func (f *Folder) checkSpace(n int64) error {
	free, err := f.disk.free(f.path)
	if err == nil && free < n+spareBytes {
		err = fmt.Errorf("%w: %s free, %s needed", ErrNoSpace, humanize.IBytes(uint64(max(0, free))), humanize.IBytes(uint64(n+spareBytes)))
	}
	return err
}

// putAll puts chunks and commit record.
func (f *Folder) putAll(ctx context.Context, db database, c *commit, source Source) error {
	bytes := chunkBytes(c)
	reserved := epochBytes(c) <= maxLogBytes
	g, group := errgroup.WithContext(ctx)
	g.SetLimit(int(max(1, min(writers, inFlightBytes/bytes))))
	buffers := sync.Pool{New: func() any { return &buffer{make([]byte, 0, bytes), make([]uint64, words(c.ChunkVertices))} }}
	for i := range c.chunks() {
		g.Go(func() error {
			b := buffers.Get().(*buffer)
			defer buffers.Put(b)
			if err := group.Err(); err != nil {
				return err
			}
			if !reserved {
				if err := f.checkSpace(bytes - ballastBytes); err != nil {
					return err
				}
			}
			from, to := c.span(i)
			value, err := b.chunk(chunkKey(i), from, to, c.ValueBytes, source)
			if err != nil {
				return err
			}
			return db.put(chunkKey(i), value)
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	if err := db.sync(); err != nil {
		return err
	}
	record, err := c.encode()
	if err != nil {
		return err
	}
	if err := db.put([]byte(commitKey), seal([]byte(commitKey), record)); err != nil {
		return err
	}
	return db.sync()
}

func chunkBytes(c *commit) int64 {
	return int64(min(c.ChunkVertices, c.Vertices))*int64(c.ValueBytes) + maxActive(c.ChunkVertices) + checksumBytes
}

// WriterBytes is the memory that the writing of epochs takes, for values of
// this size.
func WriterBytes(vertices uint32, valueBytes int) int64 {
	c := &commit{State: State{Vertices: vertices, ValueBytes: valueBytes}, ChunkVertices: DefaultChunk}
	b := chunkBytes(c)
	return badgerBytes + 3*min(int64(c.chunks())*b, max(b, min(writers*b, inFlightBytes))) // and Badger's copies
}

// buffer is for one chunk under way.
type buffer struct {
	value  []byte
	active []uint64
}

// chunk makes the value of a chunk.
func (b *buffer) chunk(key []byte, from, to uint32, valueBytes int, source Source) ([]byte, error) {
	clear(b.active)
	b.value = b.value[:int(to-from)*valueBytes]
	if err := source.Fill(from, to, b.value, b.active); err != nil {
		return nil, err
	}
	value, err := appendActive(b.value, b.active)
	return seal(key, value), err
}

// sumAll gives the lines of an epoch's EPOCH file, and brings the files to disk.
func (f *Folder) sumAll(folder string) (string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return "", err
	}
	lines := ""
	for _, e := range entries {
		size, sum, err := f.disk.sumSynced(filepath.Join(folder, e.Name()))
		if err != nil {
			return "", err
		}
		lines += sealLine(e.Name(), size, sum)
	}
	return lines, nil
}
