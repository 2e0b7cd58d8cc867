package checkpoint

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"github.com/dustin/go-humanize"
	"golang.org/x/sync/errgroup"

	"github.com/garaph/garaph/internal/badgerdb"
)

const (
	dbDir      = "db"     // Badger's folder inside an epoch's
	valuesName = "VALUES" // the values of all vertices

	// spareBytes must stay free on the disk beside an epoch: what Badger writes
	// beside its log, and some for others.
	spareBytes = 16 << 20

	writers       = 2        // chunks under way at most
	inFlightBytes = 16 << 20 // of their values, but for chunks that are larger
	maxValueBytes = 4 << 10  // of a vertex, as a chunk is held in memory
)

// Write writes an epoch and returns its number. The steps, each complete before
// the next:
//
//  1. a hidden folder, in it a Badger database and a file of values, with room
//     reserved for the latter
//  2. chunks; both synced, the file closed
//  3. the closing record; sync; close
//  4. each file of Badger's synced, and its checksum in the file EPOCH, synced
//  5. both folders synced
//  6. rename to its name; sync of the job's folder
//  7. older epochs removed
//
// After an error the older epochs are as they were, and what was begun is gone.
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
		return fmt.Errorf("values of %d bytes are too large for a checkpoint, which takes %d at most", s.ValueBytes, maxValueBytes)
	}
	need := c.valuesBytes() + logBytes(c)
	if err := f.checkSpace(need); err != nil {
		return err
	}
	defer func() {
		if full := badgerdb.Full(err); full != nil {
			err = fmt.Errorf("%w: another process filled the disk of %s meanwhile, where %s are needed; free some: %w",
				ErrNoSpace, f.at.Path("."), humanize.IBytes(uint64(need+spareBytes)), full)
		}
	}()
	if err := f.disk.makeFolder(folder); err != nil {
		return err
	}
	at := filepath.Join(folder, dbDir)
	db, err := f.disk.createDB(at, c.chunks()+1, logBytes(c))
	if err != nil {
		return err
	}
	err = f.putAll(ctx, filepath.Join(folder, valuesName), db, c, source)
	if err == nil {
		err = putCommit(db, c)
	}
	if err = errors.Join(err, db.close()); err != nil {
		return err
	}
	text, err := sealText(f.at, at, f.disk.sumSynced)
	if err == nil {
		err = f.disk.writeSynced(filepath.Join(folder, sealFile), text)
	}
	if err == nil {
		err = f.disk.syncFolder(at)
	}
	if err == nil {
		err = f.disk.syncFolder(folder)
	}
	return err
}

// logBytes is a little more than Badger's log of an epoch takes.
func logBytes(c *commit) int64 {
	const entry, numbers = 64, 64 << 10
	shares := int64(len(c.Aggregates)) * 24
	return int64(c.chunks())*(maxActive(c.ChunkVertices)+entry) + shares + numbers
}

func maxActive(chunkVertices uint32) int64 { return int64(words(chunkVertices)/1024) * maxActiveBytes }

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

// putAll writes the values, and puts the records of their chunks.
func (f *Folder) putAll(ctx context.Context, name string, db database, c *commit, source Source) (err error) {
	values, err := f.disk.createValues(name, c.valuesBytes())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, values.Close()) }()
	err = eachChunk(ctx, c, func(key []byte, b *buffer, from, to uint32) error {
		clear(b.active)
		if err := source.Fill(from, to, b.values, b.active); err != nil {
			return err
		}
		record, err := appendActive(b.record[:0], b.active)
		if err != nil {
			return err
		}
		b.record = record
		if _, err := values.WriteAt(b.values, int64(from)*int64(c.ValueBytes)); err != nil {
			return err
		}
		return db.put(key, seal(key, b.values, b.record))
	})
	if err := errors.Join(err, ctx.Err()); err != nil {
		return err
	}
	return errors.Join(values.Sync(), ctx.Err())
}

func putCommit(db database, c *commit) error {
	if err := db.sync(); err != nil {
		return err
	}
	record, err := json.Marshal(c)
	if err != nil {
		return err
	}
	if err := db.put([]byte(commitKey), seal([]byte(commitKey), nil, record)); err != nil {
		return err
	}
	return db.sync()
}

// atOnce is how many chunks are under way at once.
func atOnce(c *commit) int { return int(max(1, min(writers, inFlightBytes/chunkBytes(c)))) }

func chunkBytes(c *commit) int64 {
	return int64(min(c.ChunkVertices, c.Vertices))*int64(c.ValueBytes) + 2*maxActive(c.ChunkVertices)
}

// WriterBytes is the memory that the writing of epochs takes, for values of
// this size: Badger's, its log included, and chunks under way.
func WriterBytes(vertices uint32, valueBytes int) int64 {
	c := &commit{State: State{Vertices: vertices, ValueBytes: valueBytes}, ChunkVertices: DefaultChunk}
	return badgerBytes + logBytes(c) + int64(min(c.chunks(), atOnce(c)))*chunkBytes(c)
}

// buffer is for one chunk under way.
type buffer struct {
	values []byte
	active []uint64
	record []byte
}

// eachChunk calls do for all chunks, several at once, each with the key of its record, a buffer
// with as many values as the chunk has, and its vertices.
func eachChunk(ctx context.Context, c *commit, do func(key []byte, b *buffer, from, to uint32) error) error {
	buffers := sync.Pool{New: func() any {
		n := int64(min(c.ChunkVertices, c.Vertices)) * int64(c.ValueBytes)
		return &buffer{make([]byte, n), make([]uint64, words(c.ChunkVertices)), make([]byte, 0, maxActive(c.ChunkVertices))}
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
			b.values = b.values[:int(to-from)*c.ValueBytes]
			return do(chunkKey(i), b, from, to)
		})
	}
	return g.Wait()
}
