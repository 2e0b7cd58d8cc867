// Package columnread reads rows of files of columns, Parquet, Arrow and NumPy, one run of them after the other,
// within a bound of memory. For edges, which many goroutines read at once, package ingest has its own ways.
package columnread

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/garaph/garaph/internal/columnar"
	"github.com/garaph/garaph/internal/parquetread"
)

// ErrDamaged is the cause of errors of NumPy files that contradict themselves; the others have those of their readers.
var ErrDamaged = errors.New("the file is damaged")

// ErrUnsupported is the cause of errors of files that are well, but not read.
var ErrUnsupported = errors.New("this is not read")

// MemoryError: a part of the file takes more memory than there is for it.
type MemoryError struct {
	Bytes int64 // that are enough
	Err   error
}

func (e *MemoryError) Error() string { return e.Err.Error() }

// Unwrap returns what was too large.
func (e *MemoryError) Unwrap() error { return e.Err }

// Pick chooses columns, by their places.
type Pick func(columns []columnar.Column) ([]int, error)

// Rows are given some rows of the columns that were picked, and the number of the first one in the file. The values
// are valid until it returns.
type Rows func(first int64, n int, v []columnar.Values) error

// rowsAtOnce is how many rows are given together, at most.
const rowsAtOnce = 4096

// reader reads one file. An error of pick or rows is returned as it is; others have the name of the file.
type reader struct {
	in    *os.File
	size  int64
	limit int64 // of memory, about
	pick  Pick
	rows  Rows
	own   error // of pick or rows
}

// Parquet reads a Parquet file.
func Parquet(path string, limit int64, pick Pick, rows Rows) error {
	return read(path, limit, pick, rows, (*reader).parquet)
}

// Arrow reads an Arrow IPC file, or stream in a file.
func Arrow(path string, limit int64, pick Pick, rows Rows) error {
	return read(path, limit, pick, rows, (*reader).arrow)
}

// NPY reads a NumPy file of a structured array. A field NAME_null behind NAME says which values are none, and is no
// column.
func NPY(path string, limit int64, pick Pick, rows Rows) error {
	return read(path, limit, pick, rows, (*reader).npy)
}

func read(path string, limit int64, pick Pick, rows Rows, format func(*reader) error) error {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is no regular file, and this format is read at any place of one; save it as a file first", path)
	}
	r := &reader{in: in, size: info.Size(), limit: limit, pick: pick, rows: rows}
	if err := format(r); r.own == nil && err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return r.own
}

// picked calls pick, and remembers its error.
func (r *reader) picked(columns []columnar.Column) (at []int, err error) {
	at, r.own = r.pick(columns)
	return at, r.own
}

// give calls rows, and remembers its error.
func (r *reader) give(first int64, n int, v []columnar.Values) error {
	r.own = r.rows(first, n, v)
	return r.own
}

// parquet reads task by task.
func (r *reader) parquet() error {
	file, picked, err := parquetread.Open(r.in, r.size, r.limit, r.picked)
	if err != nil {
		return needed(err)
	}
	var x parquetread.Reader
	return needed(file.Tasks(r.in, picked, r.limit, func(t *parquetread.Task) error {
		x.Start(r.in, t)
		for first := t.FileRow; ; {
			v, n, err := x.Next(rowsAtOnce)
			if err == io.EOF {
				return nil
			}
			if err == nil {
				err = r.give(first, n, v)
			}
			if err != nil {
				return err
			}
			first += int64(n)
		}
	}))
}

// needed makes a [MemoryError] of that of Parquet files.
func needed(err error) error {
	var need *parquetread.NeedError
	if errors.As(err, &need) {
		return &MemoryError{need.Bytes, err}
	}
	return err
}
