package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/dispatcher"
)

// NewAlgorithm is an algorithm that has no flags.
func NewAlgorithm[T algorithms.Value](name, short string, a algorithms.Algorithm[T]) Program {
	runner := BindAlgorithm(func(Env) (algorithms.Algorithm[T], error) { return a, nil })
	return Program{Name: name, Short: short, Algorithm: true, Setup: func(*pflag.FlagSet) Runner { return runner }}
}

// BindAlgorithm is [Bind] for an algorithm, whose Program has Algorithm set.
func BindAlgorithm[T algorithms.Value](build func(Env) (algorithms.Algorithm[T], error)) Runner {
	return func(ctx context.Context, e Env) (*garaph.Result, error) {
		a, err := build(e)
		if err != nil {
			return nil, err
		}
		return garaph.RunAlgorithm(ctx, e.Graph, a, garaph.AlgorithmOptions{
			Threads: e.Options.Threads, Memory: e.Options.Memory, Progress: e.Progress, Log: e.Log,
		})
	}
}

// programFlagNames are the flags of a run that only a vertex program has a use for,
// beside --device.
var programFlagNames = slices.Concat([]string{"iterations", "mode", "method", "report", "trace"}, gpuFlagNames, checkpointFlagNames)

// isAlgorithm annotates the command that runs an algorithm.
const isAlgorithm = "garaph_algorithm"

// hidden reports a flag that a command inherits and refuses.
func hidden(cmd *cobra.Command, flag string) bool {
	return cmd.Annotations[isAlgorithm] != "" && (flag == "device" || slices.Contains(programFlagNames, flag))
}

// checkAlgorithm refuses flags that an algorithm has no use for.
func (f *runFlags) checkAlgorithm(cmd *cobra.Command) error {
	if flags := given(cmd.Flags(), programFlagNames); flags != "" {
		return Usagef("%s: %s is an algorithm and not a vertex program: it has no iterations, no checkpoints and no GPU; leave it out", flags, cmd.Name())
	}
	if d := *f.device; d != autoDevice && d != string(dispatcher.CPU) {
		return Usagef("--device %s: %s is an algorithm that runs on the CPU; leave it out", d, cmd.Name())
	}
	return nil
}

// checkKind reports a Program that says wrongly whether it is an algorithm.
func (t *task) checkKind() error {
	if is := t.result.Algorithm != nil; is != t.program.Algorithm {
		return errors.Join(fmt.Errorf("program %q ran an algorithm: %v, and its field Algorithm is %v", t.program.Name, is, t.program.Algorithm), t.result.Close())
	}
	return nil
}

// progressOf shows how far an algorithm is.
func progressOf(s *stage) func(algorithms.Progress) {
	return func(p algorithms.Progress) {
		s.set(p.Done, fmt.Sprintf("%s, %d %%", p.Stage, 100*p.Done/max(1, p.Total)))
	}
}

// algorithmSummary is the last line of a run.
func (t *task) algorithmSummary() string {
	r := t.result.Algorithm
	var parts []string
	for _, total := range r.Totals {
		parts = append(parts, humanize.Comma(total.Value)+" "+total.Name)
	}
	if len(parts) == 0 {
		parts = []string{"done"}
	}
	where := "in memory"
	if !r.InMemory {
		where = "from disk"
	}
	return fmt.Sprintf("%s: %s in %s, %s edges/s, %s; peak memory %s", t.program.Name, strings.Join(parts, ", "), seconds(r.Duration),
		countText(perSecond(float64(t.input.graph.Catalogue().Edges), r.Duration)), where, bytesText(peakMemory()))
}

// algorithmReport is the run of an algorithm as JSON.
type algorithmReport struct {
	jobReport
	Totals    map[string]int64 `json:"totals"`
	BytesRead int64            `json:"bytes_read"` // and then, if asked for, the rows of --top
}

func (t *task) writeAlgorithmReport(w io.Writer, top *topRows) error {
	r := t.result.Algorithm
	totals := map[string]int64{}
	for _, total := range r.Totals {
		totals[total.Name] = total.Value
	}
	parameters := t.ownParameters()
	parameters["threads"], parameters["memory"] = t.options.Threads, t.options.Memory
	job := t.jobReport(parameters, r.Duration, r.Load, t.input.graph.Catalogue().Edges, r.InMemory)
	return writeObject(w, algorithmReport{job, totals, r.BytesRead}, top)
}
