// Package tinydisk mounts small file systems in memory, for tests of a full
// disk.
package tinydisk

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Mount mounts an empty file system of a given size until the test ends. The
// test is skipped where that is not allowed.
func Mount(t testing.TB, bytes int64) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d", bytes)); err != nil {
		t.Skipf("no file system can be mounted: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Errorf("unmount %s: %v", dir, err)
		}
	})
	return dir
}

// Fill makes a file that leaves a number of bytes free on the disk of dir, and returns
// its path.
func Fill(t testing.TB, dir string, left int64) string {
	t.Helper()
	name := filepath.Join(dir, "full")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	fill(f, left)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return name
}

// Neighbour begins to fill the disk that is mounted at dir for up to so long, and
// to leave it empty for up to so long, again and again, until stop is called. To
// the process that is tested it is another one, with a large file, or a
// shrinking quota, which fills the disk at once.
func Neighbour(t testing.TB, dir string, full, empty time.Duration, seed uint64) (stop func()) {
	t.Helper()
	name := filepath.Join(dir, "neighbour")
	f, err := os.Create(name)
	var disk unix.Statfs_t
	if err == nil {
		err = unix.Statfs(dir, &disk)
	}
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	done := make(chan struct{})
	var ended sync.WaitGroup
	ended.Go(func() {
		for !pause(done, rng, empty) {
			// All of it, or all but some pages or MiB.
			left := []int64{0, rng.Int64N(64 << 10), rng.Int64N(32 << 20)}[rng.IntN(3)]
			if rng.IntN(2) == 0 {
				fill(f, left)
			} else {
				shrink(dir, left)
			}
			over := pause(done, rng, full)
			_ = f.Truncate(0)
			_ = resize(dir, int64(disk.Blocks)*disk.Bsize)
			if over {
				return
			}
		}
	})
	var once sync.Once
	stop = func() {
		once.Do(func() {
			close(done)
			ended.Wait()
			_ = f.Close()
			_ = os.Remove(name)
		})
	}
	t.Cleanup(stop)
	return stop
}

// shrink makes a disk so small that only that much is free.
func shrink(dir string, left int64) {
	for range 8 { // others write meanwhile
		var st unix.Statfs_t
		if unix.Statfs(dir, &st) != nil || resize(dir, int64(st.Blocks-st.Bfree)*st.Bsize+left) == nil {
			return
		}
	}
}

// resize fails when more is in use.
func resize(dir string, bytes int64) error {
	return unix.Mount("", dir, "", unix.MS_REMOUNT, fmt.Sprintf("size=%d", bytes))
}

// pause waits for up to so long, and reports whether done was closed.
func pause(done chan struct{}, rng *rand.Rand, most time.Duration) bool {
	select {
	case <-done:
		return true
	case <-time.After(time.Duration(rng.Int64N(int64(most)))):
		return false
	}
}

// fill grows f until at most left bytes are free on its disk.
func fill(f *os.File, left int64) {
	for range 8 { // others write and remove meanwhile
		var st unix.Statfs_t
		info, err := f.Stat()
		if err != nil || unix.Fstatfs(int(f.Fd()), &st) != nil {
			return
		}
		n := int64(st.Bavail)*st.Bsize - left
		if n <= 0 || unix.Fallocate(int(f.Fd()), 0, info.Size(), n) == nil {
			return
		}
	}
}
