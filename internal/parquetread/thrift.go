package parquetread

import (
	"encoding/binary"
	"fmt"
)

// thrift reads the compact protocol of Apache Thrift, in which footers and page headers
// are written, without memory for what is only claimed: a list of a billion
// elements that are not there is an error at the first of them. After an error
// all that is read is zero, and at does not move.
type thrift struct {
	b     []byte
	at    int
	depth int
	err   error
}

// Types of fields and of elements.
const (
	thriftTrue   = 1
	thriftFalse  = 2
	thriftByte   = 3
	thriftI16    = 4
	thriftI32    = 5
	thriftI64    = 6
	thriftDouble = 7
	thriftBinary = 8
	thriftList   = 9
	thriftSet    = 10
	thriftMap    = 11
	thriftStruct = 12
)

// maxDepth bounds structures within structures.
const maxDepth = 32

// errShort: the bytes end within what is being read.
var errShort = fmt.Errorf("%w: it ends early", ErrDamaged)

func (t *thrift) fail(err error) {
	if t.err == nil {
		t.err = err
	}
}

func (t *thrift) byte() byte {
	if t.err != nil || t.at >= len(t.b) {
		t.fail(errShort)
		return 0
	}
	t.at++
	return t.b[t.at-1]
}

func (t *thrift) uvarint() uint64 {
	if t.err != nil {
		return 0
	}
	x, n := binary.Uvarint(t.b[t.at:])
	if n <= 0 {
		if n == 0 {
			t.fail(errShort)
		}
		t.fail(fmt.Errorf("%w: a number of more than 64 bits at byte %d", ErrDamaged, t.at))
		return 0
	}
	t.at += n
	return x
}

func (t *thrift) varint() int64 {
	x := t.uvarint()
	return int64(x>>1) ^ -int64(x&1)
}

// fields reads a structure: visit is called for each field and reads its value, or
// returns false and has it passed over.
func (t *thrift) fields(visit func(id int64, kind byte) bool) {
	if t.depth++; t.depth > maxDepth {
		t.fail(fmt.Errorf("%w: structures within structures, %d deep", ErrDamaged, maxDepth))
	}
	id := int64(0)
	for t.err == nil {
		b := t.byte()
		kind := b & 15
		if kind == 0 {
			break
		}
		if delta := int64(b >> 4); delta != 0 {
			id += delta
		} else {
			id = t.varint()
		}
		if t.err == nil && !visit(id, kind) {
			t.skip(kind)
		}
	}
	t.depth--
}

// list reads a list: each is called for every element, and reads it.
func (t *thrift) list(kind byte, each func(i int, kind byte)) {
	if kind != thriftList && kind != thriftSet {
		t.fail(fmt.Errorf("%w: a value of type %d where a list belongs", ErrDamaged, kind))
		return
	}
	b := t.byte()
	n := uint64(b >> 4)
	if n == 15 {
		n = t.uvarint()
	}
	for i := uint64(0); i < n && t.err == nil; i++ {
		if t.at >= len(t.b) {
			t.fail(errShort)
			return
		}
		each(int(i), b&15)
	}
}

// integer reads the value of a field that is an integer.
func (t *thrift) integer(kind byte) int64 {
	switch kind {
	case thriftByte:
		return int64(int8(t.byte()))
	case thriftI16, thriftI32, thriftI64:
		return t.varint()
	}
	t.fail(fmt.Errorf("%w: a value of type %d where an integer belongs", ErrDamaged, kind))
	return 0
}

// binary reads a string. It aliases what is being read.
func (t *thrift) binary(kind byte) []byte {
	if kind != thriftBinary {
		t.fail(fmt.Errorf("%w: a value of type %d where a string belongs", ErrDamaged, kind))
		return nil
	}
	n := t.uvarint()
	if t.err != nil || n > uint64(len(t.b)-t.at) {
		t.fail(errShort)
		return nil
	}
	t.at += int(n)
	return t.b[t.at-int(n) : t.at]
}

// structure reads a field that is a structure.
func (t *thrift) structure(kind byte, visit func(id int64, kind byte) bool) {
	if kind != thriftStruct {
		t.fail(fmt.Errorf("%w: a value of type %d where a structure belongs", ErrDamaged, kind))
		return
	}
	t.fields(visit)
}

// skip passes over the value of a field.
func (t *thrift) skip(kind byte) {
	switch kind {
	case thriftTrue, thriftFalse:
	case thriftByte:
		t.byte()
	case thriftI16, thriftI32, thriftI64:
		t.uvarint()
	case thriftDouble:
		t.pass(8)
	case thriftBinary:
		t.binary(kind)
	case thriftList, thriftSet:
		t.list(kind, func(_ int, kind byte) { t.skipElement(kind) })
	case thriftMap:
		t.skipMap()
	case thriftStruct:
		t.fields(func(int64, byte) bool { return false })
	default:
		t.fail(fmt.Errorf("%w: a value of the unknown type %d at byte %d", ErrDamaged, kind, t.at))
	}
}

// skipElement passes over an element of a list or map, where booleans have a byte.
func (t *thrift) skipElement(kind byte) {
	if t.depth++; t.depth > maxDepth {
		t.fail(fmt.Errorf("%w: lists within lists, %d deep", ErrDamaged, maxDepth))
	}
	if kind == thriftTrue || kind == thriftFalse {
		kind = thriftByte
	}
	t.skip(kind)
	t.depth--
}

func (t *thrift) skipMap() {
	n := t.uvarint()
	if n == 0 {
		return
	}
	kinds := t.byte()
	for i := uint64(0); i < n && t.err == nil; i++ {
		t.skipElement(kinds >> 4)
		t.skipElement(kinds & 15)
	}
}

func (t *thrift) pass(n int) {
	if t.err != nil || n > len(t.b)-t.at {
		t.fail(errShort)
		return
	}
	t.at += n
}
