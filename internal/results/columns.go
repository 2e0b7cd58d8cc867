package results

import (
	"io"

	"github.com/garaph/garaph/internal/columns"
)

const (
	// rowsPerChunk and bytesPerChunk bound the rows that are given to a writer of columns together.
	rowsPerChunk  = 1 << 13
	bytesPerChunk = 256 << 10
)

// writeColumns writes Parquet or Arrow IPC. Columns are required, and optional where values may be
// null. Strings are UTF-8 if all are, and bytes otherwise.
func writeColumns(w io.Writer, f Format, t Rows, areText bool) (err error) {
	id := columns.Binary
	switch {
	case t.IDKind() == IDInt:
		id = columns.Int64
	case t.IDKind() == IDUint:
		id = columns.Uint64
	case areText:
		id = columns.Utf8
	}
	e := columnEncoder{ids: t.IDKind(), list: columnsOf(t)}
	fields := []columns.Field{{Name: t.IDName(), Type: id, Sorted: true}}
	for _, c := range e.list {
		field := columns.Field{Name: c.Name, Type: id, Nullable: c.Nullable, Sorted: c.Kind == VertexID}
		switch c.Kind {
		case Float32:
			field.Type = columns.Float32
		case Float64:
			field.Type = columns.Float64
		case Int64:
			field.Type = columns.Int64
		}
		fields = append(fields, field)
	}
	if f == Parquet {
		e.out, err = columns.NewParquet(w, fields)
	} else {
		e.out, err = columns.NewArrow(w, fields, f == Arrow)
	}
	if err != nil {
		return err
	}
	if err := eachBatch(t, e.batch); err != nil {
		return err
	}
	return e.out.Close()
}

// columnEncoder gives rows to a writer.
type columnEncoder struct {
	out  columns.Writer
	ids  IDKind
	list []Column
}

func (e *columnEncoder) batch(b *Batch, rows int) error {
	for from := 0; from < rows; {
		to := e.chunk(b, from, rows)
		data := []columns.Data{e.rows(&Values{V: b.IDs}, VertexID, from, to)}
		for i, c := range e.list {
			data = append(data, e.rows(&b.Columns[i], c.Kind, from, to))
		}
		if err := e.out.Write(to-from, data); err != nil {
			return err
		}
		from = to
	}
	return nil
}

// chunk returns the end of the rows from one on that are written together.
func (e *columnEncoder) chunk(b *Batch, from, rows int) int {
	to, size := min(rows, from+rowsPerChunk), 0
	for i := from; i < to && e.ids == IDString; i++ {
		size += len(b.IDs.Strings[i])
		for j, c := range e.list {
			if c.Kind == VertexID {
				size += len(b.Columns[j].V.Strings[i])
			}
		}
		if size >= bytesPerChunk {
			return i + 1
		}
	}
	return to
}

// rows returns the rows [from, to) of a column.
func (e *columnEncoder) rows(v *Values, k ValueKind, from, to int) (d columns.Data) {
	switch {
	case k == Float32:
		d.F32 = v.F32[from:to]
	case k == Float64:
		d.F64 = v.F64[from:to]
	case k == Int64:
		d.I64 = v.I64[from:to]
	case e.ids == IDString:
		d.Text = v.V.Strings[from:to]
	case e.ids == IDUint:
		d.U64 = v.V.Uints[from:to]
	default:
		d.I64 = v.V.Ints[from:to]
	}
	if len(v.Null) > 0 {
		d.Null = v.Null[from:to]
	}
	return d
}

// Names of the columns of an edge.
const (
	SourceColumn = "source"
	TargetColumn = "target"
	WeightColumn = "weight"
)

// WriteEdges writes edges in a format of columns, Parquet or Arrow IPC: a row has the id of the source, and columns for
// that of the target and for the weight. areText: all ids are UTF-8.
func WriteEdges(w io.Writer, f Format, t Rows, areText bool) error {
	if err := check(t); err != nil {
		return err
	}
	return writeColumns(w, f, t, areText)
}
