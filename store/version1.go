package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dgraph-io/badger/v4"

	"github.com/garaph/garaph/internal/badgerdb"
	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/rows"
)

// valueLogs are Badger's in a graph of store version 1, which has its blobs there.
type valueLogs struct {
	logs map[uint32]*os.File // by number
}

// openVersion1 opens the value logs and reads the catalogue, in which shards and
// blocks of ids have no places: their blobs have keys of their own.
func (s *Store) openVersion1() error {
	s.old = &valueLogs{map[uint32]*os.File{}}
	names, err := matching(s.folder.db, "*.vlog")
	if err != nil {
		return err
	}
	for _, name := range names {
		var id uint32
		if _, err := fmt.Sscanf(filepath.Base(name), "%d.vlog", &id); err != nil {
			continue // not Badger's
		}
		if s.old.logs[id], err = openRegular(name); err != nil {
			return err
		}
	}
	var b []byte
	err = s.oldView(catalogueKey, func(value []byte) error {
		b = value[:0:0]
		err := checkMemory(int64(len(value)))
		if err == nil {
			b = append(b, value...)
		}
		return err
	})
	if err != nil {
		return err
	}
	if b, err = unseal(kindCatalogue, b); err != nil {
		return err
	}
	c := new(Catalogue)
	if err := json.Unmarshal(b, c); err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if len(c.besides()) > 0 {
		return fmt.Errorf("%w: store version 1 has no %s sides", ErrDamaged, c.besides()[0])
	}
	s.cat = c
	for i := range c.Shards {
		info := &c.Shards[i]
		info.Blobs[shard.In].Bytes = rows.Size(info.Vertices, info.In, c.Weighted)
		info.Blobs[shard.Out].Bytes = rows.Size(info.Vertices, info.Out, false)
	}
	return c.check()
}

func (v *valueLogs) close() {
	if v == nil {
		return
	}
	for _, f := range v.logs {
		_ = f.Close() // only read
	}
}

// readBlob fills dst with the beginning of a blob.
func (s *Store) readBlob(e Extent, key, dst []byte) error {
	if s.old == nil {
		return s.payload.read(e, dst)
	}
	return s.oldView(key, func(b []byte) error {
		if len(b) < len(dst) {
			return fmt.Errorf("%w: %d bytes stored, %d expected", ErrDamaged, len(b), len(dst))
		}
		copy(dst, b)
		return nil
	})
}

// oldBlob appends a blob of limit bytes at most to dst.
func (s *Store) oldBlob(dst, key []byte, limit int64) ([]byte, error) {
	err := s.oldView(key, func(b []byte) error {
		if int64(len(b)) > limit {
			return fmt.Errorf("%w: %d bytes stored, expected %d at most", ErrDamaged, len(b), limit)
		}
		dst = append(dst, b...)
		return nil
	})
	return dst, err
}

// oldView hands the value of key to read, which must not keep it. Badger answers an
// unreadable value with an empty slice and no error: no blob of ours is empty.
func (s *Store) oldView(key []byte, read func(b []byte) error) error {
	return guard(func() error {
		return s.db.View(func(txn *badger.Txn) error {
			item, err := txn.Get(key)
			if errors.Is(err, badger.ErrKeyNotFound) {
				return fmt.Errorf("%w: no %q in the store", ErrDamaged, key)
			}
			if err == nil {
				err = badgerdb.CheckEntry(ErrDamaged, func(id uint32) *os.File { return s.old.logs[id] }, item)
			}
			if err != nil {
				return err
			}
			return item.Value(func(b []byte) error {
				if len(b) == 0 {
					return fmt.Errorf("%w: %q is unreadable", ErrDamaged, key)
				}
				const mappedFrom = 4 << 10 // larger values surely are windows into a mapped log
				if len(b) >= mappedFrom {
					defer hostmem.Drop(b) // it was copied, and does not count in the budget
				}
				return read(b)
			})
		})
	})
}
