// Package arrowipc reads and writes columns in the IPC formats of Apache Arrow
// (https://arrow.apache.org/docs/format/Columnar.html), streams and files, also known as
// Feather: as far as tables of numbers and strings need it. What is read stays within its
// bounds, whatever the bytes are.
package arrowipc

import (
	"errors"
	"fmt"

	"github.com/garaph/garaph/internal/columnar"
)

// ErrDamaged is the cause of all errors of inputs that contradict themselves.
var ErrDamaged = errors.New("the input is damaged")

// ErrUnsupported is the cause of errors of inputs that are well, but not read.
var ErrUnsupported = errors.New("this is not read")

// FileMagic begins and ends a file; in a file, a stream stands between, perhaps without its schema.
const FileMagic = "ARROW1"

// Types of messages.
const (
	messageSchema     = 1
	messageDictionary = 2
	messageBatch      = 3
)

// Types of fields.
const (
	typeNull            = 1
	typeInt             = 2
	typeFloat           = 3
	typeBinary          = 4
	typeUtf8            = 5
	typeBool            = 6
	typeDecimal         = 7
	typeDate            = 8
	typeTime            = 9
	typeTimestamp       = 10
	typeInterval        = 11
	typeList            = 12
	typeStruct          = 13
	typeUnion           = 14
	typeFixedBinary     = 15
	typeFixedList       = 16
	typeMap             = 17
	typeDuration        = 18
	typeLargeBinary     = 19
	typeLargeUtf8       = 20
	typeLargeList       = 21
	typeRunEnd          = 22
	typeBinaryView      = 23
	typeUtf8View        = 24
	typeListView        = 25
	typeLargeListView   = 26
	maxFields           = 1 << 16
	maxDepth            = 32
	noDictionary        = -1
	singleFloat         = 1
	doubleFloat         = 2
	compressedLZ4       = 0
	compressedZstd      = 1
	uncompressedBuffers = -1
)

// Schema describes the columns of an input.
type Schema struct {
	Columns []columnar.Column
	fields  []field
	parts   parts // of a record batch
}

// parts are how many pieces of a record batch a field has, or where they begin.
type parts struct{ nodes, buffers, views int }

// field is a column at the top level.
type field struct {
	layout
	first      parts
	dictionary int64 // its number; noDictionary
	index      layout
}

// layout is how values lie in buffers.
type layout struct {
	kind   int // a type, of those that are read; 0
	width  int // bytes of a number, or of an offset
	signed bool
}

// ParseSchema reads the first message of a stream.
func ParseSchema(m *Message) (*Schema, error) {
	if m.kind != messageSchema {
		return nil, fmt.Errorf("%w: it does not begin with a schema", ErrDamaged)
	}
	if m.header.i16(0, 0) != 0 {
		return nil, fmt.Errorf("%w: its numbers are big-endian", ErrUnsupported)
	}
	s := &Schema{}
	at, n := m.header.vector(1, 4)
	left := maxFields
	for i := range n {
		t := table{m.header.b, m.header.offset(at + 4*i), m.header.bad}
		column, f := parseField(t)
		f.first = s.parts
		if f.dictionary != noDictionary {
			s.parts.add(parts{1, 2, 0})
		} else if err := countParts(t, &s.parts, &left, 0); err != nil {
			return nil, err
		}
		if *m.header.bad {
			break
		}
		s.Columns, s.fields = append(s.Columns, column), append(s.fields, f)
	}
	if *m.header.bad {
		return nil, fmt.Errorf("%w: its schema refers to what is not there", ErrDamaged)
	}
	return s, nil
}

func (p *parts) add(o parts) {
	p.nodes, p.buffers, p.views = p.nodes+o.nodes, p.buffers+o.buffers, p.views+o.views
}

// buffersOf are those of a field without what is below it.
func buffersOf(kind int, union table) parts {
	switch kind {
	case typeNull, typeRunEnd:
		return parts{1, 0, 0}
	case typeStruct, typeFixedList:
		return parts{1, 1, 0}
	case typeUnion:
		return parts{1, 1 + union.i16(0, 0), 0} // dense ones have offsets
	case typeUtf8, typeBinary, typeLargeUtf8, typeLargeBinary, typeListView, typeLargeListView:
		return parts{1, 3, 0}
	case typeBinaryView, typeUtf8View:
		return parts{1, 2, 1}
	}
	return parts{1, 2, 0}
}

