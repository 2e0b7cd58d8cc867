package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/garaph/garaph/internal/columnar"
	"github.com/garaph/garaph/internal/columnread"
	"github.com/garaph/garaph/internal/results"
)

// columnReader reads a file of columns.
type columnReader func(path string, limit int64, pick columnread.Pick, rows columnread.Rows) error

// columnReaderOf is the reader of a format of columns; nil of text.
func columnReaderOf(f results.Format) columnReader {
	switch f {
	case results.Parquet:
		return columnread.Parquet
	case results.Arrow, results.Arrows:
		return columnread.Arrow
	case results.NPY:
		return columnread.NPY
	}
	return nil
}

// resultsShare is the part of the budget that rows of columns may take while vertices are chosen, as its inverse.
const resultsShare = 4

// columnar reads a file of columns. Cells are compared as they stand in csv, so that a condition takes the same
// vertices in every format.
func (r *resultRows) columnar(ctx context.Context, read columnReader, memory int64) error {
	var columns []columnar.Column // those that are read, the first of them the id
	pick := func(list []columnar.Column) ([]int, error) {
		picked, err := r.pick(list)
		for _, i := range picked {
			columns = append(columns, list[i])
		}
		return picked, err
	}
	var buf []byte
	err := read(r.path, memory/resultsShare, pick, func(first int64, n int, v []columnar.Values) error {
		for i := range n {
			row := int(first) + i
			if v[0].IsNull(i) {
				return fmt.Errorf("%s: the row has no id", placeOfRow(r.path, row))
			}
			holds := true
			for k := 0; k < len(r.where) && holds; k++ {
				at := r.at[k]
				buf = appendCell(buf[:0], &columns[at], &v[at], i)
				holds = !v[at].IsNull(i) && r.where[k].holds(string(buf))
			}
			if !holds {
				continue
			}
			buf = appendCell(buf[:0], &columns[0], &v[0], i)
			if err := r.found(string(buf), row); err != nil {
				return err
			}
		}
		return ctx.Err()
	})
	var need *columnread.MemoryError
	if errors.As(err, &need) {
		return fmt.Errorf("%w; --memory %dMiB is enough for that", err, need.Bytes*resultsShare>>20+1)
	}
	return err
}

// pick chooses the column of the ids, which comes first, and those of the conditions. at are their places among
// those that were chosen.
func (r *resultRows) pick(list []columnar.Column) ([]int, error) {
	var names []string
	for _, c := range list {
		names = append(names, c.Name)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s has no columns", r.path)
	}
	if err := r.columns(names, len(names)); err != nil {
		return nil, err
	}
	picked := []int{r.id}
	for i, at := range r.at {
		place := slices.Index(picked, at)
		if place < 0 {
			place, picked = len(picked), append(picked, at)
		}
		r.at[i] = place
	}
	for _, i := range picked {
		switch c := list[i]; {
		case i == r.id && c.Kind != columnar.Int && c.Kind != columnar.Uint && c.Kind != columnar.Text:
			return nil, fmt.Errorf("%s: column %q is of type %s: expected ids, integers or strings", r.path, c.Name, c.Type)
		case c.Kind == columnar.None:
			return nil, fmt.Errorf("%s: column %q is of type %s, of which no value is read", r.path, c.Name, c.Type)
		}
	}
	return picked, nil
}

// placeOfRow is where a row is in a file of columns, which has no lines.
func placeOfRow(path string, row int) string {
	return fmt.Sprintf("%s, row %d (from 0)", path, row)
}

// appendCell appends a value as it is in csv.
func appendCell(dst []byte, c *columnar.Column, v *columnar.Values, i int) []byte {
	switch c.Kind {
	case columnar.Text:
		return append(dst, v.Text.At(i)...)
	case columnar.Float:
		return appendFloat(dst, v.Floats[i], c.Type == "float")
	}
	return columnar.AppendInteger(dst, c.Kind, v.Ints[i])
}

// appendFloat appends the fewest digits that give the same float, of 32 bits where it is single.
func appendFloat(dst []byte, x float64, single bool) []byte {
	switch {
	case math.IsNaN(x):
		return append(dst, "nan"...)
	case math.IsInf(x, 1):
		return append(dst, "inf"...)
	case math.IsInf(x, -1):
		return append(dst, "-inf"...)
	case single:
		return strconv.AppendFloat(dst, x, 'g', -1, 32)
	}
	return strconv.AppendFloat(dst, x, 'g', -1, 64)
}
