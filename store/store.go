// Package store keeps a graph on disk: a catalogue and a directory in Badger, and
// beside it a file with the shards and the map of vertex ids, as checksummed blobs.
// A graph is immutable once committed, and readers in several processes share it.
package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"

	"github.com/dgraph-io/badger/v4"
	boptions "github.com/dgraph-io/badger/v4/options"

	"github.com/garaph/garaph/internal/badgerdb"
	"github.com/garaph/garaph/internal/beneath"
	"github.com/garaph/garaph/shard"
)

const (
	// JobsDir is the folder inside a graph's for the jobs that ran over it. The
	// store leaves it to package checkpoint, and it goes with the graph.
	JobsDir = "jobs"
	// SpeedsFile is the file inside a graph's folder for how fast devices are on
	// it. Package dispatcher writes it; nothing is lost without it.
	SpeedsFile = "speeds.json"

	dbDir      = "db"     // Badger's folder inside a graph's
	markerFile = "GARAPH" // marks a graph's folder

	// storeVersion is that of new graphs; earlier ones are read too.
	storeVersion = 3

	maxMarker = 64 << 20 // bytes: a line for each of Badger's files

	kindCatalogue = 1
	kindIDs       = 2
	kindShards    = 3
	kindBlocks    = 4
)

// Store reads a committed graph. Its methods may be called from many
// goroutines.
type Store struct {
	path    string
	name    string // of the graph in errors
	folder  *folder
	version int
	db      *badger.DB
	cat     *Catalogue
	payload *payload   // nil in store version 1
	old     *valueLogs // nil from store version 2 on

	checksums Checksums
	closed    atomic.Bool
}

// options are Badger's for few small values, all in tables: uncompressed, uncached,
// synced by hand.
func options(dir string) badger.Options {
	o := badger.DefaultOptions(dir)
	o.Logger = nil
	o.SyncWrites = false
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

// openDirectory reads the catalogue and the directory, and opens the payload.
func (s *Store) openDirectory() (err error) {
	if s.payload, err = openPayload(s.folder.dir); err != nil {
		return err
	}
	return guard(func() error {
		return s.db.View(func(txn *badger.Txn) error {
			s.cat, err = readDirectory(txn, s.payload.size, s.folder.tables+s.folder.logs)
			return err
		})
	})
}

func firstLine(b []byte) []byte {
	line, _, _ := bytes.Cut(b, []byte("\n"))
	return line
}

// readMarker reads the marker of the graph at path.
func readMarker(path string) ([]byte, error) {
	f, err := beneath.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.ReadFile(markerFile, maxMarker)
}

// checkMarker reads the marker of the graph at path, and checks that it is one of a
// version that this program reads.
func checkMarker(path string) (marker, error) {
	b, err := readMarker(path)
	m := marker{text: string(b)}
	for m.version = range storeVersion + 1 {
		if ours := strings.HasPrefix(m.text, markerLine(m.version)); m.version > 0 && ours {
			return m, nil
		}
	}
	if err == nil {
		return m, fmt.Errorf("open graph %s: %w of this version: its %s file begins with %.60q, and this garaph reads versions 1 to %d; use a newer one, or import the edges again", path, ErrNotGraph, markerFile, firstLine(b), storeVersion)
	}
	info, statErr := os.Stat(path)
	switch {
	case errors.Is(statErr, os.ErrNotExist):
		return m, fmt.Errorf("open graph %s: %w there; check the path, or make a graph with `garaph import EDGES... GRAPH`", path, missing{})
	case statErr != nil:
		return m, fmt.Errorf("open graph %s: it cannot be examined: %w", path, pathCause(statErr))
	case !info.IsDir():
		return m, fmt.Errorf("open graph %s: %w: it is %s; make a graph of edge files with `garaph import EDGES... GRAPH`", path, ErrNotGraph, beneath.Kind(info.Mode()))
	case errors.Is(err, beneath.ErrKind):
		return m, fmt.Errorf("open graph %s: %w: %w", path, ErrNotGraph, err)
	case errors.Is(err, os.ErrPermission):
		return m, fmt.Errorf("open graph %s: its %s file cannot be read: %w", path, markerFile, pathCause(err))
	}
	return m, fmt.Errorf("open graph %s: %w: it has no readable %s file; make one with `garaph import EDGES... GRAPH`", path, ErrNotGraph, markerFile)
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

// Close releases the graph.
func (s *Store) Close() error {
	s.closed.Store(true)
	defer s.folder.close()
	return s.closeFiles()
}

// CheckOpen is [ErrClosed] after Close.
func (s *Store) CheckOpen() error {
	if s.closed.Load() {
		return fmt.Errorf("graph %s: %w", s.name, ErrClosed)
	}
	return nil
}

func (s *Store) closeFiles() error {
	if s.payload != nil {
		s.payload.close()
	}
	s.old.close()
	if err := s.db.Close(); err != nil {
		return fmt.Errorf("close graph %s: %w", s.name, err)
	}
	return nil
}

// DiskBytes is what all files of the graph take on the disk, without those of
// jobs.
func (s *Store) DiskBytes() int64 { return s.folder.bytes }

// Path is the folder of the graph.
func (s *Store) Path() string { return s.path }

// Name is what errors call the graph: its path, unless [OpenNamed] was given
// another name.
func (s *Store) Name() string { return s.name }

// Current reports whether the graph has the store version of new ones.
func (s *Store) Current() bool { return s.version == storeVersion }

// Checksums says what the graph's marker vouches for. Open has compared all that it
// lists with the files.
func (s *Store) Checksums() Checksums { return s.checksums }

// Catalogue describes the graph; it must not be changed.
func (s *Store) Catalogue() *Catalogue { return s.cat }

var catalogueKey = []byte("catalogue")

func shardKey(dir shard.Direction, i int) []byte {
	return binary.BigEndian.AppendUint32([]byte(dir.String()+"/"), uint32(i))
}

func idsKey(block int) []byte {
	return binary.BigEndian.AppendUint32([]byte("ids/"), uint32(block))
}

// guard turns what damaged files and failing disks do to a mapped database
// (pages that cannot be read, assertions of Badger's) into errors.
func guard(f func() error) error { return badgerdb.Guard(ErrDamaged, f) }
