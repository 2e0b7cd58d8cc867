package store

import (
	"fmt"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/garaph/garaph/internal/sigbus"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packedrows"
)

// mapping is the payload as memory: what the system has of it in its page cache is not copied.
// To copy it into memory that the system has to clear first takes four times as long as to
// look at it.
//
// The disk may fail to provide a page later, which is one of zeros then. A guard is held, so
// that it does not end the process, and [Store.MapError] says so.
type mapping struct {
	once  sync.Once
	bytes []byte // nil: it is not mapped
	guard *sigbus.Guard
}

// Map makes the payload memory until the store is closed, and reports whether that can be.
func (s *Store) Map() bool {
	p := s.payload
	if p == nil || p.size == 0 {
		return false
	}
	m := &p.mapped
	m.once.Do(func() {
		b, err := unix.Mmap(int(p.file.Fd()), 0, int(p.size), unix.PROT_READ, unix.MAP_SHARED)
		if err == nil {
			m.bytes, m.guard = b, sigbus.Hold()
		}
	})
	return m.bytes != nil
}

func (m *mapping) close() {
	if m.bytes != nil {
		_ = unix.Munmap(m.bytes) // fails for what was not mapped only
		_ = m.guard.Release()    // whoever used it has asked
		m.bytes = nil
	}
}

// MapError reports that what was seen of a mapped payload may be wrong, because the file was cut
// or the disk could not provide it. It is to be asked after the last look.
func (s *Store) MapError() error {
	p := s.payload
	if p == nil || p.mapped.bytes == nil {
		return nil
	}
	err := p.mapped.guard.Err()
	if err == nil {
		return nil
	}
	if info, statErr := p.file.Stat(); statErr == nil && info.Size() < p.size {
		return fmt.Errorf("graph %s: %w: its file %s was cut while it was read, to %d of %d bytes; a new import repairs it",
			s.name, ErrDamaged, payloadFile, info.Size(), p.size)
	}
	return fmt.Errorf("graph %s: the disk could not provide a part of its file %s: %w", s.name, payloadFile, err)
}

// view is a shard's blob in the mapped payload, brought to memory.
func (s *Store) view(dir shard.Direction, i int) []byte {
	e, _ := s.side(dir, i)
	return s.populated(e)
}

// populated is a part of the mapped payload, brought to memory.
func (s *Store) populated(e Extent) []byte {
	b := s.payload.mapped.bytes[e.Off:e.end():e.end()]
	const page = blockBytes - 1
	whole := s.payload.mapped.bytes[e.Off&^page : e.end()]
	_ = unix.Madvise(whole, unix.MADV_POPULATE_READ) // page by page otherwise
	return b
}

// ViewShard is [Store.ReadShard] where the blob lies in the payload that [Store.Map] has mapped.
func (s *Store) ViewShard(dir shard.Direction, i int) (shard.Side, error) {
	return s.decode(dir, i, s.view(dir, i), shard.Side.CheckValues)
}

// ViewRows is [Store.ViewShard] for packed rows that a [packedrows.Cursor] reads, which checks
// them then. A shard of one vertex may have plain rows, which are checked here.
func (s *Store) ViewRows(dir shard.Direction, i int) (shard.Side, error) {
	if s.cat.Shards[i].Vertices == 1 {
		return s.ViewShard(dir, i)
	}
	side, err := packedrows.Open(s.view(dir, i))
	if err == nil {
		err = s.Matches(dir, i, side.Header())
	}
	if err != nil {
		return nil, s.ShardError(dir, i, err)
	}
	return side, nil
}
