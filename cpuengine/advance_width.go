package cpuengine

import (
	"math"

	"github.com/garaph/garaph/frontier"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gas/compiled"
	"github.com/garaph/garaph/internal/vertices"
)

// width returns the width of buckets in a graph whose edges add mean to a priority: 2/degree of it
// in sparse graphs, where more bring little and less costs rounds, and 1/degree in dense ones.
// In skewed graphs it is a quarter of that: vertices with many edges have short ones, and kron 21 takes 0.76 of the
// edges. In uniform ones, half as wide took twice the time.
func width(mean, degree float64, skewed bool) float64 {
	if skewed {
		mean /= 4
	}
	return mean * min(1, 2/degree, max(8/(degree*degree), 1/degree))
}

// skewed reports whether sampled edges lead to vertices that have several times as many edges as the mean.
func skewed(rows *frontier.Rows, vertices uint32) bool {
	const samples, several = 1 << 10, 4
	edges, sum := rows.Off[vertices], uint64(0)
	for i := range uint64(samples) {
		v := rows.To(i * edges / samples)
		sum += rows.Off[v+1] - rows.Off[v]
	}
	return float64(sum)*float64(vertices) > several*samples*float64(edges)
}

// flatter is by how much buckets get wider with each sorting where edges lead to the same
// priority: what is first spreads by itself, and after a few of these little is left.
const flatter = 64

// bucketWidth finds how far apart priorities may be that are done at once: sampled edges
// say by how much one leads on, and the more edges a vertex has, the shorter is the
// shortest. Where one like it adds nothing, half a step is enough in graphs of any degree: as
// narrow as above, buckets took two to five times as many rounds over the same edges. Where edges
// add nothing, as to labels, it begins with what lies between two vertices.
func (f *Advancer[V, A]) bucketWidth() {
	o := &f.order
	rows := f.lanes[0].advance.Rows
	degree := float64(rows.Off[f.engine.arrays.N]) / float64(f.engine.arrays.N)
	mean, adds, zero := MeanStep(f.engine.program, f.engine.arrays, rows, f.block.Step)
	switch {
	case mean > 0 && adds:
		o.width = width(mean, degree, skewed(rows, f.engine.arrays.N))
	case mean > 0:
		o.width = mean / 2
	case zero:
		o.width, o.flat = f.meanGap(), true
	default:
		o.width = math.Inf(1)
	}
}

// MeanStep returns the mean that sampled edges add to the priority of an active vertex, for a
// program that is [gas.Prioritized], or 0 if none adds anything; adds reports whether one also adds to that after
// another like it, and zero whether an edge was seen that adds nothing.
func MeanStep[V, A any](p gas.Program[V, A], a *vertices.Arrays[V], rows *frontier.Rows,
	s gas.Step) (mean float64, adds, zero bool) {
	const samples = 1 << 10
	source, ok := a.Active.Next(0, a.N)
	edges := rows.Off[a.N]
	if !ok || edges == 0 {
		return 0, false, false
	}
	block := compiled.Block{N: a.N, Degree: a.Degree, In: a.In, Out: a.Out, IDs: a.IDs}
	priority := p.(gas.Prioritized[V]).Priority
	src, sum, n := a.Cur[source], 0.0, 0.0
	start, low := priority(src), math.Inf(1)
	for i := range uint64(samples) {
		k := (i*2 + 1) * edges / (2 * samples)
		v, weight := rows.Arc(k)
		e := gas.Edge{Weight: weight}
		value := p.Apply(block.Vertex(int(v)), a.Cur[v], p.Gather(src, e, src), s)
		switch at := priority(value); {
		case at > start && !math.IsInf(at, 1):
			adds = adds || priority(p.Apply(block.Vertex(int(v)), a.Cur[v], p.Gather(value, e, value), s)) > at
			sum += at
			low = min(low, at)
			n++
		case at == start:
			zero = true
		}
	}
	switch {
	case n == 0:
		return 0, adds, zero
	case !adds:
		return (sum/n - low) / endlessSteps, adds, zero
	}
	return sum/n - start, adds, zero
}

// endlessSteps is the number of mean steps between the least and the mean priority
// that edges lead to, where an edge adds nothing after one like it, as to a
// widest path: on a grid 8 to 128 of them were alike, 1 took twice as long.
const endlessSteps = 16

// meanGap is the mean distance of the priorities of active vertices; infinite, if there is
// none.
func (f *Advancer[V, A]) meanGap() float64 {
	a, low, high, n := f.engine.arrays, math.Inf(1), math.Inf(-1), 0
	for v, ok := a.Active.Next(0, a.N); ok; v, ok = a.Active.Next(v+1, a.N) {
		at := f.order.priority.Priority(a.Cur[v])
		low, high = min(low, at), max(high, at)
		n++
	}
	if gap := (high - low) / float64(n); gap > 0 && gap < math.MaxFloat64 {
		return gap
	}
	return math.Inf(1)
}
