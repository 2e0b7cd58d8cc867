// Package store keeps a graph on disk: the catalogue, the shards and the map of
// vertex ids, as checksummed blobs in Badger. A graph is immutable once
// committed, so that value-log garbage collection is never needed, and readers
// in several processes share it.
package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/dgraph-io/badger/v4"
	boptions "github.com/dgraph-io/badger/v4/options"

	"github.com/garaph/garaph/internal/badgerdb"
	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/shard"
)

const (
	// JobsDir is the folder inside a graph's for the jobs that ran over it. The
	// store leaves it to package checkpoint, and it goes with the graph.
	JobsDir = "jobs"
	// SpeedsFile is the file inside a graph's folder for how fast devices are on
	// it. Package dispatcher writes it; nothing is lost without it.
	SpeedsFile = "speeds.json"

	dbDir      = "db"                              // Badger's folder inside a graph's
	markerFile = "GARAPH"                          // tells a graph's folder from any other
	markerText = "garaph graph, store version 1\n" // what it begins with; then come lines of checksums, see sums

	kindCatalogue = 1
	kindIDs       = 2

	// mappedFrom is the size from which a value surely lies in the value log,
	// read as a window into the mapped file (Badger keeps values from 1 KiB
	// there, see options).
	mappedFrom = 4 << 10
)

// Store reads a committed graph. Its methods may be called from many
// goroutines.
type Store struct {
	path string
	name string // of the graph in errors
	db   *badger.DB
	cat  *Catalogue
	logs map[uint32]*os.File // by number, for checkEntry

	checksums Checksums

	locate sync.Once
	places [2][]place // by side and shard; set by locate
	opened []*os.File // for places
	mapped []mapping  // the value logs in the process's memory
}

// options are Badger's for large immutable blobs: values in the value log,
// uncompressed, uncached, synced by hand.
func options(dir string) badger.Options {
	o := badger.DefaultOptions(dir)
	o.Logger = nil
	o.SyncWrites = false
	o.ValueThreshold = 1 << 10
	o.ValueLogFileSize = 1 << 30
	o.BlockCacheSize = 0
	o.Compression = 0
	o.DetectConflicts = false
	o.NumVersionsToKeep = 1
	o.MemTableSize = 16 << 20
	o.NumMemtables = 2
	o.NumCompactors = 2
	o.MetricsEnabled = false
	o.ChecksumVerificationMode = boptions.OnTableAndBlockRead
	return o
}

// Open opens the graph at path for reading.
func Open(path string) (*Store, error) { return OpenNamed(path, path) }

// OpenNamed is Open for a graph that errors are to call by another name than
// its path, such as a temporary one.
func OpenNamed(path, name string) (*Store, error) {
	sums, err := checkMarker(path)
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(path, dbDir)
	has, err := checkSums(dir, sums)
	if err != nil {
		if errors.Is(err, ErrDamaged) {
			err = fmt.Errorf("%w; a new import mends it", err)
		}
		return nil, fmt.Errorf("open graph %s: %w", path, err)
	}
	db, err := openShared(dir)
	if err != nil {
		return nil, fmt.Errorf("open graph %s: %w", path, err)
	}
	s := &Store{path: path, name: name, db: db, checksums: has}
	if s.mapped, err = s.mappings(); err != nil {
		s.mapped = nil // reads go through the page cache then
	}
	if err = s.openLogs(); err == nil {
		err = s.view(catalogueKey, func(b []byte) error {
			s.cat, err = decodeCatalogue(b)
			return err
		})
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open graph %s: read the catalogue: %w", path, err), s.Close())
	}
	return s, nil
}

