package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// payloadFile holds the blobs of shards and of ids, one after another; Badger's
// records say where (values apart from keys: Lu et al., WiscKey, FAST 2016).
const payloadFile = "payload"

const (
	// blockBytes is the unit of reads past the page cache, in the file and in memory.
	// A blob from directFrom on begins at a multiple of it, a smaller one at a
	// multiple of blobAlign.
	blockBytes = 4096
	directFrom = 32 << 10
	blobAlign  = 32
)

// Extent is where a blob lies in the payload.
type Extent struct{ Off, Bytes int64 }

// after returns the place of a blob of n bytes after another.
func (e Extent) after(n int64) Extent {
	align := int64(blobAlign)
	if n >= directFrom {
		align = blockBytes
	}
	return Extent{(e.Off + e.Bytes + align - 1) &^ (align - 1), n}
}

// end returns where it ends.
func (e Extent) end() int64 { return e.Off + e.Bytes }

// append encodes it, and extentOf decodes it.
func (e Extent) append(b []byte) []byte {
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(b, uint64(e.Off)), uint64(e.Bytes))
}

func extentOf(b []byte) Extent {
	return Extent{int64(binary.LittleEndian.Uint64(b)), int64(binary.LittleEndian.Uint64(b[8:]))}
}

// check returns an error for an Extent outside of a payload of the given size.
func (e Extent) check(size int64) error {
	if e.Off < 0 || e.Off%blobAlign != 0 || e.Bytes <= 0 || e.Off > size || e.Bytes > size-e.Off {
		return fmt.Errorf("%w: the directory has %d bytes at %d, and %s has %d", ErrDamaged, e.Bytes, e.Off, payloadFile,
			size)
	}
	return nil
}

// payload reads blobs.
type payload struct {
	file   *os.File
	direct *os.File // past the page cache; nil where the file system has no such thing
	size   int64
	mapped mapping
}

func openPayload(path string) (*payload, error) {
	name := filepath.Join(path, payloadFile)
	f, err := os.Open(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s is missing", ErrDamaged, payloadFile)
	}
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	p := &payload{file: f, size: info.Size()}
	_ = unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_RANDOM) // garaph knows the next read: the system need not guess
	if p.direct, err = os.OpenFile(fmt.Sprintf("/proc/self/fd/%d", f.Fd()), os.O_RDONLY|unix.O_DIRECT|unix.O_CLOEXEC,
		0); err != nil {
		p.direct = nil
	}
	return p, nil
}

func (p *payload) close() {
	p.mapped.close()
	_ = p.file.Close() // only read
	if p.direct != nil {
		_ = p.direct.Close()
	}
}

// read fills dst with a blob of its size.
func (p *payload) read(e Extent, dst []byte) error {
	if int64(len(dst)) != e.Bytes {
		return fmt.Errorf("%w: %d bytes stored, %d expected", ErrDamaged, e.Bytes, len(dst))
	}
	if e.Bytes >= directFrom {
		p.prefetch(e) // as a whole, and not part after part
	}
	if n, err := p.file.ReadAt(dst, e.Off); n < len(dst) {
		return fmt.Errorf("%w: %s ends at %d within %d bytes from %d: %w", ErrDamaged, payloadFile, e.Off+int64(n), e.Bytes,
			e.Off, err)
	}
	return nil
}

// prefetch makes the system read a blob.
func (p *payload) prefetch(e Extent) {
	_ = unix.Fadvise(int(p.file.Fd()), e.Off, e.Bytes, unix.FADV_WILLNEED) // a hint
}

// tails are memory for the last block of a blob, of which it has a part only.
var tails = sync.Pool{New: func() any { return new([2 * blockBytes]byte) }}

// readDirect is read past the page cache, and reports whether it could: where the
// blob and dst begin at multiples of blockBytes.
func (p *payload) readDirect(e Extent, dst []byte) bool {
	if p.direct == nil || int64(len(dst)) != e.Bytes || address(dst)%blockBytes != 0 || e.Off%blockBytes != 0 {
		return false
	}
	tail := tails.Get().(*[2 * blockBytes]byte)
	defer tails.Put(tail)
	whole := len(dst) &^ (blockBytes - 1)
	last := tail[-address(tail[:])&(blockBytes-1):][:blockBytes]
	var into [][]byte
	if whole > 0 {
		into = append(into, dst[:whole])
	}
	if whole < len(dst) {
		into = append(into, last)
	}
	n, err := unix.Preadv(int(p.direct.Fd()), into, e.Off)
	if err != nil || n < len(dst) {
		return false
	}
	copy(dst[whole:], last)
	return true
}

func address(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }

// payloadWriter appends blobs, from many goroutines.
type payloadWriter struct {
	file    *os.File
	written atomic.Int64 // bytes

	mu       sync.Mutex // guards the fields below
	last     Extent
	reserved int64 // bytes that the disk has for the file
}

// reserveBytes is the room that is taken at once, less than spareBytes.
const reserveBytes = 8 << 20

func createPayload(dir string) (*payloadWriter, error) {
	f, err := os.OpenFile(filepath.Join(dir, payloadFile), os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o666)
	if err != nil {
		return nil, err
	}
	return &payloadWriter{file: f}, nil
}

// append writes a blob, and then the bytes of behind.
func (w *payloadWriter) append(blob, behind []byte) (Extent, error) {
	e, err := w.place(int64(len(blob) + len(behind)))
	if err == nil {
		e.Bytes = int64(len(blob))
		_, err = w.file.WriteAt(blob, e.Off)
	}
	if err == nil && len(behind) > 0 {
		_, err = w.file.WriteAt(behind, e.end())
	}
	if err != nil {
		return Extent{}, err
	}
	if n := int64(len(blob) + len(behind)); (w.written.Add(n)-n)/flushBytes != w.written.Load()/flushBytes {
		// The system begins to bring the file to disk, so that close need not wait for
		// all of it.
		_ = unix.SyncFileRange(int(w.file.Fd()), 0, 0, unix.SYNC_FILE_RANGE_WRITE) // a hint
	}
	return e, nil
}

// place takes the next place for n bytes, and the room for it on the disk.
func (w *payloadWriter) place(n int64) (Extent, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	e := w.last.after(n)
	if e.end() > w.reserved {
		more := e.end() - w.reserved
		err := w.reserve(max(more, reserveBytes))
		if errors.Is(err, unix.ENOSPC) && more < reserveBytes {
			err = w.reserve(more)
		}
		if err != nil {
			return e, err
		}
	}
	w.last = e
	return e, nil
}

// held returns the number of bytes of the reserved ones nothing has yet.
func (w *payloadWriter) held() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return max(0, w.reserved-w.last.end())
}

// reserve takes room for n more bytes. A file system that cannot do that finds out
// when it is written to.
func (w *payloadWriter) reserve(n int64) error {
	err := unix.Fallocate(int(w.file.Fd()), unix.FALLOC_FL_KEEP_SIZE, w.reserved, n)
	if err == nil || errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.ENOSYS) {
		w.reserved += n
		return nil
	}
	return err
}

// close brings the file to disk.
func (w *payloadWriter) close() error {
	return errors.Join(w.file.Truncate(w.last.end()), w.file.Sync(), w.file.Close())
}
