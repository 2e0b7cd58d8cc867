package cli

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/internal/builtins"
	"github.com/garaph/garaph/internal/flags"
	"github.com/garaph/garaph/programs"
)

func setupSSWP(fs *pflag.FlagSet) Runner {
	flags.RequiredSources(fs, "to begin at")
	return bindBuiltin(func(e Env) (any, error) {
		first, more, err := e.firstAndMore()
		if e.Graph.Catalogue().Wide {
			return programs.SSWP[float64]{Source: first, More: more}, err
		}
		return programs.SSWP[float32]{Source: first, More: more}, err
	})
}

func setupKCore(fs *pflag.FlagSet) Runner {
	k := fs.Uint32("k", 0, "the least `N` of edges that a vertex of the core has within it (required)")
	_ = cobra.MarkFlagRequired(fs, "k") // fails for a flag that is not there
	return bindBuiltin(func(Env) (any, error) { return programs.KCore{K: *k}, nil })
}

// peeling has the results of kcore, by an algorithm that is not a vertex program.
var peeling = Program{Name: "peeling", Setup: func(*pflag.FlagSet) Runner {
	return BindAlgorithm(func(e Env) (algorithms.Algorithm[int64], error) {
		k, err := e.Flags.GetUint32("k")
		return algorithms.KCore{K: k}, err
	})
}}

func setupDegrees(fs *pflag.FlagSet) Runner {
	along := flags.Along(fs, "edges that lead to the vertex, out of it, or both")
	return BindAlgorithm(func(Env) (algorithms.Algorithm[int64], error) {
		return algorithms.Degrees{NotIn: *along == "out", NotOut: *along == "in"}, nil
	})
}

func setupLPA(fs *pflag.FlagSet) Runner {
	seed := fs.Uint32("seed", 1, "`N` that the random numbers begin with, from 0 to 4294967295")
	return bindBuiltin(func(Env) (any, error) { return programs.LPA{Seed: *seed}, nil })
}

func setupKatz(fs *pflag.FlagSet) Runner {
	alpha := flags.Number(fs, "alpha", 0, 0, "weight of an edge, 0 or more (default 1 / (the largest in-degree + 1))")
	beta := flags.Number(fs, "beta", 1, 0, "value of a vertex by itself, 0 or more")
	tolerance := flags.Number(fs, "tolerance", 1e-6, 0, "relative change of a value in an iteration that counts as none")
	precision := precisionFlag(fs)
	return bindBuiltin(func(e Env) (any, error) {
		if e.Flags.Changed("alpha") {
			return builtins.Precision(*precision).Katz(*alpha, *beta, *tolerance), nil
		}
		degree, err := e.Graph.MaxInDegree()
		alpha := 1 / (float64(degree) + 1)
		e.Log.Info(fmt.Sprintf("--alpha is %.6g: 1 / (the largest in-degree + 1)", alpha))
		return builtins.Precision(*precision).Katz(alpha, *beta, *tolerance), err
	})
}

func setupHeat(fs *pflag.FlagSet) Runner {
	flags.Vertex(fs, "source", "that begins at temperature 1")
	step := flags.Number(fs, "step", 0.1, 0, "time that passes in an iteration, above 0; smaller ones are more exact, and none makes temperatures overshoot")
	return bindBuiltin(func(e Env) (any, error) {
		if *step == 0 {
			return nil, Usagef("--step 0: expected a number above 0")
		}
		v, err := e.Vertex("source")
		if err == nil {
			warnDirected(e, "heat flows")
		}
		return programs.Heat{Source: v, Step: *step}, err
	})
}

func setupCircuit(fs *pflag.FlagSet) Runner {
	flags.Vertex(fs, "source", "held at --volts")
	flags.Vertex(fs, "ground", "held at 0 volts")
	volts := flags.Number(fs, "volts", 1, 1e38, "voltage of the source against the ground, at least 0 and below 1e38")
	tolerance := flags.Number(fs, "tolerance", 1e-6, 0, "change of a voltage in an iteration, as part of --volts, that counts as none; not a bound of the error")
	return bindBuiltin(func(e Env) (any, error) {
		p := programs.Circuit{Volts: *volts, Tolerance: *tolerance}
		var err error
		if p.Source, err = e.Vertex("source"); err != nil {
			return nil, err
		}
		if p.Ground, err = e.Vertex("ground"); err != nil {
			return nil, err
		}
		if p.Source == p.Ground {
			return nil, Usagef("--source and --ground are the same vertex")
		}
		warnDirected(e, "currents flow")
		return p, nil
	})
}

// warnDirected warns of a graph whose edges have one direction, for a program that spreads along both.
func warnDirected(e Env, flow string) {
	if !e.Graph.Catalogue().Symmetric {
		e.Log.Warn("the graph is directed: " + flow + " along edge direction only; import it with --undirected for both")
	}
}

func setupNeural(fs *pflag.FlagSet) Runner {
	gain := flags.Number(fs, "gain", 1, 0, "what weights are multiplied with, 0 or more; large ones drive every activity to 1")
	bias := flags.Number(fs, "bias", 0.1, 0, "what a neuron hears by itself, 0 or more")
	tolerance := flags.Number(fs, "tolerance", 1e-6, 0, "change of an activity in an iteration that counts as none")
	return bindBuiltin(func(Env) (any, error) {
		return programs.Neural{Gain: *gain, Bias: *bias, Tolerance: *tolerance}, nil
	})
}
