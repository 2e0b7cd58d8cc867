package ingest

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"strconv"

	cols "github.com/garaph/garaph/internal/columns"
	"github.com/garaph/garaph/internal/hostmem"
)

// columnsFormats are those of files with columns.
var columnsFormats = []*EdgeFormat{
	{
		Name: Parquet, Extensions: []string{".parquet", ".pq"}, Plan: planParquet, Detect: isParquet,
		Input: Input{Table: TableColumns, Empty: true},
	},
	{
		Name: Arrow, Extensions: []string{".arrow", ".feather", ".ipc", ".arrows"}, Plan: planArrow,
		Detect: func(h *inputHead) bool { return isArrow(h.bytes) },
		Input:  Input{Table: TableColumns, Empty: true},
	},
}

// rowTask is a run of rows of an input, which one goroutine reads.
type rowTask interface {
	// read gives the rows to deliver, some at a time.
	read(r *rowReader, deliver func(v []cols.Values, n int) error) error
	// place is the i-th of these rows, for a user.
	place(i int64) string
}

// rowReader is what one goroutine keeps from task to task.
type rowReader struct {
	arrow cols.Scratch
	text  []byte // numbers as text, of the edges in the batch
}

// columnsError is an error of a file of columns as one of this package.
func columnsError(name string, err error) error {
	var (
		memory      *cols.MemoryError
		unsupported cols.UnsupportedError
		damaged     *DamagedError // of a compressed stream
		path        *fs.PathError
	)
	switch {
	case errors.As(err, &damaged):
		return damaged
	case errors.As(err, &memory):
		return &InputError{File: name, Problem: err.Error(), Advice: "raise --memory, or write smaller pages or batches", Err: fmt.Errorf("%w: %w", hostmem.ErrBudget, err)}
	case errors.As(err, &unsupported):
		return &InputError{File: name, Problem: err.Error(), Err: err}
	case errors.Is(err, cols.ErrDamaged) && !errors.As(err, &path):
		return &DamagedError{File: name, Problem: err.Error(), Err: err}
	}
	return &InputError{File: name, Problem: "cannot be read: " + pathCause(err), Err: err}
}

// sameColumns refuses a file that does not have the columns of its plan any more.
func (t *rowBody) sameColumns(name string, list []cols.Column) error {
	for i, c := range t.at {
		if c >= len(list) || list[c] != t.list[i] {
			return &DamagedError{File: name, Problem: "was replaced while it was being read"}
		}
	}
	return nil
}

// rowBody makes edges of rows: the part that formats of columns have in common.
type rowBody struct {
	pickedColumns
	ids     IDKind
	weights weightRule
	skipBad bool
}

// planRows decides what becomes of the columns of an input.
func (t *rowBody) plan(p *inputPlan, o ReadOptions) {
	t.takeIDs(p, o)
	t.ids, t.weights, t.skipBad = p.schema.IDs, o.Weights.rule(), o.SkipBadLines
	p.schema.Weighted, p.schema.Columnar = len(t.at) == 3, true
}

// parse delivers the edges of a task.
func (t *rowBody) parse(b *readBlock, w *parseWorker) error {
	row := int64(0)
	if w.scratch == nil {
		w.scratch = new(rowReader)
	}
	return b.rows.(rowTask).read(w.scratch.(*rowReader), func(v []cols.Values, n int) error {
		for from := 0; from < n; {
			if w.batch.n == w.batch.size() {
				if err := w.batch.flush(); err != nil {
					return err
				}
			}
			to := min(n, from+w.batch.size()-w.batch.n)
			if err := t.edges(v, from, to, row, b, w); err != nil {
				return err
			}
			row += int64(to - from)
			from = to
		}
		if t.ids != IDString {
			return nil
		}
		return w.batch.flush() // names are in the rows
	})
}

// edges delivers rows from one up to another; the batch has room for them. row
// is the number of the first in the task.
func (t *rowBody) edges(v []cols.Values, from, to int, row int64, b *readBlock, w *parseWorker) error {
	if n := t.integers(v, from, to, w.batch); n > 0 {
		w.batch.n += n
		return nil
	}
	r := w.scratch.(*rowReader)
	r.text = r.text[:0]
	for i := from; i < to; i++ {
		bad := t.edge(v, i, w)
		at := row + int64(i-from)
		if bad == nil {
			t.noteSigns(b, at, w)
			w.batch.add(&w.edge, t.ids)
			continue
		}
		err := &SyntaxError{File: b.plan.name(), Row: b.rows.(rowTask).place(at), Text: shown(bad.text), Expected: bad.expected, Advice: bad.advice}
		if !t.skipBad {
			err.Advice = withSkipAdvice(err.Advice)
			return err
		}
		w.noteBad(err, b)
	}
	return nil
}

