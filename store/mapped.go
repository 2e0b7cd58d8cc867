package store

import (
	"fmt"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/garaph/garaph/internal/panics"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packedrows"
)

// mapping is the payload as memory: pages in the system's page cache are not copied.
// To copy it into memory that the system has to clear first takes four times as long as to
// look at it.
//
// The disk may fail to provide a page later. Goroutines that read it therefore turn faults into
// panics, as [panics.Guard] does, and [Store.MapError] explains these.
type mapping struct {
	once  sync.Once
	bytes []byte // if nil, it is not mapped
}

// Map makes the payload memory until the store is closed, and reports whether that can be.
func (s *Store) Map() bool {
	m := &s.payload.mapped
	m.once.Do(func() {
		if b, err := unix.Mmap(int(s.payload.file.Fd()), 0, int(s.payload.size), unix.PROT_READ,
			unix.MAP_SHARED); err == nil {
			m.bytes = b
			_ = unix.Madvise(b, unix.MADV_RANDOM) // as of the file
		}
	})
	return m.bytes != nil
}

func (m *mapping) close() {
	if m.bytes != nil {
		_ = unix.Munmap(m.bytes) // fails only for memory that was not mapped
		m.bytes = nil
	}
}

// MapError returns err, unless it is a fault in the mapped payload: then it says that the file
// was cut, or that the disk could not provide it.
func (s *Store) MapError(err error) error {
	at := panics.Fault(err)
	if at == 0 {
		return err
	}
	b := s.payload.mapped.bytes // a fault in it comes after Map
	if begin := uintptr(unsafe.Pointer(unsafe.SliceData(b))); at < begin || at >= begin+uintptr(len(b)) {
		return err
	}
	if info, err := s.payload.file.Stat(); err == nil && info.Size() < s.payload.size {
		return fmt.Errorf("graph %s: %w: its file %s was cut while it was read, to %d of %d bytes; a new import repairs it",
			s.name, ErrDamaged, payloadFile, info.Size(), s.payload.size)
	}
	return fmt.Errorf("graph %s: the disk could not provide a part of its file %s", s.name, payloadFile)
}

// populated returns a part of the mapped payload, after reading it into memory.
func (s *Store) populated(e Extent) []byte {
	s.payload.prefetch(e)
	b := s.payload.mapped.bytes[e.Off:e.end():e.end()]
	const page = blockBytes - 1
	whole := s.payload.mapped.bytes[e.Off&^page : e.end()]
	_ = unix.Madvise(whole, unix.MADV_POPULATE_READ) // page by page otherwise
	return b
}

// view decodes a part of the mapped payload.
func (s *Store) view(e Extent, decode func(blob []byte) (shard.Side, error)) (side shard.Side, err error) {
	err = panics.Guard(nil, func() error {
		side, err = decode(s.populated(e))
		return err
	})
	return side, s.MapError(err)
}

// ViewShard is [Store.ReadShard] where the blob lies in the payload that [Store.Map] has mapped, or without weights
// if it is to be bare.
func (s *Store) ViewShard(dir shard.Direction, i int, bare bool) (shard.Side, error) {
	e, err := s.extent(dir, i, bare)
	if err != nil {
		return nil, s.ShardError(dir, i, err)
	}
	return s.view(e, func(blob []byte) (shard.Side, error) {
		return s.decode(dir, i, blob, bare, shard.Side.CheckValues)
	})
}

// ViewRows is [Store.ViewShard] for packed rows that a [packedrows.Cursor] reads, which checks
// them then. A shard of one vertex may have plain rows, which are checked here.
func (s *Store) ViewRows(dir shard.Direction, i int) (shard.Side, error) {
	if s.cat.Shards[i].Vertices == 1 {
		return s.ViewShard(dir, i, false)
	}
	e, _ := s.cat.side(dir, i)
	return s.view(e, func(blob []byte) (shard.Side, error) {
		side, err := packedrows.Open(blob)
		if err == nil {
			err = s.cat.Matches(dir, i, side.Header())
		}
		if err != nil {
			return nil, s.ShardError(dir, i, err)
		}
		return side, nil
	})
}
