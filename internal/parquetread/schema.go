package parquetread

import (
	"fmt"

	"github.com/garaph/garaph/internal/columnar"
)

// Physical types.
const (
	typeBoolean = iota
	typeInt32
	typeInt64
	typeInt96
	typeFloat
	typeDouble
	typeBytes
	typeFixed
)

// Repetition of a field.
const (
	required = iota
	optional
	repeated
)

// Logical types, as the fields of a union.
const (
	logicalDecimal   = 5
	logicalDate      = 6
	logicalTime      = 7
	logicalTimestamp = 8
	logicalInteger   = 10
)

// Converted types, which came before logical ones.
const (
	convertedDecimal         = 5
	convertedDate            = 6
	convertedTimestampMicros = 10
	convertedUint8           = 11
	convertedUint64          = 14
	convertedInterval        = 21
)

// element is a node of the schema, in the order of a walk in depth.
type element struct {
	name       string
	physical   int64 // -1: none, it is a group
	repetition int64
	children   int64
	converted  int64 // -1: none
	logical    int64 // the field of the union; 0: none
	unsigned   bool  // of a logical integer
}

func (t *thrift) element(kind byte) element {
	e := element{physical: -1, converted: -1}
	t.structure(kind, func(id int64, kind byte) bool {
		switch id {
		case 1:
			e.physical = t.integer(kind)
		case 3:
			e.repetition = t.integer(kind)
		case 4:
			e.name = string(t.binary(kind))
		case 5:
			e.children = t.integer(kind)
		case 6:
			e.converted = t.integer(kind)
		case 10:
			t.structure(kind, func(id int64, kind byte) bool {
				e.logical = id
				if id != logicalInteger {
					return false
				}
				t.structure(kind, func(id int64, kind byte) bool {
					e.unsigned = e.unsigned || id == 2 && kind == thriftFalse
					return false
				})
				return true
			})
		default:
			return false
		}
		return true
	})
	return e
}

// schema finds the columns at the top level, and counts the leaves.
func (f *File) schema(elements []element) error {
	if len(elements) == 0 {
		return fmt.Errorf("%w: it has no schema", ErrDamaged)
	}
	root := elements[0]
	rest := elements[1:]
	for range root.children {
		if len(rest) == 0 {
			return fmt.Errorf("%w: the schema has fewer columns than it says", ErrDamaged)
		}
		e := rest[0]
		nodes, leaves, err := subtree(rest, 0)
		if err != nil {
			return err
		}
		c := column{leaf: -1, physical: e.physical, optional: e.repetition == optional}
		if nodes == 1 && e.repetition != repeated {
			c.leaf = f.leaves
		}
		f.columns = append(f.columns, c)
		f.Columns = append(f.Columns, e.describe())
		f.leaves += leaves
		rest = rest[nodes:]
	}
	if len(rest) > 0 {
		return fmt.Errorf("%w: the schema has more columns than it says", ErrDamaged)
	}
	return nil
}

// subtree counts the nodes and the leaves of the first element and what is below it.
func subtree(e []element, depth int) (nodes, leaves int, err error) {
	if depth > maxDepth {
		return 0, 0, fmt.Errorf("%w: columns within columns, %d deep", ErrUnsupported, maxDepth)
	}
	if e[0].physical >= 0 {
		if e[0].children > 0 {
			return 0, 0, fmt.Errorf("%w: column %q has a type and columns below it", ErrDamaged, e[0].name)
		}
		return 1, 1, nil
	}
	nodes = 1
	for range e[0].children {
		if nodes >= len(e) {
			return 0, 0, fmt.Errorf("%w: the schema has fewer columns than it says", ErrDamaged)
		}
		n, l, err := subtree(e[nodes:], depth+1)
		if err != nil {
			return 0, 0, err
		}
		nodes, leaves = nodes+n, leaves+l
	}
	return nodes, leaves, nil
}

// describe is the column as users know it.
func (e *element) describe() columnar.Column {
	c := columnar.Column{Name: e.name}
	switch {
	case e.repetition == repeated:
		c.Type = "list"
		return c
	case e.physical < 0:
		c.Type = "nested"
		return c
	}
	unsigned := e.unsigned || e.converted >= convertedUint8 && e.converted <= convertedUint64
	switch e.physical {
	case typeBoolean:
		c.Type = "bool"
	case typeInt32, typeInt64:
		c.Kind, c.Type = columnar.Int, "int32"
		if e.physical == typeInt64 {
			c.Type = "int64"
		}
		if unsigned {
			c.Kind, c.Type = columnar.Uint, "u"+c.Type
		}
	case typeInt96:
		c.Type = "int96"
	case typeFloat:
		c.Kind, c.Type = columnar.Float, "float"
	case typeDouble:
		c.Kind, c.Type = columnar.Float, "double"
	case typeBytes:
		c.Kind, c.Type = columnar.Text, "string"
	default:
		c.Type = "fixed-length bytes"
	}
	switch {
	case e.logical == logicalDecimal || e.converted == convertedDecimal:
		c.Kind, c.Type = columnar.None, "decimal"
	case e.logical == logicalDate || e.converted == convertedDate:
		c.Kind, c.Type = columnar.None, "date"
	case e.logical == logicalTime || e.logical == logicalTimestamp || e.converted > convertedDate && e.converted <= convertedTimestampMicros:
		c.Kind, c.Type = columnar.None, "time"
	case e.converted == convertedInterval:
		c.Kind, c.Type = columnar.None, "interval"
	}
	return c
}
