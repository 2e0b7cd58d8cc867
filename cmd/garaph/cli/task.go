package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.uber.org/zap"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/bench"
	"github.com/garaph/garaph/dispatcher"
	"github.com/garaph/garaph/gpuengine"
	"github.com/garaph/garaph/ingest"
	"github.com/garaph/garaph/internal/results"
)

// defaultTop is how many vertices are printed when nothing was asked for.
const defaultTop = 10

// task is one `garaph run`.
type task struct {
	program Program
	runner  Runner
	flags   *runFlags
	cmd     *cobra.Command
	args    []string // a graph or edge files

	options garaph.RunOptions
	trace   *trace   // nil: none
	page    *runPage // nil: none
	input   *input
	result  *garaph.Result
	peak    int64 // see peakMemory
}

// run runs a program from the command line to its results.
func (a *app) run(cmd *cobra.Command, t *task) (err error) {
	out, err := newDestination(*t.flags.output, *t.flags.format)
	if err == nil {
		err = out.checkTerminal(a.stdout)
	}
	if err != nil {
		return err
	}
	if t.trace, err = newTrace(*t.flags.trace, t.reads()); err != nil {
		return err
	}
	if path := *t.flags.report; path != "" {
		if err := checkBeside("the report", path, t.reads()); err != nil {
			return err
		}
		t.page = &runPage{path: path}
	}
	t.options = t.runOptions()
	a.console.metrics.lookOn(&t.options.Trace)
	defer keepWithin(t.options.Memory)()
	if t.input, err = t.openInput(cmd.Context(), a, func() error { return out.check(t.reads()) }); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.input.close()) }()
	if err := results.CheckIDBytes(out.format, t.input.graph.Catalogue().IDs.MaxBytes); err != nil {
		return err
	}
	if t.program.Timed && t.options.Iterations == 0 {
		a.console.log.Warn(fmt.Sprintf("%s does not end by itself: without a number of --iterations, it runs until it is interrupted", t.program.Name))
	}
	if !t.program.Algorithm {
		t.record(a.resumed)
	}
	if a.resumed != nil {
		a.console.log.Info(resuming(a.resumed, t.name(), out))
	}
	if err := t.execute(cmd.Context(), a); err != nil {
		return err
	}
	defer func() {
		end := t.result.Close
		if a.ends {
			end = t.result.Leave
		}
		if err := end(); err != nil {
			a.console.log.Warn(err.Error())
		}
	}()
	t.warn(a.console.log)
	t.warnNoGPU(a.console.log)
	t.warnAdvancing(a.console.log)
	failed := t.deliver(cmd.Context(), a, out)
	beside := t.saveBeside(cmd.Context())
	if failed != nil {
		return errors.Join(t.undelivered(cmd.Context(), a, failed, beside != nil), beside)
	}
	a.console.summary(t.summary())
	return beside
}

// reads are the files and graphs that the run reads.
func (t *task) reads() []string {
	all := slices.Clone(t.args)
	for _, arg := range t.args {
		if beside := ingest.Beside(arg); beside != "" {
			all = append(all, beside)
		}
	}
	t.cmd.Flags().Visit(func(f *pflag.Flag) {
		if _, ok := f.Value.(pathFlag); ok {
			all = append(all, f.Value.String())
		}
	})
	return all
}

// warnNoGPU says why a vertex program had none, where one was named.
func (t *task) warnNoGPU(log *zap.Logger) {
	if t.result.Algorithm != nil || !hasGPU(*t.flags.gpu) || t.result.Report.GPU != "" {
		return // an algorithm has logged why
	}
	why := "the job ran on the CPU"
	if reason := t.result.Report.Without; reason != "" {
		why += ": " + reason
	}
	t.warnGPU(log, why)
}

// peakMemory is the largest resident memory of the process when the results were written. It is
// one figure for all that report it, however much memory the reports take.
func (t *task) peakMemory() int64 {
	if t.peak == 0 {
		t.peak = peakMemory()
	}
	return t.peak
}

// undelivered says how to continue a job whose results were not all written, if that can be.
// Whoever closed a pipe had enough. beside: the report and the trace were not written either.
func (t *task) undelivered(ctx context.Context, a *app, err error, beside bool) error {
	closed := errors.Is(err, errPipe)
	if !closed {
		t.result.Lose(err)
	}
	switch {
	case ctx.Err() != nil:
		return &stopped{fmt.Sprintf("%s was done, its results were not all written%s", t.program.Name, t.resumable(a, beside)), err}
	case closed, errors.Is(err, garaph.ErrDamaged): // which a resumed job would meet again
		return err
	}
	return fmt.Errorf("%w%s", err, t.resumable(a, beside))
}

