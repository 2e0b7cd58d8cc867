package bench

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Machine is what the figures were measured on. What the system does not tell
// is empty or 0.
type Machine struct {
	CPU    string `json:"cpu"`
	Cores  int    `json:"cores"`       // that this process may use
	Cache  int64  `json:"cache_bytes"` // the largest of the first core
	Memory int64  `json:"memory_bytes"`
	Kernel string `json:"kernel"`
	Go     string `json:"go"`
}

func thisMachine() Machine {
	return Machine{
		CPU: procField("/proc/cpuinfo", "model name"), Cores: runtime.NumCPU(), Cache: largestCache(),
		Memory: totalMemory(), Kernel: kernel(), Go: runtime.Version(),
	}
}

// totalMemory is that of the machine, or of the container.
func totalMemory() int64 {
	total := kilobytes(procField("/proc/meminfo", "MemTotal"))
	if b, err := os.ReadFile("/sys/fs/cgroup/memory.max"); err == nil {
		limit, err := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64)
		if err == nil && (total == 0 || limit < total) {
			total = limit
		}
	}
	return total
}

// largestCache is the size of the largest cache that the first core has or
// shares.
func largestCache() (size int64) {
	names, _ := filepath.Glob("/sys/devices/system/cpu/cpu0/cache/index*/size") // the pattern is sound
	for _, name := range names {
		if b, err := os.ReadFile(name); err == nil {
			k, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(string(b)), "K"), 10, 64) // 0 is an answer
			size = max(size, k<<10)
		}
	}
	return size
}

func kernel() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return ""
	}
	return fmt.Sprintf("%s %s", unix.ByteSliceToString(u.Sysname[:]), unix.ByteSliceToString(u.Release[:]))
}

// resetPeak makes peakMemory begin anew, where the system lets it.
func resetPeak() {
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // otherwise the peak is that of all runs so far
}

// peakMemory is the largest resident memory of the process in bytes, since the
// last resetPeak.
func peakMemory() int64 { return kilobytes(procField("/proc/self/status", "VmHWM")) }

// procField is the value of the first line "NAME: VALUE" of a file of the
// kernel's; "" when there is none.
func procField(file, name string) string {
	b, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	for lines := bufio.NewScanner(bytes.NewReader(b)); lines.Scan(); {
		if key, value, _ := strings.Cut(lines.Text(), ":"); strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// kilobytes reads "123 kB", in bytes; 0 when it is something else.
func kilobytes(s string) int64 {
	n, _ := strconv.ParseInt(strings.TrimSuffix(s, " kB"), 10, 64) // 0 is an answer
	return n << 10
}
