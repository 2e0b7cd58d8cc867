package hostmem_test

import (
	"testing"

	"golang.org/x/sys/unix"

	"github.com/garaph/garaph/internal/hostmem"
)

// TestAddressLimit checks that Available heeds the limit of addresses of the process.
func TestAddressLimit(t *testing.T) {
	const left = 1 << 30
	if hostmem.Available() < 2*left {
		t.Skip("too little memory for a limit that does no harm")
	}
	var old unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_AS, &old); err != nil {
		t.Fatal(err)
	}
	limit := old
	limit.Cur = uint64(hostmem.ProcBytes("/proc/self/status", "VmSize:")) + left
	if err := unix.Setrlimit(unix.RLIMIT_AS, &limit); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() {
		if err := unix.Setrlimit(unix.RLIMIT_AS, &old); err != nil {
			t.Error(err)
		}
	})
	if n := hostmem.Available(); n > left+left/4 { // what was mapped may have gone meanwhile
		t.Errorf("%d bytes are available, of %d", n, left)
	}
}
