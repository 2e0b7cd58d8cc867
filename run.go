package garaph

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/garaph/garaph/dispatcher"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/panics"
	"github.com/garaph/garaph/internal/results"
)

// Run runs a program over a graph. The result holds the memory of the job until
// it is closed. After a cancellation the error is the context's, and its cause, and an
// [OverflowError] when the program reports values as too large.
//
// With [RunOptions.Checkpoints], or a [RunOptions.Job], the run is recorded in
// the graph's folder, and [Resume] goes on with it after a crash.
func Run[V, A any](ctx context.Context, g *Graph, p gas.Program[V, A], o RunOptions) (r *Result, err error) {
	began := false
	defer func() {
		if err != nil && !began {
			err = errors.Join(nameProgram(err, p, o.Name), giveBack(o.Job))
		}
	}()
	if err := g.begin(); err != nil {
		return nil, err
	}
	defer g.end(ctx, &err)
	endless := o.Iterations == Forever
	if endless {
		o.Iterations = 0
	}
	o = continued(o)
	columns, err := columnsOf(p)
	if err != nil { // before hours of work
		return nil, err
	}
	if err := check(g, p, endless || o.Iterations != 0); err != nil {
		return nil, err
	}
	if o.Job == nil && o.Checkpoints.Wanted() {
		o.Job = g.NewJob(JobSpec{Name: fmt.Sprintf("%T", p)})
	}
	job, err := dispatcher.New(g.store, p, o)
	if err != nil {
		return nil, err
	}
	if err := begin(g, p, o); err != nil {
		job.Close()
		return nil, err
	}
	began = true
	report, err := job.Run(ctx)
	if err == nil {
		err = finite(ctx, p, columns, job)
	}
	r = &Result{graph: g, Report: report, job: o.Job, save: job.Save}
	_, r.columned = p.(gas.Columned[V])
	if err != nil {
		job.Close()
		status := Failed
		var overflow *OverflowError
		switch {
		case ctx.Err() != nil:
			status = Interrupted
		case errors.As(err, &overflow):
			status = Done // without results: resumed, it would end so again
		}
		err = nameProgram(err, p, o.Name)
		return r, errors.Join(err, r.end(status, err))
	}
	r.table = &table[V]{graph: g, source: p, valuesOf: job.ValuesOf, memory: job.Trim(), columns: columns, values: job.Array()}
	r.close, r.leave = job.Close, job.Leave
	return r, nil
}

// check asks a program that is [gas.Checked] whether it can run over a graph, and one that is
// [gas.Endless] whether it ends.
func check(g *Graph, program any, ends bool) error {
	if c, asks := program.(gas.Checked); asks {
		err := panics.Guard(program, func() error { return c.Check(g.Catalogue().Vertices) })
		var panicked *panics.Error
		if err != nil && !errors.As(err, &panicked) {
			err = fmt.Errorf("graph %s: program %T: %w", g.store.Name(), program, err)
		}
		if err != nil {
			return err
		}
	}
	if e, asks := program.(gas.Endless); asks && !ends && e.Endless() {
		return fmt.Errorf("graph %s: program %T does not end by itself: set RunOptions.Iterations", g.store.Name(), program)
	}
	return nil
}

// finite refuses results of a job that are NaN, or infinite: other than those that are null, and those
// that a vertex has from the beginning.
func finite[V, A any](ctx context.Context, p gas.Program[V, A], columns []column[V], job *dispatcher.Job[V, A]) error {
	columns = slices.DeleteFunc(slices.Clone(columns), func(c column[V]) bool { return c.Kind != results.Float32 && c.Kind != results.Float64 })
	if len(columns) == 0 {
		return nil
	}
	return job.Refuse(ctx, func(from, to uint32, wrong func(uint32)) error {
		var x results.Values
		return job.ValuesOf(from, to, func(vs []gas.Vertex, values []V) error {
			for _, c := range columns {
				x.Empty()
				c.numbers(&x, vs, values)
				for i, f := range x.F32 {
					if f-f != 0 && c.refuses(p, vs[i], values[i], float64(f)) {
						wrong(vs[i].ID)
					}
				}
				for i, f := range x.F64 {
					if f-f != 0 && c.refuses(p, vs[i], values[i], f) {
						wrong(vs[i].ID)
					}
				}
			}
			return nil
		})
	})
}

// refuses reports whether a result that is not finite is none of a vertex.
func (c *column[V]) refuses(p interface{ Init(v gas.Vertex) (V, bool) }, v gas.Vertex, value V, result float64) bool {
	if c.null != nil && c.null(v, value) {
		return false
	}
	var first results.Values
	begun, _ := p.Init(v)
	c.numbers(&first, []gas.Vertex{v}, []V{begun})
	return !slices.Contains(first.F64, result) && !slices.Contains(first.F32, float32(result))
}

