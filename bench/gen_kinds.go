package bench

// uniform generates edges with both ends uniformly at random: G(n, m) with parallel
// edges and self-loops.
type uniform struct {
	random   stream
	vertices uint64
}

func (g uniform) fill(first uint64, src, dst []uint64) {
	for i := range src {
		state := g.random.from((first + uint64(i)) * 2)
		src[i], dst[i] = below(mix(state), g.vertices), below(mix(state+gamma), g.vertices)
	}
}

// grid generates the edges of a lattice row by row. Vertex (r, c) is r·cols + c, and
// has edges to its right and its lower neighbour, in this order; so a row but
// the last has 2·cols-1 edges, of which the last one leads down.
type grid struct {
	rows, cols uint64
}

func (g grid) fill(first uint64, src, dst []uint64) {
	perRow := 2*g.cols - 1
	for i := range src {
		e := first + uint64(i)
		if row := e / perRow; row < g.rows-1 {
			k := e % perRow
			u := row*g.cols + k/2
			src[i], dst[i] = u, u+1
			if k&1 == 1 || k == perRow-1 {
				dst[i] = u + g.cols
			}
			continue
		}
		u := (g.rows-1)*g.cols + e - (g.rows-1)*perRow
		src[i], dst[i] = u, u+1
	}
}

// rmat generates the edges of a recursive matrix (Chakrabarti, Zhan and Faloutsos,
// SDM 2004): of the adjacency matrix a quadrant is chosen with the chances a
// (both ids low), b (low source, high destination), c and d (both high), of it
// again one, and so on down to an entry. It is the graph of Graph500, which
// also permutes the ids.
//
// Five levels are chosen at once from a table of their 4⁵ outcomes; the first
// step chooses fewer when the scale is no multiple of five.
type rmat struct {
	random  stream
	steps   []*aliasTable
	draws   uint64    // random numbers per edge, 32 bits a step
	permute *scramble // nil without
}

const levelsPerStep = 5

func newRMAT(o GenOptions) *rmat {
	r := &rmat{random: newStream(o.Seed, forEdges)}
	if rest := o.Scale % levelsPerStep; rest > 0 {
		r.steps = append(r.steps, quadrants(o, rest))
	}
	table := quadrants(o, levelsPerStep)
	for range o.Scale / levelsPerStep {
		r.steps = append(r.steps, table)
	}
	r.draws = uint64(len(r.steps)+1) / 2
	if o.Permute {
		s := newScramble(o.Seed, o.Scale)
		r.permute = &s
	}
	return r
}

// quadrants returns the table of some levels. An outcome is the bits of the
// source, shifted by levelsPerStep, and those of the destination.
func quadrants(o GenOptions, levels int) *aliasTable {
	quadrant := [2][2]float64{{o.A, o.B}, {o.C, 1 - o.A - o.B - o.C}}
	n := 1 << levels
	outcomes, chances := make([]uint16, n*n), make([]float64, n*n)
	for i := range chances {
		u, v := i/n, i%n
		outcomes[i] = uint16(u<<levelsPerStep | v)
		chances[i] = 1
		for l := range levels {
			chances[i] *= quadrant[u>>l&1][v>>l&1]
		}
	}
	return newAliasTable(outcomes, chances)
}

func (r *rmat) fill(first uint64, src, dst []uint64) {
	for i := range src {
		state := r.random.from((first + uint64(i)) * r.draws)
		var u, v, random uint64
		for k, table := range r.steps {
			if k&1 == 0 {
				random = mix(state)
				state += gamma
			}
			outcome := table.pick(uint32(random))
			random >>= 32
			u = u<<levelsPerStep | outcome>>levelsPerStep
			v = v<<levelsPerStep | outcome%(1<<levelsPerStep)
		}
		src[i], dst[i] = u, v
	}
	if r.permute != nil {
		for i := range src {
			src[i], dst[i] = r.permute.of(src[i]), r.permute.of(dst[i])
		}
	}
}
