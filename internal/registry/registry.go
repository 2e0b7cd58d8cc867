// Package registry has the types with which built-in programs and algorithms describe themselves.
// The command line, its completions, the Python package and the table in README.md follow from
// these descriptions.
package registry

import (
	"github.com/spf13/pflag"

	"github.com/garaph/garaph/internal/flags"
)

// A Command describes a program or an algorithm as `garaph run` offers it.
type Command struct {
	Name       string // the word after garaph run
	Short      string // what it computes, in one line
	Long       string // more sentences for its help
	Example    string // lines for its help, indented by two spaces
	Ranking    Ranking
	Value      any // a program or an algorithm of the command; its fields don't matter
	Iterations int // limit of iterations if the user gives none; 0 if there is none
	// Timed is set if iterations are a time that passes. The job may never end by itself.
	Timed bool
	// Overflow tells the user what to do after an overflow.
	Overflow string
	// Setup declares the flags and returns a function that makes the program or the algorithm.
	Setup func(*pflag.FlagSet) Make
}

// Make makes a program or an algorithm from parsed flags.
type Make func(Env) (any, error)

// Fixed returns a Setup without flags.
func Fixed(program any) func(*pflag.FlagSet) Make {
	return func(*pflag.FlagSet) Make { return func(Env) (any, error) { return program, nil } }
}

// Env provides what a Make reads beside its own flags.
type Env struct {
	Graph      Graph
	Flags      *pflag.FlagSet // of the command and of every run
	Iterations int            // limit of the run; 0 if there is none
	Info, Warn func(text string)

	Vertex      func(flag string) (uint32, error)      // the vertex that a flag names
	Sources     func() ([]uint32, error)               // those of --source and --sources, ascending
	Pairs       func(flag string) ([][2]uint32, error) // the pairs of vertices in the file that a flag names
	MaxInDegree func() (uint32, error)
	Strengths   func() (func(v uint32) float64, error) // sums of the weights of out-edges
}

// Graph has the properties of a graph on which programs depend.
type Graph struct {
	Weighted   bool
	Wide       bool    // some weights need 64 bits
	Symmetric  bool    // both directions of every edge are stored
	WeightUnit float64 // all weights are multiples of it
	MaxWeight  float64
}

// FirstSource returns the first vertex of --source and --sources, and the others.
func (e Env) FirstSource() (first uint32, more []uint32, err error) {
	list, err := e.Sources()
	if err != nil {
		return 0, nil, err
	}
	if len(list) == 0 { // in the record of a job
		return 0, nil, flags.Usagef("expected --source ID, or --sources FILE")
	}
	return list[0], list[1:], nil
}

// LogUnweighted reports that weights were asked for and the graph has none.
func (e Env) LogUnweighted() {
	if !e.Graph.Weighted {
		e.Info("the graph has no weights: every edge counts 1")
	}
}

// WarnDirected warns of a directed graph, for a program that spreads along both directions.
func (e Env) WarnDirected(flow string) {
	if !e.Graph.Symmetric {
		e.Warn("the graph is directed: " + flow + " along edge direction only; import it with --undirected for both")
	}
}

// Ranking selects the vertices that --top shows. Floats have no Groups and no Members. Of a result
// that is a vertex, Largest and Nearest show the first vertices.
type Ranking uint8

// The rankings.
const (
	Largest Ranking = iota // the largest values
	Nearest                // the least values, without vertices that were not reached
	Groups                 // the values that most vertices have, with their number: components, clusters
	Members                // the first vertices whose value is not 0
)

// A Precision is the number of bits of a value.
type Precision string

// The precisions. Auto is single where results are exact, or within 1e-6 of themselves, and else double.
const (
	Auto   Precision = "auto"
	Single Precision = "32"
	Double Precision = "64"
)

// PrecisionFlag declares --precision.
func PrecisionFlag(fs *pflag.FlagSet) func() Precision {
	p := flags.Enum(fs, "precision", Auto, []Precision{Auto, Single, Double},
		"bits of a value, a floating-point number: 32 where results are exact or within 1e-6 of themselves, "+
			"otherwise 64 (auto)")
	return func() Precision { return Precision(*p) }
}

// Either is a program in two precisions. The job runs Single unless that is nil or overflows.
type Either struct{ Single, Double any }

// Choose returns the program in precision p. Under Auto it runs in double precision if single is too coarse.
func (p Precision) Choose(coarse bool, single, double any) any {
	switch {
	case p == Single:
		return single
	case p == Double:
		return double
	case coarse:
		return Either{nil, double}
	}
	return Either{single, double}
}

// Coarse reports whether values with a relative change of at most tolerance have more than the 21 bits
// that a rounding in each iteration leaves of 24.
func Coarse(tolerance float64) bool { return tolerance > 0 && tolerance < 0x1p-21 }
