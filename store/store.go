// Package store keeps a graph on disk: a catalogue and a directory in Badger, and
// beside it a file with the shards and the map of vertex ids, as checksummed blobs.
// A graph is immutable once committed, and readers in several processes share it.
package store

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"

	"github.com/dgraph-io/badger/v4"
	boptions "github.com/dgraph-io/badger/v4/options"

	"github.com/garaph/garaph/internal/badgerdb"
	"github.com/garaph/garaph/internal/beneath"
)

const (
	// JobsDir is the folder inside a graph's for the jobs that ran over it. The
	// store leaves it to package checkpoint, and it goes with the graph.
	JobsDir = "jobs"
	// PythonIDs is the file inside a graph's folder for the ids of a graph that the Python
	// package made of names: to the graph its vertices are numbers. It goes with the graph,
	// so that this is not opened with numbers in place of names.
	PythonIDs = "python-ids.npz"

	dbDir      = "db"     // Badger's folder inside a graph's
	markerFile = "GARAPH" // marks a graph's folder

	maxMarker = 1 << 10 // bytes, more than it has

	kindCatalogue = 1
	kindIDs       = 2
	kindShards    = 3
	kindBlocks    = 4
	kindOrder     = 5
	// kindOrdered is the catalogue of a graph with an order of its own, which earlier versions refuse.
	kindOrdered = 6
)

// Store reads a committed graph. Its methods may be called from many
// goroutines.
type Store struct {
	path    string
	name    string // of the graph in errors
	folder  *folder
	cat     *Catalogue
	payload *payload
	closed  atomic.Bool

	mu   sync.Mutex // guards kept
	kept map[any]io.Closer
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

// checkMarker checks that the folder at path is marked as a graph of this version.
func checkMarker(path string) error {
	b, err := readMarker(path)
	if err == nil && string(b) == graphMarker {
		return nil
	}
	if err == nil {
		line, _, _ := bytes.Cut(b, []byte("\n"))
		return fmt.Errorf("open graph %s: %w of this version: its %s file begins with %.60q, expected %q", path,
			ErrNotGraph, markerFile, line, graphMarker)
	}
	info, statErr := os.Stat(path)
	switch {
	case errors.Is(statErr, os.ErrNotExist):
		return fmt.Errorf("open graph %s: %w there; check the path, or make a graph with `garaph import EDGES... GRAPH`",
			path, missing{})
	case statErr != nil:
		return fmt.Errorf("open graph %s: it cannot be examined: %w", path, pathCause(statErr))
	case !info.IsDir():
		return fmt.Errorf("open graph %s: %w: it is %s; make a graph of edge files with `garaph import EDGES... GRAPH`",
			path, ErrNotGraph, beneath.Kind(info.Mode()))
	case errors.Is(err, beneath.ErrKind):
		return fmt.Errorf("open graph %s: %w: %w", path, ErrNotGraph, err)
	case errors.Is(err, os.ErrPermission):
		return fmt.Errorf("open graph %s: its %s file cannot be read: %w", path, markerFile, pathCause(err))
	}
	return fmt.Errorf("open graph %s: %w: it has no readable %s file; make one with `garaph import EDGES... GRAPH`",
		path, ErrNotGraph, markerFile)
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

// missing is a path at which nothing stands, in words for a user.
type missing struct{}

func (missing) Error() string        { return "nothing is" }
func (missing) Is(target error) bool { return target == os.ErrNotExist }

// pathCause returns the cause of a failed file operation, without the path, which the
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
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, x := range s.kept {
		errs = append(errs, x.Close())
	}
	s.kept = nil
	s.payload.close()
	s.folder.close()
	return errors.Join(errs...)
}

// Keep returns the value that the store keeps for a key until it is closed. The first call makes it.
func (s *Store) Keep(key any, make func() (io.Closer, error)) (x io.Closer, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x, ok := s.kept[key]
	if !ok {
		if x, err = make(); err != nil {
			return nil, err
		}
		s.kept[key] = x
	}
	return x, nil
}

// Shed frees memory that the store keeps for keys whose values have a method Shed and are not in use.
func (s *Store) Shed() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, x := range s.kept {
		if x, ok := x.(interface{ Shed() }); ok {
			x.Shed()
		}
	}
}

// CheckOpen is [ErrClosed] after Close.
func (s *Store) CheckOpen() error {
	if s.closed.Load() {
		return fmt.Errorf("graph %s: %w", s.name, ErrClosed)
	}
	return nil
}

// DiskBytes returns the bytes of all files of the graph on the disk, without the files of
// jobs.
func (s *Store) DiskBytes() int64 { return s.folder.bytes }

// Path returns the folder of the graph.
func (s *Store) Path() string { return s.path }

// Name returns the name of the graph in errors: its path, unless [OpenNamed] was given
// another name.
func (s *Store) Name() string { return s.name }

// Catalogue describes the graph; it must not be changed.
func (s *Store) Catalogue() *Catalogue { return s.cat }

// guard turns panics of Badger over damaged files and failing disks into errors.
func guard(f func() error) error { return badgerdb.Guard(ErrDamaged, f) }
