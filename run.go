package garaph

import (
	"context"

	"github.com/garaph/garaph/dispatcher"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/results"
)

// Run runs a program over a graph. The result holds the memory of the job until
// it is closed. After a cancellation the error is the context's.
func Run[V, A any](ctx context.Context, g *Graph, p gas.Program[V, A], o RunOptions) (*Result, error) {
	job, err := dispatcher.New(g.store, p, o)
	if err != nil {
		return nil, err
	}
	report, err := job.Run(ctx)
	if err != nil {
		job.Close()
		return &Result{Report: report}, err
	}
	t, err := newTable(g, p, job)
	if err != nil {
		job.Close()
		return &Result{Report: report}, err
	}
	return &Result{Report: report, table: t, close: job.Close}, nil
}

// Result is the outcome of a job: a value for each vertex, under the user's
// ids.
type Result struct {
	Report dispatcher.Report
	table  results.Table
	close  func()
}

// Table gives the rows, named as the value column is to be named.
func (r *Result) Table(name string) results.Table { return named{r.table, name} }

// WriteFile writes a value per vertex to a file, whole or not at all. The
// format is tsv, csv, ndjson, parquet or npy, or "" to tell by the name.
func (r *Result) WriteFile(path, format string) error {
	f := results.Format(format)
	if format == "" {
		var err error
		if f, err = results.FormatOf(path); err != nil {
			return err
		}
	}
	return results.WriteFile(path, f, r.table)
}

// Close frees the memory of the job.
func (r *Result) Close() {
	if r.close != nil {
		r.close()
	}
}
