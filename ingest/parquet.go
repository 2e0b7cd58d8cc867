package ingest

import (
	"errors"
	"fmt"
	"io"

	"github.com/garaph/garaph/internal/columnar"
	"github.com/garaph/garaph/internal/parquetread"
)

// parquetBody reads Parquet files. The pages of its columns are found by the goroutine that feeds,
// by their headers; those that parse read, unpack and decode them, a task at a time.
type parquetBody struct{ rowBody }

// The parts of the memory for rows that a footer and a task may take, as their inverses.
const (
	footerShare = 8
	taskShare   = 4. / 3
)

// planParquet reads the directory, which is at the end of the file.
func planParquet(p *inputPlan, h *inputHead, o ReadOptions) (*inputPlan, error) {
	if err := checkAt(h, parquetread.Magic, "Parquet"); err != nil {
		return nil, err
	}
	in, err := h.in.openAt()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	t := &parquetBody{}
	file, _, err := parquetread.Open(in, h.in.size, newRowMemory(o).footer, func(list []columnar.Column) ([]int, error) {
		var err error
		t.pickedColumns, err = pickEdges(p.name(), list, o)
		return t.at, err
	})
	if err != nil {
		return nil, parquetError(p.name(), err, footerShare)
	}
	t.plan(p, o)
	if err := t.checkLargest(p.name(), file); err != nil {
		return nil, err
	}
	p.schema.Edges = file.Rows
	p.body = t
	return p, nil
}

// checkAt refuses an input that is not read at any place: one that comes once, or is
// compressed as a whole.
func checkAt(h *inputHead, magic, what string) error {
	switch {
	case h.stream.packed != "":
		return &InputError{File: h.in.name, Problem: "is a " + what + " file within " + h.stream.packed + ", where it cannot be read in parts", Advice: "unpack it first: " + what + " files are compressed inside"}
	case h.in.openAt == nil:
		return &InputError{File: h.in.name, Problem: "is a " + what + " file from a pipe, but its directory is at its end", Advice: "save it as a file first"}
	case len(h.bytes) < len(magic) || string(h.bytes[:len(magic)]) != magic:
		return &DamagedError{File: h.in.name, Problem: "is no " + what + " file: it does not begin with " + magic}
	}
	return nil
}

// checkLargest refuses ids that are not dense before anything is read, where the
// statistics of the file show it.
func (t *parquetBody) checkLargest(name string, file *parquetread.File) error {
	for i := range 2 {
		if top, ok := file.Largest(i); ok && t.ids == IDDense && !t.skipBad && top > maxDense {
			return &InputError{
				File: name, Problem: fmt.Sprintf("has ids up to %d in column %q, and dense ids go up to %d", top, t.names[i], uint64(maxDense)),
				Advice: "use --ids int for ids that are not dense",
			}
		}
	}
	return nil
}

// parquetError is an error of a file as one of this package. share is the part of the
// memory for rows that was not enough, as its inverse.
func parquetError(name string, err error, share float64) error {
	var need *parquetread.NeedError
	var columns *InputError // of those that were to be chosen
	switch {
	case errors.As(err, &columns):
		return err
	case errors.As(err, &need):
		return tooLarge(name, err, need.Bytes, share)
	case errors.Is(err, parquetread.ErrDamaged):
		return &DamagedError{File: name, Problem: err.Error(), Err: err}
	case errors.Is(err, parquetread.ErrUnsupported):
		return &InputError{File: name, Problem: err.Error(), Advice: "write it again with other settings, or as CSV", Err: err}
	}
	return &InputError{File: name, Problem: "cannot be read: " + pathCause(err), Err: err}
}

// parquetTask is a task of a file.
type parquetTask struct {
	*parquetread.Task
	file *shared
	name string
}

func (t *parquetTask) need() int64 { return t.Need }

func (t *parquetTask) place(i int64) string {
	return fmt.Sprintf("row %d (row %d of row group %d, all from 0)", t.FileRow+i, t.First+i, t.Group)
}

// read is [rowTask].
func (t *parquetTask) read(r *rowReader, deliver func(v []columnar.Values, n int) error) error {
	r.parquet.Start(t.file, t.Task)
	for {
		v, n, err := r.parquet.Next(edgeBatchSize)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return parquetError(t.name, err, taskShare)
		}
		if err := deliver(v, n); err != nil {
			return err
		}
	}
}

// feedRows is [rowFeeder].
func (t *parquetBody) feedRows(f *blockFeed, plan *inputPlan) error {
	in, err := plan.src.openAt()
	if err != nil {
		return err
	}
	file := &shared{readerAtCloser: in}
	file.use()
	defer file.done()
	opened, _, err := parquetread.Open(in, plan.src.size, f.memory.footer, func(list []columnar.Column) ([]int, error) {
		for i, c := range t.at {
			if c >= len(list) || list[c].Name != t.names[i] || list[c].Kind != t.kinds[i] {
				return nil, fmt.Errorf("%w: it was replaced while it was being read", parquetread.ErrDamaged)
			}
		}
		return t.at, nil
	})
	if err != nil {
		return parquetError(plan.name(), err, footerShare)
	}
	begun, stored := f.progress.done, int64(0)
	err = opened.Tasks(file, t.at, f.memory.limit, func(task *parquetread.Task) error {
		free, err := f.memory.hold(f.ctx, task.Need)
		if err != nil {
			return &fedError{err}
		}
		file.use()
		b := &readBlock{plan: plan, rows: &parquetTask{Task: task, file: file, name: plan.name()}, release: func() { free(); file.done() }}
		if err := f.emitRows(b); err != nil {
			return &fedError{err}
		}
		stored += task.Stored
		f.progress.done = begun + min(stored, plan.src.size)
		f.progress.report()
		return nil
	})
	var fed *fedError
	if errors.As(err, &fed) {
		return fed.error
	}
	if err != nil {
		return parquetError(plan.name(), err, taskShare)
	}
	f.progress.done = begun + plan.src.size
	return nil
}

// fedError is an error of handing out a task, not one of the file.
type fedError struct{ error }
