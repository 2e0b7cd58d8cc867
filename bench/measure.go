package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"slices"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/dispatcher"
)

// Options say what [Measure] measures. The zero value is all programs in memory,
// on all processors, in three rounds.
type Options struct {
	Programs []string // some of [ProgramNames]; nil: all
	Rounds   int      // 0: 3
	Threads  int      // 0: GOMAXPROCS
	// Memory is the budget of a second run of each program, from disk; 0: there
	// is none.
	Memory int64
	// Limit is the budget of the runs in memory; 0: none. Where the graph does
	// not fit, they are runs from disk.
	Limit    int64
	Generic  bool               // each program also through the generic loops
	Source   string             // the user's id of the vertex to search from; "": the one with the most out-edges
	Progress func(doing string) // called before each step
}

const defaultRounds = 3

// Check says what is wrong with the options.
func (o Options) Check() error {
	if o.Rounds < 0 || o.Threads < 0 || o.Memory < 0 || o.Limit < 0 {
		return fmt.Errorf("rounds %d, threads %d, memory %d, limit %d: expected numbers ≥ 0", o.Rounds, o.Threads, o.Memory, o.Limit)
	}
	_, err := workloadsOf(o.Programs)
	return err
}

// measurement is one call of Measure.
type measurement struct {
	graph     *garaph.Graph
	opt       Options
	machine   Machine
	workloads []workload
	budgets   []int64 // of the runs of each workload: in memory, and from disk where wanted
	source    uint32
	edgeBytes int64 // that the gather-only ceiling may take

	round    int // from 0
	gathered int // shards of the gather-only ceiling
	diskNote string

	speeds [ceilings][]float64 // as often as measured
	runs   [][]figures         // by row and round
}

// Measure measures the ceilings of the machine and the programs over the graph,
// in turn, round by round. It needs much memory, and a machine without other work.
func Measure(ctx context.Context, g *garaph.Graph, o Options) (*Report, error) {
	m, err := newMeasurement(ctx, g, o)
	if err != nil {
		return nil, err
	}
	r := newReport(g, m.opt.Rounds, m.opt.Threads, measureAbout)
	if err := r.searched(g, m.source); err != nil {
		return nil, err
	}
	for m.round = range m.opt.Rounds {
		if err := m.measureRound(ctx); err != nil {
			return nil, err
		}
	}
	m.ceilingTable(r)
	m.programTable(r)
	return r.ended(), nil
}

const measureAbout = `A figure is the median (least–most) of the rounds. Pulls are those that bring no pages into memory to stay. The
ceiling of a run in memory is gather-only with values of its size, that of a run from disk the lower of the disk and the
same program in memory.`

func (m *measurement) ceilingTable(r *Report) {
	gather, shards := "", len(m.graph.Catalogue().Shards)
	if m.gathered < shards {
		gather = fmt.Sprintf("over %d of %d shards, as many as fit into a quarter of the memory", m.gathered, shards)
	}
	memory := fmt.Sprintf("arrays of %s; bytes read and bytes written", sizeText(m.machine.copyBytes()))
	t := r.table(Column{Name: "ceiling"}, Column{Name: "speed", text: rateText, spread: true}, Column{Name: "unit"}, Column{Name: "note"})
	for i, note := range [ceilings]string{gather, gather, memory, m.diskNote} {
		t.add(ceilingNames[i], spread(m.speeds[i]), ceilingUnits[i], note)
	}
}

func (m *measurement) programTable(r *Report) {
	t := r.table(slices.Concat([]Column{{Name: "program"}, {Name: "from"}}, programColumns)...)
	for row, rounds := range m.runs {
		name, k := m.workloads[row/len(m.budgets)].name, row%len(m.budgets)
		from, budget := "disk", sizeText(m.budgets[k])
		inMemory := rounds[len(rounds)-1].inMemory
		switch {
		case inMemory && k == 1:
			r.note("%s fits into the %s given: it ran in memory", name, budget)
		case !inMemory && k == 0:
			r.note("%s does not fit into the %s that may be used: it ran from disk", name, budget)
		}
		if inMemory {
			from = "memory"
		}
		t.add(slices.Concat([]any{name, from}, cells(rounds))...)
	}
}

