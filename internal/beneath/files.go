package beneath

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// spareFiles is how many files are open at once while a graph or a database is made or
// opened, with some for the removal of what was made.
const spareFiles = 20

// CheckFiles reports that the process cannot open as many more files as it takes to make
// or to open a graph or a database. On the way, that would be taken for damage, or leave
// something behind.
func CheckFiles() error {
	var open []int
	defer func() {
		for _, fd := range open {
			_ = unix.Close(fd)
		}
	}()
	for range spareFiles {
		fd, err := unix.Eventfd(0, unix.EFD_CLOEXEC)
		if err != nil {
			return fmt.Errorf("%d more files must be opened, and cannot be: %w; raise the limit that `ulimit -n` shows", spareFiles, err)
		}
		open = append(open, fd)
	}
	return nil
}
