package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/cmd/garaph/cli/console"
	"github.com/garaph/garaph/cmd/garaph/cli/report"
	"github.com/garaph/garaph/cmd/garaph/cli/show"
	"github.com/garaph/garaph/dispatcher"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/flags"
)

// NewAlgorithm returns an algorithm without flags.
func NewAlgorithm[T algorithms.Value](name, short string, a algorithms.Algorithm[T]) Program {
	runner := BindAlgorithm(func(Env) (algorithms.Algorithm[T], error) { return a, nil })
	p := Program{
		Name: name, Short: short, Algorithm: true, GPU: algorithms.HasGPU(a), Resumable: algorithms.IsResumable(a),
		Setup: func(*pflag.FlagSet) Runner { return runner },
	}
	if n, ok := a.(gas.Named); ok {
		p.Column = n.ColumnName()
	}
	return p
}

// BindAlgorithm is like [Bind], for an algorithm. Its Program has Algorithm set.
func BindAlgorithm[T algorithms.Value](build func(Env) (algorithms.Algorithm[T], error)) Runner {
	return func(ctx context.Context, e Env) (*garaph.Result, error) {
		a, err := build(e)
		if err != nil {
			return nil, err
		}
		return garaph.RunAlgorithm(ctx, e.Graph, a, garaph.AlgorithmOptions{
			Threads: e.Options.Threads, Memory: e.Options.Memory, Progress: e.Progress, Log: e.Log, Scratch: e.scratch,
			Device: algorithms.Device(e.Options.Device), GPU: e.Options.GPU.Name, GPUMemory: e.Options.GPU.Memory,
			Job: e.Options.Job, Checkpoints: e.Options.Checkpoints,
		})
	}
}

// programFlagNames are the flags of a run for vertex programs only, and algorithmGPUFlagNames
// those for algorithms that run on a GPU, beside --device.
var (
	programFlagNames = slices.Concat([]string{"iterations", "mode", "method", "trace", "streams", "gather"},
		advancingFlagNames, checkpointFlagNames)
	algorithmGPUFlagNames = []string{"gpu", "gpu-memory"}
)

// refusedFlagNames returns the flags of a run that an algorithm has no use for.
func (p Program) refusedFlagNames() []string {
	refused := slices.DeleteFunc(slices.Clone(programFlagNames), func(name string) bool {
		return name == "iterations" && p.Iterations > 0 ||
			name != "checkpoint-pages" && slices.Contains(checkpointFlagNames, name) && p.Resumable
	})
	if p.GPU {
		return refused
	}
	return slices.Concat(refused, algorithmGPUFlagNames)
}

// checkAlgorithm refuses them.
func (f *runFlags) checkAlgorithm(cmd *cobra.Command, p Program) error {
	checkpoints := flags.Given(cmd.Flags(), checkpointFlagNames...)
	if checkpoints != "" && !p.Resumable {
		return Usagef("%s: %s writes no checkpoints", checkpoints, p.Name)
	}
	if names := flags.Given(cmd.Flags(), p.refusedFlagNames()...); names != "" {
		return Usagef("%s: does not apply to %s, which is an algorithm", names, p.Name)
	}
	if d := *f.device; d != autoDevice && d != string(dispatcher.CPU) && (!p.GPU || d != string(dispatcher.GPU)) {
		return Usagef("--device %s: algorithm %s does not run on it", d, p.Name)
	}
	if checkpoints != "" && *f.device == string(dispatcher.GPU) {
		return Usagef("%s: %s has no checkpoints on a GPU", checkpoints, p.Name)
	}
	return nil
}

// instead returns the task with the algorithm of the same results in place of the vertex program,
// where the command asks for nothing that only the program has: iterations, how they are done,
// what they look like, checkpoints, or a GPU. A job that is resumed continues as it began. Under auto
// a GPU that is there does not count: it gets the edges later than the CPU is done with them.
func (t *task) instead(a *app) *task {
	onGPU := *t.flags.device != string(dispatcher.CPU) && *t.flags.device != autoDevice
	if t.program.Instead == nil || a.resumed != nil || onGPU ||
		flags.Given(t.cmd.Flags(), programFlagNames...) != "" || flags.Given(t.cmd.Flags(), gpuFlagNames...) != "" {
		return t
	}
	by := *t
	by.program.Algorithm = true
	by.runner = t.program.Instead.Setup(pflag.NewFlagSet("", pflag.ContinueOnError))
	return &by
}

