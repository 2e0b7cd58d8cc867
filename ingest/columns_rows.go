package ingest

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"strconv"
	"sync/atomic"

	"golang.org/x/sync/semaphore"

	"github.com/garaph/garaph/internal/arrowipc"
	"github.com/garaph/garaph/internal/columnar"
	"github.com/garaph/garaph/internal/parquetread"
)

// rowFeeder is a body that cuts its input into tasks by itself, in place of blocks.
type rowFeeder interface {
	feedRows(f *blockFeed, plan *inputPlan) error
}

// rowTask is a run of rows of an input, which one goroutine reads.
type rowTask interface {
	// read gives the rows to deliver, some at a time.
	read(r *rowReader, deliver func(v []columnar.Values, n int) error) error
	// place is the i-th of these rows, for a user.
	place(i int64) string
	need() int64 // bytes of memory
}

// rowReader is what one goroutine keeps from task to task.
type rowReader struct {
	parquet parquetread.Reader
	arrow   arrowipc.Scratch
	text    []byte // numbers as text, of the edges in the batch
}

// defaultRowBytes is the memory for rows that are being read where nobody says.
const defaultRowBytes = 256 << 20

// rowMemory bounds what tasks take at once. A part of it is set aside for what
// goroutines keep between two tasks.
type rowMemory struct {
	limit  int64 // of a task
	kept   int64 // of what a goroutine keeps
	footer int64 // of the bytes of a directory
	free   *semaphore.Weighted
}

func newRowMemory(o ReadOptions) *rowMemory {
	m := &rowMemory{limit: int64(float64(o.RowBytes) / taskShare), kept: o.RowBytes / 4 / int64(o.Threads), footer: o.RowBytes / footerShare}
	m.free = semaphore.NewWeighted(m.limit)
	return m
}

// tooLarge is the error of a part of a file that takes so many bytes, more than a
// part of the memory for rows.
func tooLarge(name string, err error, bytes int64, share float64) error {
	e := &InputError{File: name, Problem: err.Error(), Advice: "write it in smaller pages", Err: fmt.Errorf("%w: %w", ErrMemory, err)}
	if total := float64(bytes) * share * rowShare; total <= maxRowBytes*rowShare {
		e.Advice = fmt.Sprintf("--memory %dMiB is enough, or write it in smaller pages", int64(total)>>20+1)
	}
	return e
}

// hold waits until there is memory for a task, and returns what gives it back.
func (m *rowMemory) hold(ctx context.Context, bytes int64) (func(), error) {
	if err := m.free.Acquire(ctx, bytes); err != nil {
		return nil, context.Cause(ctx)
	}
	return func() { m.free.Release(bytes) }, nil
}

// shared is a file that several goroutines read, and that the last one closes.
type shared struct {
	readerAtCloser
	users atomic.Int64
}

func (s *shared) use() { s.users.Add(1) }

func (s *shared) done() {
	if s.users.Add(-1) == 0 {
		_ = s.Close() // it was only read
	}
}

// rowBody makes edges of rows: the part that formats of columns have in common.
type rowBody struct {
	pickedColumns
	ids     IDKind
	skipBad bool
}

// planRows decides what becomes of the columns of an input.
func (t *rowBody) plan(p *inputPlan, o ReadOptions) {
	t.ids, t.skipBad = t.idKind(p.name(), o), o.SkipBadLines
	p.schema.IDs, p.schema.Weighted = t.ids, len(t.at) == 3
	p.schema.Base = baseOf(p.schema.Format, t.ids)
}

