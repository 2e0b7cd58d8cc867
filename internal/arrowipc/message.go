package arrowipc

import (
	"encoding/binary"
	"fmt"
	"io"
)

// Message is what stands before a body.
type Message struct {
	kind   int
	header table
	Body   int64 // bytes that follow
	body   []byte
}

// IsBatch and IsDictionary tell what follows a message.
func (m *Message) IsBatch() bool { return m.kind == messageBatch }

// IsDictionary reports whether the body has values of a dictionary.
func (m *Message) IsDictionary() bool { return m.kind == messageDictionary }

// IsSchema reports whether the message is a schema, which comes first.
func (m *Message) IsSchema() bool { return m.kind == messageSchema }

const (
	continuation = 0xffffffff
	maxMetadata  = 16 << 20 // bytes of a message without its body
)

// ReadMessage reads the next message up to its body; nil at the end of the stream, which a mark
// says, or the end of the input.
func ReadMessage(r io.Reader) (m *Message, marked bool, err error) {
	var word [4]byte
	n, err := io.ReadFull(r, word[:])
	switch {
	case n == 0 && err == io.EOF:
		return nil, false, nil
	case err != nil:
		return nil, false, endsEarly(err)
	}
	size := binary.LittleEndian.Uint32(word[:])
	if size == continuation {
		if _, err := io.ReadFull(r, word[:]); err != nil {
			return nil, false, endsEarly(err)
		}
		size = binary.LittleEndian.Uint32(word[:])
	}
	if size == 0 {
		return nil, true, nil
	}
	if size > maxMetadata {
		return nil, false, fmt.Errorf("%w: a message of %d bytes, where %d are the most", ErrDamaged, size, maxMetadata)
	}
	meta, err := readGrowing(r, int(size))
	if err != nil {
		return nil, false, err
	}
	bad := false
	t := rootTable(meta, &bad)
	m = &Message{kind: t.byte(1), Body: t.i64(3)}
	m.header, _ = t.table(2)
	if bad || m.header.b == nil || m.Body < 0 {
		return nil, false, fmt.Errorf("%w: a message refers to what is not there", ErrDamaged)
	}
	return m, false, nil
}

// ReadFooter reads the schema from the directory at the end of a file of so many bytes, where it stands a second time, or only there.
func ReadFooter(r io.ReaderAt, size int64) (*Message, error) {
	var tail [4 + len(FileMagic)]byte
	end := size - int64(len(tail))
	if end < 0 {
		return nil, endsEarly(io.ErrUnexpectedEOF)
	}
	if _, err := r.ReadAt(tail[:], end); err != nil && err != io.EOF {
		return nil, err
	}
	n := int64(binary.LittleEndian.Uint32(tail[:]))
	if string(tail[4:]) != FileMagic || n > end {
		return nil, fmt.Errorf("%w: it does not end as an Arrow file does", ErrDamaged)
	}
	if n > maxMetadata {
		return nil, fmt.Errorf("%w: a directory of %d bytes, where %d are the most", ErrDamaged, n, maxMetadata)
	}
	b, err := readGrowing(io.NewSectionReader(r, end-n, n), int(n))
	if err != nil {
		return nil, err
	}
	bad := false
	m := &Message{kind: messageSchema}
	m.header, _ = rootTable(b, &bad).table(1)
	if bad || m.header.b == nil {
		return nil, fmt.Errorf("%w: its directory has no schema", ErrDamaged)
	}
	return m, nil
}

// endsEarly is the error of an input that ends within a message.
func endsEarly(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return fmt.Errorf("%w: it ends within a message", ErrDamaged)
	}
	return err
}

// readGrowing reads n bytes, and takes memory as they come.
func readGrowing(r io.Reader, n int) ([]byte, error) {
	const step = 1 << 20
	var b []byte
	for len(b) < n {
		at := len(b)
		b = append(b, make([]byte, min(max(at, step), n-at))...)
		if _, err := io.ReadFull(r, b[at:]); err != nil {
			return nil, endsEarly(err)
		}
	}
	return b, nil
}

// ReadBody reads the body of a message. Memory for all of it was set aside.
func (m *Message) ReadBody(r io.Reader) error {
	var err error
	m.body, err = readGrowing(r, int(m.Body))
	return err
}
