package checkpoint

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/garaph/garaph/internal/beneath"
)

// Place is where and when the folder of a job was made. The system chooses it:
// a folder that was copied, unpacked or received has another, whatever its
// record says.
type Place struct {
	Inode uint64 `json:"inode"`
	Born  int64  `json:"born"` // ns since 1970; if 0, the file system does not record it
}

func placeOf(at *beneath.Folder) (Place, error) {
	var st unix.Statx_t
	if err := unix.Statx(unix.AT_FDCWD, at.Path("."), unix.AT_SYMLINK_NOFOLLOW, unix.STATX_INO|unix.STATX_BTIME,
		&st); err != nil {
		return Place{}, &fs.PathError{Op: "statx", Path: at.Path("."), Err: err}
	}
	p := Place{Inode: st.Ino}
	if st.Mask&unix.STATX_BTIME != 0 {
		p.Born = st.Btime.Sec*1e9 + int64(st.Btime.Nsec)
	}
	return p, nil
}

// CheckOwn reports why what the record of a job asks for need not be what the
// user of this process asked for: it was made by another user, or not in the
// place where it is, or others can write to it.
func (j *Job) CheckOwn() error {
	var file uint64
	for _, name := range []string{".", recordFile} {
		info, err := j.at.Lstat(name)
		if err != nil {
			return err
		}
		st, ok := info.Sys().(*syscall.Stat_t)
		if !ok || int(st.Uid) != os.Geteuid() {
			return errors.New("its record was made by another user")
		}
		if info.Mode()&othersWrite != 0 {
			return errors.New("other users can write its record")
		}
		file = st.Ino
	}
	now, err := placeOf(j.at)
	switch then := j.Record().Place; {
	case err != nil:
		return err
	case now.Born == 0:
		return errors.New("the file system does not record where it was made")
	case now != then || j.Record().File != file:
		return errors.New("its record was not made here: the graph was copied or received")
	}
	return nil
}

// othersWrite are the permissions of others to write. A job's folder and its record
// never have them.
const othersWrite = 0o022

// FileID distinguishes a file from others that had or will have its path.
type FileID struct {
	Inode    uint64 `json:"inode"`
	Bytes    int64  `json:"bytes"`
	Modified int64  `json:"modified"` // ns since 1970
}

// FileIDOf identifies the file at path; ok reports whether there is a regular one.
func FileIDOf(path string) (id FileID, ok bool) {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return FileID{}, false
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return FileID{}, false
	}
	return FileID{st.Ino, info.Size(), info.ModTime().UnixNano()}, true
}

// Writes notes that a file is about to take its place as the job's output, so
// that a resumed job may replace it.
func (j *Job) Writes(temporary string) error {
	id, ok := FileIDOf(temporary)
	if !ok {
		return fmt.Errorf("%s is no file", temporary)
	}
	j.mu.Lock()
	j.record.Wrote = append(j.record.Wrote[max(0, len(j.record.Wrote)-maxWrote+1):], id)
	j.mu.Unlock()
	return j.save()
}

// maxWrote is the number of files a record remembers, the newest.
const maxWrote = 4
