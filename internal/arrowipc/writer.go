package arrowipc

import (
	"encoding/binary"
	"io"

	flatbuffers "github.com/google/flatbuffers/go"
)

// Type is that of a column to be written.
type Type uint8

// The types.
const (
	Int64 Type = iota
	Uint64
	Float32
	Float64
	Utf8
	Binary
)

// Field describes a column to be written.
type Field struct {
	Name     string
	Type     Type
	Nullable bool
}

// Data is the values of a column in a batch: numbers, or the bytes of strings behind which
// Offsets say where they begin and end, one more than rows.
type Data struct {
	Bytes   []byte
	Offsets []int32
	Null    []bool // nil: none
}

// Writer writes a stream, or a file.
type Writer struct {
	w      io.Writer
	fields []Field
	file   bool
	at     int64
	blocks []block
	batch  []byte // body of the last one
}

// block is where a record batch is in a file.
type block struct {
	at, body int64
	meta     int32
}

const metadataVersion = 4 // V5

// NewWriter writes the schema; for a file, magic before it.
func NewWriter(w io.Writer, fields []Field, file bool) (*Writer, error) {
	x := &Writer{w: w, fields: fields, file: file}
	if file {
		if err := x.write([]byte(FileMagic + "\x00\x00")); err != nil {
			return nil, err
		}
	}
	b := flatbuffers.NewBuilder(1024)
	_, err := x.message(b, messageSchema, x.schema(b), 0)
	return x, err
}

func (x *Writer) write(b []byte) error {
	n, err := x.w.Write(b)
	x.at += int64(n)
	return err
}

// schema builds the description of the columns.
func (x *Writer) schema(b *flatbuffers.Builder) flatbuffers.UOffsetT {
	fields := make([]flatbuffers.UOffsetT, len(x.fields))
	for i, f := range x.fields {
		name := b.CreateString(f.Name)
		kind := byte(typeInt)
		switch f.Type {
		case Int64, Uint64:
			b.StartObject(2)
			b.PrependInt32Slot(0, 64, 0)
			b.PrependBoolSlot(1, f.Type == Int64, false)
		case Float32, Float64:
			kind = typeFloat
			b.StartObject(1)
			b.PrependInt16Slot(0, int16(singleFloat+f.Type-Float32), 0)
		case Utf8:
			kind = typeUtf8
			b.StartObject(0)
		default:
			kind = typeBinary
			b.StartObject(0)
		}
		typ := b.EndObject()
		b.StartVector(4, 0, 4)
		children := b.EndVector(0)
		b.StartObject(7)
		b.PrependUOffsetTSlot(0, name, 0)
		b.PrependBoolSlot(1, f.Nullable, false)
		b.PrependByteSlot(2, kind, 0)
		b.PrependUOffsetTSlot(3, typ, 0)
		b.PrependUOffsetTSlot(5, children, 0)
		fields[i] = b.EndObject()
	}
	list := offsets(b, fields)
	b.StartObject(4)
	b.PrependUOffsetTSlot(1, list, 0)
	return b.EndObject()
}

// offsets builds a vector of tables.
func offsets(b *flatbuffers.Builder, list []flatbuffers.UOffsetT) flatbuffers.UOffsetT {
	b.StartVector(4, len(list), 4)
	for i := len(list) - 1; i >= 0; i-- {
		b.PrependUOffsetT(list[i])
	}
	return b.EndVector(len(list))
}

// message writes a message up to its body, and returns its size.
func (x *Writer) message(b *flatbuffers.Builder, kind byte, header flatbuffers.UOffsetT, body int64) (int32, error) {
	b.StartObject(5)
	b.PrependInt16Slot(0, metadataVersion, 0)
	b.PrependByteSlot(1, kind, 0)
	b.PrependUOffsetTSlot(2, header, 0)
	b.PrependInt64Slot(3, body, 0)
	b.Finish(b.EndObject())
	meta := b.FinishedBytes()
	size := (len(meta) + 7) &^ 7
	out := binary.LittleEndian.AppendUint32(nil, continuation)
	out = binary.LittleEndian.AppendUint32(out, uint32(size))
	out = append(append(out, meta...), make([]byte, size-len(meta))...)
	return int32(len(out)), x.write(out)
}

