package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/pflag"
	"go.uber.org/zap"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/registry"
)

// Program is a vertex program, or an algorithm, as the command line knows it. [New]
// and [NewAlgorithm] make one without flags.
type Program struct {
	Name    string // the word after `garaph run`
	Short   string // what it computes, in one line
	Long    string // sentences for its help, behind Short
	Example string // lines for its help, indented by two spaces
	Column  string // name of the result column; "" is that of Value, if it is gas.Named, or else Name
	Ranking Ranking
	// Value is a program as Setup makes it, to show whether it is compiled and the name of its result;
	// its fields don't matter. New fills it in.
	Value any
	// Iterations is the limit when the user gives none; if 0, until no vertex is
	// active.
	Iterations int
	// Algorithm is set for an algorithm, which is not a vertex program and for which Setup gives
	// a Runner of [BindAlgorithm]. It has no iterations and checkpoints, and flags for
	// these are refused.
	Algorithm bool
	// GPU is set for an algorithm that also runs on a GPU. Flags for that are refused otherwise.
	GPU bool
	// Instead is an algorithm with the same results, with the program's flags, or nil. On the CPU it
	// takes the place of a vertex program where nothing is asked for that only the program has.
	Instead *Program
	// Timed is set if iterations are a time that passes, or rounds of a game. The job may
	// never end by itself, and is not unfinished when they are over.
	Timed bool
	// Overflow is the hint for a job that ends with a [garaph.OverflowError].
	Overflow string
	// Setup declares the program's own flags and returns a function that runs it, once they
	// are parsed. It is called with an empty set, for each command line again. A
	// flag that is marked with [cobra.MarkFlagRequired] must be given. Values
	// that can be checked without the graph are best checked in the flag's Set
	// method, before anything begins.
	Setup func(flags *pflag.FlagSet) Runner
}

// Ranking selects the vertices that --top shows.
type Ranking = registry.Ranking

// The rankings.
const (
	Largest = registry.Largest // the largest values
	Nearest = registry.Nearest // the least values, without vertices that were not reached
	Groups  = registry.Groups  // the values that most vertices have, with their number: components, clusters
	Members = registry.Members // the first vertices whose value is not 0
)

// Env provides the graph, the flags and the options of a program, when the graph is open and the flags are
// parsed.
type Env struct {
	Graph   *garaph.Graph
	Flags   *pflag.FlagSet    // the program's own flags and those of every run
	Options garaph.RunOptions // as they come from the flags
	Log     *zap.Logger       // writes to standard error
	// Progress shows how far an algorithm is.
	Progress func(algorithms.Progress)

	held    *held
	stdin   io.Reader
	scratch string // the folder for temporary files of an algorithm
}

// Vertex returns the dense id of the vertex that a flag names. It is an error of usage
// where the flag was not given.
func (e Env) Vertex(flag string) (uint32, error) {
	f := e.Flags.Lookup(flag)
	if f == nil || !f.Changed {
		return 0, Usagef("expected --%s ID", flag)
	}
	v, err := e.Graph.Vertex(f.Value.String())
	if err != nil {
		return 0, fmt.Errorf("--%s: %w", flag, err)
	}
	return v, nil
}

// Runner runs a program over the graph of an Env.
type Runner func(context.Context, Env) (*garaph.Result, error)

// Bind returns the Runner of the program that build makes. An error of build ends
// the run; [Usagef] makes one that says the flags are wrong.
func Bind[V, A any](build func(Env) (gas.Program[V, A], error)) Runner {
	return func(ctx context.Context, e Env) (*garaph.Result, error) {
		p, err := build(e)
		if err != nil {
			return nil, err
		}
		return garaph.Run(ctx, e.Graph, p, e.endless())
	}
}

// endless returns the options of a run, where --iterations 0 lets a program run for ever: the user has been
// warned, if the job does not end by itself.
func (e Env) endless() garaph.RunOptions {
	if e.Options.Iterations == 0 {
		e.Options.Iterations = garaph.Forever
	}
	return e.Options
}

// New returns a program without flags.
func New[V, A any](name, short string, p gas.Program[V, A]) Program {
	runner := Bind(func(Env) (gas.Program[V, A], error) { return p, nil })
	return Program{Name: name, Short: short, Value: p, Setup: func(*pflag.FlagSet) Runner { return runner }}
}

// column returns the name of the result.
func (p Program) column() string {
	if n, ok := p.Value.(gas.Named); ok && p.Column == "" {
		p.Column = n.ColumnName()
	}
	return cmp.Or(p.Column, p.Name)
}

// merge adds the user's programs to the built-in ones. One of the same name
// takes the built-in's place.
func merge(builtin, own []Program) []Program {
	all := slices.Clone(builtin)
	for _, p := range own {
		if i := slices.IndexFunc(all, func(old Program) bool { return old.Name == p.Name }); i >= 0 {
			all[i] = p
		} else {
			all = append(all, p)
		}
	}
	return all
}
