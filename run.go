package garaph

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"go.uber.org/zap"

	"github.com/garaph/garaph/checkpoint"
	"github.com/garaph/garaph/dispatcher"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/identity"
	"github.com/garaph/garaph/internal/panics"
	"github.com/garaph/garaph/internal/tables"
)

// Run runs a program over a graph. The result holds the memory of the job until
// it is closed. After a cancellation the error is the context's, and its cause, and an
// [OverflowError] when the program reports values as too large.
//
// With [RunOptions.Checkpoints], or a [RunOptions.Job], the run is recorded in
// the graph's folder, and [Resume] continues it after a crash.
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
	columns, err := tables.ColumnsOf(p)
	if err != nil { // before hours of work
		return nil, err
	}
	if err := check(g, p, endless || o.Iterations != 0); err != nil {
		return nil, err
	}
	if o.Job == nil && o.Checkpoints.Wanted() {
		o.Job = g.NewJob(checkpoint.Spec{Name: fmt.Sprintf("%T", p)})
	}
	job, err := dispatcher.New(g.store, p, o)
	if err != nil {
		return nil, err
	}
	if err := g.record(o.Job, p, map[string]string{
		"mode": string(o.Mode), identity.MethodOption: string(o.Method), "iterations": strconv.Itoa(o.Iterations),
	}, o.Checkpoints, o.Log); err != nil {
		job.Close()
		return nil, err
	}
	began = true
	report, err := job.Run(ctx)
	if err == nil {
		err = tables.CheckFinite(ctx, p, columns, job)
	}
	r = &Result{graph: g, Report: report, job: o.Job, save: job.Save}
	_, r.columned = p.(gas.Columned[V])
	if err != nil {
		job.Close()
		err = nameProgram(err, p, o.Name)
		return r, errors.Join(err, endJob(ctx, o.Job, err))
	}
	r.close, r.leave = job.Close, job.Leave
	memory, err := job.Trim()
	if err != nil {
		r.Lose(err)
		return r, errors.Join(err, r.Close())
	}
	r.table = &tables.Table[V]{
		Store: g.store, Source: p, Range: job.ValuesOf, Memory: memory, Results: columns, Values: job.Array(),
	}
	return r, nil
}

// endJob ends the job, if any, of a run that returned an error.
func endJob(ctx context.Context, job *Job, err error) error {
	var overflow *OverflowError
	switch {
	case job == nil:
		return nil
	case ctx.Err() != nil:
		return job.End(checkpoint.Interrupted, err)
	case errors.As(err, &overflow):
		return job.End(checkpoint.Done, err) // without results: resumed, it would end so again
	}
	return job.Fail(err)
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

// Resume continues a job that was interrupted, or failed, from the newest
// checkpoint that is sound; without one it begins again. id 0 is the newest
// unfinished job; newer ones that are damaged are passed over, with a warning.
// The graph, the program with its parameters, mode, method and number of
// iterations must be those of the first run, or [ErrDiffers]; options that are
// zero are taken from there.
func Resume[V, A any](ctx context.Context, g *Graph, p gas.Program[V, A], id int, o RunOptions) (*Result, error) {
	var err error
	if o.Job, err = g.openJob(id, o.Log); err != nil {
		return nil, err
	}
	return Run(ctx, g, p, o)
}

// openJob is OpenJob, and logs which newer jobs are skipped.
func (g *Graph) openJob(id int, log *zap.Logger) (*Job, error) {
	job, err := g.OpenJob(id)
	if err != nil || log == nil {
		return job, err
	}
	for _, err := range job.Passed() {
		log.Warn(fmt.Sprintf("graph %s: a job is skipped: %v", g.store.Name(), err))
	}
	return job, nil
}

// continued fills in the options that a resumed job has from its first run.
func continued(o RunOptions) RunOptions {
	if o.Job != nil && o.Job.ID() != 0 {
		r := o.Job.Record()
		had := r.Identity.Options
		o.Mode = cmp.Or(o.Mode, dispatcher.Mode(had["mode"]))
		o.Method = cmp.Or(o.Method, dispatcher.Method(had[identity.MethodOption]))
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

// record begins the job of a program or an algorithm, if it is not nil. A new one for which no checkpoints are wanted
// runs unrecorded where there can be no record, as on a disk that cannot be written.
func (g *Graph) record(job *Job, program any, options map[string]string, p Checkpoints, log *zap.Logger) error {
	if job == nil {
		return nil
	}
	if log == nil {
		log = zap.NewNop()
	}
	id, err := identity.Of(g.Catalogue().Fingerprint, program, options)
	if err == nil {
		err = (&checkpoint.Recorder{Job: job, Log: log}).Begin(g.store.InPlace, id, p)
	}
	if err != nil {
		err = fmt.Errorf("graph %s: %w", g.store.Name(), err)
	}
	return err
}

func giveBack(job *Job) error {
	if job == nil {
		return nil
	}
	return job.Close()
}
