package programs

import (
	"errors"
	"fmt"
	"math"
)

// What a run asks of a program before it begins: a source that is no vertex of the graph, and a value
// without the fields that it needs, are errors and no results that look like some.

// Check refuses sources that are no vertices.
func (b BFS) Check(vertices uint32) error {
	return checkFirst(vertices, b.Source, b.More)
}

// Check refuses sources that are no vertices.
func (p SSSP[F]) Check(vertices uint32) error {
	return checkFirst(vertices, p.Source, p.More)
}

// Check refuses sources that are no vertices.
func (p SSWP[F]) Check(vertices uint32) error {
	return checkFirst(vertices, p.Source, p.More)
}

// Check refuses a Damping that is none, or was not set: ranks would say nothing of the edges.
func (p PageRank[F]) Check(vertices uint32) error {
	if p.Personalised {
		if err := checkSources(vertices, p.Source); err != nil {
			return err
		}
	}
	return checkRanks(p.Damping, p.Tolerance)
}

// Check refuses what that of [PageRank] does.
func (p BiasedPageRank[F]) Check(vertices uint32) error {
	if err := checkSources(vertices, p.Sources...); err != nil {
		return err
	}
	return checkRanks(p.Damping, p.Tolerance)
}

// Check refuses what that of [PageRank] does.
func (p PersonalisedPageRank[F]) Check(vertices uint32) error {
	if err := checkSources(vertices, p.Sources...); err != nil {
		return err
	}
	return checkRanks(p.Damping, p.Tolerance)
}

// Endless says that without a Tolerance a job may not end: a rounding can go around a cycle of edges for ever.
func (p PageRank[F]) Endless() bool { return p.Tolerance == 0 }

// Endless is as that of [PageRank].
func (p PersonalisedPageRank[F]) Endless() bool { return p.Tolerance == 0 }

// Endless is as that of [PageRank].
func (p BiasedPageRank[F]) Endless() bool { return p.Tolerance == 0 }

func checkRanks(damping, tolerance float64) error {
	if !(damping > 0 && damping < 1) {
		return fmt.Errorf("the Damping is %v: expected a number above 0 and below 1, 0.85 as a rule", damping)
	}
	return checkTolerance(tolerance)
}

// Check refuses the zero value, with which all values are 0.
func (p Katz[F]) Check(uint32) error {
	if p.Alpha == 0 && p.Beta == 0 {
		return errors.New("the Alpha and the Beta are 0: expected an Alpha below 1 / the largest in-degree, and a Beta of 1 as a rule")
	}
	return checkTolerance(p.Tolerance)
}

// Check refuses a step in which no time passes, and a source that is no vertex.
func (p Heat) Check(vertices uint32) error {
	if !(p.Step > 0 && p.Step <= math.MaxFloat64) {
		return fmt.Errorf("the Step is %v: expected a time above 0", p.Step)
	}
	return checkSources(vertices, p.Source)
}

// Check refuses a network without a voltage in it, as the zero value is.
func (p Circuit) Check(vertices uint32) error {
	if p.Source == p.Ground {
		return fmt.Errorf("the Source and the Ground are one vertex, %d: expected two", p.Source)
	}
	if err := checkSources(vertices, p.Source, p.Ground); err != nil {
		return err
	}
	return checkTolerance(p.Tolerance)
}

// Check refuses the zero value, with which nothing is ever active.
func (p Neural) Check(uint32) error {
	if p.Gain == 0 && p.Bias == 0 {
		return errors.New("the Gain and the Bias are 0: all activities would be; set one of them, as a rule to 1 and 0.1")
	}
	return checkTolerance(p.Tolerance)
}

func checkTolerance(x float64) error {
	if !(x >= 0 && x <= math.MaxFloat64) {
		return fmt.Errorf("the Tolerance is %v: expected a finite number of 0 or more", x)
	}
	return nil
}

// checkFirst is checkSources of one, and of those beside it.
func checkFirst(vertices, first uint32, more []uint32) error {
	if err := checkSources(vertices, first); err != nil {
		return err
	}
	return checkSources(vertices, more...)
}

// checkSources refuses dense ids that are no vertices.
func checkSources(vertices uint32, sources ...uint32) error {
	for _, v := range sources {
		if v >= vertices {
			return fmt.Errorf("the source %d is no vertex: the dense ids of the graph are below %d; Graph.Vertex finds that of an id", v, vertices)
		}
	}
	return nil
}
