package algorithms

import (
	"context"
	"slices"
)

// counters count the common neighbours of a vertex and all others.
type counters struct {
	common []uint32
	adar   []float64
	found  []uint32 // vertices with common neighbours
	chosen []similar
}

// nearest finds the most similar vertices of each, by the neighbours of its neighbours, and returns the number of
// rows. Those of a vertex begin with the most similar one, of several the least.
func (c Similarity) nearest(ctx context.Context, e *Env, p *similarPairs, degree []uint32) (int, error) {
	n := len(degree)
	lanes := make([]counters, e.lanes(n))
	for i := range lanes {
		x := &lanes[i]
		if err := makeAll(e, into(&x.common, n), into(&x.adar, n), into(&x.found, n)); err != nil {
			return 0, err
		}
	}
	most := min(c.Nearest, n)
	err := p.steps(ctx, e, len(lanes), n, func(lane, v int) {
		x := &lanes[lane]
		x.chosen = c.similarTo(x.chosen[:0], e.ends, x, uint32(v), degree, most)
		for i, s := range x.chosen {
			p.set(v*most+i, uint32(v), s.v, s.common, s.measures)
		}
		e.Progress("vertices", int64(v+1), int64(n))
	})
	if err != nil {
		return 0, err
	}
	rows := 0
	for i, n := range p.common {
		if n > 0 {
			p.sources[rows], p.targets[rows], p.common[rows] = p.sources[i], p.targets[i], n
			for k := range p.measures {
				p.measures[k][rows] = p.measures[k][i]
			}
			rows++
		}
	}
	return rows, nil
}

// similar is a vertex that is similar to another one.
type similar struct {
	v        uint32
	common   int64
	measures [4]float64
}

// similarTo appends the vertices most similar to v.
func (c Similarity) similarTo(
	chosen []similar, rows *wholeEnds, n *counters, v uint32, degree []uint32, most int,
) []similar {
	found := n.found[:0]
	ends := rows.of(v)
	for w, more := ends.Next(); more; w, more = ends.Next() {
		weight, others := adarOf(degree[w]), rows.of(w)
		for u, more := others.Next(); more; u, more = others.Next() {
			if n.common[u] == 0 {
				found = append(found, u)
			}
			n.common[u]++
			n.adar[u] += weight
		}
	}
	for _, u := range found {
		s := similar{u, int64(n.common[u]), measuresOf(int64(n.common[u]), n.adar[u], degree[u], degree[v])}
		n.common[u], n.adar[u] = 0, 0
		if u == v || len(chosen) == most && !c.before(s, chosen[most-1]) {
			continue
		}
		if len(chosen) == most {
			chosen = chosen[:most-1]
		}
		at, _ := slices.BinarySearchFunc(chosen, s, func(x, s similar) int {
			if c.before(x, s) {
				return -1
			}
			return 1
		})
		chosen = slices.Insert(chosen, at, s)
	}
	return chosen
}

// before is the order of the vertices similar to one.
func (c Similarity) before(x, y similar) bool {
	a, b := x.measures[c.By], y.measures[c.By]
	return a > b || a == b && x.v < y.v
}
