package cli

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/bench"
	"github.com/garaph/garaph/cmd/garaph/cli/console"
	"github.com/garaph/garaph/cmd/garaph/cli/output"
	"github.com/garaph/garaph/cmd/garaph/cli/report"
	"github.com/garaph/garaph/cmd/garaph/cli/show"
	"github.com/garaph/garaph/dispatcher"
	"github.com/garaph/garaph/gpuengine"
	"github.com/garaph/garaph/ingest"
	"github.com/garaph/garaph/internal/flags"
	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/internal/registry"
	"github.com/garaph/garaph/internal/results"
)

// defaultTop is the number of vertices that are printed by default.
const defaultTop = 10

// task is one `garaph run`.
type task struct {
	program Program
	runner  Runner
	flags   *runFlags
	cmd     *cobra.Command
	args    []string // a graph or edge files

	options garaph.RunOptions
	trace   *trace   // if wanted
	page    *runPage // if wanted
	input   *input
	result  *garaph.Result
	peak    int64 // see peakMemory
}

// runWithin runs a task until --time-limit.
func (a *app) runWithin(cmd *cobra.Command, t *task) error {
	ctx, stop := context.WithCancelCause(cmd.Context())
	defer stop(nil)
	if limit := *t.flags.limit; limit > 0 {
		defer time.AfterFunc(limit, func() { stop(errTimeLimit) }).Stop()
	}
	err := a.run(ctx, t)
	if err != nil && errors.Is(context.Cause(ctx), errTimeLimit) {
		return fmt.Errorf("%w: %w", errTimeLimit, err)
	}
	return err
}

// run runs a program from the command line to its results.
func (a *app) run(ctx context.Context, t *task) (err error) {
	out, err := a.destination(*t.flags.output, *t.flags.format, t.reads())
	if err != nil {
		return err
	}
	if t.trace, err = newTrace(*t.flags.trace, t.reads()); err != nil {
		return err
	}
	if path := *t.flags.report; path != "" {
		if err := output.CheckBeside("the report", path, t.reads()); err != nil {
			return err
		}
		t.page = &runPage{path: path}
	}
	t.options = t.runOptions()
	a.console.Metrics.Observe(&t.options.Trace)
	defer keepWithin(t.options.Memory)()
	if t.input, err = t.openInput(ctx, a); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.input.close()) }()
	if err := results.CheckIDBytes(out.Format, t.input.graph.Catalogue().IDs.MaxBytes); err != nil {
		return err
	}
	if t.program.Timed && t.options.Iterations == 0 {
		a.console.Log.Warn(fmt.Sprintf(
			"%s may never end: without a number of --iterations, it runs until no value changes", t.program.Name,
		))
	}
	if *t.flags.checkpoints.resume && a.resumed == nil {
		if a.resumed, err = t.unfinished(); err != nil {
			return err
		}
		if a.resumed != nil {
			defer a.resumed.Close()
		}
	}
	t.recordJob(a, out)
	if err := t.execute(ctx, a); err != nil {
		return err
	}
	defer func() {
		end := t.result.Close
		if a.ends {
			end = t.result.Leave
		}
		if err := end(); err != nil {
			a.console.Log.Warn(err.Error())
		}
	}()
	t.warn(a.console.Log)
	failed := t.undelivered(ctx, t.deliver(ctx, a, out))
	beside := t.saveBeside()
	if failed != nil {
		return errors.Join(failed, beside)
	}
	a.console.Summary(t.summary())
	return beside
}

// recordJob prepares the record of a program's job, and reports which one it continues.
func (t *task) recordJob(a *app, out output.Destination) {
	if !t.program.Algorithm || t.program.Resumable {
		t.record(a.resumed)
	}
	if a.resumed != nil {
		a.console.Log.Info(resuming(a.resumed, t.name(), out))
	}
}

// reads returns the files and graphs that the run reads.
func (t *task) reads() []string {
	all := slices.Clone(t.args)
	for _, arg := range t.args {
		if beside := ingest.Beside(arg); beside != "" {
			all = append(all, beside)
		}
	}
	if f := t.cmd.Flags().Lookup("sources"); f != nil && f.Changed {
		all = append(all, f.Value.String())
	}
	return all
}

// peakMemory returns the largest resident memory of the process when the results were written:
// one figure for all that report it, however much memory the reports take.
func (t *task) peakMemory() int64 {
	if t.peak == 0 {
		t.peak = peakMemory()
	}
	return t.peak
}

