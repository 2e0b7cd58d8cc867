package cli

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/garaph/garaph/internal/beneath"
	"github.com/garaph/garaph/internal/results"
	"github.com/garaph/garaph/internal/wholefile"
	"github.com/garaph/garaph/store"
)

// destination is where a value of every vertex is written to.
type destination struct {
	path   string // "": nowhere; "-": standard output
	format results.Format
}

// newDestination checks path and format, but not whether the file can be
// written. If the format is "", the name of the file decides it; for standard
// output, devices and pipes whose names do not, it is TSV.
func newDestination(path, format string) (destination, error) {
	var f results.Format
	var err error
	switch {
	case path == "":
		return destination{}, nil
	case format == "" && (path == "-" || isStream(path)):
		if f, err = results.FormatOf(path); err != nil {
			f, err = results.TSV, nil
		}
	case format == "":
		if f, err = results.FormatOf(path); err != nil && isFolder(path) {
			return destination{}, fmt.Errorf("cannot write the results to %s: %w", path, results.ErrIsFolder)
		}
	default:
		if f, err = results.ParseFormat(format); err == nil {
			err = fitting(path, f)
		}
	}
	if err != nil {
		return destination{}, usageError{err}
	}
	if f == results.Arrow && (path == "-" || isStream(path)) {
		f = results.Arrows // whoever reads a pipe cannot go back from a directory at its end
	}
	return destination{path, f}, nil
}

// outputOnce declares --output for a folder.
func outputOnce(fs *pflag.FlagSet, usage string) *string {
	f := newOnceFlag()
	fs.VarP(f, "output", "o", usage)
	return f.value
}

// outputFlag declares --output for a file, once.
func outputFlag(fs *pflag.FlagSet, value, usage string) *string {
	given := false
	parse := func(s string) (string, error) {
		if given {
			return "", errTwice(value)
		}
		if given = true; isStdout(s) {
			s = "-"
		}
		return s, nil
	}
	fs.VarP(&checked[string]{&value, "FILE", parse, func(s string) string { return s }, ""}, "output", "o", usage)
	return &value
}

// isStdout reports whether a path is that of standard output: /dev/stdout, /dev/fd/1.
func isStdout(path string) bool {
	fd, is := results.Descriptor(path)
	return is && fd == 1
}

// replacesStdout reports whether a path is that of the file to which standard output goes, which a new file would take
// the place of.
func replacesStdout(path string) bool {
	if _, is := results.Descriptor(path); is || path == "-" {
		return false
	}
	out, err := os.Stdout.Stat()
	there, thereErr := os.Stat(path)
	return err == nil && thereErr == nil && out.Mode().IsRegular() && os.SameFile(out, there)
}

// isTerminal reports whether what is written to a path goes to a terminal.
func (o *output) isTerminal(path string) bool {
	if path == "-" {
		return o.tty()
	}
	fd, is := results.Descriptor(path)
	return is && term.IsTerminal(fd)
}

// isStream reports whether a path is that of a device, a pipe or a file descriptor.
func isStream(path string) bool {
	if _, is := results.Descriptor(path); is {
		return true
	}
	info, err := os.Stat(path)
	return err == nil && !info.Mode().IsRegular() && !info.IsDir()
}

// fitting refuses a file that is named as compressed, for a format that is
// compressed otherwise or not at all.
func fitting(path string, f results.Format) error {
	for _, suffix := range []string{".gz", ".zst"} {
		if !strings.HasSuffix(path, suffix) || strings.HasSuffix(string(f), suffix) {
			continue
		}
		if _, err := results.FormatOf("results." + string(f) + suffix); err != nil {
			return fmt.Errorf("--output-format %s does not fit the name %s: change one of them", f, path)
		}
	}
	return nil
}

// check reports what would keep the results from being written. It is called
// before the job.
func (d destination) check(inputs []string) error {
	if d.path == "" || d.path == "-" {
		return nil
	}
	if err := checkNoInput("the results", d.path, inputs); err != nil {
		return err
	}
	return results.CheckWritable(d.path)
}

// checkTerminal refuses to write what people cannot read to a terminal.
func (d destination) checkTerminal(stdout *output) error {
	switch {
	case !d.format.Binary() || !stdout.isTerminal(d.path):
		return nil
	case d.path != "-":
		return Usagef("results as %s are binary, and %s is a terminal: name a file with --output, or choose --output-format tsv", d.format, d.path)
	}
	return Usagef("results as %s are binary, and standard output is a terminal: "+
		"name a file with --output, send standard output to a file or pipe, or choose --output-format tsv", d.format)
}

