package hostmem_test

import (
	"testing"

	"github.com/garaph/garaph/internal/hostmem"
)

// TestDropProgram checks that pages of the program leave the memory of the process, and that it runs on.
func TestDropProgram(t *testing.T) {
	before := hostmem.ProcBytes("/proc/self/status", "RssFile:")
	hostmem.DropProgram()
	if after := hostmem.ProcBytes("/proc/self/status", "RssFile:"); after >= before {
		t.Errorf("%d bytes of files are in memory, %d before", after, before)
	}
}