// readMarker reads the marker of the graph at path.
func readMarker(path string) ([]byte, error) {
	f, err := openRegular(filepath.Join(path, markerFile))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// checkMarker gives the checksums that follow the marker's text.
func checkMarker(path string) (sums string, err error) {
	b, err := readMarker(path)
	sums, ours := strings.CutPrefix(string(b), markerText)
	switch {
	case err == nil && ours:
		return sums, nil
	case err == nil:
		return "", fmt.Errorf("open graph %s: %w of this version: its %s file says %.60q, expected %q", path, ErrNotGraph, markerFile, b, markerText)
	}
	info, statErr := os.Stat(path)
	switch {
	case errors.Is(statErr, os.ErrNotExist):
		return "", fmt.Errorf("open graph %s: %w there; check the path, or make a graph with `garaph import EDGES... GRAPH`", path, missing{})
	case statErr != nil:
		return "", fmt.Errorf("open graph %s: it cannot be looked at: %w", path, pathCause(statErr))
	case !info.IsDir():
		return "", fmt.Errorf("open graph %s: %w: it is a file; make a graph of edge files with `garaph import EDGES... GRAPH`", path, ErrNotGraph)
	case errors.Is(err, os.ErrPermission):
		return "", fmt.Errorf("open graph %s: its %s file cannot be read: %w", path, markerFile, pathCause(err))
	}
	return "", fmt.Errorf("open graph %s: %w: it has no readable %s file; make one with `garaph import EDGES... GRAPH`", path, ErrNotGraph, markerFile)
}

// missing is a path at which nothing stands, in words for a user.
type missing struct{}

func (missing) Error() string        { return "nothing is" }
func (missing) Is(target error) bool { return target == os.ErrNotExist }

// pathCause is what a file operation failed of, without the path, which the
// message has already.
func pathCause(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// openShared opens read-only, under a lock that readers share. A committed
// graph was closed in order, so no log has to be replayed.
func openShared(dir string) (db *badger.DB, err error) {
	err = guard(func() error {
		o := options(dir)
		o.ReadOnly = true
		db, err = badger.Open(o)
		return err
	})
	return db, err
}

// Close releases the graph.
func (s *Store) Close() error {
	for _, f := range slices.AppendSeq(s.opened, maps.Values(s.logs)) {
		_ = f.Close() // only read
	}
	if err := s.db.Close(); err != nil {
		return fmt.Errorf("close graph %s: %w", s.name, err)
	}
	return nil
}

// Path is the folder of the graph.
func (s *Store) Path() string { return s.path }

// Name is what errors call the graph: its path, unless [OpenNamed] was given
// another name.
func (s *Store) Name() string { return s.name }

// Checksums says what the graph's marker vouches for. Open has held all that it
// lists against the files.
func (s *Store) Checksums() Checksums { return s.checksums }

// Catalogue describes the graph; it must not be changed.
func (s *Store) Catalogue() *Catalogue { return s.cat }

// ReadShard reads a shard's blob into dst, which must have the size that
// [Catalogue.Bytes] gives and 4-byte alignment, and decodes it. An error names
// graph, shard and side.
func (s *Store) ReadShard(dir shard.Direction, i int, dst []byte) (shard.Side, error) {
	key, sum := s.shardKey(dir, i)
	var side shard.Side
	err := s.view(key, func(b []byte) error {
		if len(b) != len(dst) {
			return fmt.Errorf("%w: %d bytes stored, the catalogue promises %d", ErrDamaged, len(b), len(dst))
		}
		copy(dst, b)
		var err error
		if side, err = shard.Decode(dst); err != nil {
			return err
		}
		return s.matches(side, i, binary.LittleEndian.Uint32(dst[60:]), sum)
	})
	if err != nil {
		return shard.Side{}, s.shardError(dir, i, err)
	}
	return side, nil
}

// ReadOffsets reads the offsets of a shard's side alone.
func (s *Store) ReadOffsets(dir shard.Direction, i int) (shard.Side, error) {
	key, sum := s.shardKey(dir, i)
	var side shard.Side
	err := s.view(key, func(b []byte) error {
		head := shard.OffsetsSize(s.cat.Shards[i].Vertices)
		if int64(len(b)) != s.cat.Bytes(dir, i) {
			return fmt.Errorf("%w: %d bytes stored, the catalogue promises %d", ErrDamaged, len(b), s.cat.Bytes(dir, i))
		}
		own := make([]byte, head)
		copy(own, b)
		var err error
		if side, err = shard.DecodeOffsets(own); err != nil {
			return err
		}
		return s.matches(side, i, binary.LittleEndian.Uint32(own[60:]), sum)
	})
	if err != nil {
		return shard.Side{}, s.shardError(dir, i, err)
	}
	return side, nil
}

// Prefetch starts reading a shard's blob from disk.
func (s *Store) Prefetch(dir shard.Direction, i int) {
	key, _ := s.shardKey(dir, i)
	_ = s.view(key, func(b []byte) error { // whoever reads the shard meets the error
		if len(b) >= mappedFrom {
			hostmem.WillNeed(b)
		}
		return nil
	})
}

// matches holds a sound blob against the catalogue: it must be this very shard.
func (s *Store) matches(side shard.Side, i int, got, want uint32) error {
	info := s.cat.Shards[i]
	if got != want || side.Index != uint32(i) || side.First != info.First || side.Vertices() != info.Vertices {
		return fmt.Errorf("%w: it is shard %d with checksum %08x, the catalogue expects %08x", ErrDamaged, side.Index, got, want)
	}
	return nil
}

func (s *Store) shardError(dir shard.Direction, i int, err error) error {
	if !errors.Is(err, ErrDamaged) {
		err = fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return fmt.Errorf("graph %s: shard %d (%s side): %w; `garaph verify %s` lists all damage, a new import mends it", s.name, i, dir, err, s.name)
}

func (s *Store) shardKey(dir shard.Direction, i int) (key []byte, sum uint32) {
	if s.cat.Symmetric {
		dir = shard.In
	}
	if dir == shard.In {
		return shardKey(dir, i), s.cat.Shards[i].InSum
	}
	return shardKey(dir, i), s.cat.Shards[i].OutSum
}

var catalogueKey = []byte("catalogue")

func shardKey(dir shard.Direction, i int) []byte {
	return binary.BigEndian.AppendUint32([]byte(dir.String()+"/"), uint32(i))
}

func idsKey(block int) []byte {
	return binary.BigEndian.AppendUint32([]byte("ids/"), uint32(block))
}

// view hands the value of key to read, which must not keep it. Badger answers
// an unreadable value with an empty slice and no error: no blob of ours is
// empty.
func (s *Store) view(key []byte, read func(b []byte) error) error {
	var in *mapping
	err := view(s.db, key, s.checkEntry, func(b []byte) error {
		if len(b) >= mappedFrom {
			in = s.mappingOf(b)
		}
		return read(b)
	})
	// What was read was copied, and the system maps far more around it than was
	// asked for: give it back. Never another mapping: that may be another
	// store's, which may be closed by now and its addresses in use for data.
	if in != nil {
		hostmem.DropRange(in.from, in.to)
	}
	return err
}

func view(db *badger.DB, key []byte, check func(*badger.Item) error, read func(b []byte) error) error {
	return guard(func() error {
		return db.View(func(txn *badger.Txn) error {
			item, err := txn.Get(key)
			if errors.Is(err, badger.ErrKeyNotFound) {
				return fmt.Errorf("%w: no %q in the store", ErrDamaged, key)
			}
			if err == nil && check != nil {
				err = check(item)
			}
			if err != nil {
				return err
			}
			return item.Value(func(b []byte) error {
				if len(b) == 0 {
					return fmt.Errorf("%w: %q is unreadable", ErrDamaged, key)
				}
				return read(b)
			})
		})
	})
}

// guard turns what damaged files and failing disks do to a mapped database
// (pages that cannot be read, assertions of Badger's) into errors.
func guard(f func() error) error { return badgerdb.Guard(ErrDamaged, f) }
