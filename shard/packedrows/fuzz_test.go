package packedrows

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/garaph/garaph/shard"
)

// FuzzRows checks that no bytes make decoder or readers panic, read behind the blob, or find a
// neighbour that the graph does not have. Checksums are made right, to lead past them,
// and behind the blob lies memory that nobody may read.
func FuzzRows(f *testing.F) {
	blob, n := small(f)
	f.Add(blob, n)
	const room = 1 << 16
	page := os.Getpagesize()
	memory, err := unix.Mmap(-1, 0, room+page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err == nil {
		err = unix.Mprotect(memory[room:], unix.PROT_NONE)
	}
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte, n uint32) {
		if len(data) < shard.HeaderBytes || len(data) > room {
			return
		}
		blob := memory[room-len(data) : room]
		copy(blob, data)
		reseal(blob)
		use(t, blob, n)
	})
}
