// Package columns reads edges from the columns of Parquet and Arrow files.
package columns

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"strconv"

	"github.com/garaph/garaph/ingest/format"
	"github.com/garaph/garaph/ingest/read"
	cols "github.com/garaph/garaph/internal/columns"
	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/internal/results"
)

// Names of the formats.
const (
	Parquet read.FormatName = "parquet"
	Arrow   read.FormatName = "arrow"
	Arrows  read.FormatName = "arrows"
)

// Formats lists the formats of files with columns. Streams of Arrow IPC are read as files are.
var Formats = []*format.Format{
	{
		Name: Parquet, Doc: "Parquet, with columns of source, target and weight", Extensions: []string{".parquet", ".pq"},
		Detect: isParquet, Plan: planParquet, Input: format.Input{Table: format.TableColumns, Empty: true},
		Writer: &format.Writer{Content: tables, Columns: results.Parquet},
	},
	{
		Name: Arrows, Doc: "Arrow IPC, a stream", Extensions: []string{".arrows"},
		Writer: &format.Writer{Import: Arrow, Content: tables, Columns: results.Arrows},
	},
	{
		Name: Arrow, Doc: "Arrow IPC, a file (Feather 2)", Extensions: []string{".arrow", ".feather", ".ipc", ".arrows"},
		Detect: func(h *read.Head) bool { return isArrow(h.Bytes) },
		Plan:   planArrow, Input: format.Input{Table: format.TableColumns, Empty: true},
		Writer: &format.Writer{Content: tables, Columns: results.Arrow},
	},
}

var tables = format.Content{Parts: true, Binary: true}

// rowTask is a run of rows of an input, which one goroutine reads.
type rowTask interface {
	// read gives the rows to deliver, some at a time.
	read(r *rowReader, deliver func(v []cols.Values, n int) error) error
	// place is the i-th of these rows, for a user.
	place(i int64) string
}

// rowReader is the memory of one goroutine from task to task.
type rowReader struct {
	arrow cols.Scratch
	text  []byte // numbers as text, of the edges in the batch
}

// columnsError returns an error of a file of columns as one of this package.
func columnsError(name string, err error) error {
	var (
		memory      *cols.MemoryError
		unsupported cols.UnsupportedError
		damaged     *read.DamagedError // of a compressed stream
		path        *fs.PathError
	)
	switch {
	case errors.As(err, &damaged):
		return damaged
	case errors.As(err, &memory):
		const advice = "raise --memory, or write smaller pages or batches"
		return &read.InputError{
			File: name, Problem: err.Error(), Advice: advice, Err: fmt.Errorf("%w: %w", hostmem.ErrBudget, err),
		}
	case errors.As(err, &unsupported):
		return &read.InputError{File: name, Problem: err.Error(), Err: err}
	case errors.Is(err, cols.ErrDamaged) && !errors.As(err, &path):
		return &read.DamagedError{File: name, Problem: err.Error(), Err: err}
	}
	return &read.InputError{File: name, Problem: "cannot be read: " + read.PathCause(err), Err: err}
}

// rowBody makes edges of rows, for all formats of columns.
type rowBody struct {
	pickedColumns
	ids     read.IDKind
	weights read.WeightRule
	skipBad bool
}

// plan decides how the columns of an input are read.
func (t *rowBody) plan(p *read.Plan, o read.Options) {
	t.takeIDs(p, o)
	t.ids, t.weights, t.skipBad = p.Schema.IDs, o.Weights.Rule(), o.SkipBadLines
	p.Schema.Weighted, p.Schema.Columnar = len(t.at) == 3, true
}

// Parse delivers the edges of a task.
func (t *rowBody) Parse(b *read.Block, w *read.Parser) error {
	row := int64(0)
	if w.Scratch == nil {
		w.Scratch = new(rowReader)
	}
	return b.Rows.(rowTask).read(w.Scratch.(*rowReader), func(v []cols.Values, n int) error {
		for from := 0; from < n; {
			if w.Batch.N == w.Batch.Size() {
				if err := w.Batch.Flush(); err != nil {
					return err
				}
			}
			to := min(n, from+w.Batch.Size()-w.Batch.N)
			if err := t.edges(v, from, to, row, b, w); err != nil {
				return err
			}
			row += int64(to - from)
			from = to
		}
		if t.ids != read.IDString {
			return nil
		}
		return w.Batch.Flush() // names are in the rows
	})
}

// edges delivers rows from one up to another; the batch has room for them. row
// is the number of the first in the task.
func (t *rowBody) edges(v []cols.Values, from, to int, row int64, b *read.Block, w *read.Parser) error {
	if n := t.integers(v, from, to, w.Batch); n > 0 {
		w.Batch.N += n
		return nil
	}
	r := w.Scratch.(*rowReader)
	r.text = r.text[:0]
	for i := from; i < to; i++ {
		bad := t.edge(v, i, w)
		at := row + int64(i-from)
		if bad == nil {
			w.Batch.Add(&w.Edge, t.ids)
			continue
		}
		err := &read.SyntaxError{
			File: b.Plan.Name(), Row: b.Rows.(rowTask).place(at), Text: read.Shown(bad.Text), Expected: bad.Expected,
			Advice: bad.Advice,
		}
		if !t.skipBad {
			err.Advice = cmp.Or(err.Advice, read.AdviceSkip)
			return err
		}
		w.NoteBad(err, b)
	}
	return nil
}

