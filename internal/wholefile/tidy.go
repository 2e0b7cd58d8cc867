package wholefile

import (
	"errors"
	"os"
	"regexp"
	"syscall"

	"golang.org/x/sys/unix"
)

var temporaryName = regexp.MustCompile(`^\.garaph-[0-9a-f]{16}\.tmp$`)

// tidy removes the files that killed writers left in a folder. Whoever cannot
// make files in it meets the error.
func tidy(folder string) {
	d, err := os.Open(folder)
	if err != nil {
		return
	}
	names, _ := d.Readdirnames(-1)
	_ = d.Close()
	for _, name := range names {
		if temporaryName.MatchString(name) {
			removeLeft(folder + "/" + name)
		}
	}
}

// removeLeft removes a file with a temporary name, if this user made it and
// nobody writes to it: no lock is held.
func removeLeft(name string) {
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Sys().(*syscall.Stat_t).Uid != uint32(os.Geteuid()) {
		return
	}
	const flags = unix.O_NOFOLLOW | unix.O_NONBLOCK
	f, err := os.OpenFile(name, os.O_RDWR|flags, 0) // some network file systems lock what may be written to
	if errors.Is(err, os.ErrPermission) {
		f, err = os.OpenFile(name, os.O_RDONLY|flags, 0)
	}
	if err != nil {
		return
	}
	defer f.Close()
	if opened, err := f.Stat(); err == nil && os.SameFile(info, opened) && lock(f, unix.LOCK_NB) && same(f, name) {
		_ = os.Remove(name)
	}
}
