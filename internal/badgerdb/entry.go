package badgerdb

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"

	"github.com/dgraph-io/badger/v4"
)

// maxEntryHead is the most that the head of an entry of a value log takes: two
// bytes and the varints of the key's length, the value's length and the expiry.
const maxEntryHead = 2 + 5 + 5 + 10

// CheckEntry looks at the head of an item's entry before Badger does: of an
// entry whose lengths don't fit, Badger 4.9.6 (valueLog.Read) returns without
// giving back its lock on the log, and Close then waits for ever. Where the
// entry lies stands in unexported fields of the item; a Badger without them is
// not checked. logs returns the value log of a number; nil: there is none.
func CheckEntry(damaged error, logs func(id uint32) *os.File, item *badger.Item) error {
	fields := reflect.ValueOf(item).Elem()
	meta, pointer := fields.FieldByName("meta"), fields.FieldByName("vptr")
	const isPointer = 1 << 1
	if meta.Kind() != reflect.Uint8 || meta.Uint()&isPointer == 0 || pointer.Kind() != reflect.Slice || pointer.Len() != 12 {
		return nil
	}
	le, p := binary.LittleEndian, pointer.Bytes()
	id, size, at := le.Uint32(p), le.Uint32(p[4:]), le.Uint32(p[8:])
	log := logs(id)
	if log == nil {
		return fmt.Errorf("%w: value log %d is missing", damaged, id)
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
			return fmt.Errorf("%w: value log %d ends or is no entry at %d", damaged, id, at)
		}
		used += k
	}
	if info, err := log.Stat(); err != nil {
		return err
	} else if int64(at)+int64(size) > info.Size() {
		return fmt.Errorf("%w: value log %d ends before the entry at %d does", damaged, id, at)
	}
	key, value := lengths[0], lengths[1]
	if key != uint64(len(item.Key()))+stamp || uint64(used)+key+value+checksum != uint64(size) {
		return fmt.Errorf("%w: the entry at %d of value log %d has a key of %d and a value of %d bytes in %d", damaged, at, id, key, value, size)
	}
	return nil
}