// integers delivers rows of small integers, as most are. It returns 0 if there are others among them.
func (t *rowBody) integers(v []cols.Values, from, to int, batch *read.Batch) int {
	if t.ids == read.IDString || v[0].Ints == nil || v[1].Ints == nil || v[0].Null != nil || v[1].Null != nil {
		return 0
	}
	n := to - from
	src, dst := batch.Src[batch.N:][:n], batch.Dst[batch.N:][:n]
	most := uint64(math.MaxInt64)
	if t.ids == read.IDDense {
		most = read.MaxDense
	}
	top := uint64(0)
	targets := v[1].Ints[from:to]
	for i, x := range v[0].Ints[from:to] {
		src[i], dst[i] = uint64(x), uint64(targets[i])
		top = max(top, src[i], dst[i])
	}
	if top > most {
		return 0
	}
	if batch.Weight == nil {
		return n
	}
	weight := batch.Weight[batch.N:][:n]
	if v[2].Null != nil {
		return 0
	}
	good := true
	for i := range weight {
		var kind read.WeightKind
		weight[i], kind = t.weight(&v[2], from+i)
		good = good && kind == read.GoodWeight
	}
	if !good {
		return 0
	}
	return n
}

// weight returns the weight in a row.
func (t *rowBody) weight(v *cols.Values, i int) (float64, read.WeightKind) {
	switch t.list[2].Kind {
	case cols.Int:
		if v.Ints[i] < 0 {
			return 0, read.NegativeWeight
		}
		return t.weights.Integer(uint64(v.Ints[i]))
	case cols.Uint:
		return t.weights.Integer(uint64(v.Ints[i]))
	}
	return t.weights.Float(v.Floats[i])
}

// edge reads one row into w.edge. It returns nil when the row is good.
func (t *rowBody) edge(v []cols.Values, i int, w *read.Parser) *read.Bad {
	e := &w.Edge
	e.Count = 2
	for end := range 2 {
		if bad := t.id(end, &v[end], i, w); bad != nil {
			return bad
		}
	}
	if len(t.at) < 3 {
		return nil
	}
	if v[2].IsNull(i) {
		return &read.Bad{Expected: t.in(2, "a weight"), Advice: read.AdviceNoWeights}
	}
	var kind read.WeightKind
	e.Weight, kind = t.weight(&v[2], i)
	if e.Rounded = kind == read.RoundedWeight; !e.Rounded && kind != read.GoodWeight {
		return &read.Bad{Text: t.number(2, &v[2], i), Expected: t.in(2, kind.Expected()), Advice: read.AdviceNoWeights}
	}
	return nil
}

// in names a column.
func (t *rowBody) in(column int, expected string) string {
	return fmt.Sprintf("%s in column %q", expected, t.list[column].Name)
}

// number returns a number as text.
func (t *rowBody) number(column int, v *cols.Values, i int) []byte {
	if v.Floats != nil {
		return strconv.AppendFloat(nil, v.Floats[i], 'g', -1, 64)
	}
	return v.AppendID(nil, t.list[column].Kind, i)
}

// id reads the source or the target of a row.
func (t *rowBody) id(end int, v *cols.Values, i int, w *read.Parser) *read.Bad {
	if v.IsNull(i) {
		return &read.Bad{Expected: t.in(end, "an id")}
	}
	kind := t.list[end].Kind
	if kind == cols.Text {
		return t.textID(end, v.Text[i], &w.Edge)
	}
	var bits uint64
	if kind != cols.Float {
		bits = uint64(v.Ints[i])
	} else {
		most := float64(1<<53 - 1) // larger floats stand for several integers
		if t.list[end].Single {
			most = 1<<24 - 1
		}
		x := v.Floats[i]
		if x != math.Trunc(x) || math.Abs(x) > most {
			expected := t.in(end, fmt.Sprintf("an integer from -%.0f to %.0f", most, most))
			return &read.Bad{Text: t.number(end, v, i), Expected: expected, Advice: "write the column as integers or strings"}
		}
		bits, kind = uint64(int64(x)), cols.Int
	}
	negative := kind == cols.Int && int64(bits) < 0
	switch {
	case t.ids == read.IDString:
		r := w.Scratch.(*rowReader)
		at := len(r.text)
		if negative {
			r.text = strconv.AppendInt(r.text, int64(bits), 10)
		} else {
			r.text = strconv.AppendUint(r.text, bits, 10)
		}
		w.Edge.Names[end] = r.text[at:len(r.text):len(r.text)]
		return nil
	case t.ids == read.IDDense && bits > read.MaxDense:
		return t.notDense(end, t.number(end, v, i))
	}
	sign := read.PlainInteger
	switch {
	case negative:
		sign = read.NegativeInteger
	case bits > math.MaxInt64:
		sign = read.LargeInteger
	}
	w.Edge.IDs[end], w.Edge.Kinds[end] = bits, sign
	return nil
}

// notDense refuses an id that is not dense.
func (t *rowBody) notDense(end int, id []byte) *read.Bad {
	expected := t.in(end, fmt.Sprintf("a dense id from 0 to %d", uint64(read.MaxDense)))
	return &read.Bad{Text: id, Expected: expected, Advice: read.AdviceGaps}
}

// textID reads an id that is text in the file.
func (t *rowBody) textID(end int, name []byte, e *read.Edge) *read.Bad {
	if t.ids == read.IDString {
		if bad := read.CheckName(name); bad != nil {
			bad.Expected = t.in(end, bad.Expected)
			return bad
		}
		e.Names[end] = name
		return nil
	}
	id, kind := read.ParseInteger(bytes.TrimSpace(name))
	if len(name) == 0 {
		name = []byte(`""`)
	}
	switch {
	case kind == read.NotInteger || kind == read.HugeInteger:
		return &read.Bad{Text: name, Expected: t.in(end, "an integer of at most 64 bits"), Advice: read.AdviceStrings}
	case t.ids == read.IDDense && (kind != read.PlainInteger || id > read.MaxDense):
		return t.notDense(end, name)
	}
	e.IDs[end], e.Kinds[end] = id, kind
	return nil
}
