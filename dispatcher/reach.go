package dispatcher

import (
	"github.com/garaph/garaph/dispatcher/policy"
	"github.com/garaph/garaph/page"
)

const (
	// reachStarts is the number of active vertices that a job begins to look from, reachVertices how many it looks for.
	reachStarts, reachVertices = 4, 128
	// slowSteps is from how many steps for that on values go slowly: where vertices have 4 random neighbours, or in a
	// grid.
	slowSteps = 4
)

// reach returns how far values go from the active vertices, and how many bytes it read. It returns the zero value if
// that makes no difference, the graph has no rows to look along, or these have no room in memory beside those of
// frontiers.
func (p *plan[V, A]) reach(s *state[V, A]) (r policy.Reach, read int64, err error) {
	f := &p.front
	if f.unfit != nil || f.edges == 0 || p.opt.Method != Auto {
		return r, 0, nil
	}
	rows, unfit := page.WholeRows{Sides: f.whole.out.Sides}.PlanHeld(p.store)
	if unfit != nil {
		return r, 0, nil
	}
	if rest := p.pages.Rest(); rest >= 0 && rest < f.bytes+rows.Bytes()+rows.ListBytes(1) {
		return r, 0, nil
	}
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
		steps, all, err := spread(rows, s.arrays.Degree, v)
		if err != nil {
			return r, rows.BytesRead(), err
		}
		starts++
		if all {
			few++
		} else if steps >= slowSteps {
			slow++
		}
	}
	return policy.Reach{Few: few == starts, Slow: 2*slow > starts}, rows.BytesRead(), nil
}

// spread returns after how many steps along rows a vertex leads to enough others, or all reports that there are fewer.
func spread(rows *page.HeldRows, degree []uint32, v uint32) (steps int, all bool, err error) {
	cursor, seen, level := rows.NewCursor(), map[uint32]bool{v: true}, []uint32{v}
	for len(level) > 0 {
		steps++
		var next []uint32
		for _, u := range level {
			if degree[u] > reachVertices {
				return steps, false, nil
			}
			if err := rows.Bring(rows.ShardOf(u)); err != nil {
				return 0, false, err
			}
			row, err := cursor.Row(u)
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