// saveBeside writes the trace and the page of the run, where they are wanted.
func (t *task) saveBeside(ctx context.Context) error {
	var errs []error
	if t.trace != nil {
		errs = append(errs, t.trace.save(t.result.Report.GPU))
	}
	if t.page != nil {
		errs = append(errs, t.page.save(ctx, t))
	}
	return errors.Join(errs...)
}

func (t *task) runOptions() garaph.RunOptions {
	f := t.flags
	o := garaph.RunOptions{
		Mode: dispatcher.Mode(*f.mode), Method: dispatcher.Method(*f.method),
		Threads: *f.threads, Memory: *f.memory, Iterations: t.program.Iterations,
		Device: dispatcher.Device(*f.device), GPU: garaph.GPUOptions{Name: *f.gpu, Memory: *f.gpuMemory, Streams: *f.streams, Gather: gpuengine.Gather(*f.gather), Advancing: f.value()},
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
	a.console.begin(fmt.Sprintf("%s on %s", t.program.Name, t.name()))
	shown := &phases{console: a.console}
	o := t.options
	o.Name, o.Log = t.program.Name, a.console.log
	o.Trace.Phase = func(p dispatcher.Phase) { shown.at(string(p), 0, inSteps) }
	o.Progress = func(it garaph.Iteration) {
		text := iterationText(it)
		o.Log.Debug(text, iterationFields(it)...)
		if s := shown.at(t.program.Name, int64(t.options.Iterations), inIterations); s != nil {
			s.iterated(text, it)
		}
	}
	var overflow *garaph.OverflowError
	result, err := t.runner(ctx, Env{Graph: t.input.graph, Flags: t.cmd.Flags(), Options: o, Log: o.Log, Progress: progressOf(shown), held: new(held)})
	shown.end()
	switch {
	case err == nil:
		t.result = result
		return t.checkKind()
	case ctx.Err() != nil && t.program.Algorithm:
		return &stopped{fmt.Sprintf("%s on %s was stopped; no results were written", t.program.Name, t.name()), err}
	case ctx.Err() != nil:
		done := 0
		if result != nil {
			done = result.Report.Done()
		}
		return &stopped{fmt.Sprintf("%s on %s was stopped after %s; no results were written%s", t.program.Name, t.name(), iterations(done), t.resumable(a, true)), err}
	case errors.As(err, &overflow) && t.program.Overflow != "":
		return fmt.Errorf("%w; no results were written: %s", err, t.program.Overflow)
	case errors.Is(err, garaph.ErrDiffers) && t.cmd.Flags().Changed("sources"):
		return fmt.Errorf("the sources in %s may have changed, which were too many for the record of the job: %w", t.cmd.Flags().Lookup("sources").Value, err)
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
		countText(float64(it.Active)), it.Fraction, alpha, countText(perSecond(float64(it.Edges), it.Duration)), seconds(it.Duration))
}

// iterationFields are what each device and each way did.
func iterationFields(it garaph.Iteration) []zap.Field {
	fields := []zap.Field{zap.Uint64("edges", it.Edges), zap.Uint64("vertices", it.Vertices)}
	if it.Device != dispatcher.Hybrid { // pages and batches have no sum
		fields = append(fields, zap.Int(pagesOf(it.Device), it.Pages))
	}
	for _, d := range slices.Sorted(maps.Keys(it.Devices)) {
		did := it.Devices[d]
		fields = append(fields, zap.Int(string(d)+"_"+pagesOf(d), did.Pages), zap.Uint64(string(d)+"_edges", did.Edges), zap.Float64(string(d)+"_seconds", did.Seconds))
	}
	fields = append(fields, zap.Int64("bytes_read", it.BytesRead))
	if it.RowsRead+it.RowsNeeded > 0 {
		fields = append(fields, zap.Int64("rows_read", it.RowsRead), zap.Int64("rows_needed", it.RowsNeeded))
	}
	if it.BytesCopied+it.BytesBack > 0 {
		fields = append(fields, zap.Int64("bytes_copied", it.BytesCopied), zap.Int64("bytes_back", it.BytesBack))
	}
	return fields
}

// pagesOf is what the pages that a device counts are.
func pagesOf(d dispatcher.Device) string {
	if d == dispatcher.GPU {
		return "batches"
	}
	return "pages"
}

func iterations(n int) string { return counted(int64(n), "iteration", "iterations") }

func (t *task) summary() string {
	if t.result.Algorithm != nil {
		return t.algorithmSummary()
	}
	r := t.result.Report
	end := "not converged"
	switch {
	case r.Converged:
		end = "converged"
	case t.program.Timed:
		end = "done"
	}
	where := "in memory"
	if !r.InMemory {
		where = "from disk"
	}
	if r.RowsNeeded > 0 {
		where += fmt.Sprintf(", with %s of rows for which %s were read", bytesText(r.RowsNeeded), bytesText(r.RowsRead))
	}
	if r.GPU != "" {
		var on []string
		if _, did := r.Devices[dispatcher.CPU]; did {
			on = append(on, "the CPU")
		}
		if _, did := r.Devices[dispatcher.GPU]; did {
			on = append(on, "GPU "+r.GPU)
		}
		where += ", on " + strings.Join(on, " and ")
	}
	loading := seconds(r.Load) + " of loading"
	if r.Calibration > 0 {
		loading += fmt.Sprintf(" (%s of it calibration)", seconds(r.Calibration))
	}
	return fmt.Sprintf("%s: %s%s in %s and %s, %s; %s edges/s, %s; peak memory %s", t.program.Name, iterations(r.Done()-r.Before), earlierText(r),
		seconds(r.Duration), loading, end, countText(perSecond(float64(r.Edges), r.Duration)), where, bytesText(t.peakMemory()))
}

// earlierText says what earlier processes did of a job that was resumed.
func earlierText(r dispatcher.Report) string {
	switch {
	case r.Before == 0:
		return ""
	case r.Earlier == nil:
		return fmt.Sprintf(" after %d of earlier processes", r.Before)
	}
	return fmt.Sprintf(" after %d of earlier processes (%s)", r.Before, seconds(time.Duration(r.Earlier.Seconds*float64(time.Second))))
}

// warn reports that the program's own limit of iterations ended the job.
func (t *task) warn(log *zap.Logger) {
	if t.program.Algorithm || t.program.Timed || t.result.Report.Converged || t.cmd.Flags().Changed("iterations") {
		return
	}
	if f := t.cmd.Flags().Lookup("tolerance"); f != nil && f.Value.String() == "0" { // it may never converge
		log.Info(fmt.Sprintf("%s ended after its %s, for with --tolerance 0 it continues as long as any value changes: --iterations N sets how many they are", t.program.Name, iterations(t.options.Iterations)))
		return
	}
	log.Warn(fmt.Sprintf("%s has not converged within its %s: --iterations 0 runs it until it has", t.program.Name, iterations(t.options.Iterations)))
}

// warnGPU reports that the flags of the GPU that were given had no effect.
func (t *task) warnGPU(log *zap.Logger, why string) {
	if flags := given(t.cmd.Flags(), gpuFlagNames); flags != "" {
		log.Warn(fmt.Sprintf("%s: without effect, %s", flags, why))
	}
}

// warnAdvancing reports that flags of frontiers had no effect on a GPU.
func (t *task) warnAdvancing(log *zap.Logger) {
	flags := given(t.cmd.Flags(), advancingFlagNames)
	if r := t.result.Report; flags != "" && r.GPU != "" && !slices.ContainsFunc(r.Iterations, func(it dispatcher.Iteration) bool {
		return it.Method == dispatcher.Frontier && it.Device == dispatcher.GPU
	}) {
		log.Warn(flags + ": without effect, no frontier was advanced on the GPU; --method frontier does that")
	}
}

// deliver writes what was asked for.
func (t *task) deliver(ctx context.Context, a *app, out destination) error {
	table := t.result.Table(t.program.column())
	if err := out.write(ctx, table, a.stdout, t.noted); err != nil {
		return err
	}
	n := *t.flags.top
	if n == 0 && out.path == "" && !*t.flags.json {
		n = defaultTop
	}
	var rows *topRows // nil: none are wanted
	if n > 0 {
		top, err := newTopRows(cancellable{table, ctx}, n, t.program.Ranking)
		if err != nil {
			return err
		}
		defer top.close()
		rows = &top
	}
	switch {
	case *t.flags.json && t.result.Algorithm != nil:
		return t.writeAlgorithmReport(a.stdout, rows)
	case *t.flags.json:
		return t.writeReport(a.stdout, rows)
	case rows != nil:
		return writeTop(a.stdout, t.heading(), *rows)
	}
	return nil
}

// noted notes the file of the results in the record of the run, before it takes
// its place: a resumed job may replace it. Without the note, it asks.
func (t *task) noted(temporary string) {
	if job := t.result.Job(); job != nil && job.Begun() {
		_ = job.Writes(temporary) // as said
	}
}