// saveBeside writes the trace and the page of the run, if they are wanted.
func (t *task) saveBeside() error {
	var errs []error
	if t.trace != nil {
		errs = append(errs, t.trace.save(t.result.Report.GPU.Name))
	}
	if t.page != nil {
		errs = append(errs, t.page.save(t))
	}
	return errors.Join(errs...)
}

func (t *task) runOptions() garaph.RunOptions {
	f := t.flags
	o := garaph.RunOptions{
		Mode: dispatcher.Mode(*f.mode), Method: dispatcher.Method(*f.method),
		Threads: *f.threads, Memory: *f.memory, Iterations: t.program.Iterations,
		Device: dispatcher.Device(*f.device), GPU: garaph.GPUOptions{
			Name: *f.gpu, Memory: *f.gpuMemory, Streams: *f.streams, Gather: gpuengine.Gather(*f.gather), Advancing: f.value(),
		},
		Checkpoints: f.checkpoints.policy(), MoreThreads: bench.MoreThreads,
	}
	if o.Threads == 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	if t.cmd.Flags().Changed("iterations") {
		o.Iterations = *f.iterations
	}
	if !t.cmd.Flags().Changed("memory") {
		o.Memory = defaultMemory()
	}
	if t.trace != nil {
		o.Trace.Span = t.trace.add
	}
	if t.trace != nil || t.page != nil {
		o.Trace.Page = func(w dispatcher.PageWork) {
			if t.trace != nil {
				t.trace.page(w)
			}
			if t.page != nil {
				t.page.pages.Add(w)
			}
		}
	}
	return o
}

// execute runs the job, with progress.
func (t *task) execute(ctx context.Context, a *app) error {
	a.console.Begin(fmt.Sprintf("%s on %s", t.program.Name, t.name()))
	shown := &console.Phases{Console: a.console}
	o := t.options
	o.Name, o.Log = t.program.Name, a.console.Log
	o.Trace.Phase = func(p dispatcher.Phase) { shown.At(string(p), 0, console.InSteps) }
	o.Progress = func(it garaph.Iteration) {
		text := iterationText(it)
		o.Log.Debug(text, zap.Any("devices", it.Devices), zap.Int64("bytes_read", it.Traffic.BytesRead),
			zap.Int64("bytes_copied", it.Traffic.BytesCopied))
		if s := shown.At(t.program.Name, int64(t.options.Iterations), console.InIterations); s != nil {
			s.Iterated(text, it)
		}
	}
	var overflow *garaph.OverflowError
	hostmem.DropProgram()
	result, err := t.runner(ctx, Env{
		Graph: t.input.graph, Flags: t.cmd.Flags(), Options: o, Log: o.Log, Progress: progressOf(shown), held: new(held),
		scratch: *t.flags.scratch, stdin: a.stdin,
	})
	shown.End()
	switch {
	case err == nil:
		t.result = result
		return nil
	case ctx.Err() != nil:
		after, job := "", t.options.Job
		if result != nil {
			job, after = result.Job(), " after "+show.Iterations(result.Report.Done())
		}
		return &stopped{fmt.Sprintf("%s on %s was stopped%s; no results were written%s",
			t.program.Name, t.name(), after, resumable(job, t.name(), t.cmd.Flags())), err}
	case errors.As(err, &overflow):
		advice := t.program.Overflow
		if f := t.cmd.Flags().Lookup("precision"); f != nil && f.Value.String() == string(registry.Single) {
			advice = "leave out --precision 32"
		}
		if advice == "" {
			return err
		}
		return fmt.Errorf("%w; no results were written: %s", err, advice)
	default:
		return err
	}
}

func iterationText(it garaph.Iteration) string {
	alpha := ""
	if it.Alpha > 0 {
		alpha = fmt.Sprintf(", α %.2g", it.Alpha)
	}
	number := fmt.Sprintf("iteration %d", it.Iteration+1)
	if it.Levels > 1 {
		number = fmt.Sprintf("iterations %d to %d", it.Iteration+1, it.Iteration+it.Levels)
	}
	return fmt.Sprintf("%s (%s, %s): %s active, f %.2g%s, %s edges/s in %s", number, it.Device, it.Method,
		show.Count(float64(it.Active)), it.Fraction, alpha, show.Count(show.PerSecond(float64(it.Edges), it.Duration)),
		show.Seconds(it.Duration))
}

// pagesOf names the pages that a device counts.
func pagesOf(d dispatcher.Device) string {
	if d == dispatcher.GPU {
		return "batches"
	}
	return "pages"
}

