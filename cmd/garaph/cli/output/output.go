// Package output writes results and reports, to files that appear whole and to standard output.
package output

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/term"

	"github.com/garaph/garaph/cmd/garaph/cli/show"
	"github.com/garaph/garaph/internal/flags"
	"github.com/garaph/garaph/internal/results"
	"github.com/garaph/garaph/internal/wholefile"
	"github.com/garaph/garaph/store"
)

// Destination is the place to which a value of every vertex is written.
type Destination struct {
	Path   string // "" if there is none; "-": standard output
	Format results.Format
}

// New checks path and format, but not whether the file can be
// written. If the format is "", it follows from the name of the file; for standard
// Stdout, devices and pipes it is TSV by default.
func New(path, format string) (Destination, error) {
	if path == "" {
		return Destination{}, nil
	}
	stream := path == "-" || IsStream(path)
	var f results.Format
	var err error
	if format != "" {
		f, err = results.ParseFormat(format)
		suffix := filepath.Ext(path)
		if err == nil && (suffix == ".gz" || suffix == ".zst") && !strings.HasSuffix(string(f), suffix) {
			_, err = results.FormatOf("results." + format + suffix)
		}
	} else if f, err = results.FormatOf(path); err != nil && stream {
		f, err = results.TSV, nil
	}
	if err != nil {
		return Destination{}, flags.Usage(err)
	}
	if f == results.Arrow && stream {
		f = results.Arrows // a reader of a pipe cannot go back from a directory at its end
	}
	return Destination{path, f}, nil
}

// IsTerminal reports whether path leads to a terminal.
func (o *Stdout) IsTerminal(path string) bool {
	if path == "-" {
		return o.TTY()
	}
	fd, is := results.Descriptor(path)
	return is && term.IsTerminal(fd)
}

// IsStream reports whether a path names a device, a pipe or a file descriptor.
func IsStream(path string) bool {
	_, descriptor := results.Descriptor(path)
	info, err := os.Stat(path)
	return descriptor || err == nil && !info.Mode().IsRegular() && !info.IsDir()
}

// IsFolder reports whether a path names a folder.
func IsFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// CheckBeside returns, before a long job, the error with which writing to path would end. It leaves no file behind.
func CheckBeside(what, path string, inputs []string) error {
	if err := CheckNoInput(what, path, inputs); err != nil {
		return err
	}
	return results.CheckFile(what, path)
}

// CheckNoInput returns an error if path is an input of the run or lies in a graph.
func CheckNoInput(what, path string, inputs []string) error {
	there, err := os.Stat(path)
	for _, input := range inputs {
		if input == "-" {
			input = "/dev/stdin"
		}
		in, inErr := os.Stat(input)
		if err == nil && inErr == nil && there.Mode().IsRegular() && os.SameFile(in, there) {
			return fmt.Errorf("cannot write %s to %s: it is an input of this run; name another file", what, path)
		}
	}
	if graph := store.Around(RealName(path)); graph != "" {
		return fmt.Errorf("cannot write %s to %s: it lies inside the graph %s; name another file", what, path, graph)
	}
	return nil
}

// RealName returns the path to which links at path and above it lead.
func RealName(path string) string {
	path = wholefile.Through(path)
	folder, err := filepath.EvalSymlinks(wholefile.Folder(path))
	if err == nil {
		folder, err = filepath.Abs(folder)
	}
	if err == nil {
		path = filepath.Join(folder, filepath.Base(path))
	}
	return path
}

// SameName reports whether two paths lead to one file, other than the null device.
func SameName(a, b string) bool { return RealName(a) == RealName(b) && RealName(a) != os.DevNull }

// Write writes all rows, until ctx ends. ready gets a file that is whole before
// it takes its place.
func (d Destination) Write(ctx context.Context, t results.Table, stdout *Stdout, ready func(temporary string)) error {
	if stdout.IsTerminal(d.Path) {
		t = shown{t}
	}
	switch d.Path {
	case "":
		return nil
	case "-":
		return results.Write(results.Until(ctx, stdout), d.Format, t)
	default:
		return results.WriteFileReady(ctx, d.Path, d.Format, t, ready)
	}
}

// WriteWhole writes a file that appears under its name when it is whole and on
// disk, compressed as its name says. A file that is there is replaced only with force.
func WriteWhole(path string, force bool, write func(io.Writer) error) error {
	if there, err := os.Stat(path); err == nil && there.Mode().IsRegular() && !IsStream(path) && !force {
		return fmt.Errorf("write %s: it exists already; --force replaces it", path)
	}
	var files results.Files
	defer files.End()
	err := files.Write(context.Background(), path, "the file", func(w io.Writer) error {
		b := bufio.NewWriterSize(w, 1<<20)
		if err := write(b); err != nil {
			return err
		}
		return b.Flush()
	})
	if err != nil {
		return err
	}
	return files.Place()
}

// shown is a table for a terminal: names, which may come from a foreign graph, are escaped.
type shown struct{ results.Table }

func (s shown) Batches(yield func(*results.Batch) error) error {
	return s.Table.Batches(func(b *results.Batch) error {
		x := results.Batch{IDs: b.IDs, Columns: slices.Clone(b.Columns)}
		escape(&x.IDs)
		for i := range x.Columns {
			escape(&x.Columns[i].V)
		}
		return yield(&x)
	})
}

func escape(ids *results.IDs) {
	ids.Strings = slices.Clone(ids.Strings)
	for i, name := range ids.Strings {
		ids.Strings[i] = show.Printable(name)
	}
}

// ErrPipe is the error of standard output without a reader.
var ErrPipe = errors.New("standard output was closed")

// ErrOutput is the error of standard output that cannot be written, as on a full disk.
var ErrOutput = errors.New("write to standard output")

// Stdout is standard output. An error is ErrPipe if its reader has gone, and ErrOutput otherwise.
type Stdout struct{ w io.Writer }

// NewStdout returns the standard output w.
func NewStdout(w io.Writer) *Stdout { return &Stdout{w} }

// TTY reports whether it is a terminal.
func (o *Stdout) TTY() bool {
	f, ok := o.w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

func (o *Stdout) Write(b []byte) (int, error) {
	n, err := o.w.Write(b)
	if errors.Is(err, syscall.EPIPE) {
		return n, ErrPipe
	}
	if err != nil {
		err = fmt.Errorf("%w: %w", ErrOutput, err)
	}
	return n, err
}
