package ingest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/dustin/go-humanize"

	"github.com/garaph/garaph/internal/arrowipc"
	"github.com/garaph/garaph/internal/columnar"
)

// arrowBody reads Arrow IPC streams, and files, in which a stream stands between
// magic and a directory: from the beginning to the end, so that either may come from a
// pipe, unless a file has its schema only in the directory, as Arrow's JavaScript library
// writes it. The goroutine that feeds reads record batches and unpacks them; those that
// parse decode rows.
type arrowBody struct {
	rowBody
	file  bool
	atEnd bool // the schema stands only in the directory
}

// arrowFileHead is the magic of a file with its padding.
const arrowFileHead = arrowipc.FileMagic + "\x00\x00"

// arrowRows is how many rows of a record batch one goroutine gets at once.
const arrowRows = 1 << 16

// isArrow recognises files by their magic, and streams by the mark before the first message.
func isArrow(b []byte) bool {
	return bytes.HasPrefix(b, []byte(arrowFileHead)) || bytes.HasPrefix(b, []byte("\xff\xff\xff\xff")) && len(b) > 8 && b[7] == 0 && b[4]|b[5] != 0
}

// planArrow reads the schema.
func planArrow(p *inputPlan, h *inputHead, o ReadOptions) (*inputPlan, error) {
	t := &arrowBody{}
	switch {
	case bytes.HasPrefix(h.bytes, []byte(arrowFileHead)):
		t.file, p.skipBytes = true, int64(len(arrowFileHead))
	case bytes.HasPrefix(h.bytes, []byte("FEA1")):
		return nil, &InputError{File: p.name(), Problem: "is a file of Feather version 1, which cannot be read", Advice: "write it as version 2, which is the default of pandas since 1.1"}
	}
	for {
		m, marked, err := arrowipc.ReadMessage(bytes.NewReader(h.bytes[p.skipBytes:]))
		var s *arrowipc.Schema
		switch {
		case err == nil && t.file && (marked || m != nil && !m.IsSchema()):
			if h.stream.packed != "" || h.in.openAt == nil {
				return nil, &InputError{
					File: p.name(), Problem: "is an Arrow file with its schema at its end, as Arrow's JavaScript library writes it, so that it cannot be read from a pipe, or compressed",
					Advice: "save or unpack it as a file first, or write it as a stream",
				}
			}
			t.atEnd = true
			s, err = schemaAtEnd(h.in)
		case err == nil && m == nil:
			return nil, &DamagedError{File: p.name(), Problem: "is no Arrow stream or file: it has no message"}
		case err == nil:
			s, err = arrowipc.ParseSchema(m)
		case h.more():
			continue
		}
		if err != nil {
			return nil, arrowError(p.name(), err)
		}
		if t.pickedColumns, err = pickEdges(p.name(), s.Columns, o); err != nil {
			return nil, err
		}
		break
	}
	t.plan(p, o)
	p.body = t
	return p, nil
}

// schemaAtEnd is the schema in the directory of a file.
func schemaAtEnd(file *readInput) (*arrowipc.Schema, error) {
	in, err := file.openAt()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	m, err := arrowipc.ReadFooter(in, file.size)
	if err != nil {
		return nil, err
	}
	return arrowipc.ParseSchema(m)
}

// arrowError is an error of an input as one of this package.
func arrowError(name string, err error) error {
	switch {
	case errors.Is(err, arrowipc.ErrDamaged):
		return &DamagedError{File: name, Problem: err.Error(), Err: err}
	case errors.Is(err, arrowipc.ErrUnsupported):
		return &InputError{File: name, Problem: err.Error(), Advice: "write it with other types or settings, or as CSV", Err: err}
	}
	return err
}

// held is memory that is given back when the last of its users is done.
type held struct {
	users atomic.Int64
	bytes int64
	free  func()
}

func newHeld(bytes int64, free func()) *held {
	h := &held{bytes: bytes, free: free}
	h.users.Store(1)
	return h
}

func (h *held) done() {
	if h.users.Add(-1) == 0 {
		h.free()
	}
}

// arrowFeed is the state of reading one input.
type arrowFeed struct {
	*arrowBody
	f    *blockFeed
	plan *inputPlan
	r    io.Reader

	schema       *arrowipc.Schema
	dictionaries arrowipc.Dictionaries
	memory       map[int64][]*held // of these
	rows         int64
}