func (t *task) summary() string {
	if t.result.Algorithm != nil {
		return t.algorithmSummary()
	}
	r, end := t.result.Report, t.end()
	where := "in memory"
	if !r.InMemory {
		where = "from disk"
	}
	if r.Reads.RowsNeeded > 0 {
		where += fmt.Sprintf(", with %s of rows for which %s were read",
			show.Bytes(r.Reads.RowsNeeded), show.Bytes(r.Reads.RowsRead))
	}
	if r.GPU.Name != "" {
		var on []string
		if _, did := r.Devices[dispatcher.CPU]; did {
			on = append(on, "the CPU")
		}
		if _, did := r.Devices[dispatcher.GPU]; did {
			on = append(on, "GPU "+r.GPU.Name)
		}
		where += ", on " + strings.Join(on, " and ")
	}
	loading := show.Seconds(r.Preparation.Load) + " of loading"
	if r.Preparation.Calibration > 0 {
		loading += fmt.Sprintf(" (%s of it calibration)", show.Seconds(r.Preparation.Calibration))
	}
	earlier := ""
	if r.Before > 0 {
		earlier = fmt.Sprintf(" after %d of earlier processes", r.Before)
	}
	return fmt.Sprintf("%s: %s%s in %s and %s, %s; %s edges/s, %s; peak memory %s",
		t.program.Name, show.Iterations(r.Done()-r.Before), earlier,
		show.Seconds(r.Duration), loading, end, show.Count(show.PerSecond(float64(r.Edges), r.Duration)), where,
		show.Bytes(t.peakMemory()))
}

// end returns how the job ended.
func (t *task) end() string {
	switch {
	case t.result.Report.Converged:
		return "converged"
	case t.program.Timed:
		return "done"
	}
	return "not converged"
}

// warn reports that the program's own limit of iterations ended the job, and flags that had no effect.
func (t *task) warn(log *zap.Logger) {
	r, fs := t.result.Report, t.cmd.Flags()
	if t.result.Algorithm == nil && !t.program.Timed && !r.Converged && !fs.Changed("iterations") {
		log.Warn(fmt.Sprintf("%s has not converged within its %s: --iterations N sets another limit, 0 none",
			t.program.Name, show.Iterations(t.options.Iterations)))
	}
	if t.result.Algorithm == nil && hasGPU(*t.flags.gpu) && r.GPU.Name == "" { // an algorithm has logged why
		t.warnGPU(log, strings.TrimSuffix("the job ran on the CPU: "+r.GPU.Without, ": "))
	}
	advanced := func(it dispatcher.Iteration) bool {
		return it.Method == dispatcher.Frontier && it.Device == dispatcher.GPU
	}
	if given := flags.Given(fs, advancingFlagNames...); given != "" && r.GPU.Name != "" &&
		!slices.ContainsFunc(r.Iterations, advanced) {
		log.Warn(given + ": without effect, no frontier was advanced on the GPU; --method frontier does that")
	}
}

// warnGPU reports that the flags of the GPU that were given had no effect.
func (t *task) warnGPU(log *zap.Logger, why string) {
	if names := flags.Given(t.cmd.Flags(), gpuFlagNames...); names != "" {
		log.Warn(fmt.Sprintf("%s: without effect, %s", names, why))
	}
}

// deliver writes the results, the report and the first vertices, as they were asked for.
func (t *task) deliver(ctx context.Context, a *app, out output.Destination) error {
	table := t.result.Table(t.program.column())
	if err := out.Write(ctx, table, a.stdout, t.noted); err != nil {
		return err
	}
	t.peakMemory() // before the page takes some
	if t.page != nil {
		t.page.summarize(t) // an error of the page is not one of the results
	}
	n := *t.flags.top
	if n == 0 && out.Path == "" && !*t.flags.json {
		n = defaultTop
	}
	var rows *report.TopRows // if wanted
	if n > 0 {
		top, err := report.Top(table, n, t.program.Ranking)
		if err != nil {
			return err
		}
		defer top.Close()
		rows = &top
	}
	switch {
	case *t.flags.json && t.result.Algorithm != nil:
		return t.writeAlgorithmReport(a.stdout, rows)
	case *t.flags.json:
		return t.writeReport(a.stdout, rows)
	case rows != nil:
		return report.WriteTop(a.stdout, t.heading(), *rows)
	}
	return nil
}

// noted notes the file of the results in the record of the run, before it takes
// its place, so that a resumed job may replace it.
func (t *task) noted(temporary string) {
	if job := t.result.Job(); job != nil && job.Begun() {
		_ = job.Writes(temporary) // without the note, resume asks for --output
	}
}
