// Package fewfiles lets tests call functions in a process that can open few more files.
package fewfiles

import (
	"testing"

	"golang.org/x/sys/unix"
)

// Do calls f in a process that can open so many more files. Nothing else may run
// meanwhile.
func Do(t *testing.T, more int, f func()) {
	t.Helper()
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	few := limit
	few.Cur = 256
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &few); err != nil {
		t.Fatal(err)
	}
	var open []int // all
	for {
		fd, err := unix.FcntlInt(0, unix.F_DUPFD_CLOEXEC, 0)
		if err != nil {
			break
		}
		open = append(open, fd)
	}
	free := min(more, len(open))
	closeAll(open[:free])
	defer func() {
		closeAll(open[free:])
		if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
			t.Error(err)
		}
	}()
	f()
}

func closeAll(files []int) {
	for _, fd := range files {
		_ = unix.Close(fd)
	}
}