// feed is [streamBody].
func (t *arrowBody) feed(f *blockFeed, plan *inputPlan, r io.Reader) error {
	x := &arrowFeed{arrowBody: t, f: f, plan: plan, r: r, dictionaries: arrowipc.Dictionaries{}, memory: map[int64][]*held{}}
	defer func() {
		for _, list := range x.memory {
			releaseAll(list)
		}
	}()
	if t.atEnd {
		if err := x.begin(schemaAtEnd(plan.src)); err != nil {
			return err
		}
	}
	for {
		m, marked, err := arrowipc.ReadMessage(r)
		switch {
		case err != nil:
			return arrowError(plan.name(), err)
		case m == nil:
			return x.end(marked)
		case x.schema == nil:
			if err = x.begin(arrowipc.ParseSchema(m)); err == nil {
				err = x.pass(m)
			}
		case t.atEnd && m.IsSchema():
			err = x.replaced()
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

func releaseAll(list []*held) {
	for _, h := range list {
		h.done()
	}
}

// begin compares the schema with that by which columns were picked.
func (x *arrowFeed) begin(s *arrowipc.Schema, err error) error {
	if err != nil {
		return arrowError(x.plan.name(), err)
	}
	x.schema = s
	for i, c := range x.at {
		if list := x.schema.Columns; c >= len(list) || list[c].Name != x.names[i] || list[c].Kind != x.kinds[i] {
			return x.replaced()
		}
	}
	return nil
}

func (x *arrowFeed) replaced() error {
	return &DamagedError{File: x.plan.name(), Problem: "was replaced while it was being read"}
}

// pass passes over the body of a message.
func (x *arrowFeed) pass(m *arrowipc.Message) error {
	_, err := io.CopyN(discarded{x.f}, x.r, m.Body)
	if err == io.EOF {
		err = &DamagedError{File: x.plan.name(), Problem: "is truncated: it ends within a message"}
	}
	return err
}

// body reads the body of a message into memory that is held.
func (x *arrowFeed) body(m *arrowipc.Message) (*held, error) {
	limit := x.f.memory.limit
	for _, list := range x.memory {
		for _, h := range list {
			limit -= h.bytes // of dictionaries, which stay
		}
	}
	h, err := x.hold(m.Body, limit)
	if err != nil {
		return nil, err
	}
	if err := m.ReadBody(x.r); err != nil {
		h.done()
		return nil, arrowError(x.plan.name(), err)
	}
	more, err := x.schema.Unpacked(m, x.at)
	if err != nil {
		h.done()
		return nil, arrowError(x.plan.name(), err)
	}
	rest, err := x.hold(more, limit-m.Body)
	if err != nil {
		h.done()
		return nil, err
	}
	return newHeld(m.Body+more, func() { h.done(); rest.done() }), nil
}

// hold takes memory, of which there is so much.
func (x *arrowFeed) hold(bytes, limit int64) (*held, error) {
	if bytes > limit {
		err := fmt.Errorf("a record batch or dictionary behind row %d takes %s of memory, and there are %s for it",
			x.rows, humanize.IBytes(uint64(bytes)), humanize.IBytes(uint64(max(limit, 0))))
		return nil, tooLarge(x.plan.name(), err, bytes+x.f.memory.limit-limit, taskShare)
	}
	free, err := x.f.memory.hold(x.f.ctx, bytes)
	return newHeld(bytes, free), err
}

// dictionary reads values to which later batches refer.
func (x *arrowFeed) dictionary(m *arrowipc.Message) error {
	h, err := x.body(m)
	if err != nil {
		return err
	}
	number, delta, known := x.schema.Dictionary(m, x.at)
	if !known {
		h.done()
		return nil
	}
	if err := x.schema.LoadDictionary(m, x.at, x.dictionaries); err != nil {
		h.done()
		return arrowError(x.plan.name(), err)
	}
	if !delta {
		releaseAll(x.memory[number])
		x.memory[number] = nil
	}
	x.memory[number] = append(x.memory[number], h)
	return nil
}

// batch reads rows, and hands them out.
func (x *arrowFeed) batch(m *arrowipc.Message) error {
	h, err := x.body(m)
	if err != nil {
		return err
	}
	defer h.done()
	b, err := x.schema.Load(m, x.at, x.dictionaries)
	if err != nil {
		return arrowError(x.plan.name(), err)
	}
	used := []*held{h}
	for _, list := range x.memory {
		used = append(used, list...)
	}
	for from := 0; from < b.Rows; from += arrowRows {
		for _, u := range used {
			u.users.Add(1)
		}
		task := &arrowTask{batch: b, from: from, to: min(b.Rows, from+arrowRows), first: x.rows, name: x.plan.name()}
		if err := x.f.emitRows(&readBlock{plan: x.plan, rows: task, release: func() { releaseAll(used) }}); err != nil {
			return err
		}
	}
	x.rows += int64(b.Rows)
	return nil
}

// end looks at what follows the stream: in a file its directory, which is not needed, and magic.
func (x *arrowFeed) end(marked bool) error {
	var tail [len(arrowipc.FileMagic)]byte
	n, total := 0, 0
	buf := make([]byte, 4096)
	for {
		k, err := x.r.Read(buf)
		total += k
		n = copy(tail[:], append(append([]byte(nil), tail[:n]...), buf[:k]...)[max(0, n+k-len(tail)):])
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
	}
	switch {
	case x.file && (!marked || string(tail[:n]) != arrowipc.FileMagic):
		return &DamagedError{File: x.plan.name(), Problem: "is truncated: it does not end as an Arrow file does"}
	case !x.file && total > 0:
		return &DamagedError{File: x.plan.name(), Problem: "goes on behind the end of its stream: a stream of one table is read"}
	case x.schema == nil:
		return &DamagedError{File: x.plan.name(), Problem: "has no schema"}
	}
	return nil
}

// arrowTask is rows of a record batch.
type arrowTask struct {
	batch    *arrowipc.Batch
	from, to int
	first    int64 // row of the input with which the batch begins
	name     string
}

func (t *arrowTask) need() int64 { return 0 } // what goroutines keep is small

func (t *arrowTask) place(i int64) string {
	return fmt.Sprintf("row %d (from 0)", t.first+int64(t.from)+i)
}

// read is [rowTask].
func (t *arrowTask) read(r *rowReader, deliver func(v []columnar.Values, n int) error) error {
	for from := t.from; from < t.to; from += edgeBatchSize {
		to := min(t.to, from+edgeBatchSize)
		v, err := t.batch.Values(from, to, &r.arrow)
		if err != nil {
			return arrowError(t.name, err)
		}
		if err := deliver(v, to-from); err != nil {
			return err
		}
	}
	return nil
}
