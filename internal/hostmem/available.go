package hostmem

import (
	"bufio"
	"bytes"
	"os"
	"strconv"
	"strings"

	"github.com/garaph/garaph/internal/cgroup"
)

// Process is what a process that reads a graph takes beside what it plans: the
// program itself, Badger's tables, the Go runtime. Of the program, as many pages are mapped
// as the system finds together: after it was built or installed, 5 MiB more than later.
const Process = 48 << 20

// Available is how many bytes the system, the control group of the process and its limit
// of addresses can still provide; 0: unknown.
func Available() int64 {
	n := limited(ProcBytes("/proc/meminfo", "MemAvailable:"), cgroup.MemoryLeft())
	if most := addresses(); most > 0 {
		n = limited(n, max(1, most-ProcBytes("/proc/self/status", "VmSize:")))
	}
	return n
}

// AddressLimit is the limit of addresses of the process, where [Available] follows from it; 0 where it does not.
func AddressLimit() int64 {
	most := addresses()
	if rest := limited(ProcBytes("/proc/meminfo", "MemAvailable:"), cgroup.MemoryLeft()); most == 0 || rest > 0 && Available() >= rest {
		return 0
	}
	return most
}

// Total is how many bytes the machine has, or the control group of the process
// may use; 0: unknown.
func Total() int64 {
	return limited(ProcBytes("/proc/meminfo", "MemTotal:"), cgroup.MemoryLimit())
}

// limited is the lesser one of the numbers that are known, which are not 0.
func limited(bytes, limit int64) int64 {
	if limit > 0 && (bytes == 0 || limit < bytes) {
		return limit
	}
	return bytes
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
