package badgerdb

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dgraph-io/badger/v4"
	"golang.org/x/sys/unix"

	"github.com/garaph/garaph/internal/tinydisk"
)

var errDamaged = errors.New("damaged")

func options(folder string) badger.Options {
	o := badger.DefaultOptions(folder).WithValueThreshold(16).WithMemTableSize(1 << 20).WithValueLogFileSize(8 << 20)
	o.BlockCacheSize, o.Compression, o.MetricsEnabled = 0, 0, false
	return o
}

// TestFullDisk fills the disk before each step of a database's life: an error
// that says so, soon, and all of the disk comes back with the folder.
func TestFullDisk(t *testing.T) {
	const puts = 40
	for _, left := range []int64{0, 4 << 10, 40 << 10, 200 << 10} {
		for _, at := range []int{0, 1, 2, puts / 2, puts, puts + 1} {
			t.Run(fmt.Sprintf("%d left at %d", left, at), func(t *testing.T) {
				disk := tinydisk.Mount(t, 24<<20)
				free := tinydisk.Free(t, disk)
				folder := filepath.Join(disk, "db")
				fill := func(step int) {
					if step == at {
						tinydisk.Fill(t, disk, left)
					}
				}
				begin := time.Now()
				err := life(folder, puts, fill)
				if Full(err) == nil && (left == 0 || err != nil) { // else the room may do
					t.Errorf("got %v", err)
				}
				if err != nil && strings.Contains(err.Error(), "nil pointer") {
					t.Errorf("no words for a full disk: %v", err)
				}
				if took := time.Since(begin); took > time.Minute {
					t.Errorf("it took %v", took)
				}
				if err := errors.Join(os.RemoveAll(folder), os.RemoveAll(filepath.Join(disk, "full"))); err != nil {
					t.Fatal(err)
				}
				if got := tinydisk.Free(t, disk); got < free {
					t.Errorf("%d of %d bytes are still in use", free-got, free)
				}
			})
		}
	}
}

// life creates a database, puts values and closes it. Before each step it calls
// a function.
func life(folder string, puts int, before func(step int)) error {
	before(0)
	w, err := Create(options(folder))
	if err != nil {
		return err
	}
	value := make([]byte, 64<<10)
	for i := range puts {
		before(1 + i)
		if err := w.Put([]byte(fmt.Sprint("key ", i)), value); err != nil {
			return errors.Join(err, w.Close())
		}
	}
	before(1 + puts)
	return errors.Join(w.Sync(), w.Close())
}

// TestWhole: with room, what was put is there.
func TestWhole(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "db")
	if err := life(folder, 3, func(int) {}); err != nil {
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

// TestTableThatCannotBeWritten: Close waits for no table of keys that cannot be
// written, for which Badger would try for ever. Badger leaves files mapped then:
// what they took of the disk comes back all the same.
func TestTableThatCannotBeWritten(t *testing.T) {
	disk := tinydisk.Mount(t, 24<<20)
	free := tinydisk.Free(t, disk)
	folder := filepath.Join(disk, "db")
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
	closed := make(chan error, 1)
	go func() { closed <- w.Close() }()
	select {
	case err := <-closed:
		if err == nil || !strings.Contains(err.Error(), "its keys cannot be written") {
			t.Errorf("got %v", err)
		}
	case <-time.After(time.Minute):
		t.Fatal("Close waits")
	}
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	if got := tinydisk.Free(t, disk); got < free {
		t.Errorf("%d of %d bytes are still in use", free-got, free)
	}
}

// TestStatisticsThatCannotBeMade: Badger ends the process of it.
func TestStatisticsThatCannotBeMade(t *testing.T) {
	folder := t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, DiscardFile), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(options(folder)); !errors.Is(err, os.ErrExist) {
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
		read  func() error
		says  string
		fault bool
	}{
		"a page that is not there": {func() error {
			if b[0] == 0 {
				return mismatch
			}
			return nil
		}, "checksum mismatch (no space left on device for a mapped file, or it cannot be read)", true},
		"an assertion": {func() error { panic("assertion failed") }, "damaged: assertion failed", false},
		"an error":     {func() error { return mismatch }, "damaged: checksum mismatch", false},
		"a pointer":    {func() error { return errors.New(none.Dir) }, "nil pointer", false},
	} {
		err := Guard(errDamaged, c.read)
		if !errors.Is(err, errDamaged) || !strings.Contains(fmt.Sprint(err), c.says) || errors.Is(err, ErrFault) != c.fault {
			t.Errorf("%s: got %v", what, err)
		}
	}
	if err := Guard(errDamaged, func() error { return nil }); err != nil {
		t.Errorf("all well: %v", err)
	}
}
