package garaph

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/checkpoint"
	"github.com/garaph/garaph/dispatcher"
	"github.com/garaph/garaph/internal/results"
	"github.com/garaph/garaph/internal/tables"
	"github.com/garaph/garaph/internal/uses"
)

// Result is the outcome of a job or an algorithm: a value for each vertex, under
// the user's ids.
type Result struct {
	Report dispatcher.Report // of a job
	// Algorithm is the report of an algorithm, or nil for a job.
	Algorithm *algorithms.Report

	graph    *Graph
	table    results.Table // if nil, the run failed
	uses     uses.Count    // of the table
	columned bool          // the program is [gas.Columned]
	close    func()
	leave    func() // if nil, close

	job  *Job         // if nil, not recorded, or ended
	save func() error // if nil, there is no state that could be saved
	lost error        // why results were not written
}

// Table returns the rows. The value column of a program or an algorithm that has one is
// named name, or as a [gas.Named] one says if that is ""; those of a [gas.Columned] program have
// names.
func (r *Result) Table(name string) results.Table {
	if r.columned || name == "" {
		return r.table
	}
	return tables.Named{Table: r.table, Name: name}
}

// WriteFile writes a value per vertex to a file, whole or not at all. The
// format is tsv, csv, ndjson, parquet, arrow, arrows or npy, or "" to decide by the name.
func (r *Result) WriteFile(path, format string) (err error) {
	if err := r.beginReading(); err != nil {
		return err
	}
	defer r.endReading()
	f := results.Format(format)
	if format == "" {
		f, err = results.FormatOf(path)
	}
	if err == nil {
		err = results.WriteFile(path, f, r.table)
	}
	r.lost = err
	return err
}

// Write writes a value per vertex to w, in one of the formats of [Result.WriteFile]. Writes to
// w are large; after an error the bytes in w are of no use.
func (r *Result) Write(w io.Writer, format string) (err error) {
	if err := r.beginReading(); err != nil {
		return err
	}
	defer r.endReading()
	r.lost = results.Write(w, results.Format(strings.ToLower(format)), r.table)
	return r.lost
}

// Lose records that the results could not be delivered. A recorded job then keeps its state, so
// that [Resume] can write them.
func (r *Result) Lose(cause error) { r.lost = cause }

// Close frees the memory of the job. A recorded job is done, unless its results
// were lost. While values are written or read, also inside a loop over them, Close does nothing and returns [ErrInUse].
// Tables of [Result.Table], and slices of the job's memory as of [Values.Slice], are invalid after Close: reading one
// may end the process.
func (r *Result) Close() error { return r.finish(r.close) }

// Leave is Close for a process that ends at once: memory and devices are left to the
// system, which takes them back faster than the process gives them.
func (r *Result) Leave() error {
	if r.leave == nil {
		return r.Close()
	}
	return r.finish(r.leave)
}

func (r *Result) finish(end func()) error {
	if r.table == nil {
		return nil
	}
	return r.uses.Close(func() error {
		var err error
		status := checkpoint.Done
		if r.lost != nil {
			status = checkpoint.Failed
			if errors.Is(r.lost, context.Canceled) {
				status = checkpoint.Interrupted
			}
			if r.save != nil {
				err = r.save()
			}
		}
		end()
		if r.job != nil {
			err = errors.Join(err, r.job.End(status, r.lost))
		}
		return err
	})
}

// Job returns the job that records the run, or nil.
func (r *Result) Job() *Job { return r.job }

// errNoValues is the error of a result that was closed or whose run failed.
var errNoValues = errors.New("the result has no values: it is closed, or its run failed")

// beginReading keeps the values, and the graph with their ids, until [Result.endReading].
func (r *Result) beginReading() error {
	if r.table == nil || !r.uses.Begin() {
		return errNoValues
	}
	err := r.graph.begin()
	if err != nil {
		r.uses.End()
	}
	return err
}

func (r *Result) endReading() {
	r.graph.uses.End()
	r.uses.End()
}
