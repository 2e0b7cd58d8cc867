package store

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/garaph/garaph/internal/badgerdb"
	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/shard"
)

const (
	// flushBytes is how much is written before the disk starts on it.
	flushBytes = 64 << 20
	// spareBytes must stay free on the disk, for Badger's files and for other processes.
	spareBytes = 64 << 20
)

// Writer builds a graph beside its final place: in a hidden folder that becomes
// the graph by one rename, when it is whole and on disk. Put methods may be
// called from many goroutines.
type Writer struct {
	// Warn gets errors that occur when the graph is in its place already; if nil,
	// they are lost.
	Warn func(msg string)

	target    string // the graph's final path
	force     bool   // replace a graph there
	dir       string // where it is being built
	lock      *os.File
	stale     error // why the files of killed imports are still there
	payload   *payloadWriter
	ids       IDMap
	idSums    []uint32
	order     ordering
	orderSums []uint32
	bytes     int64 // on the disk

	mu      sync.Mutex                  // guards the fields below
	places  [shard.Sides]map[int]placed // by shard
	weights shard.Weights
}

// Create begins a graph that will stand at path. An existing graph there is an
// error, unless force and no job of it is running, which Commit looks at again;
// it stays untouched until Commit in any case. What killed
// imports to the same path left behind is removed.
func Create(path string, force bool) (*Writer, error) {
	path = filepath.Clean(path)
	if at := strings.LastIndexByte(path, '-') + 1; strings.HasPrefix(filepath.Base(path), ".") &&
		strings.HasSuffix(path[:at], ".importing-") && isBuild(path, path[:at]) {
		return nil, fmt.Errorf("import to %s: such names are those of graphs that are being imported; choose another name",
			path)
	}
	if base := filepath.Base(path); base == "." || base == ".." {
		return nil, fmt.Errorf(
			"import to %s: a graph is renamed to its place when it is whole, and this is no name; give one, such as %s", path,
			filepath.Join(path, "graph"),
		)
	}
	if err := checkTarget(path, force); err != nil {
		return nil, err
	}
	if graph := Around(path); graph != "" {
		return nil, fmt.Errorf("import to %s: it lies inside the graph %s; choose another place", path, graph)
	}
	parent := filepath.Dir(path)
	if _, err := os.Stat(parent); errors.Is(err, fs.ErrNotExist) {
		return nil, &textError{fmt.Sprintf("import to %s: the folder %s does not exist; create it first", path, parent),
			fs.ErrNotExist}
	} else if err != nil {
		return nil, fmt.Errorf("import to %s: the folder %s is not there: %w", path, parent, err)
	}
	lock, err := lockBuilds(path)
	if err != nil {
		return nil, err
	}
	w := &Writer{target: path, force: force, lock: lock, places: [shard.Sides]map[int]placed{{}, {}, {}, {}, {}}}
	if w.stale, err = removeStale(path); err == nil {
		err = checkTarget(path, force) // it may have put a graph back
	}
	if err != nil {
		return nil, errors.Join(err, w.unlock())
	}
	if w.dir, err = makeBuild(path); err == nil {
		w.payload, err = createPayload(w.dir)
	}
	if err != nil {
		return nil, errors.Join(w.failed(err), w.Abort())
	}
	return w, nil
}

// Dir returns the folder in which the graph is being built, for temporary files that
// go with it.
func (w *Writer) Dir() string { return w.dir }

// CheckSpace reports [ErrNoSpace] when fewer than n bytes, and some to spare,
// are free on the disk of the graph.
func (w *Writer) CheckSpace(n int64) error {
	var st unix.Statfs_t
	if err := unix.Statfs(w.dir, &st); err != nil {
		return fmt.Errorf("import to %s: free space: %w", w.target, err)
	}
	free := int64(st.Bavail) * st.Bsize
	if w.payload != nil {
		free += w.payload.held() // taken from spareBytes
	}
	if free < n+spareBytes {
		return fmt.Errorf(
			"import to %s: %w: %d MiB free, %d MiB needed on the disk of %s; free some, or import to another disk",
			w.target, ErrNoSpace, free>>20, (n+spareBytes)>>20, filepath.Dir(w.target),
		)
	}
	return nil
}

// failed returns the error of an import that err ended.
func (w *Writer) failed(err error) error {
	if errors.Is(err, ErrNoSpace) {
		return err // has it all
	}
	if strings.Contains(err.Error(), unix.ENOMEM.Error()) { // Badger maps more than it uses, and keeps the text alone
		err = hostmem.Limited(err)
	}
	if full := badgerdb.Full(err); full != nil {
		return fmt.Errorf(
			"import to %s: %w on the disk of %s: another process may have filled it; free some, or import to another disk: %w",
			w.target, ErrNoSpace, filepath.Dir(w.target), full,
		)
	}
	return fmt.Errorf("import to %s: %w", w.target, err)
}

// placed is a side, and how many bytes of degrees lie behind it.
type placed struct {
	sidePlace
	degrees uint32
}

