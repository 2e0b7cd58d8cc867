package results

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/garaph/garaph/internal/wholefile"
)

const (
	stdout = "/dev/stdout"
	stderr = "/dev/stderr"
)

// WriteFile writes t to path whole or not at all, see [wholefile.Write]. It
// replaces a file that is there and takes over its permissions; of a symbolic link it replaces
// its target. A folder or a device is refused, except that file descriptors (/dev/stdout,
// /dev/fd/3), /dev/null and named pipes are written straight. A text format is
// compressed when path ends with .gz or .zst.
//
// After an error path is as it was before. Only when the folder cannot be synced
// at the very end, path is new and whole, but may not survive a power failure.
func WriteFile(path string, f Format, t Table) error {
	return WriteFileReady(context.Background(), path, f, t, nil)
}

// WriteFileReady is like [WriteFile]. If ready is not nil, it calls ready with the
// temporary file, whole and synced, before it is renamed to path. When ctx ends, it
// waits for no reader of a pipe any more.
func WriteFileReady(ctx context.Context, path string, f Format, t Table, ready func(temporary string)) error {
	f, err := compressedFor(path, f)
	if err != nil {
		return err
	}
	files := Files{wholefile.Set{Ready: ready}}
	defer files.End() // also when a method of t panics
	err = files.write(ctx, path, "the results", func(w io.Writer) error { return Write(Until(ctx, w), f, t) })
	if err != nil {
		return err
	}
	return files.Place()
}

// Until returns a writer to w whose writes fail when ctx has ended.
func Until(ctx context.Context, w io.Writer) io.Writer { return untilDone{ctx, w} }

type untilDone struct {
	ctx context.Context //nolint:containedctx // of the call that writes
	w   io.Writer
}

func (u untilDone) Write(b []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.w.Write(b)
}

// PathError is a path that is not that of a file: it names a folder.
type PathError struct{ error }

// CheckFile reports the error that writing a file to path would end with because of path. Errors
// call the file what. It leaves nothing behind.
func CheckFile(what, path string) error {
	target, err := inspect(what, path)
	if err != nil || target.stream {
		return err
	}
	if err := wholefile.Check(wholefile.Folder(wholefile.Through(path)), target.mode); err != nil {
		return fmt.Errorf("cannot write %s to %s: %w", what, path, err)
	}
	return nil
}

// compressedFor adds the suffix of path to a text format that has none.
func compressedFor(path string, f Format) (Format, error) {
	f, err := ParseFormat(string(f))
	if err != nil {
		return f, err
	}
	_, inside := f.split()
	_, outside := Format(path).split()
	switch {
	case inside == outside || outside == "":
		return f, nil
	case inside == "" && f.isText():
		return f + Format(outside), nil
	default:
		return f, fmt.Errorf("the format %s does not fit the suffix %s of %s; change one of them", f, outside, path)
	}
}

// target describes the file at the path of results.
type target struct {
	path   string
	stream bool        // written straight
	mode   fs.FileMode // permissions of the file to be replaced; 0 when there is none
}

func inspect(what, path string) (target, error) {
	fail := func(err error) (target, error) {
		return target{}, fmt.Errorf("cannot write %s to %s: %w", what, path, err)
	}
	if path == "" {
		return target{}, errors.New("the path of the results is empty; give the name of a file")
	}
	if fd, is := Descriptor(path); is {
		if err := CheckInherited(fd, unix.O_RDONLY, "writing"); err != nil {
			return fail(err)
		}
		return target{path: path, stream: true}, nil
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := checkFolder(wholefile.Through(path)); err != nil {
			return fail(err)
		}
		return target{path: path}, nil
	case err != nil:
		return fail(err)
	case info.Mode().IsRegular():
		return target{path: path, mode: info.Mode().Perm()}, nil
	case info.Mode()&fs.ModeNamedPipe != 0 || isNull(info):
		return target{path: path, stream: true}, nil
	case info.IsDir():
		return fail(PathError{errors.New("it is a folder; name a file in it")})
	default:
		return fail(errors.New("it is not a file; name one")) // a device or a socket
	}
}

// isNull reports whether the file at a path is the null device, which takes all that is written to it.
func isNull(info fs.FileInfo) bool {
	null, err := os.Stat(os.DevNull)
	return err == nil && os.SameFile(info, null)
}

// checkFolder returns why no file can be created at path.
func checkFolder(path string) error {
	if os.IsPathSeparator(path[len(path)-1]) {
		return PathError{errors.New("it names a folder; name a file")}
	}
	folder := wholefile.Folder(path)
	info, err := os.Stat(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("the folder %s does not exist; create it first", folder)
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is not a folder", folder)
	}
	return nil
}

// writeDescriptor calls write with the file that descriptor fd has open, which is written from where it stands.
func writeDescriptor(ctx context.Context, fd int, write func(io.Writer) error) error {
	switch fd {
	case 1:
		return write(os.Stdout)
	case 2:
		return write(os.Stderr)
	}
	if err := CheckInherited(fd, unix.O_RDONLY, "writing"); err != nil {
		return err
	}
	file, err := openDescriptor(fd)
	return writeOpened(ctx, file, err, write)
}

// writeStream writes to a file that cannot be replaced.
func writeStream(ctx context.Context, path string, write func(io.Writer) error) error {
	if fd, is := Descriptor(path); is {
		return writeDescriptor(ctx, fd, write)
	}
	file, err := openStream(ctx, path)
	return writeOpened(ctx, file, err, write)
}

// writeOpened lets write write to a file that was opened, or not, and closes it.
func writeOpened(ctx context.Context, file *os.File, err error, write func(io.Writer) error) error {
	if err != nil {
		return err
	}
	// a file that is no pipe never waits
	defer context.AfterFunc(ctx, func() { _ = file.SetWriteDeadline(time.Unix(1, 0)) })()
	err = errors.Join(write(file), file.Close())
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return ctx.Err()
	}
	return err
}

// openStream opens a pipe when it has a reader, or a device.
func openStream(ctx context.Context, path string) (*os.File, error) {
	for {
		file, err := os.OpenFile(path, os.O_WRONLY|unix.O_NONBLOCK, 0)
		if !errors.Is(err, unix.ENXIO) {
			return file, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Files are some that appear together, when all are whole, see [wholefile.Set]. The zero Files is none.
type Files struct {
	set wholefile.Set
}

// Write lets write fill one more file at path, as
// [WriteFile] does. A pipe or a descriptor is written straight. Errors call it what.
func (f *Files) Write(ctx context.Context, path, what string, write func(io.Writer) error) error {
	return f.write(ctx, path, what, func(w io.Writer) error { return Compressed(w, path, write) })
}

func (f *Files) write(ctx context.Context, path, what string, fill func(io.Writer) error) error {
	target, err := inspect(what, path)
	if err != nil {
		return err
	}
	if target.stream {
		err = writeStream(ctx, path, fill)
	} else {
		err = f.set.Write(wholefile.Through(path), target.mode, fill)
	}
	if err != nil {
		return fmt.Errorf("cannot write %s to %s: %w", what, path, err)
	}
	return nil
}

// Place puts the files at their paths.
func (f *Files) Place() error {
	if err := f.set.Place(); err != nil {
		return fmt.Errorf("cannot put what was written in its place: %w", err)
	}
	return nil
}

// End removes the files that have no place.
func (f *Files) End() { f.set.End() }
