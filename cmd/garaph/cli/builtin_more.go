package cli

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/programs"
)

func setupSSWP(fs *pflag.FlagSet) Runner {
	source := sourceFlag(fs)
	return Bind(func(e Env) (gas.Program[float32, float32], error) {
		v, err := e.Graph.Vertex(*source)
		return programs.SSWP{Source: v}, err
	})
}

func setupKCore(fs *pflag.FlagSet) Runner {
	k := uint32Flag(fs, "k", 0, "`N` edges that a vertex of the core has within it, at least (required)")
	_ = cobra.MarkFlagRequired(fs, "k") // fails for a flag that is not there
	return Bind(func(Env) (gas.Program[uint32, uint32], error) { return programs.KCore{K: *k}, nil })
}

func setupLPA(fs *pflag.FlagSet) Runner {
	seed := uint32Flag(fs, "seed", 1, "`N` that the random numbers begin with")
	return Bind(func(Env) (gas.Program[programs.Ballot, programs.Votes], error) { return programs.LPA{Seed: *seed}, nil })
}

func setupKatz(fs *pflag.FlagSet) Runner {
	f := katzFlags{
		alpha:     numberFlag(fs, "alpha", 0.1, 0, "weight of an edge; below 1 / the largest eigenvalue, or values become inf"),
		beta:      numberFlag(fs, "beta", 1, 0, "weight of a vertex by itself"),
		tolerance: numberFlag(fs, "tolerance", 1e-6, 0, "relative change of a value that counts as none"),
	}
	return withPrecision(fs, Bind(katz[float32](f)), Bind(katz[float64](f)))
}

type katzFlags struct{ alpha, beta, tolerance *float64 }

func katz[F float32 | float64](f katzFlags) func(Env) (gas.Program[F, float64], error) {
	return func(Env) (gas.Program[F, float64], error) {
		return programs.Katz[F]{Alpha: *f.alpha, Beta: *f.beta, Tolerance: *f.tolerance}, nil
	}
}

func setupHeat(fs *pflag.FlagSet) Runner {
	source := sourceFlag(fs)
	step := numberFlag(fs, "step", 0.1, 0, "time of an iteration")
	return Bind(func(e Env) (gas.Program[float32, programs.Flow], error) {
		v, err := e.Graph.Vertex(*source)
		if err == nil {
			warnDirected(e, "heat flows")
		}
		return programs.Heat{Source: v, Step: *step}, err
	})
}

func setupCircuit(fs *pflag.FlagSet) Runner {
	source := sourceFlag(fs)
	ground := fs.String("ground", "", "`ID` of the vertex held at 0 (required)")
	_ = cobra.MarkFlagRequired(fs, "ground") // fails for a flag that is not there
	volts := numberFlag(fs, "volts", 1, 0, "voltage of the source")
	tolerance := numberFlag(fs, "tolerance", 1e-6, 0, "change of a voltage in an iteration, as part of --volts, that counts as none; not a bound of the error")
	return Bind(func(e Env) (gas.Program[programs.Node, programs.Branch], error) {
		if *source == *ground {
			return nil, Usagef("--source and --ground are the same vertex")
		}
		p := programs.Circuit{Volts: *volts, Tolerance: *tolerance}
		var err error
		if p.Source, err = e.Graph.Vertex(*source); err != nil {
			return nil, err
		}
		if p.Ground, err = e.Graph.Vertex(*ground); err != nil {
			return nil, err
		}
		warnDirected(e, "currents flow")
		return p, nil
	})
}

// warnDirected speaks to those who forgot --undirected.
func warnDirected(e Env, flow string) {
	if !e.Graph.Catalogue().Symmetric {
		e.Log.Warn("the graph is directed: " + flow + " along edge direction only; import it with --undirected for both")
	}
}

func setupNeural(fs *pflag.FlagSet) Runner {
	gain := numberFlag(fs, "gain", 1, 0, "what weights are multiplied with; large ones drive every activity to 1")
	bias := numberFlag(fs, "bias", 0.1, 0, "what a neuron hears by itself")
	tolerance := numberFlag(fs, "tolerance", 1e-6, 0, "change of an activity that counts as none")
	return Bind(func(Env) (gas.Program[float32, float64], error) {
		return programs.Neural{Gain: *gain, Bias: *bias, Tolerance: *tolerance}, nil
	})
}
