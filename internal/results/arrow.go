package results

import (
	"encoding/binary"
	"io"
	"math"
	"slices"

	"github.com/garaph/garaph/internal/arrowipc"
)

// A record batch has at most so many rows, and about so many bytes of strings in each column. It is
// in memory until it is whole, and once more while it is written.
const (
	rowsPerRecordBatch  = 1 << 16
	bytesPerRecordBatch = 2 << 20
)

// writeArrow writes Arrow IPC, a file (Feather version 2) or a stream: numbers as they are, uncompressed,
// and strings as Utf8, or as Binary when one is no UTF-8. ids is the name of the first column.
func writeArrow(w io.Writer, t Rows, ids string, areText, file bool) (err error) {
	id := arrowipc.Binary
	switch {
	case t.IDKind() == IDInt:
		id = arrowipc.Int64
	case t.IDKind() == IDUint:
		id = arrowipc.Uint64
	case areText:
		id = arrowipc.Utf8
	}
	e := &arrowEncoder{ids: t.IDKind(), list: columnsOf(t)}
	fields := []arrowipc.Field{{Name: ids, Type: id}}
	for _, c := range e.list {
		f := arrowipc.Field{Name: c.Name, Type: id, Nullable: c.Nullable}
		switch c.Kind {
		case Float32:
			f.Type = arrowipc.Float32
		case Float64:
			f.Type = arrowipc.Float64
		case Int64:
			f.Type = arrowipc.Int64
		}
		fields = append(fields, f)
	}
	if e.out, err = arrowipc.NewWriter(w, fields, file); err != nil {
		return err
	}
	e.data = make([]arrowipc.Data, len(fields))
	if err := eachBatch(t, e.batch); err != nil {
		return err
	}
	if err := e.flush(); err != nil {
		return err
	}
	return e.out.Close()
}

// arrowEncoder gathers rows of a record batch.
type arrowEncoder struct {
	out  *arrowipc.Writer
	ids  IDKind
	list []Column
	rows int
	data []arrowipc.Data // of the ids, and of the columns
}

func (e *arrowEncoder) batch(b *Batch, rows int) error {
	for from := 0; from < rows; {
		to := e.end(b, from, rows)
		e.appendIDs(&e.data[0], &b.IDs, from, to)
		for j, c := range e.list {
			e.appendValues(&e.data[1+j], &b.Columns[j], c, from, to)
		}
		e.rows += to - from
		if e.rows == rowsPerRecordBatch || e.full() {
			if err := e.flush(); err != nil {
				return err
			}
		}
		from = to
	}
	return nil
}

// end is the row behind those that are appended at once: names may be long.
func (e *arrowEncoder) end(b *Batch, from, rows int) int {
	to := min(rows, from+rowsPerRecordBatch-e.rows)
	if e.ids != IDString {
		return to
	}
	size := 0
	for i := from; i < to; i++ {
		size += len(b.IDs.Strings[i])
		for j, c := range e.list {
			if c.Kind == VertexID {
				size += len(b.Columns[j].V.Strings[i])
			}
		}
		if size >= bytesPerRecordBatch {
			return i + 1
		}
	}
	return to
}

// full reports whether there are enough bytes of strings.
func (e *arrowEncoder) full() bool {
	return e.ids == IDString && slices.ContainsFunc(e.data, func(d arrowipc.Data) bool { return len(d.Bytes) >= bytesPerRecordBatch })
}

func (e *arrowEncoder) flush() error {
	if e.rows == 0 {
		return nil
	}
	for i := range e.data {
		if d := &e.data[i]; !slices.Contains(d.Null, true) {
			d.Null = nil
		}
	}
	err := e.out.Batch(e.rows, e.data)
	for i := range e.data {
		d := &e.data[i]
		d.Bytes, d.Offsets, d.Null = d.Bytes[:0], d.Offsets[:0], d.Null[:0]
	}
	e.rows = 0
	return err
}

func (e *arrowEncoder) appendIDs(d *arrowipc.Data, c *IDs, from, to int) {
	switch e.ids {
	case IDInt:
		for _, x := range c.Ints[from:to] {
			d.Bytes = binary.LittleEndian.AppendUint64(d.Bytes, uint64(x))
		}
	case IDUint:
		for _, x := range c.Uints[from:to] {
			d.Bytes = binary.LittleEndian.AppendUint64(d.Bytes, x)
		}
	default:
		if len(d.Offsets) == 0 {
			d.Offsets = append(d.Offsets, 0)
		}
		for _, s := range c.Strings[from:to] {
			d.Bytes = append(d.Bytes, s...)
			d.Offsets = append(d.Offsets, int32(len(d.Bytes)))
		}
	}
}

func (e *arrowEncoder) appendValues(d *arrowipc.Data, v *Values, c Column, from, to int) {
	switch c.Kind {
	case Float32:
		for _, x := range v.F32[from:to] {
			d.Bytes = binary.LittleEndian.AppendUint32(d.Bytes, math.Float32bits(x))
		}
	case Float64:
		for _, x := range v.F64[from:to] {
			d.Bytes = binary.LittleEndian.AppendUint64(d.Bytes, math.Float64bits(x))
		}
	case Int64:
		for _, x := range v.I64[from:to] {
			d.Bytes = binary.LittleEndian.AppendUint64(d.Bytes, uint64(x))
		}
	default:
		e.appendIDs(d, &v.V, from, to)
	}
	for i := from; c.Nullable && i < to; i++ {
		d.Null = append(d.Null, v.isNull(i))
	}
}
