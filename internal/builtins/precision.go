package builtins

import "github.com/garaph/garaph/programs"

// Double says that values are floating-point numbers of 64 bits, not of 32.
type Double bool

// PageRank is [programs.PageRank], or [programs.PersonalisedPageRank] of several sources.
func (d Double) PageRank(damping, tolerance float64, sources []uint32) any {
	if d {
		return pageRank[float64](damping, tolerance, sources)
	}
	return pageRank[float32](damping, tolerance, sources)
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
func (d Double) BiasedPageRank(damping, tolerance float64, sources []uint32, strength func(uint32) float64) any {
	if d {
		return programs.BiasedPageRank[float64]{Damping: damping, Tolerance: tolerance, Sources: sources, Strength: strength}
	}
	return programs.BiasedPageRank[float32]{Damping: damping, Tolerance: tolerance, Sources: sources, Strength: strength}
}

// SSSP is [programs.SSSP].
func (d Double) SSSP(source uint32, more []uint32) any {
	if d {
		return programs.SSSP[float64]{Source: source, More: more}
	}
	return programs.SSSP[float32]{Source: source, More: more}
}

// Katz is [programs.Katz].
func (d Double) Katz(alpha, beta, tolerance float64) any {
	if d {
		return programs.Katz[float64]{Alpha: alpha, Beta: beta, Tolerance: tolerance}
	}
	return programs.Katz[float32]{Alpha: alpha, Beta: beta, Tolerance: tolerance}
}
