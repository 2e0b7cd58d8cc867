package hostmem

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// DropProgram takes the pages of the program's code, of which the start has used many that nothing uses later, out
// of the memory of the process. The system maps those that are used again. Pages of data stay: a linker may have
// written to them before they became read-only.
func DropProgram() {
	maps, _ := os.ReadFile("/proc/self/maps") // without it, all stay
	name, _ := os.Executable()
	for line := range strings.Lines(string(maps)) {
		var from, to uintptr
		var mode string
		n, _ := fmt.Sscanf(line, "%x-%x %s", &from, &to, &mode)
		if n == 3 && mode[2] == 'x' && strings.HasSuffix(line, " "+name+"\n") {
			_, _, _ = unix.Syscall(unix.SYS_MADVISE, from, to-from, unix.MADV_DONTNEED) // advice only
		}
	}
}
