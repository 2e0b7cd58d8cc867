package columns

import (
	"encoding/binary"
	"fmt"
	"io"

	flatbuffers "github.com/google/flatbuffers/go"
)

// Arrow-go makes lists as long as a schema says, whose memory may end the process. These functions compare the
// lengths of the lists with the bytes that there are.

// Places of fields in the tables of an Arrow schema.
const (
	messageKind        = 6
	messageHeader      = 8
	footerSchema       = 6
	footerDictionaries = 8
	footerBatches      = 10
	schemaFields       = 6
	schemaMetadata     = 8
	fieldChildren      = 14
	fieldMetadata      = 16
	dictionaryData     = 6
	batchBuffers       = 8
	batchViews         = 12
	maxDepth           = 32
	maxSchema          = 16 << 20 // bytes
)

// Kinds of messages.
const (
	schemaMessage     = 1
	dictionaryMessage = 2
	batchMessage      = 3
)

// checkSchema checks the schema at a place of the root table of a message or footer.
func checkSchema(b []byte, place flatbuffers.VOffsetT) (err error) {
	defer refused(&err)
	root := flatbuffers.Table{Bytes: b, Pos: flatbuffers.GetUOffsetT(b)}
	o := flatbuffers.UOffsetT(root.Offset(place))
	if o == 0 {
		return fmt.Errorf("it has no schema")
	}
	return checkFields(flatbuffers.Table{Bytes: b, Pos: root.Indirect(root.Pos + o)}, schemaFields, schemaMetadata, 0)
}

// checkFields checks the list of fields of a table and its list of metadata.
func checkFields(t flatbuffers.Table, fields, meta flatbuffers.VOffsetT, depth int) error {
	for _, place := range []flatbuffers.VOffsetT{fields, meta} {
		o := flatbuffers.UOffsetT(t.Offset(place))
		if o == 0 {
			continue
		}
		n, at := t.VectorLen(o), t.Vector(o)
		if n > len(t.Bytes)/4 || depth > maxDepth {
			return fmt.Errorf("its schema has a list of %d fields, %d deep, in %d bytes", n, depth, len(t.Bytes))
		}
		for i := 0; i < n && place == fields; i++ {
			child := flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(at + flatbuffers.UOffsetT(4*i))}
			if err := checkFields(child, fieldChildren, fieldMetadata, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkMessage checks the head of a message.
func checkMessage(b []byte) (err error) {
	defer refused(&err)
	root := flatbuffers.Table{Bytes: b, Pos: flatbuffers.GetUOffsetT(b)}
	switch kind := root.GetByteSlot(messageKind, 0); kind {
	case schemaMessage:
		return checkSchema(b, messageHeader)
	case dictionaryMessage, batchMessage:
		t := tableAt(root, messageHeader)
		if kind == dictionaryMessage {
			t = tableAt(t, dictionaryData)
		}
		views, buffers := flatbuffers.UOffsetT(t.Offset(batchViews)), flatbuffers.UOffsetT(t.Offset(batchBuffers))
		for i := 0; views != 0 && i < t.VectorLen(views); i++ {
			n := t.GetInt64(t.Vector(views) + flatbuffers.UOffsetT(8*i))
			if buffers == 0 || n < 0 || n > int64(t.VectorLen(buffers)) {
				return fmt.Errorf("a column of a record batch has %d buffers", n)
			}
		}
	}
	return nil
}

func tableAt(t flatbuffers.Table, place flatbuffers.VOffsetT) flatbuffers.Table {
	return flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(t.Pos + flatbuffers.UOffsetT(t.Offset(place)))}
}

func refused(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("metadata points outside the file: %v", p)
	}
}

// checkNext checks the next message of a stream up to its body, and returns the bytes that it read.
func checkNext(in io.Reader) ([]byte, error) {
	head := make([]byte, 8) // a mark, and the length of the message
	switch n, err := io.ReadFull(in, head); {
	case err != nil && err != io.EOF && err != io.ErrUnexpectedEOF:
		return nil, err
	case err != nil:
		return head[:n], nil //nolint:nilerr // the end, or arrow-go returns an error
	}
	if err := checkMark(head); err != nil {
		return nil, err
	}
	n := int64(binary.LittleEndian.Uint32(head[4:]))
	b, err := io.ReadAll(io.LimitReader(in, min(n, maxSchema)))
	if err != nil || n == 0 {
		return head, err
	}
	if int64(len(b)) < n {
		return nil, io.ErrUnexpectedEOF
	}
	return append(head, b...), checkMessage(b)
}

// checkMark refuses a message without the mark with which messages begin since Arrow 0.15.
func checkMark(head []byte) error {
	if mark := binary.LittleEndian.Uint32(head); mark != 0xffffffff {
		return fmt.Errorf("a message begins with %#x, expected the mark 0xffffffff", mark)
	}
	return nil
}

// checkLast checks the schema in the directory at the end of a file, and the messages to which it refers.
func checkLast(in io.ReaderAt, size int64) (err error) {
	defer refused(&err)
	read := func(at, n int64) ([]byte, error) {
		if at < 0 || n < 8 || n > maxSchema || n > size-at {
			return nil, io.ErrUnexpectedEOF
		}
		b := make([]byte, n)
		_, err := in.ReadAt(b, at)
		return b, err
	}
	tail, err := read(size-10, 10)
	if err != nil {
		return err
	}
	n := int64(binary.LittleEndian.Uint32(tail))
	b, err := read(size-10-n, n)
	if err == nil {
		err = checkSchema(b, footerSchema)
	}
	if err != nil {
		return err
	}
	root := flatbuffers.Table{Bytes: b, Pos: flatbuffers.GetUOffsetT(b)}
	for _, place := range []flatbuffers.VOffsetT{footerDictionaries, footerBatches} {
		o := flatbuffers.UOffsetT(root.Offset(place))
		for i := 0; o != 0 && i < root.VectorLen(o); i++ {
			at := root.Vector(o) + flatbuffers.UOffsetT(24*i)
			head, err := read(root.GetInt64(at), int64(root.GetInt32(at+8)))
			if err == nil {
				err = checkMark(head)
			}
			if err == nil {
				err = checkMessage(head[8:])
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}
