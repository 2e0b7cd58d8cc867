package results

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/garaph/garaph/internal/wholefile"
)

// standard are the names of the standard streams, which may be there without /proc.
var standard = map[string]int{"/dev/stdin": 0, stdout: 1, stderr: 2}

// descriptor matches the path of a descriptor of this process.
var descriptor = regexp.MustCompile(`^/(?:dev|proc/self)/fd/(\d+)$`)

// Descriptor returns the file descriptor of this process that a path names, or a link that it is:
// /dev/stdout, /dev/fd/3, /proc/self/fd/3. The open file is not the one that the path names later:
// a file has a place where writing goes on, and may have lost its name.
func Descriptor(path string) (fd int, is bool) {
	for path := range wholefile.Links(path) {
		if fd, is := standard[path]; is {
			return fd, true
		}
		if m := descriptor.FindStringSubmatch(filepath.Clean(path)); m != nil {
			fd, err := strconv.Atoi(m[1])
			return fd, err == nil
		}
	}
	return 0, false
}

// CheckInherited refuses a descriptor that the process did not inherit, or that is
// open only in the mode but, which does not serve its purpose. Descriptors of the process
// itself are closed on exec; that of a pipe is not touched before it is known to be none of
// these.
func CheckInherited(fd, but int, what string) error {
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
	if err != nil || flags&unix.FD_CLOEXEC != 0 {
		return fmt.Errorf("file descriptor %d is not open: as in %d>FILE, or %d<FILE to read", fd, fd, fd)
	}
	if mode, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0); err != nil || mode&unix.O_ACCMODE == but {
		return fmt.Errorf("file descriptor %d is not open for %s", fd, what)
	}
	return nil
}

// openDescriptor opens a descriptor once more, to be closed: where writing goes on in a file. A pipe is opened
// so that a write to it can be ended.
func openDescriptor(fd int) (*os.File, error) {
	name := fmt.Sprintf("/dev/fd/%d", fd)
	var there unix.Stat_t
	if unix.Fstat(fd, &there) == nil && there.Mode&unix.S_IFMT == unix.S_IFIFO {
		pipe, err := os.OpenFile(name, os.O_WRONLY|unix.O_NONBLOCK, 0)
		if err == nil {
			return pipe, nil
		}
		if errors.Is(err, unix.ENXIO) { // there was a reader when it was opened first
			return nil, &fs.PathError{Op: "write", Path: name, Err: unix.EPIPE}
		}
	}
	own, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return os.NewFile(uintptr(own), name), nil
}
