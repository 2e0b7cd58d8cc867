// Package builtins lists the built-in programs and algorithms, and compiles the engines for their types.
// That takes longer than all else of the command: programs of users call [garaph.Run] and are compiled
// in a moment.
package builtins

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"go.uber.org/zap"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/registry"
	"github.com/garaph/garaph/programs"
)

// All has the built-in programs and algorithms in the order of the help. A new one is a line here, beside
// its own file.
var All = []Program{
	Vertex(programs.PageRankCommand,
		On[float32, int64], On[programs.Surfers[float32], int64],
		On[float64, int64], On[programs.Surfers[float64], int64]),
	Vertex(programs.BFSCommand, Paths[uint32, uint32]),
	Vertex(programs.SSSPCommand, Paths[float32, float32], Paths[float64, float64]),
	Vertex(programs.WCCCommand, On[uint32, uint32]).orOnCPU(algorithms.ComponentsCommand),
	Vertex(programs.SSWPCommand, On[float32, float32], On[float64, float64]),
	Vertex(programs.KCoreCommand, On[uint32, uint32]).orOnCPU(algorithms.KCoreCommand),
	Vertex(programs.LPACommand, On[programs.Ballot, programs.Votes]),
	Vertex(programs.KatzCommand, On[float32, float64], On[float64, float64]),
	Vertex(programs.HeatCommand, On[float32, programs.Flow]),
	Vertex(programs.CircuitCommand, On[programs.Node, programs.Branch]),
	Vertex(programs.NeuralCommand, On[float32, float64]),
	Algorithm(algorithms.TrianglesCommand),
	Algorithm(algorithms.TrussCommand),
	Algorithm(algorithms.ComponentsCommand),
	Algorithm(algorithms.CorenessCommand),
	Algorithm(algorithms.DegreesCommand),
	Algorithm(algorithms.CDLPCommand),
	Algorithm(algorithms.LeidenCommand),
	Algorithm(algorithms.LouvainCommand),
	Algorithm(algorithms.LCCCommand),
	Algorithm(algorithms.SCCCommand),
	Algorithm(algorithms.ForestCommand),
	Algorithm(algorithms.BetweennessCommand),
	Algorithm(algorithms.HITSCommand),
	Algorithm(algorithms.EigenvectorCommand),
	Algorithm(algorithms.SurfersCommand),
	Algorithm(algorithms.HarmonicCommand),
	Algorithm(algorithms.ClosenessCommand),
	Algorithm(algorithms.SimilarityCommand),
	Algorithm(algorithms.WalksCommand),
	Algorithm(algorithms.SampleCommand),
}

// A Program is a built-in program or algorithm.
type Program struct {
	registry.Command
	// Instead is an algorithm with the same results, for the CPU, or nil.
	Instead *registry.Command
	engines []Engine // nil for an algorithm
}

// An Engine runs programs of one pair of types. It reports whether the program has these types.
type Engine func(job Job, program any) (r *garaph.Result, ran bool, err error)

// A Job has the arguments of a run.
type Job struct {
	Context  context.Context //nolint:containedctx // of one call
	Graph    *garaph.Graph
	Options  garaph.RunOptions
	Progress func(algorithms.Progress) // of an algorithm, and of a search for parents
	Parents  bool                      // as a second column of results
	Scratch  string                    // the folder for temporary files of an algorithm
}

// Vertex returns a vertex program that runs on one of some engines, by its types.
func Vertex(c registry.Command, engines ...Engine) Program {
	return Program{Command: c, engines: engines}
}

// Algorithm returns a program that is an algorithm.
func Algorithm(c registry.Command) Program { return Program{Command: c} }

func (p Program) orOnCPU(algorithm registry.Command) Program {
	p.Instead = &algorithm
	return p
}

// IsAlgorithm reports whether p is an algorithm and not a vertex program.
func (p Program) IsAlgorithm() bool { return p.engines == nil }

// On is the Engine of programs with values V and accumulators A.
func On[V, A any](job Job, program any) (*garaph.Result, bool, error) {
	p, ok := program.(gas.Program[V, A])
	if !ok || job.Parents {
		return nil, false, nil
	}
	r, err := garaph.Run(job.Context, job.Graph, p, job.Options)
	return r, true, err
}

