package columnread

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/dustin/go-humanize"

	"github.com/garaph/garaph/internal/arrowipc"
)

// arrowReader reads the stream of an Arrow file, message by message.
type arrowReader struct {
	*reader
	in           *bufio.Reader
	schema       *arrowipc.Schema
	picked       []int
	dictionaries arrowipc.Dictionaries
	kept         map[int64]int64 // bytes of these
	scratch      arrowipc.Scratch
	row          int64 // of the next batch
}

// arrowFileHead is the magic of a file with its padding.
const arrowFileHead = arrowipc.FileMagic + "\x00\x00"

// arrow reads a stream, which in a file stands between magic and a directory.
func (r *reader) arrow() error {
	x := &arrowReader{reader: r, in: bufio.NewReaderSize(r.in, 1<<16), dictionaries: arrowipc.Dictionaries{}, kept: map[int64]int64{}}
	head, _ := x.in.Peek(len(arrowFileHead))
	file := string(head) == arrowFileHead
	switch {
	case file:
		_, _ = x.in.Discard(len(arrowFileHead)) // they were seen
	case bytes.HasPrefix(head, []byte("FEA1")):
		return fmt.Errorf("%w: it is a file of Feather version 1; write it as version 2", ErrUnsupported)
	case !bytes.HasPrefix(head, []byte("\xff\xff\xff\xff")): // the mark before a message
		return fmt.Errorf("%w: it begins neither as a file nor as a stream of Arrow does", arrowipc.ErrDamaged)
	}
	for {
		m, marked, err := arrowipc.ReadMessage(x.in)
		switch {
		case err != nil:
			return err
		case m == nil:
			return x.end(file, marked)
		case x.schema == nil:
			err = x.begin(m)
		case m.IsBatch():
			err = x.batch(m)
		case m.IsDictionary():
			err = x.dictionary(m)
		default:
			err = x.pass(m)
		}
		if err != nil {
			return err
		}
	}
}

// begin reads the schema, and picks columns.
func (x *arrowReader) begin(m *arrowipc.Message) (err error) {
	if x.schema, err = arrowipc.ParseSchema(m); err != nil {
		return err
	}
	if x.picked, err = x.reader.picked(x.schema.Columns); err != nil {
		return err
	}
	return x.pass(m)
}

// pass passes over the body of a message.
func (x *arrowReader) pass(m *arrowipc.Message) error {
	_, err := io.CopyN(io.Discard, x.in, m.Body)
	if errors.Is(err, io.EOF) {
		err = fmt.Errorf("%w: it ends within a message", arrowipc.ErrDamaged)
	}
	return err
}

// body reads the body of a message, if there is memory for it, and returns what it takes.
func (x *arrowReader) body(m *arrowipc.Message) (int64, error) {
	kept := int64(0)
	for _, n := range x.kept {
		kept += n
	}
	if err := x.fits(kept + m.Body); err != nil {
		return 0, err
	}
	if err := m.ReadBody(x.in); err != nil {
		return 0, err
	}
	more, err := x.schema.Unpacked(m, x.picked)
	if err != nil {
		return 0, err
	}
	return m.Body + more, x.fits(kept + m.Body + more)
}

func (x *arrowReader) fits(bytes int64) error {
	if bytes <= x.limit {
		return nil
	}
	return &MemoryError{bytes, fmt.Errorf("a record batch or dictionary behind row %d takes %s of memory, and there are %s for it",
		x.row, humanize.IBytes(uint64(bytes)), humanize.IBytes(uint64(x.limit)))}
}

// dictionary reads values to which later batches refer.
func (x *arrowReader) dictionary(m *arrowipc.Message) error {
	bytes, err := x.body(m)
	if err != nil {
		return err
	}
	number, delta, known := x.schema.Dictionary(m, x.picked)
	if !known {
		return nil
	}
	if !delta {
		x.kept[number] = 0
	}
	x.kept[number] += bytes
	return x.schema.LoadDictionary(m, x.picked, x.dictionaries)
}

// batch gives the rows of a record batch.
func (x *arrowReader) batch(m *arrowipc.Message) error {
	if _, err := x.body(m); err != nil {
		return err
	}
	b, err := x.schema.Load(m, x.picked, x.dictionaries)
	if err != nil {
		return err
	}
	for from := 0; from < b.Rows; from += rowsAtOnce {
		to := min(b.Rows, from+rowsAtOnce)
		v, err := b.Values(from, to, &x.scratch)
		if err == nil {
			err = x.give(x.row+int64(from), to-from, v)
		}
		if err != nil {
			return err
		}
	}
	x.row += int64(b.Rows)
	return nil
}

// end looks at what follows the stream: in a file its directory, which is not needed, and magic. A stream without
// the mark of its end may have lost rows.
func (x *arrowReader) end(file, marked bool) error {
	if x.schema == nil || !marked {
		return fmt.Errorf("%w: it is truncated behind row %d: the stream has no end", arrowipc.ErrDamaged, x.row)
	}
	if !file {
		if _, err := x.in.Peek(1); err == nil {
			return fmt.Errorf("%w: it goes on behind the end of its stream", arrowipc.ErrDamaged)
		}
		return nil
	}
	tail := make([]byte, len(arrowipc.FileMagic))
	if _, err := x.reader.in.ReadAt(tail, max(0, x.size-int64(len(tail)))); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if string(tail) != arrowipc.FileMagic {
		return fmt.Errorf("%w: it does not end as an Arrow file does", arrowipc.ErrDamaged)
	}
	return nil
}