func newMeasurement(ctx context.Context, g *garaph.Graph, o Options) (*measurement, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	o.Rounds, o.Threads = cmp.Or(o.Rounds, defaultRounds), cmp.Or(o.Threads, runtime.GOMAXPROCS(0))
	m := &measurement{graph: g, opt: o, machine: thisMachine(), budgets: []int64{o.Limit}, edgeBytes: math.MaxInt64}
	if o.Memory > 0 {
		m.budgets = append(m.budgets, o.Memory)
	}
	if m.machine.Memory > 0 {
		m.edgeBytes = m.machine.Memory / gatherShare
	}
	m.workloads, _ = workloadsOf(o.Programs) // checked above
	if o.Generic {
		m.workloads = withGeneric(m.workloads)
	}
	m.runs = make([][]figures, len(m.workloads)*len(m.budgets))
	var err error
	if m.source, err = sourceOf(ctx, g, o.Source); err != nil {
		return nil, err
	}
	return m, m.checkBudgets(ctx)
}

// checkBudgets finds budgets that are too small before anything is measured: a
// job that is stopped as soon as it begins has planned its memory.
func (m *measurement) checkBudgets(ctx context.Context) error {
	stopped, stop := context.WithCancel(ctx)
	stop()
	for _, w := range m.workloads {
		for _, budget := range m.budgets {
			result, err := w.run(stopped, m.graph, m.source, garaph.RunOptions{Threads: m.opt.Threads, Memory: budget, Device: dispatcher.CPU})
			switch {
			case err == nil:
				_ = result.Close() // not recorded: there is nothing to fail
			case !errors.Is(err, stopped.Err()):
				return fmt.Errorf("%s: %w", w.name, err)
			}
		}
	}
	return ctx.Err()
}

// measureRound measures all ceilings, and then each program in memory and from
// disk. On a shared machine the next second is not like this one: the ceiling
// that a run is compared with is measured again right before it.
func (m *measurement) measureRound(ctx context.Context) error {
	for c := range ceilings {
		if err := m.measureCeiling(ctx, c); err != nil {
			return err
		}
	}
	for i, w := range m.workloads {
		var memory *figures
		for k, budget := range m.budgets {
			if err := m.measureCeiling(ctx, [...]int{w.gather, diskRead}[k]); err != nil {
				return err
			}
			f, err := m.run(ctx, w, budget)
			if err != nil {
				return err
			}
			f.compare(m.latest(w.gather), m.latest(diskRead), memory)
			if f.inMemory {
				memory = &f
			}
			row := i*len(m.budgets) + k
			m.runs[row] = append(m.runs[row], f)
		}
	}
	return nil
}

// run runs a program once.
func (m *measurement) run(ctx context.Context, w workload, budget int64) (figures, error) {
	name := w.name
	if budget > 0 && budget == m.opt.Memory {
		name += " within " + sizeText(budget)
	}
	m.begin(name)
	debug.FreeOSMemory()
	resetPeak()
	result, err := w.run(ctx, m.graph, m.source, garaph.RunOptions{Threads: m.opt.Threads, Memory: budget, Device: dispatcher.CPU, MoreThreads: MoreThreads})
	if err != nil {
		return figures{}, fmt.Errorf("%s: %w", name, err)
	}
	defer result.Close()
	return figuresOf(result.Report, peakMemory()), nil
}

// begin reports the next step.
func (m *measurement) begin(step string) {
	if m.opt.Progress != nil {
		m.opt.Progress(fmt.Sprintf("round %d of %d, %s", m.round+1, m.opt.Rounds, step))
	}
}
