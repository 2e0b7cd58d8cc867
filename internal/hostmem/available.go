package hostmem

import (
	"bufio"
	"bytes"
	"os"
	"strconv"
	"strings"

	"github.com/garaph/garaph/internal/cgroup"
)

// Available is how many bytes the system, or the control group of the process,
// can give; 0: unknown.
func Available() int64 {
	available, limit := ProcBytes("/proc/meminfo", "MemAvailable:"), cgroup.MemoryLimit()
	if limit > 0 && (available == 0 || limit < available) {
		return limit
	}
	return available
}

// ProcBytes reads a line "NAME 123 kB" of a file of the kernel's, in bytes; 0
// when it is not there.
func ProcBytes(file, name string) int64 {
	b, err := os.ReadFile(file)
	if err != nil {
		return 0
	}
	for s := bufio.NewScanner(bytes.NewReader(b)); s.Scan(); {
		if f := strings.Fields(s.Text()); len(f) == 3 && f[0] == name {
			n, _ := strconv.ParseInt(f[1], 10, 64) // 0 is an answer
			return n << 10
		}
	}
	return 0
}
