package builtins

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"go.uber.org/zap"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/programs"
	"github.com/garaph/garaph/store"
)

// A Precision is the bits of a value, a floating-point number.
type Precision string

// The precisions. Auto is single where results are exact, or within 1e-6 of themselves, and else double.
const (
	Auto   Precision = "auto"
	Single Precision = "32"
	Double Precision = "64"
)

// either is a program in two precisions. The job is the one in single precision, unless that is nil or overflows.
type either struct{ single, double any }

// choose returns the program in the given precision. With Auto, it is the one in double if single
// precision is known to be too coarse.
func (p Precision) choose(coarse bool, single, double any) any {
	switch {
	case p == Single:
		return single
	case p == Double:
		return double
	case coarse:
		return either{nil, double}
	}
	return either{single, double}
}

func (r runner) either(e either) (*garaph.Result, error) {
	job := r.options.Job
	if job != nil && strings.Contains(job.Record().Identity.Program, "[float64]") { // it is resumed
		return r.any(e.double)
	}
	log := r.options.Log
	if log == nil {
		log = zap.NewNop()
	}
	if e.single == nil {
		log.Info("single precision is too coarse: the job runs in double precision")
		return r.any(e.double)
	}
	result, err := r.any(e.single)
	var overflow *garaph.OverflowError
	if !errors.As(err, &overflow) {
		return result, err
	}
	log.Info(fmt.Sprintf("single precision is too coarse for %d of %d values: the job runs again, in double precision", overflow.Values, overflow.Vertices))
	if job != nil {
		if id := job.ID(); id != 0 {
			_, _ = r.graph.RemoveJobs(id) // else it is listed as failed
		}
		r.options.Job = r.graph.NewJob(job.Record().Spec)
	}
	return r.any(e.double)
}

// coarse reports whether values with a relative change of at most tolerance have more than the 21 bits
// that a rounding in each iteration leaves of 24.
func coarse(tolerance float64) bool { return tolerance > 0 && tolerance < 0x1p-21 }

// PageRank is [programs.PageRank], or [programs.PersonalisedPageRank] of several sources. The rounding of a rank is in other ranks 1/(1-damping) times.
func (p Precision) PageRank(damping, tolerance float64, sources []uint32) any {
	return p.choose(coarse(tolerance) || damping > 0.94, pageRank[float32](damping, tolerance, sources), pageRank[float64](damping, tolerance, sources))
}

func pageRank[F float32 | float64](damping, tolerance float64, sources []uint32) any {
	switch len(sources) {
	case 0:
		return programs.PageRank[F]{Damping: damping, Tolerance: tolerance}
	case 1:
		return programs.PageRank[F]{Damping: damping, Tolerance: tolerance, Personalised: true, Source: sources[0]}
	default:
		return programs.PersonalisedPageRank[F]{Damping: damping, Tolerance: tolerance, Sources: sources}
	}
}

// BiasedPageRank is [programs.BiasedPageRank].
func (p Precision) BiasedPageRank(damping, tolerance float64, sources []uint32, strength func(uint32) float64) any {
	return p.choose(coarse(tolerance) || damping > 0.94,
		programs.BiasedPageRank[float32]{Damping: damping, Tolerance: tolerance, Sources: sources, Strength: strength},
		programs.BiasedPageRank[float64]{Damping: damping, Tolerance: tolerance, Sources: sources, Strength: strength})
}

// SSSP is [programs.SSSP]. Sums of multiples of a unit, such as 1, are exact in single precision below 2^24 units. Where a path of
// few edges is longer, the first try is in double precision.
func (p Precision) SSSP(of *store.Catalogue, source uint32, more []uint32) any {
	single := programs.SSSP[float32]{Source: source, More: more}
	unit, largest := 1., 1.
	if of.Weighted {
		unit, largest = math.Ldexp(1, of.Weights.Unit), of.Weights.Most()
	}
	exact := 0x1p24 * unit
	if p == Auto {
		single.Most = float32(min(exact, math.MaxFloat32))
	}
	const few = 256
	return p.choose(exact < few*largest, single, programs.SSSP[float64]{Source: source, More: more})
}

// Katz is [programs.Katz]. The rounding of a value is in other values up to the largest value / beta times.
func (p Precision) Katz(alpha, beta, tolerance float64) any {
	single := programs.Katz[float32]{Alpha: alpha, Beta: beta, Tolerance: tolerance}
	if p == Auto {
		single.Most = 16 * beta
	}
	return p.choose(coarse(tolerance), single, programs.Katz[float64]{Alpha: alpha, Beta: beta, Tolerance: tolerance})
}