// by returns the name of the algorithm that runs in place of the program, if any.
func (t *task) by() string {
	if t.program.Algorithm && t.program.Instead != nil {
		return t.program.Instead.Name
	}
	return ""
}

// progressOf returns a function that shows the progress of an algorithm.
func progressOf(shown *console.Phases) func(algorithms.Progress) {
	var mu sync.Mutex
	var read int64
	return func(p algorithms.Progress) {
		mu.Lock()
		if p.BytesRead > read {
			shown.Console.Metrics.Count("garaph_read_bytes_total", p.BytesRead-read)
			read = p.BytesRead
		}
		mu.Unlock()
		if s := shown.At(p.Stage, p.Total, console.InSteps); s != nil {
			s.Set(p.Done, fmt.Sprintf("%d %%", 100*p.Done/max(1, p.Total)))
		}
	}
}

// algorithmSummary returns the last line of a run.
func (t *task) algorithmSummary() string {
	r := t.result.Algorithm
	var parts []string
	for _, total := range r.Totals {
		parts = append(parts, totalText(total))
	}
	if len(parts) == 0 {
		parts = []string{"done"}
	}
	where := "in memory"
	if !r.InMemory {
		where = "from disk"
	}
	if r.Scratch > 0 {
		where += fmt.Sprintf(", with %s of temporary files", show.Bytes(r.Scratch))
	}
	if r.GPU != "" {
		where += fmt.Sprintf(", %s of computing on GPU %s", show.Seconds(r.Kernels), r.GPU)
	}
	name := t.program.Name
	if t.by() != "" {
		name += " by " + t.by()
	}
	return fmt.Sprintf("%s: %s in %s, %s edges/s, %s; peak memory %s",
		name, strings.Join(parts, ", "), show.Seconds(r.Duration),
		show.Count(show.PerSecond(float64(t.input.graph.Catalogue().Edges), r.Duration)), where, show.Bytes(t.peakMemory()))
}

// totalText returns a total with its name, which is in the singular for 1.
func totalText(total algorithms.Total) string {
	switch x := total.Value.(type) {
	case int64:
		if name, ok := strings.CutSuffix(total.Name, "ies"); ok && x == 1 {
			return "1 " + name + "y"
		}
		if x == 1 {
			return "1 " + strings.TrimSuffix(total.Name, "s")
		}
		return humanize.Comma(x) + " " + total.Name
	default:
		return total.Name + " " + totalNumber(x)
	}
}

// totalNumber returns the number of a total as text.
func totalNumber(x any) string {
	if i, ok := x.(int64); ok {
		return humanize.Comma(i)
	}
	return fmt.Sprintf("%.6g", x)
}

// algorithmReport is the JSON form of a run of an algorithm.
type algorithmReport struct {
	jobReport
	Algorithm string         `json:"algorithm,omitempty"` // that ran in place of the program
	Totals    map[string]any `json:"totals"`
	BytesRead int64          `json:"bytes_read"`
	Requested int64          `json:"bytes_requested"`
	Scratch   int64          `json:"scratch_bytes,omitempty"` // written to temporary files

	GPU        string      `json:"gpu,omitempty"`
	GPUSeconds show.Number `json:"gpu_seconds,omitempty"`    // of computing
	GPUMemory  int64       `json:"peak_gpu_bytes,omitempty"` // and then, if asked for, the rows of --top
}

func (t *task) writeAlgorithmReport(w io.Writer, top *report.TopRows) error {
	r := t.result.Algorithm
	totals := map[string]any{}
	for _, total := range r.Totals {
		totals[total.Name] = total.Value
	}
	return report.WriteObject(w, algorithmReport{
		t.jobReport(), t.by(), totals, r.BytesRead, r.Requested, r.Scratch, r.GPU,
		show.Number(r.Kernels.Seconds()), r.GPUMemory,
	}, top.InObject())
}
