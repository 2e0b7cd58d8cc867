// Package tinydisk mounts small file systems in memory, for tests of what a full
// disk does.
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

// Mount mounts an empty file system of so many bytes until the test ends. The
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

// Fill makes a file that leaves so many bytes free on the disk of dir, and gives
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

// Neighbour begins to fill the disk of dir and to empty it again, at random
// moments, as another process would, until stop is called: then its file is gone.
func Neighbour(t testing.TB, dir string, seed uint64) (stop func()) {
	t.Helper()
	name := filepath.Join(dir, "neighbour")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	done := make(chan struct{})
	var ended sync.WaitGroup
	ended.Go(func() {
		for {
			// All of it, or all but some pages or MiB.
			fill(f, []int64{0, rng.Int64N(64 << 10), rng.Int64N(32 << 20)}[rng.IntN(3)])
			if pause(done, rng, 40) {
				return
			}
			_ = f.Truncate(0)
			if pause(done, rng, 120) {
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

// pause waits for up to so many milliseconds, and reports whether done was
// closed.
func pause(done chan struct{}, rng *rand.Rand, most int64) bool {
	select {
	case <-done:
		return true
	case <-time.After(time.Duration(rng.Int64N(most*1000)) * time.Microsecond):
		return false
	}
}

// fill lets a file grow until no more than so many bytes are free on its disk.
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