// bufferAlign is that of buffers within a body, and of bodies.
const bufferAlign = 64

// Batch writes rows of all columns.
func (x *Writer) Batch(rows int, columns []Data) error {
	x.batch = x.batch[:0]
	type buffer struct{ from, n int64 }
	var buffers []buffer
	add := func(fill func(b []byte) []byte) {
		from := len(x.batch)
		x.batch = fill(x.batch)
		buffers = append(buffers, buffer{int64(from), int64(len(x.batch) - from)})
		for len(x.batch)%bufferAlign != 0 {
			x.batch = append(x.batch, 0)
		}
	}
	nulls := make([]int64, len(columns))
	for i, c := range columns {
		add(func(b []byte) []byte {
			if c.Null == nil {
				return b
			}
			b, nulls[i] = appendBitmap(b, c.Null)
			return b
		})
		if c.Offsets != nil {
			add(func(b []byte) []byte {
				for _, o := range c.Offsets {
					b = binary.LittleEndian.AppendUint32(b, uint32(o))
				}
				return b
			})
		}
		add(func(b []byte) []byte { return append(b, c.Bytes...) })
	}
	b := flatbuffers.NewBuilder(1024)
	b.StartVector(16, len(buffers), 8)
	for i := len(buffers) - 1; i >= 0; i-- {
		pair(b, buffers[i].from, buffers[i].n)
	}
	places := b.EndVector(len(buffers))
	b.StartVector(16, len(columns), 8)
	for i := len(columns) - 1; i >= 0; i-- {
		pair(b, int64(rows), nulls[i])
	}
	nodes := b.EndVector(len(columns))
	b.StartObject(5)
	b.PrependInt64Slot(0, int64(rows), 0)
	b.PrependUOffsetTSlot(1, nodes, 0)
	b.PrependUOffsetTSlot(2, places, 0)
	at := x.at
	meta, err := x.message(b, messageBatch, b.EndObject(), int64(len(x.batch)))
	if err != nil {
		return err
	}
	x.blocks = append(x.blocks, block{at, int64(len(x.batch)), meta})
	return x.write(x.batch)
}

// pair appends a structure of two 64-bit integers, first the last.
func pair(b *flatbuffers.Builder, first, second int64) {
	b.Prep(8, 16)
	b.PrependInt64(second)
	b.PrependInt64(first)
}

// appendBitmap appends a bit for each row that has a value.
func appendBitmap(b []byte, null []bool) ([]byte, int64) {
	nulls := int64(0)
	for i, is := range null {
		if i%8 == 0 {
			b = append(b, 0)
		}
		if is {
			nulls++
		} else {
			b[len(b)-1] |= 1 << (i % 8)
		}
	}
	return b, nulls
}

// Close writes the end, and for a file the directory.
func (x *Writer) Close() error {
	end := binary.LittleEndian.AppendUint32(nil, continuation)
	if err := x.write(binary.LittleEndian.AppendUint32(end, 0)); err != nil || !x.file {
		return err
	}
	b := flatbuffers.NewBuilder(1024)
	schema := x.schema(b)
	b.StartVector(24, 0, 8)
	dictionaries := b.EndVector(0)
	b.StartVector(24, len(x.blocks), 8)
	for i := len(x.blocks) - 1; i >= 0; i-- {
		b.Prep(8, 24)
		b.PrependInt64(x.blocks[i].body)
		b.Pad(4)
		b.PrependInt32(x.blocks[i].meta)
		b.PrependInt64(x.blocks[i].at)
	}
	batches := b.EndVector(len(x.blocks))
	b.StartObject(5)
	b.PrependInt16Slot(0, metadataVersion, 0)
	b.PrependUOffsetTSlot(1, schema, 0)
	b.PrependUOffsetTSlot(2, dictionaries, 0)
	b.PrependUOffsetTSlot(3, batches, 0)
	b.Finish(b.EndObject())
	footer := b.FinishedBytes()
	out := append([]byte(nil), footer...)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(footer)))
	return x.write(append(out, FileMagic...))
}
