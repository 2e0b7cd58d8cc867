package columns

import (
	"bytes"
	"fmt"
	"io"

	"github.com/garaph/garaph/ingest/read"
	cols "github.com/garaph/garaph/internal/columns"
)

// isParquet recognises files by their magic, with which a text may begin too.
func isParquet(h *read.Head) bool {
	return bytes.HasPrefix(h.Bytes, []byte(cols.ParquetMagic)) && !read.IsText(h.Bytes)
}

// parquetBody reads Parquet files. Each row group is a task.
type parquetBody struct{ rowBody }

// planParquet reads the directory, which is at the end of the file.
func planParquet(p *read.Plan, h *read.Head, o read.Options) error {
	switch {
	case h.Stream.Packed != "":
		return p.Refused("is a Parquet file within "+h.Stream.Packed, "unpack it first")
	case h.Input.OpenAt == nil:
		return p.Refused("is a Parquet file from a pipe, but its directory is at its end", "save it as a file first")
	case !bytes.HasPrefix(h.Bytes, []byte(cols.ParquetMagic)):
		return &read.DamagedError{File: p.Name(), Problem: "is no Parquet file: it does not begin with " + cols.ParquetMagic}
	}
	in, err := h.Input.OpenAt()
	if err != nil {
		return err
	}
	defer in.Close()
	file, err := cols.OpenParquet(in, h.Input.Size, cols.NewMemory(o.RowBytes))
	if err != nil {
		return columnsError(p.Name(), err)
	}
	t := &parquetBody{}
	if t.pickedColumns, err = pickEdges(p.Name(), file.Columns, o); err != nil {
		return err
	}
	t.plan(p, o)
	p.Body = t
	return nil
}

// FeedRows implements the row feeder of package read.
func (t *parquetBody) FeedRows(f *read.Feed, plan *read.Plan) error {
	in, err := plan.Input.OpenAt()
	if err != nil {
		return err
	}
	defer in.Close()
	file, err := cols.OpenParquet(in, plan.Input.Size, f.Memory)
	if err != nil {
		return columnsError(plan.Name(), err)
	}
	begun, first, stored := f.Progress.Done, int64(0), int64(0)
	for i := range file.Groups() {
		task := &parquetTask{file: file, group: i, body: t, plan: plan, first: first}
		if err := f.EmitRows(&read.Block{Plan: plan, Rows: task, Release: func() {}}); err != nil {
			return err
		}
		rows, bytes := file.Group(i)
		first, stored = first+rows, stored+bytes
		f.Progress.Done = begun + min(stored, plan.Input.Size)
		f.Progress.Report()
	}
	f.Progress.Done = begun + plan.Input.Size
	return nil
}

// parquetTask is a row group of a file.
type parquetTask struct {
	file  *cols.Parquet
	group int
	first int64 // its first row in the file
	body  *parquetBody
	plan  *read.Plan
}

func (t *parquetTask) place(i int64) string { return fmt.Sprintf("row %d (from 0)", t.first+i) }

// read implements [rowTask].
func (t *parquetTask) read(_ *rowReader, deliver func(v []cols.Values, n int) error) error {
	in, err := t.plan.Input.OpenAt()
	if err != nil {
		return err
	}
	defer in.Close()
	rows, err := t.file.Read(in, t.group, t.body.at)
	if err != nil {
		return columnsError(t.plan.Name(), err)
	}
	defer rows.Close()
	for {
		v, n, err := rows.Next(read.BatchSize)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return columnsError(t.plan.Name(), err)
		}
		if err := deliver(v, n); err != nil {
			return err
		}
	}
}