// Paths is like On, for programs of shortest paths.
func Paths[V, A any](job Job, program any) (*garaph.Result, bool, error) {
	p, ok := program.(gas.Program[V, A])
	if !ok || !job.Parents {
		return On[V, A](job, program)
	}
	r, err := garaph.RunWithParents(job.Context, job.Graph, p, job.Options, job.Progress)
	return r, true, err
}

// Run runs a program that p has made.
func (p Program) Run(job Job, program any) (*garaph.Result, error) {
	if e, ok := program.(registry.Either); ok {
		return p.either(job, e)
	}
	for _, engine := range p.engines {
		if r, ran, err := engine(job, program); ran {
			return r, err
		}
	}
	return RunAlgorithm(job, program)
}

// RunAlgorithm runs an algorithm.
func RunAlgorithm(job Job, algorithm any) (*garaph.Result, error) {
	switch a := algorithm.(type) {
	case algorithms.Algorithm[int64]:
		return onRows(job, a)
	case algorithms.Algorithm[float32]:
		return onRows(job, a)
	case algorithms.Algorithm[float64]:
		return onRows(job, a)
	case algorithms.Algorithm[gas.VertexID]:
		return onRows(job, a)
	}
	return nil, fmt.Errorf("%T has no engine", algorithm)
}

func onRows[T algorithms.Value](job Job, a algorithms.Algorithm[T]) (*garaph.Result, error) {
	o := job.Options
	return garaph.RunAlgorithm(job.Context, job.Graph, a, garaph.AlgorithmOptions{
		Threads: o.Threads, Memory: o.Memory, Progress: job.Progress, Log: o.Log, Scratch: job.Scratch,
		Device: algorithms.Device(o.Device), GPU: o.GPU.Name, GPUMemory: o.GPU.Memory,
		Job: o.Job, Checkpoints: o.Checkpoints,
	})
}

// GraphOf returns the properties of a graph that programs are made from.
func GraphOf(g *garaph.Graph) registry.Graph {
	c := g.Catalogue()
	p := registry.Graph{Weighted: c.Weighted, Wide: c.Wide, Symmetric: c.Symmetric}
	if c.Weighted {
		p.WeightUnit, p.MaxWeight = math.Ldexp(1, c.Weights.Unit), c.Weights.Most()
	}
	return p
}

// Path is like [garaph.Path], for hops.
func Path(job Job, p programs.BFS, to uint32) ([]uint32, []uint32, error) {
	return garaph.Path(job.Context, job.Graph, p, to, job.Options, job.Progress)
}

// WeightedPath is like [garaph.Path], for distances.
func WeightedPath(job Job, p programs.SSSP[float64], to uint32) ([]uint32, []float64, error) {
	return garaph.Path(job.Context, job.Graph, p, to, job.Options, job.Progress)
}

// either runs a program in single precision and, if that overflows, again in double precision.
func (p Program) either(job Job, e registry.Either) (*garaph.Result, error) {
	record := job.Options.Job
	if record != nil && strings.Contains(record.Record().Identity.Program, "[float64]") { // it is resumed
		return p.Run(job, e.Double)
	}
	log := job.Options.Log
	if log == nil {
		log = zap.NewNop()
	}
	if e.Single == nil {
		log.Info("single precision is too coarse: the job runs in double precision")
		return p.Run(job, e.Double)
	}
	result, err := p.Run(job, e.Single)
	var overflow *garaph.OverflowError
	if !errors.As(err, &overflow) {
		return result, err
	}
	log.Info(fmt.Sprintf("single precision is too coarse for %d of %d values: the job runs again, in double precision",
		overflow.Values, overflow.Vertices))
	if record != nil {
		if id := record.ID(); id != 0 {
			_, _ = job.Graph.RemoveJobs(id) // else it is listed as failed
		}
		job.Options.Job = job.Graph.NewJob(record.Record().Spec)
	}
	return p.Run(job, e.Double)
}