// parse delivers the edges of a task.
func (t *rowBody) parse(b *readBlock, w *parseWorker) error {
	row := int64(0)
	err := b.rows.read(&w.rows, func(v []columnar.Values, n int) error {
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
	if b.rows.need() > w.pipeline.memory.kept {
		w.rows.parquet.Free()
	}
	return err
}

// edges delivers rows from one up to another; the batch has room for them. row
// is the number of the first in the task.
func (t *rowBody) edges(v []columnar.Values, from, to int, row int64, b *readBlock, w *parseWorker) error {
	if n := t.integers(v, from, to, w.batch); n > 0 {
		w.batch.n += n
		return nil
	}
	w.rows.text = w.rows.text[:0]
	for i := from; i < to; i++ {
		bad := t.edge(v, i, w)
		at := row + int64(i-from)
		if bad == nil {
			t.noteSigns(b, at, w)
			w.batch.add(&w.edge, t.ids)
			continue
		}
		err := &SyntaxError{File: b.plan.name(), Row: b.rows.place(at), Text: shown(bad.text), Expected: bad.expected, Advice: bad.advice}
		if !t.skipBad {
			err.Advice = withSkipAdvice(err.Advice)
			return err
		}
		w.noteBad(err, b)
	}
	return nil
}

// integers delivers rows of small integers, as most are; 0: there are others among them.
func (t *rowBody) integers(v []columnar.Values, from, to int, batch *edgeBatch) int {
	if t.ids == IDString || v[0].Ints == nil || v[1].Ints == nil || v[0].Null != nil || v[1].Null != nil {
		return 0
	}
	n := to - from
	src, dst := batch.src[batch.n:][:n], batch.dst[batch.n:][:n]
	copy(src, v[0].Ints[from:to])
	copy(dst, v[1].Ints[from:to])
	most := uint64(math.MaxInt64)
	if t.ids == IDDense {
		most = maxDense
	}
	top := uint64(0)
	for i, u := range src {
		top = max(top, u, dst[i])
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

// weight is the weight in a row, rounded.
func (t *rowBody) weight(v *columnar.Values, i int) (float32, weightKind) {
	switch t.kinds[2] {
	case columnar.Int:
		x := int64(v.Ints[i])
		if x < 0 {
			return 0, negativeWeight
		}
		return float32(x), goodWeight
	case columnar.Uint:
		return float32(v.Ints[i]), goodWeight
	}
	return float32(v.Floats[i]) + 0, kindOfWeight(v.Floats[i]) // a negative zero becomes a plain one
}

// edge reads one row into w.edge. It returns nil when the row is good.
func (t *rowBody) edge(v []columnar.Values, i int, w *parseWorker) *badLine {
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
	if e.weight, kind = t.weight(&v[2], i); kind != goodWeight {
		return &badLine{text: t.number(nil, 2, &v[2], i), expected: t.in(2, kind.expected()), advice: adviceNoWeights}
	}
	return nil
}

// in names a column.
func (t *rowBody) in(column int, expected string) string {
	return fmt.Sprintf("%s in column %q", expected, t.names[column])
}

// number is a number as text.
func (t *rowBody) number(dst []byte, column int, v *columnar.Values, i int) []byte {
	if v.Floats != nil {
		return strconv.AppendFloat(dst, v.Floats[i], 'g', -1, 64)
	}
	return columnar.AppendInteger(dst, t.kinds[column], v.Ints[i])
}

// id reads the source or the target of a row.
func (t *rowBody) id(end int, v *columnar.Values, i int, w *parseWorker) *badLine {
	if v.IsNull(i) {
		return &badLine{expected: t.in(end, "an id")}
	}
	if t.kinds[end] == columnar.Text {
		return t.textID(end, v.Text.At(i), &w.edge)
	}
	var bits uint64
	var negative bool
	if v.Floats != nil {
		x := v.Floats[i]
		if most := t.exact[end]; x != math.Trunc(x) || math.Abs(x) > most {
			return &badLine{
				text:     t.number(nil, end, v, i),
				expected: t.in(end, fmt.Sprintf("an integer as id, up to %.0f in a column of floating-point numbers, of which larger ones stand for several integers,", most)),
				advice:   "write the column as integers or strings",
			}
		}
		bits, negative = uint64(int64(x)), x < 0
	} else {
		bits = v.Ints[i]
		negative = t.kinds[end] == columnar.Int && int64(bits) < 0
	}
	switch {
	case t.ids == IDString:
		at, kind := len(w.rows.text), columnar.Uint
		if negative {
			kind = columnar.Int
		}
		w.rows.text = columnar.AppendInteger(w.rows.text, kind, bits)
		w.edge.names[end] = w.rows.text[at:len(w.rows.text):len(w.rows.text)]
		return nil
	case t.ids == IDDense && bits > maxDense:
		return &badLine{text: t.number(nil, end, v, i), expected: t.in(end, fmt.Sprintf("a dense id from 0 to %d", uint64(maxDense))), advice: "use --ids int for ids that are not dense"}
	}
	kind := plainInteger
	switch {
	case negative:
		kind = negativeInteger
	case bits > math.MaxInt64:
		kind = largeInteger
	}
	w.edge.ids[end], w.edge.kinds[end] = bits, kind
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
		w.noteSignsAt(&w.edge, b, b.rows.place(row))
	}
}
