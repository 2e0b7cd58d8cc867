package columns

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// EachID calls f with the ids of a Parquet or Arrow file, integers or strings, and their rows. They
// are in the column id, or in the first column if none has that name. An error other than one of f
// has the path.
func EachID(path string, limit int64, f func(id string, row int) error) error {
	var own error
	row := 0
	err := eachID(path, NewMemory(limit), func(c *Column, v *Values, n int) error {
		for i := range n {
			if v.IsNull(i) {
				return fmt.Errorf("row %d (from 0): null is no id", row)
			}
			if own = f(string(v.AppendID(nil, c.Kind, i)), row); own != nil {
				return own
			}
			row++
		}
		return nil
	})
	if own != nil || err == nil {
		return own
	}
	return fmt.Errorf("%s: %w", path, err)
}

// eachID calls give with n values of the column of ids after another.
func eachID(path string, m *Memory, give func(c *Column, v *Values, n int) error) error {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	head := make([]byte, len(ArrowMagic))
	_, _ = in.ReadAt(head, 0) // a short file has none of the magics
	var r *Arrow
	switch {
	case bytes.HasPrefix(head, []byte(ParquetMagic)):
		return eachInParquet(in, info.Size(), m, give)
	case string(head) == ArrowMagic:
		r, err = OpenArrowFile(in, info.Size(), m)
	default:
		r, err = OpenArrow(bufio.NewReader(in), m)
	}
	if err != nil {
		return err
	}
	at, err := idColumn(r.Columns)
	if err != nil {
		return err
	}
	r.Pick([]int{at})
	var s Scratch
	for {
		b, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		v, err := b.Values(0, b.Rows, &s)
		if err == nil {
			err = give(&r.Columns[at], &v[0], b.Rows)
		}
		if b.Release(); err != nil {
			return err
		}
	}
}

func eachInParquet(in io.ReaderAt, size int64, m *Memory, give func(c *Column, v *Values, n int) error) error {
	file, err := OpenParquet(in, size, m)
	if err != nil {
		return err
	}
	at, err := idColumn(file.Columns)
	for i := 0; i < file.Groups() && err == nil; i++ {
		var rows *Rows
		if rows, err = file.Read(in, i, []int{at}); err != nil {
			return err
		}
		for err == nil {
			var v []Values
			var n int
			if v, n, err = rows.Next(1 << 12); err == nil {
				err = give(&file.Columns[at], &v[0], n)
			}
		}
		if rows.Close(); errors.Is(err, io.EOF) {
			err = nil
		}
	}
	return err
}

// idColumn returns the place of the column of ids.
func idColumn(list []Column) (int, error) {
	at := max(0, slices.IndexFunc(list, func(c Column) bool { return c.Name == "id" }))
	if len(list) == 0 {
		return 0, UnsupportedError("it has no columns")
	}
	if k := list[at].Kind; k == Float {
		return 0, UnsupportedError(fmt.Sprintf("column %q: floating-point numbers are no ids", list[at].Name))
	}
	return at, list[at].Check()
}
