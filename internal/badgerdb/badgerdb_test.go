package badgerdb

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dgraph-io/badger/v4"
	"golang.org/x/sys/unix"
)

var errDamaged = errors.New("damaged")

func options(folder string) badger.Options {
	o := badger.DefaultOptions(folder).WithValueThreshold(16).WithMemTableSize(1 << 20).WithValueLogFileSize(8 << 20)
	o.BlockCacheSize, o.Compression, o.MetricsEnabled = 0, 0, false
	return o
}

// life creates a database, puts values and closes it.
func life(folder string, puts int) error {
	w, err := Create(options(folder))
	if err != nil {
		return err
	}
	value := make([]byte, 64<<10)
	for i := range puts {
		if err := w.Put([]byte(fmt.Sprint("key ", i)), value); err != nil {
			return errors.Join(err, w.Close())
		}
	}
	return errors.Join(w.Sync(), w.Close())
}

// TestWhole checks that all entries are there if the disk has room.
func TestWhole(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "db")
	if err := life(folder, 3); err != nil {
		t.Fatal(err)
	}
	db, err := badger.Open(options(folder).WithReadOnly(true).WithLogger(nil))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for i := range 3 {
		err := db.View(func(txn *badger.Txn) error {
			item, err := txn.Get([]byte(fmt.Sprint("key ", i)))
			if err != nil {
				return err
			}
			return item.Value(func(b []byte) error {
				if len(b) != 64<<10 {
					t.Errorf("value %d has %d bytes", i, len(b))
				}
				return nil
			})
		})
		if err != nil {
			t.Errorf("value %d: %v", i, err)
		}
	}
}

// TestTableThatCannotBeWritten checks that Close waits for no table of keys that cannot be
// written, for which Badger would try for ever.
func TestTableThatCannotBeWritten(t *testing.T) {
	folder := t.TempDir()
	w, err := Create(options(folder))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Put([]byte("key"), make([]byte, 100)); err != nil {
		t.Fatal(err)
	}
	for i := range 100 { // where its table would be
		if err := os.Mkdir(filepath.Join(folder, fmt.Sprintf("%06d.sst", i)), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err == nil || !strings.Contains(err.Error(), "its keys cannot be written") {
		t.Errorf("got %v", err)
	}
}

// TestGuard reads a page that is not there, and meets panics.
func TestGuard(t *testing.T) {
	name := filepath.Join(t.TempDir(), "mapped")
	if err := os.WriteFile(name, make([]byte, 2*os.Getpagesize()), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b, err := unix.Mmap(int(f.Fd()), 0, 2*os.Getpagesize(), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Munmap(b) }()
	if err := os.Truncate(name, 0); err != nil {
		t.Fatal(err)
	}
	mismatch := fmt.Errorf("%w: checksum mismatch", errDamaged)
	var none *badger.Options
	for what, c := range map[string]struct {
		read func() error
		says string
	}{
		"a page that is not there": {func() error {
			if b[0] == 0 {
				return nil
			}
			return mismatch
		}, "cannot be read from the disk"},
		"an assertion": {func() error { panic("assertion failed") }, "damaged: its database: assertion failed"},
		"an error":     {func() error { return mismatch }, "damaged: checksum mismatch"},
		"a pointer":    {func() error { return errors.New(none.Dir) }, "nil pointer"},
	} {
		err := Guard(errDamaged, c.read)
		if !errors.Is(err, errDamaged) || !strings.Contains(fmt.Sprint(err), c.says) {
			t.Errorf("%s: got %v", what, err)
		}
	}
	if err := Guard(errDamaged, func() error { return nil }); err != nil {
		t.Errorf("all well: %v", err)
	}
}
