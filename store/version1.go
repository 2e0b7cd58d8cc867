package store

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"

	"github.com/dgraph-io/badger/v4"

	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/rows"
)

// maxEntryHead is the most that the head of an entry of a value log takes: two
// bytes and the varints of the key's length, the value's length and the expiry.
const maxEntryHead = 2 + 5 + 5 + 10

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

// oldBlob appends a blob to dst.
func (s *Store) oldBlob(dst, key []byte) ([]byte, error) {
	err := s.oldView(key, func(b []byte) error {
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
				err = s.old.checkEntry(item)
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

// checkEntry looks at the head of an item's entry before Badger does: of an
// entry whose lengths don't fit, Badger 4.9.6 (valueLog.Read) returns without
// giving back its lock on the log, and Close then waits for ever. Where the
// entry lies stands in unexported fields of the item; a Badger without them is
// not checked.
func (v *valueLogs) checkEntry(item *badger.Item) error {
	fields := reflect.ValueOf(item).Elem()
	meta, pointer := fields.FieldByName("meta"), fields.FieldByName("vptr")
	const isPointer = 1 << 1
	if meta.Kind() != reflect.Uint8 || meta.Uint()&isPointer == 0 || pointer.Kind() != reflect.Slice || pointer.Len() != 12 {
		return nil
	}
	le, p := binary.LittleEndian, pointer.Bytes()
	id, size, at := le.Uint32(p), le.Uint32(p[4:]), le.Uint32(p[8:])
	log := v.logs[id]
	if log == nil {
		return fmt.Errorf("%w: value log %d is missing", ErrDamaged, id)
	}
	var head [maxEntryHead]byte
	n, err := log.ReadAt(head[:], int64(at))
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	const stamp, checksum = 8, 4 // of the key, and behind the value
	used := min(2, n)
	var lengths [3]uint64 // key, value, expiry
	for i := range lengths {
		var k int
		if lengths[i], k = binary.Uvarint(head[used:n]); k <= 0 {
			return fmt.Errorf("%w: value log %d ends or is no entry at %d", ErrDamaged, id, at)
		}
		used += k
	}
	if info, err := log.Stat(); err != nil {
		return err
	} else if int64(at)+int64(size) > info.Size() {
		return fmt.Errorf("%w: value log %d ends before the entry at %d does", ErrDamaged, id, at)
	}
	key, value := lengths[0], lengths[1]
	if key != uint64(len(item.Key()))+stamp || uint64(used)+key+value+checksum != uint64(size) {
		return fmt.Errorf("%w: the entry at %d of value log %d has a key of %d and a value of %d bytes in %d", ErrDamaged, at, id, key, value, size)
	}
	return nil
}
