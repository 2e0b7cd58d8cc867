package hostmem

import (
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

// Process is the memory of a process that reads a graph, besides what it plans: the
// program itself, Badger's tables, the Go runtime. Of the program, as many pages are mapped
// as the system finds together: after it was built or installed, 5 MiB more than later.
const Process = 50 << 20

// Available returns the number of bytes the system, the control group of the process and its limit
// of addresses can still provide; if 0, unknown.
func Available() int64 {
	n := limited(ProcBytes("/proc/meminfo", "MemAvailable:"), groupLeft())
	if most := addresses(); most > 0 {
		n = limited(n, max(1, most-ProcBytes("/proc/self/status", "VmSize:")))
	}
	return n
}

// Total returns the number of bytes the machine has, or the control group of the process
// may use; if 0, unknown.
func Total() int64 {
	return limited(ProcBytes("/proc/meminfo", "MemTotal:"), groupLimit())
}

// limited returns the lesser of the numbers that are not 0, or 0.
func limited(bytes, limit int64) int64 {
	if limit > 0 && (bytes == 0 || limit < bytes) {
		return limit
	}
	return bytes
}

// groupLimit returns the least limit of memory of the control groups of the process; 0 if there is none.
func groupLimit() int64 {
	n, err := memlimit.FromCgroup()
	if err != nil || n > math.MaxInt64 {
		return 0
	}
	return max(1, int64(n))
}

// groupLeft returns how much of groupLimit is left; 0 if there is no limit.
func groupLeft() int64 {
	limit := groupLimit()
	if limit == 0 {
		return 0
	}
	groups, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return limit
	}
	return max(1, limit-groupUsed("/sys/fs/cgroup", string(groups)))
}

// groupUsed returns how much memory the own group of the process uses, where cached files do
// not count: groups is the text of /proc/self/cgroup, and root the folder where
// groups are mounted. In a container, the group may be mounted as the root itself.
func groupUsed(root, groups string) (used int64) {
	for line := range strings.Lines(groups) {
		f := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(f) < 3 {
			continue
		}
		top, usage, prefix := root, "/memory.current", "" // of version 2, which names no controllers
		if slices.Contains(strings.Split(f[1], ","), "memory") {
			top, usage, prefix = root+"/memory", "/memory.usage_in_bytes", "total_"
		} else if f[1] != "" {
			continue
		}
		for _, folder := range []string{top + f[2], top} {
			text, err := os.ReadFile(folder + usage)
			if err != nil {
				continue
			}
			n, _ := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64) // 0 is an answer
			stat := folder + "/memory.stat"
			used = max(used, n-number(stat, prefix+"inactive_file", "")-number(stat, prefix+"active_file", ""))
			break
		}
	}
	return used
}

// ProcBytes reads a line "NAME 123 kB" of a file of the kernel's, in bytes; 0
// when it is not there.
func ProcBytes(file, name string) int64 { return number(file, name, "kB") << 10 }

// number reads a line "NAME 123 UNIT" of a file of the kernel's; 0 when it is not there.
func number(file, name, unit string) int64 {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if f := append(strings.Fields(line), ""); f[0] == name && len(f) >= 3 && f[2] == unit {
			n, _ := strconv.ParseInt(f[1], 10, 64) // 0 is an answer
			return n
		}
	}
	return 0
}
