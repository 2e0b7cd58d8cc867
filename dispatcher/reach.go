package dispatcher

import (
	"sort"

	"github.com/garaph/garaph/dispatcher/policy"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packedrows"
)

const (
	// reachStarts is the number of active vertices that a job begins to look from, reachVertices how many it looks for.
	reachStarts, reachVertices = 4, 128
	// slowSteps is from how many steps for that on values go slowly: where vertices have 4 random neighbours, or in a
	// grid.
	slowSteps = 4
)

// reach returns how far values go from the active vertices. It returns the zero value if that makes no difference, the
// graph has no packed rows to look along, or these have no room in memory beside those of frontiers.
func (p *plan[V, A]) reach(s *state[V, A]) (r policy.Reach, err error) {
	bytes := p.lookBytes()
	if rest := p.pages.Rest(); bytes == 0 || rest >= 0 && rest < p.front.bytes+bytes || !p.store.Map() {
		return r, nil
	}
	dir, _ := p.shape.cat.RowsOf(p.front.whole.out.Sides[0])
	look := reacher[V, A]{p, dir, s.arrays.Degree, map[int]shard.Side{}}
	starts, slow, few := 0, 0, 0
	for i := range uint64(reachStarts) {
		from := uint32(i * uint64(s.arrays.N) / reachStarts)
		to := uint32((i + 1) * uint64(s.arrays.N) / reachStarts)
		v, ok := s.arrays.Active.Next(from, to)
		for ok && s.arrays.Degree[v] == 0 {
			v, ok = s.arrays.Active.Next(v+1, to)
		}
		if !ok {
			continue
		}
		steps, all, err := look.spread(v)
		if err != nil {
			return r, err
		}
		starts++
		if all {
			few++
		} else if steps >= slowSteps {
			slow++
		}
	}
	return policy.Reach{Few: few == starts, Slow: 2*slow > starts}, nil
}

// lookBytes returns the number of bytes of the packed rows that reach looks along, or 0 if it looks along none.
func (p *plan[V, A]) lookBytes() (bytes int64) {
	f, cat := &p.front, p.shape.cat
	if f.unfit != nil || f.edges == 0 || p.opt.Method != Auto || len(f.whole.out.Sides) != 1 {
		return 0
	}
	dir, ok := cat.RowsOf(f.whole.out.Sides[0])
	if !ok || cat.Encoding(dir) != packedrows.Version {
		return 0
	}
	for i := range cat.Shards {
		bytes += cat.Bytes(dir, i)
	}
	return bytes
}

// reacher looks along the packed rows of a direction.
type reacher[V, A any] struct {
	*plan[V, A]
	dir    shard.Direction
	degree []uint32
	sides  map[int]shard.Side // by shard: to open one checks its index
}

// spread returns after how many steps along rows a vertex leads to enough others, or all reports that there are fewer.
func (r reacher[V, A]) spread(v uint32) (steps int, all bool, err error) {
	var buffer shard.Buffer
	seen, level := map[uint32]bool{v: true}, []uint32{v}
	for len(level) > 0 {
		steps++
		var next []uint32
		for _, u := range level {
			if r.degree[u] > reachVertices {
				return steps, false, nil
			}
			row, err := r.row(u, &buffer)
			if err != nil {
				return 0, false, err
			}
			for _, w := range row {
				if !seen[w] {
					seen[w] = true
					next = append(next, w)
				}
				if len(seen) > reachVertices {
					return steps, false, nil
				}
			}
		}
		level = next
	}
	return steps, true, nil
}

// row returns the packed row of a vertex whose shard has others.
func (r reacher[V, A]) row(v uint32, b *shard.Buffer) ([]uint32, error) {
	firsts := r.shape.firsts
	i := sort.Search(len(firsts), func(i int) bool { return firsts[i] > v }) - 1
	side, ok := r.sides[i]
	if !ok {
		var err error
		if side, err = r.store.ViewRows(r.dir, i); err != nil {
			return nil, err
		}
		r.sides[i] = side
	}
	rows, ok := side.(*packedrows.Side)
	if !ok { // of one vertex
		return side.(shard.Rows).Row(0, b), nil
	}
	run, _, _ := rows.Run(int(v - firsts[i]))
	if err := rows.CheckRun(run, r.shape.cat.Vertices); err != nil {
		return nil, r.store.ShardError(r.dir, i, err)
	}
	return rows.Row(int(v-firsts[i]), b), nil
}