// PutShard stores a side, whose blob is sealed. It is the caller's again afterwards.
func (w *Writer) PutShard(i int, side shard.Side) error {
	dir := side.Header().Dir
	if weighted, are := side.(interface{ Weights() shard.Weights }); are && dir == shard.In {
		weights := weighted.Weights()
		w.mu.Lock()
		w.weights.Join(weights)
		w.mu.Unlock()
	}
	return w.put(dir, i, side, sealDegrees(side))
}

// PutBeside stores one of the sides behind [shard.Out]: see [Writer.PutShard].
func (w *Writer) PutBeside(dir shard.Direction, i int, side shard.Side) error {
	return w.put(dir, i, side, nil)
}

func (w *Writer) put(dir shard.Direction, i int, side shard.Side, degrees []byte) error {
	e, err := w.append(side.Blob(), degrees)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.places[dir][i] = placed{sidePlace{e, side.Header().Checksum}, uint32(len(degrees))}
	return err
}

// ReadBack reads a part of a side that was stored, from byte at of its blob on: data that is made
// of the sides before needs no other copy of them.
func (w *Writer) ReadBack(dir shard.Direction, i int, at int64, dst []byte) error {
	w.mu.Lock()
	e := w.places[dir][i].Extent
	w.mu.Unlock()
	if n := int64(len(dst)); at < 0 || at > e.Bytes || n > e.Bytes-at {
		return w.failed(fmt.Errorf("%w: %d bytes at %d of the %d of shard %d", ErrDamaged, n, at, e.Bytes, i))
	}
	if _, err := w.payload.file.ReadAt(dst, e.Off+at); err != nil {
		return w.failed(fmt.Errorf("read what was written to %s: %w", payloadFile, err))
	}
	return nil
}

func (w *Writer) append(blob, behind []byte) (Extent, error) {
	e, err := w.payload.append(blob, behind)
	if err != nil {
		err = w.failed(fmt.Errorf("write %d bytes of %s: %w", len(blob), payloadFile, err))
	}
	return e, err
}

// Commit completes the catalogue, brings everything to disk and puts the graph
// in its place, instead of an older one there.
func (w *Writer) Commit(c *Catalogue) error {
	c.IDs, c.Layout = w.ids, cmp.Or(c.Layout, CSC)
	c.Weights, c.Ordering = w.weights, w.order
	if c.Created.IsZero() {
		c.Created = time.Now().UTC().Truncate(time.Second)
	}
	c.seal(w.idSums, w.orderSums)
	besides := c.besides()
	for i := range c.Shards {
		s := &c.Shards[i]
		for dir := range s.Blobs {
			p := w.places[dir][i]
			s.Blobs[dir], s.degrees[dir] = p.Extent, p.degrees
		}
		if len(besides) > 0 {
			s.beside = new([shard.Sides - shard.InRows]sidePlace)
		}
		for _, dir := range besides {
			s.beside[dir-shard.InRows] = w.places[dir][i].sidePlace
		}
	}
	err := c.check()
	if err == nil {
		err = c.checkPlaces(w.payload.last.end())
	}
	if err == nil {
		err, w.payload = w.payload.close(), nil
	}
	if err == nil {
		err = w.CheckSpace(3 * c.directoryBytes()) // in a log, in a table, and to spare
	}
	if err == nil {
		err = w.writeDirectory(c)
	}
	if err == nil {
		err = share(filepath.Join(w.dir, dbDir))
	}
	if err == nil {
		err = writeSynced(filepath.Join(w.dir, newMarker), graphMarker)
	}
	if err == nil {
		err = os.Rename(filepath.Join(w.dir, newMarker), filepath.Join(w.dir, markerFile))
	}
	if err == nil {
		err = w.count()
	}
	if err == nil {
		return w.takePlace()
	}
	return errors.Join(w.failed(err), w.Abort())
}

// writeDirectory makes the graph's Badger.
func (w *Writer) writeDirectory(c *Catalogue) error {
	db, err := badgerdb.Create(options(filepath.Join(w.dir, dbDir)))
	if err != nil {
		return err
	}
	err = writeDirectory(db.Put, c)
	if err == nil {
		err = db.Sync()
	}
	return errors.Join(err, db.Close())
}

func writeSynced(name, text string) error {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Sync(), f.Close())
}

// Abort removes everything, the marker last: if the process is killed meanwhile, the next import removes the rest.
// After
// a Commit, successful or not, it does nothing.
func (w *Writer) Abort() error {
	if w.lock == nil {
		return nil
	}
	var err error
	if w.payload != nil {
		err, w.payload = w.payload.file.Close(), nil
	}
	if w.dir != "" {
		err = errors.Join(err, removeOurs(w.dir))
	}
	return errors.Join(err, w.unlock())
}

func (w *Writer) unlock() error {
	name := w.lock.Name()
	err := errors.Join(os.Remove(name), w.lock.Close())
	w.lock = nil
	return err
}

// count adds up the bytes of the graph's files on the disk.
func (w *Writer) count() error {
	return filepath.WalkDir(w.dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		w.bytes += info.Sys().(*syscall.Stat_t).Blocks * 512
		return nil
	})
}

// DiskBytes returns the bytes of the graph's files on the disk, after a Commit, like
// [Store.DiskBytes].
func (w *Writer) DiskBytes() int64 { return w.bytes }
