package columns

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// EachID calls f with the ids of a Parquet or Arrow file, integers or strings, and their rows. They are in the column id, or in
// the first column if none has that name. An error other than one of f has the path.
func EachID(path string, limit int64, f func(id string, row int) error) error {
	var own error
	err := eachID(path, limit, func(id string, row int) error {
		own = f(id, row)
		return own
	})
	if own != nil || err == nil {
		return own
	}
	return fmt.Errorf("%s: %w", path, err)
}

func eachID(path string, limit int64, f func(id string, row int) error) error {
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
	_, _ = in.ReadAt(head, 0) // what is too short has none of the magics
	memory, row := NewMemory(limit), 0
	give := func(c *Column, v *Values, n int) error {
		for i := range n {
			if v.IsNull(i) {
				return fmt.Errorf("row %d (from 0): null is no id", row)
			}
			if err := f(string(v.AppendID(nil, c.Kind, i)), row); err != nil {
				return err
			}
			row++
		}
		return nil
	}
	if string(head[:len(ParquetMagic)]) == ParquetMagic {
		return eachInParquet(in, info.Size(), memory, give)
	}
	r, err := openArrowIn(in, info.Size(), string(head) == ArrowMagic, memory)
	if err != nil {
		return err
	}
	return r.eachID(give)
}

func eachInParquet(in *os.File, size int64, m *Memory, give func(c *Column, v *Values, n int) error) error {
	file, err := OpenParquet(in, size, m)
	if err != nil {
		return err
	}
	at, err := idColumn(file.Columns)
	for i := 0; i < file.Groups() && err == nil; i++ {
		err = file.eachOf(in, i, at, func(v *Values, n int) error { return give(&file.Columns[at], v, n) })
	}
	return err
}

// eachID calls give with the rows of the column of ids.
func (r *Arrow) eachID(give func(c *Column, v *Values, n int) error) error {
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

func openArrowIn(in *os.File, size int64, isFile bool, m *Memory) (*Arrow, error) {
	if isFile {
		return OpenArrowFile(in, size, m)
	}
	return OpenArrow(bufio.NewReader(in), m)
}

// eachOf calls give with the rows of one column of a row group.
func (f *Parquet) eachOf(in io.ReaderAt, group, column int, give func(v *Values, n int) error) error {
	rows, err := f.Read(in, group, []int{column})
	if err != nil {
		return err
	}
	defer rows.Close()
	for {
		v, n, err := rows.Next(1 << 12)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := give(&v[0], n); err != nil {
			return err
		}
	}
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