// checkNoInput refuses to write over what a run reads, and into any graph. Files
// and folders are compared as such, and not by their names: links and mounts give
// them others.
func checkNoInput(what, path string, inputs []string) error {
	if there, err := os.Stat(path); err == nil && there.Mode().IsRegular() {
		for _, input := range inputs {
			if input == "-" {
				input = "/dev/stdin"
			}
			if in, err := os.Stat(input); err == nil && os.SameFile(in, there) {
				return fmt.Errorf("cannot write %s to %s: it is an input of this run; name another file", what, path)
			}
		}
	}
	path, named := wholefile.Through(path), path
	graph := store.Around(path)
	for _, input := range inputs {
		if inside(path, input) {
			graph = input // as the user named it
		}
	}
	if graph != "" {
		return fmt.Errorf("cannot write %s to %s: it lies inside the graph %s; name another file", what, named, graph)
	}
	return nil
}

// inside reports whether a file lies, or would, in a folder or in one below it.
func inside(path, folder string) bool {
	if !isFolder(folder) {
		return false
	}
	var folders []fs.FileInfo
	_ = filepath.WalkDir(filepath.Clean(folder)+"/.", func(_ string, e fs.DirEntry, err error) error { // what cannot be read is not written to
		if err == nil && e.IsDir() {
			if info, err := e.Info(); err == nil {
				folders = append(folders, info)
			}
		}
		return nil
	})
	for _, there := range beneath.Above(path) {
		if slices.ContainsFunc(folders, func(f fs.FileInfo) bool { return os.SameFile(f, there) }) {
			return true
		}
	}
	return false
}

// sameName reports whether two paths are one name in one folder, or links lead from them to one, or they are one file descriptor.
// The null device takes all that is written to it.
func sameName(a, b string) bool {
	if there, err := os.Stat(a); err == nil && results.IsNull(there) {
		return false
	}
	fdA, isA := results.Descriptor(a)
	if fdB, isB := results.Descriptor(b); isA && isB && fdA == fdB {
		return true
	}
	a, b = wholefile.Through(a), wholefile.Through(b)
	if filepath.Base(a) != filepath.Base(b) {
		return false
	}
	for _, inA := range beneath.Above(a) {
		for _, inB := range beneath.Above(b) {
			return os.SameFile(inA, inB)
		}
	}
	return false
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// text is where the results go, for a log.
func (d destination) text() string {
	switch d.path {
	case "":
		return ""
	case "-":
		return ", whose results go to standard output"
	default:
		return ", whose results go to " + strconv.Quote(d.path)
	}
}

// write writes all rows, until ctx ends. ready gets a file that is whole before
// it takes its place.
func (d destination) write(ctx context.Context, t results.Table, stdout *output, ready func(temporary string)) error {
	t = cancellable{t, ctx}
	if stdout.isTerminal(d.path) {
		t = shown{t}
	}
	switch d.path {
	case "":
		return nil
	case "-":
		return results.Write(stdout, d.format, t)
	default:
		return results.WriteFileReady(ctx, d.path, d.format, t, ready)
	}
}

// shown is a table for a terminal: what its names have that one acts upon is escaped. They
// may be of a graph from anybody.
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
		ids.Strings[i] = printable(name)
	}
}

// cancellable is a table whose rows end with its context.
type cancellable struct {
	results.Table
	ctx context.Context
}

func (c cancellable) Batches(yield func(*results.Batch) error) error {
	return c.Table.Batches(func(b *results.Batch) error {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		return yield(b)
	})
}

func (c cancellable) Filler() results.Fill {
	fill := c.Table.Filler()
	if fill == nil {
		return nil
	}
	return func(b *results.Batch, from, to int64) error {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		return fill(b, from, to)
	}
}

func (c cancellable) Vertices(i int, yield func([]uint32) error) error {
	return c.Table.Vertices(i, func(values []uint32) error {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		return yield(values)
	})
}

func (c cancellable) IDsOf(n int, vertex func(i int) uint32, yield func(from int, ids *results.IDs) error) error {
	return c.Table.IDsOf(n, vertex, func(from int, ids *results.IDs) error {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		return yield(from, ids)
	})
}
