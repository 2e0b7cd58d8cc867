package columns

import (
	"fmt"
	"io"
	"strings"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// ArrowMagic begins an Arrow IPC file, in which a stream follows, and behind that a directory.
const ArrowMagic = "ARROW1\x00\x00"

// Arrow reads the record batches of an Arrow IPC stream or file.
type Arrow struct {
	Columns []Column

	account *account
	next    func() (arrow.RecordBatch, error)
	picked  []int
}

// OpenArrow reads the schema of a stream.
func OpenArrow(in io.Reader, m *Memory) (r *Arrow, err error) {
	r = &Arrow{account: &account{Memory: m}}
	defer caught(r.account, &err)
	stream, err := ipc.NewReader(in, ipc.WithAllocator(r.account), ipc.WithBodySizeLimit(0))
	if err != nil {
		return nil, err
	}
	r.next = func() (arrow.RecordBatch, error) {
		b, err := stream.Read()
		if err == nil {
			b.Retain()
		}
		return b, err
	}
	r.describe(stream.Schema())
	return r, nil
}

// OpenArrowFile reads the directory of a file of size bytes.
func OpenArrowFile(in io.ReaderAt, size int64, m *Memory) (r *Arrow, err error) {
	r = &Arrow{account: &account{Memory: m}}
	defer caught(r.account, &err)
	f, err := ipc.NewFileReader(io.NewSectionReader(in, 0, size), ipc.WithAllocator(r.account), ipc.WithBodySizeLimit(0))
	if err != nil {
		return nil, err
	}
	i := 0
	r.next = func() (arrow.RecordBatch, error) {
		if i++; i > f.NumRecords() {
			return nil, io.EOF
		}
		return f.RecordBatchAt(i - 1)
	}
	r.describe(f.Schema())
	return r, nil
}

func (r *Arrow) describe(s *arrow.Schema) {
	for _, f := range s.Fields() {
		c := Column{Name: f.Name}
		t := f.Type
		if d, ok := t.(*arrow.DictionaryType); ok {
			t = d.ValueType
		}
		if e, ok := t.(arrow.ExtensionType); ok {
			t = e.StorageType()
		}
		switch {
		case arrow.IsSignedInteger(t.ID()):
			c.Kind = Int
		case arrow.IsUnsignedInteger(t.ID()):
			c.Kind = Uint
		case t.ID() == arrow.FLOAT32, t.ID() == arrow.FLOAT64:
			c.Kind, c.Single = Float, t.ID() == arrow.FLOAT32
		case isText(t):
			c.Kind = Text
		case hasText(t):
			c.Kind, c.Decimal = Text, arrow.IsDecimal(t.ID())
		default:
			c.Type = strings.ToUpper(t.Name())
		}
		r.Columns = append(r.Columns, c)
	}
}

func isText(t arrow.DataType) bool {
	return arrow.IsBaseBinary(t.ID()) || t.ID() == arrow.STRING_VIEW || t.ID() == arrow.BINARY_VIEW
}

// Pick chooses the columns of the batches that follow.
func (r *Arrow) Pick(columns []int) { r.picked = columns }

// Close returns the memory, after all batches were released.
func (r *Arrow) Close() { r.account.close() }

// Next returns the next batch, which is to be released. After the last one it returns io.EOF.
func (r *Arrow) Next() (b *Batch, err error) {
	defer caught(r.account, &err)
	record, err := r.next()
	if err != nil {
		return nil, err
	}
	b = &Batch{Rows: int(record.NumRows()), record: record, account: r.account}
	for _, i := range r.picked {
		b.columns = append(b.columns, column(record.Column(i)))
	}
	r.account.Memory.mu.Lock()
	r.account.batches++
	r.account.Memory.mu.Unlock()
	b.users.Store(1)
	return b, nil
}

// Batch is a record batch.
type Batch struct {
	Rows    int
	record  arrow.RecordBatch
	columns []arrow.Array
	account *account
	users   atomic.Int64
}

// Retain keeps the batch for one more Release.
func (b *Batch) Retain() { b.users.Add(1) }

// Release returns the memory at the last of its calls.
func (b *Batch) Release() {
	if b.users.Add(-1) == 0 {
		b.record.Release()
		b.account.give(0, 1)
	}
}

// texts are strings of any type.
type texts interface {
	arrow.Array
	Value(i int) []byte
}

// column returns an array, of strings one whose values are bytes, and of a dictionary of numbers one of its values.
func column(a arrow.Array) arrow.Array {
	if e, ok := a.(array.ExtensionArray); ok {
		a = e.Storage()
	}
	if d, ok := a.(*array.Dictionary); ok && arrow.IsPrimitive(d.Dictionary().DataType().ID()) &&
		texter(d.Dictionary()) == nil {
		return unpacked(d)
	}
	switch a.DataType().ID() {
	case arrow.STRING:
		return array.NewBinaryData(a.Data())
	case arrow.LARGE_STRING:
		return array.NewLargeBinaryData(a.Data())
	case arrow.STRING_VIEW:
		return array.NewBinaryViewData(a.Data())
	}
	return a
}

// unpacked returns the values of a dictionary of numbers, one for each row.
func unpacked(d *array.Dictionary) arrow.Array {
	b := array.NewBuilder(memory.DefaultAllocator, d.Dictionary().DataType())
	b.Reserve(d.Len())
	for i := range d.Len() {
		if d.IsNull(i) {
			b.AppendNull()
		} else if err := b.AppendValueFromString(d.Dictionary().ValueStr(d.GetValueIndex(i))); err != nil {
			panic(err) // which is the error of the batch
		}
	}
	return b.NewArray()
}

// Scratch is the memory of the values that one goroutine gets.
type Scratch struct {
	values  []Values
	buffers []buffers
}

// buffers hold the values of a column.
type buffers struct {
	ints   []int64
	floats []float64
	text   []Bytes
	null   []bool
}

// Values returns the rows [from, to) of the picked columns.
func (b *Batch) Values(from, to int, s *Scratch) (list []Values, err error) {
	defer caught(b.account, &err)
	s.values = grown(&s.values, len(b.columns))
	if len(s.buffers) < len(b.columns) {
		s.buffers = make([]buffers, len(b.columns))
	}
	for i, a := range b.columns {
		v, x := &s.values[i], &s.buffers[i]
		*v = Values{}
		if a.NullN() > 0 {
			v.Null = grown(&x.null, to-from)
			for k := range v.Null {
				v.Null[k] = a.IsNull(from + k)
			}
		}
		if text := texter(a); text != nil {
			x.formatted(v, to-from, arrow.IsDecimal(a.DataType().ID()), func(i int) string { return text(from + i) })
			continue
		}
		switch a := a.(type) {
		case *array.Int64:
			v.Ints = a.Int64Values()[from:to]
		case *array.Uint64:
			v.Ints = widened(&x.ints, a.Uint64Values()[from:to])
		case *array.Int32:
			v.Ints = widened(&x.ints, a.Int32Values()[from:to])
		case *array.Uint32:
			v.Ints = widened(&x.ints, a.Uint32Values()[from:to])
		case *array.Int16:
			v.Ints = widened(&x.ints, a.Int16Values()[from:to])
		case *array.Uint16:
			v.Ints = widened(&x.ints, a.Uint16Values()[from:to])
		case *array.Int8:
			v.Ints = widened(&x.ints, a.Int8Values()[from:to])
		case *array.Uint8:
			v.Ints = widened(&x.ints, a.Uint8Values()[from:to])
		case *array.Float64:
			v.Floats = a.Float64Values()[from:to]
		case *array.Float32:
			v.Floats = widened(&x.floats, a.Float32Values()[from:to])
		case *array.Dictionary:
			at, values := func(i int) int { return a.GetValueIndex(from + i) }, a.Dictionary()
			if text := texter(values); text != nil {
				x.formatted(v, to-from, arrow.IsDecimal(values.DataType().ID()), func(i int) string { return text(at(i)) })
				continue
			}
			bytes := column(values).(texts) // it is of Kind Text
			v.Text = x.strings(v, 0, to-from, func(i int) []byte { return bytes.Value(at(i)) })
		case texts:
			v.Text = x.strings(v, from, to, a.Value)
		default:
			return nil, fmt.Errorf("a column of type %v", a.DataType())
		}
	}
	return s.values, nil
}

// strings returns the strings of the rows [from, to); nulls have none.
func (x *buffers) strings(v *Values, from, to int, value func(i int) []byte) []Bytes {
	list := grown(&x.text, to-from)
	for k := range list {
		if !v.IsNull(k) {
			list[k] = value(from + k)
		}
	}
	return list
}

// End reads the bytes behind a stream, and returns an error unless there are none, or in a file its directory.
func (r *Arrow) End(in io.Reader, inFile bool) error {
	n, err := io.Copy(io.Discard, in)
	switch {
	case err != nil:
		return err
	case inFile && n == 0:
		return fmt.Errorf("%w: it is truncated", ErrDamaged)
	case !inFile && n > 0:
		return fmt.Errorf("%w: it goes on behind the end of its stream", ErrDamaged)
	}
	return nil
}
