package ingest

import (
	"bytes"
	"fmt"
	"io"

	cols "github.com/garaph/garaph/internal/columns"
)

// Parquet is the name of the format.
const Parquet Format = "parquet"

// isParquet recognises files by their magic, with which a text may begin too.
func isParquet(h *inputHead) bool {
	return bytes.HasPrefix(h.bytes, []byte(cols.ParquetMagic)) && !isTextBytes(h.bytes)
}

// parquetBody reads Parquet files. Each row group is a task.
type parquetBody struct{ rowBody }

// planParquet reads the directory, which is at the end of the file.
func planParquet(p *inputPlan, h *inputHead, o ReadOptions) error {
	switch {
	case h.stream.packed != "":
		return &InputError{File: p.name(), Problem: "is a Parquet file within " + h.stream.packed, Advice: "unpack it first"}
	case h.in.openAt == nil:
		return &InputError{File: p.name(), Problem: "is a Parquet file from a pipe, but its directory is at its end", Advice: "save it as a file first"}
	case !bytes.HasPrefix(h.bytes, []byte(cols.ParquetMagic)):
		return &DamagedError{File: p.name(), Problem: "is no Parquet file: it does not begin with " + cols.ParquetMagic}
	}
	in, err := h.in.openAt()
	if err != nil {
		return err
	}
	defer in.Close()
	file, err := cols.OpenParquet(in, h.in.size, cols.NewMemory(o.RowBytes))
	if err != nil {
		return columnsError(p.name(), err)
	}
	t := &parquetBody{}
	if t.pickedColumns, err = pickEdges(p.name(), file.Columns, o); err != nil {
		return err
	}
	t.plan(p, o)
	p.schema.Edges = file.Rows
	p.body = t
	return nil
}

// feedRows is [rowFeeder].
func (t *parquetBody) feedRows(f *blockFeed, plan *inputPlan) error {
	in, err := plan.src.openAt()
	if err != nil {
		return err
	}
	defer in.Close()
	file, err := cols.OpenParquet(in, plan.src.size, f.memory)
	if err != nil {
		return columnsError(plan.name(), err)
	}
	if err := t.sameColumns(plan.name(), file.Columns); err != nil {
		return err
	}
	begun, first, stored := f.progress.done, int64(0), int64(0)
	for i := range file.Groups() {
		task := &parquetTask{file: file, group: i, body: t, plan: plan, first: first}
		if err := f.emitRows(&readBlock{plan: plan, rows: task, release: func() {}}); err != nil {
			return err
		}
		rows, bytes := file.Group(i)
		first, stored = first+rows, stored+bytes
		f.progress.done = begun + min(stored, plan.src.size)
		f.progress.report()
	}
	f.progress.done = begun + plan.src.size
	return nil
}

// parquetTask is a row group of a file.
type parquetTask struct {
	file  *cols.Parquet
	group int
	first int64 // its first row in the file
	body  *parquetBody
	plan  *inputPlan
}

func (t *parquetTask) place(i int64) string { return fmt.Sprintf("row %d (from 0)", t.first+i) }

// read is [rowTask].
func (t *parquetTask) read(_ *rowReader, deliver func(v []cols.Values, n int) error) error {
	in, err := t.plan.src.openAt()
	if err != nil {
		return err
	}
	defer in.Close()
	rows, err := t.file.Read(in, t.group, t.body.at)
	if err != nil {
		return columnsError(t.plan.name(), err)
	}
	defer rows.Close()
	for {
		v, n, err := rows.Next(edgeBatchSize)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return columnsError(t.plan.name(), err)
		}
		if err := deliver(v, n); err != nil {
			return err
		}
	}
}
