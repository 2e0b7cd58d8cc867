package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"

	"github.com/dgraph-io/badger/v4"
)

// maxEntryHead is the most that the head of an entry of a value log takes: two
// bytes and the varints of the key's length, the value's length and the expiry.
const maxEntryHead = 2 + 5 + 5 + 10

// openLogs opens the value logs for checkEntry.
func (s *Store) openLogs() error {
	names, err := matching(filepath.Join(s.path, dbDir), "*.vlog")
	if err != nil {
		return err
	}
	s.logs = make(map[uint32]*os.File)
	for _, name := range names {
		var id uint32
		if _, err := fmt.Sscanf(filepath.Base(name), "%d.vlog", &id); err != nil {
			continue // not Badger's
		}
		if s.logs[id], err = openRegular(name); err != nil {
			return err
		}
	}
	return nil
}

// checkEntry looks at the head of an item's entry before Badger does: of an
// entry whose lengths don't fit, Badger 4.9.6 (valueLog.Read) returns without
// giving back its lock on the log, and Close then waits for ever. Where the
// entry lies stands in unexported fields of the item; a Badger without them is
// not checked.
func (s *Store) checkEntry(item *badger.Item) error {
	fields := reflect.ValueOf(item).Elem()
	meta, pointer := fields.FieldByName("meta"), fields.FieldByName("vptr")
	const isPointer = 1 << 1
	if meta.Kind() != reflect.Uint8 || meta.Uint()&isPointer == 0 || pointer.Kind() != reflect.Slice || pointer.Len() != 12 {
		return nil
	}
	le, p := binary.LittleEndian, pointer.Bytes()
	id, size, at := le.Uint32(p), le.Uint32(p[4:]), le.Uint32(p[8:])
	log := s.logs[id]
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
	key, value := lengths[0], lengths[1]
	if key != uint64(len(item.Key()))+stamp || uint64(used)+key+value+checksum != uint64(size) {
		return fmt.Errorf("%w: the entry at %d of value log %d has a key of %d and a value of %d bytes in %d", ErrDamaged, at, id, key, value, size)
	}
	return nil
}
