package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/garaph/garaph/internal/flags"
	"github.com/garaph/garaph/internal/results"
	"github.com/garaph/garaph/internal/wholefile"
	"github.com/garaph/garaph/store"
)

// destination is the place to which a value of every vertex is written.
type destination struct {
	path   string // "": none; "-": standard output
	format results.Format
}

// newDestination checks path and format, but not whether the file can be
// written. If the format is "", it follows from the name of the file; for standard
// output, devices and pipes it is TSV by default.
func newDestination(path, format string) (destination, error) {
	if path == "" {
		return destination{}, nil
	}
	stream := path == "-" || isStream(path)
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
		return destination{}, flags.Usage(err)
	}
	if f == results.Arrow && stream {
		f = results.Arrows // a reader of a pipe cannot go back from a directory at its end
	}
	return destination{path, f}, nil
}

// outputFlag declares --output.
func outputFlag(fs *pflag.FlagSet, value, usage string) *string {
	return fs.StringP("output", "o", value, usage)
}

// formatFlag declares --output-format.
func formatFlag(fs *pflag.FlagSet) *string {
	check := func(s string) error {
		_, err := results.ParseFormat(s)
		return err
	}
	return flags.Text(fs, "output-format", "FORMAT", check,
		"tsv, csv, ndjson (each also with .gz or .zst), parquet, arrow (- and pipes: a stream), arrows (a stream) or npy (default by the name of the file, tsv for -, devices and pipes)")
}

// isTerminal reports whether path leads to a terminal.
func (o *output) isTerminal(path string) bool {
	if path == "-" {
		return o.tty()
	}
	fd, is := results.Descriptor(path)
	return is && term.IsTerminal(fd)
}

// isStream reports whether a path is that of a device, a pipe or a file descriptor.
func isStream(path string) bool {
	_, descriptor := results.Descriptor(path)
	info, err := os.Stat(path)
	return descriptor || err == nil && !info.Mode().IsRegular() && !info.IsDir()
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// destination returns the destination of results, and reports, before the job, the error that writing there
// would end with.
func (a *app) destination(path, format string, inputs []string) (destination, error) {
	d, err := newDestination(path, format)
	if err == nil && d.format.Binary() && a.stdout.isTerminal(path) {
		err = Usagef("results as %s are binary, and they would go to a terminal: name a file with --output, or choose --output-format tsv", d.format)
	}
	if err == nil && path != "" && path != "-" {
		err = checkBeside("the results", path, inputs)
	}
	return d, err
}

// checkBeside reports, before what takes long, the error that writing to path would end with. It leaves nothing behind.
func checkBeside(what, path string, inputs []string) error {
	if err := checkNoInput(what, path, inputs); err != nil {
		return err
	}
	return results.CheckFile(what, path)
}

// checkNoInput refuses to write over what a run reads, and into any graph.
func checkNoInput(what, path string, inputs []string) error {
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
	if graph := store.Around(realName(path)); graph != "" {
		return fmt.Errorf("cannot write %s to %s: it lies inside the graph %s; name another file", what, path, graph)
	}
	return nil
}

// realName returns the path to which links at path and above it lead.
func realName(path string) string {
	path = wholefile.Through(path)
	if folder, err := filepath.EvalSymlinks(wholefile.Folder(path)); err == nil {
		path = filepath.Join(absolute(folder), filepath.Base(path))
	}
	return path
}

// sameName reports whether two paths lead to one file, other than the null device.
func sameName(a, b string) bool { return realName(a) == realName(b) && realName(a) != os.DevNull }

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

// writeWhole writes a file that appears under its name when it is whole and on
// disk, compressed as its name says. A file that is there is replaced only with force.
func writeWhole(path string, force bool, write func(io.Writer) error) error {
	if there, err := os.Stat(path); err == nil && there.Mode().IsRegular() && !isStream(path) && !force {
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

func (c cancellable) Numbers(i int, from, to int64, yield func(*results.Values) error) error {
	return c.Table.Numbers(i, from, to, func(v *results.Values) error {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		return yield(v)
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