// nameProgram puts the name of a program in an error that has its type first.
func nameProgram(err error, program any, name string) error {
	if kind := fmt.Sprintf("%T", program); err != nil && name != "" && strings.Contains(err.Error(), kind) {
		return &namedError{err, strings.Replace(err.Error(), kind, name, 1)}
	}
	return err
}

type namedError struct {
	error
	text string
}

func (e *namedError) Error() string { return e.text }
func (e *namedError) Unwrap() error { return e.error }

// Resume goes on with a job that was interrupted, or failed, from the newest
// checkpoint that is sound; without one it begins again. id 0 is the newest
// unfinished job; newer ones that are damaged are passed over, with a warning.
// The graph, the program with its parameters, mode, method and number of
// iterations must be those of the first run, or [ErrDiffers]; options that are
// zero are taken from there.
func Resume[V, A any](ctx context.Context, g *Graph, p gas.Program[V, A], id int, o RunOptions) (*Result, error) {
	job, err := g.OpenJob(id)
	if err != nil {
		return nil, err
	}
	o.Job = job
	if o.Log != nil {
		for _, err := range job.Passed() {
			o.Log.Warn(fmt.Sprintf("graph %s: a job is passed over: %v", g.store.Name(), err))
		}
	}
	return Run(ctx, g, p, o)
}

// continued fills in the options that a resumed job has from its first run.
func continued(o RunOptions) RunOptions {
	if o.Job != nil && o.Job.ID() != 0 {
		r := o.Job.Record()
		had := r.Identity.Options
		o.Mode = cmp.Or(o.Mode, dispatcher.Mode(had["mode"]))
		o.Method = cmp.Or(o.Method, dispatcher.Method(had[methodOption]))
		if n, err := strconv.Atoi(had["iterations"]); err == nil {
			o.Iterations = cmp.Or(o.Iterations, n)
		}
		if o.Checkpoints == (Checkpoints{}) {
			o.Checkpoints = r.Policy
		}
	}
	o.Mode = cmp.Or(o.Mode, dispatcher.Sync)
	o.Method = cmp.Or(o.Method, dispatcher.Auto)
	return o
}

// begin begins the recorded job. One for which no checkpoints were asked runs
// without a record where there can be none, as on a disk that cannot be written.
func begin[V, A any](g *Graph, p gas.Program[V, A], o RunOptions) error {
	if o.Job == nil {
		return nil
	}
	id, err := identityOf(g, p, o)
	if err == nil {
		err = g.store.InPlace(func() error { return o.Job.Begin(id, o.Checkpoints) })
	}
	if err == nil {
		return nil
	}
	if o.Job.ID() != 0 || o.Checkpoints.Wanted() {
		return fmt.Errorf("graph %s: %w", g.store.Name(), err)
	}
	if o.Log != nil {
		o.Log.Info(fmt.Sprintf("the run could not be resumed after a crash: %v", err))
	}
	return nil
}

func giveBack(job *Job) error {
	if job == nil {
		return nil
	}
	return job.Close()
}

// Result is the outcome of a job or an algorithm: a value for each vertex, under
// the user's ids.
type Result struct {
	Report dispatcher.Report // of a job
	// Algorithm is what an algorithm reports; nil of a job.
	Algorithm *AlgorithmReport

	graph    *Graph
	table    results.Table // nil: the run failed
	uses     uses          // of the table
	columned bool          // the columns are those of a program that is [gas.Columned]
	close    func()
	leave    func() // nil: close

	job  *Job         // nil: not recorded, or ended
	save func() error // nil: there is no state that could be saved
	lost error        // why results were not written
}

// Table returns the rows. The value column of a program or an algorithm that has one is
// named name, or as a [gas.Named] one says if that is ""; those of a [gas.Columned] program have
// names.
func (r *Result) Table(name string) results.Table {
	if r.columned || name == "" {
		return r.table
	}
	return named{r.table, name}
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
// w are large; after an error what w has is of no use.
func (r *Result) Write(w io.Writer, format string) (err error) {
	if err := r.beginReading(); err != nil {
		return err
	}
	defer r.endReading()
	r.lost = results.Write(w, results.Format(strings.ToLower(format)), r.table)
	return r.lost
}

// Lose says that the results could not be brought to where they were wanted: a
// recorded job keeps its state then, and can be resumed to write them.
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
	return r.uses.close(func() error {
		var err error
		status := Done
		if r.lost != nil && r.save != nil {
			err, status = r.save(), Failed
			if errors.Is(r.lost, context.Canceled) {
				status = Interrupted
			}
		}
		end()
		return errors.Join(err, r.end(status, r.lost))
	})
}

// Job is the job as which the run is recorded; nil when it is not.
func (r *Result) Job() *Job { return r.job }

// end ends the recorded job.
func (r *Result) end(s JobStatus, cause error) error {
	if r.job == nil {
		return nil
	}
	return r.job.End(s, cause)
}
