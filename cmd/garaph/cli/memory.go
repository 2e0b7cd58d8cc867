package cli

import (
	"bufio"
	"bytes"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
)

// defaultMemory is the budget of a run without --memory: three quarters of what
// the machine, or the container, can give.
func defaultMemory() int64 {
	available := procKB("/proc/meminfo", "MemAvailable:")
	if b, err := os.ReadFile("/sys/fs/cgroup/memory.max"); err == nil {
		limit, err := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64)
		if err == nil && (available == 0 || limit < available) {
			available = limit
		}
	}
	return available / 4 * 3
}

// peakMemory is the largest resident memory of the process so far. It is not
// taken from getrusage, whose figure a process inherits from the one that
// started it.
func peakMemory() int64 {
	if n := procKB("/proc/self/status", "VmHWM:"); n > 0 {
		return n
	}
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return 0
	}
	return r.Maxrss << 10
}

// procKB reads a line "NAME 123 kB" of a file of the kernel's, in bytes; 0 when
// it is not there.
func procKB(file, name string) int64 {
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

// keepWithin lets the Go collector keep the process within a budget of memory;
// 0: none. The arrays of a job lie outside its heap. undo puts the old limits
// back.
func keepWithin(budget int64) (undo func()) {
	percent, limit := debug.SetGCPercent(50), debug.SetMemoryLimit(-1)
	if budget > 0 {
		debug.SetMemoryLimit(min(budget, limit))
	}
	return func() {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	}
}
