package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/garaph/garaph/internal/hostmem"
)

// Machine is what the figures were measured on. What the system does not report
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
		CPU: model(), Cores: runtime.NumCPU(), Cache: largestCache(),
		Memory: hostmem.Total(), Kernel: kernel(), Go: runtime.Version(),
	}
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

// resetPeak resets what peakMemory reports, where the system lets it.
func resetPeak() {
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // otherwise the peak is that of all runs so far
}

// peakMemory is the largest resident memory of the process in bytes, since the
// last resetPeak.
func peakMemory() int64 { return hostmem.ProcBytes("/proc/self/status", "VmHWM:") }

// model is the name of the first processor; "" where the system does not say.
func model() string {
	b, _ := os.ReadFile("/proc/cpuinfo")
	_, line, _ := strings.Cut(string(b), "model name")
	line, _, _ = strings.Cut(line, "\n")
	return strings.Trim(line, "\t :")
}