// integers delivers rows of small integers, as most are; 0: there are others among them.
func (t *rowBody) integers(v []cols.Values, from, to int, batch *edgeBatch) int {
	if t.ids == IDString || v[0].Ints == nil || v[1].Ints == nil || v[0].Null != nil || v[1].Null != nil {
		return 0
	}
	n := to - from
	src, dst := batch.src[batch.n:][:n], batch.dst[batch.n:][:n]
	most := uint64(math.MaxInt64)
	if t.ids == IDDense {
		most = maxDense
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
	if batch.weight == nil {
		return n
	}
	weight := batch.weight[batch.n:][:n]
	if v[2].Null != nil {
		return 0
	}
	good := true
	for i := range weight {
		var kind weightKind
		weight[i], kind = t.weight(&v[2], from+i)
		good = good && kind == goodWeight
	}
	if !good {
		return 0
	}
	return n
}

// weight is the weight in a row.
func (t *rowBody) weight(v *cols.Values, i int) (float64, weightKind) {
	switch t.list[2].Kind {
	case cols.Int:
		if v.Ints[i] < 0 {
			return 0, negativeWeight
		}
		return t.weights.integer(uint64(v.Ints[i]))
	case cols.Uint:
		return t.weights.integer(uint64(v.Ints[i]))
	}
	return t.weights.float(v.Floats[i])
}

// edge reads one row into w.edge. It returns nil when the row is good.
func (t *rowBody) edge(v []cols.Values, i int, w *parseWorker) *badLine {
	e := &w.edge
	e.count = 2
	for end := range 2 {
		if bad := t.id(end, &v[end], i, w); bad != nil {
			return bad
		}
	}
	if len(t.at) < 3 {
		return nil
	}
	if v[2].IsNull(i) {
		return &badLine{expected: t.in(2, "a weight"), advice: adviceNoWeights}
	}
	var kind weightKind
	e.weight, kind = t.weight(&v[2], i)
	if e.rounded = kind == roundedWeight; !e.rounded && kind != goodWeight {
		return &badLine{text: t.number(2, &v[2], i), expected: t.in(2, kind.expected()), advice: adviceNoWeights}
	}
	return nil
}

// in names a column.
func (t *rowBody) in(column int, expected string) string {
	return fmt.Sprintf("%s in column %q", expected, t.list[column].Name)
}

// number is a number as text.
func (t *rowBody) number(column int, v *cols.Values, i int) []byte {
	if v.Floats != nil {
		return strconv.AppendFloat(nil, v.Floats[i], 'g', -1, 64)
	}
	return v.AppendID(nil, t.list[column].Kind, i)
}

// id reads the source or the target of a row.
func (t *rowBody) id(end int, v *cols.Values, i int, w *parseWorker) *badLine {
	if v.IsNull(i) {
		return &badLine{expected: t.in(end, "an id")}
	}
	kind := t.list[end].Kind
	if kind == cols.Text {
		return t.textID(end, v.Text[i], &w.edge)
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
			return &badLine{text: t.number(end, v, i), expected: t.in(end, fmt.Sprintf("an integer from -%.0f to %.0f", most, most)), advice: "write the column as integers or strings"}
		}
		bits, kind = uint64(int64(x)), cols.Int
	}
	negative := kind == cols.Int && int64(bits) < 0
	switch {
	case t.ids == IDString:
		r := w.scratch.(*rowReader)
		at := len(r.text)
		if negative {
			r.text = strconv.AppendInt(r.text, int64(bits), 10)
		} else {
			r.text = strconv.AppendUint(r.text, bits, 10)
		}
		w.edge.names[end] = r.text[at:len(r.text):len(r.text)]
		return nil
	case t.ids == IDDense && bits > maxDense:
		return &badLine{text: t.number(end, v, i), expected: t.in(end, fmt.Sprintf("a dense id from 0 to %d", uint64(maxDense))), advice: "use --ids int for ids that are not dense"}
	}
	sign := plainInteger
	switch {
	case negative:
		sign = negativeInteger
	case bits > math.MaxInt64:
		sign = largeInteger
	}
	w.edge.ids[end], w.edge.kinds[end] = bits, sign
	return nil
}

// textID reads an id that is text in the file.
func (t *rowBody) textID(end int, name []byte, e *lineEdge) *badLine {
	if t.ids == IDString {
		if bad := checkName(name); bad != nil {
			bad.expected = t.in(end, bad.expected)
			return bad
		}
		e.names[end] = name
		return nil
	}
	id, kind := parseInteger(bytes.TrimSpace(name))
	if len(name) == 0 {
		name = []byte(`""`)
	}
	switch {
	case kind == notInteger || kind == hugeInteger:
		return &badLine{text: name, expected: t.in(end, "an integer of at most 64 bits"), advice: adviceStrings}
	case t.ids == IDDense && (kind != plainInteger || id > maxDense):
		return &badLine{text: name, expected: t.in(end, fmt.Sprintf("a dense id from 0 to %d", uint64(maxDense))), advice: "use --ids int for ids that are not dense"}
	}
	e.ids[end], e.kinds[end] = id, kind
	return nil
}

// noteSigns remembers where the first negative id of a task is, and the first above MaxInt64.
func (t *rowBody) noteSigns(b *readBlock, row int64, w *parseWorker) {
	if t.ids == IDInt && w.edge.kinds[0]|w.edge.kinds[1] != plainInteger {
		w.noteSignsAt(&w.edge, b, b.rows.(rowTask).place(row))
	}
}