// countParts adds the parts of a field, and of those below it.
func countParts(t table, sum *parts, left *int, depth int) error {
	if *left--; *left < 0 || depth > maxDepth {
		return fmt.Errorf("%w: more than %d columns, or deeper than %d", ErrUnsupported, maxFields, maxDepth)
	}
	kind := t.byte(2)
	if kind == 0 || kind > typeLargeListView {
		return fmt.Errorf("%w: column %q is of the unknown type %d", ErrUnsupported, t.string(0), kind)
	}
	union := table{}
	if kind == typeUnion {
		if u, ok := t.table(3); ok {
			union = u
		}
		if union.b == nil || union.i16(0, 0)&^1 != 0 {
			*t.bad = true
			return nil
		}
	}
	sum.add(buffersOf(kind, union))
	at, n := t.vector(5, 4)
	for i := 0; i < n && !*t.bad; i++ {
		child := table{t.b, t.offset(at + 4*i), t.bad}
		if _, ok := child.table(4); ok { // a dictionary
			sum.add(parts{1, 2, 0})
			continue
		}
		if err := countParts(child, sum, left, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// parseField reads the description of a column.
func parseField(t table) (columnar.Column, field) {
	c := columnar.Column{Name: t.string(0)}
	f := field{dictionary: noDictionary}
	c.Kind, c.Type, f.layout = parseType(t.byte(2), t)
	d, ok := t.table(4)
	if !ok {
		return c, f
	}
	f.dictionary = d.i64(0)
	f.index = layout{kind: typeInt, width: 4, signed: true}
	if index, ok := d.table(1); ok {
		f.index.width, f.index.signed = index.i32(0)/8, index.byte(1) != 0
	}
	switch {
	case c.Kind != columnar.Text || f.dictionary < 0:
		c.Kind = columnar.None
	case !isWidth(f.index.width):
		*t.bad = true
	}
	c.Type = "dictionary of " + c.Type
	return c, f
}

func isWidth(n int) bool { return n == 1 || n == 2 || n == 4 || n == 8 }

// parseType describes a type, which is the fourth field of a table.
func parseType(kind int, t table) (columnar.Kind, string, layout) {
	of, _ := t.table(3)
	l := layout{kind: kind}
	switch kind {
	case typeInt:
		if of.b == nil {
			*t.bad = true
			break
		}
		l.width, l.signed = of.i32(0)/8, of.byte(1) != 0
		if !isWidth(l.width) {
			*t.bad = true
		}
		if l.signed {
			return columnar.Int, fmt.Sprintf("int%d", 8*l.width), l
		}
		return columnar.Uint, fmt.Sprintf("uint%d", 8*l.width), l
	case typeFloat:
		if of.b == nil {
			break
		}
		switch of.i16(0, 0) {
		case singleFloat:
			l.width = 4
			return columnar.Float, "float", l
		case doubleFloat:
			l.width = 8
			return columnar.Float, "double", l
		}
	case typeUtf8, typeBinary:
		l.width = 4
		return columnar.Text, "string", l
	case typeLargeUtf8, typeLargeBinary:
		l.width = 8
		return columnar.Text, "string", l
	case typeUtf8View, typeBinaryView:
		l.width = viewBytes
		return columnar.Text, "string", l
	case typeBool:
		return columnar.None, "bool", l
	case typeDate, typeTime, typeTimestamp, typeDuration, typeInterval:
		return columnar.None, "time", l
	}
	return columnar.None, typeName(kind), l
}

func typeName(kind int) string {
	switch kind {
	case typeNull:
		return "null"
	case typeFloat:
		return "half"
	case typeDecimal:
		return "decimal"
	case typeFixedBinary:
		return "fixed-length bytes"
	case typeList, typeLargeList, typeFixedList, typeListView, typeLargeListView:
		return "list"
	}
	return "nested"
}
