package algorithms

import (
	"context"
	"math"
	"sync/atomic"

	"github.com/garaph/garaph/frontier"
	"github.com/garaph/garaph/internal/walk"
	"github.com/garaph/garaph/shard"
)

// estimate samples shortest paths until, with probability Confidence, no estimate is off by Error or more, as parts of
// all ordered pairs of vertices. A path is one of all shortest paths between two vertices at random, found by searches
// from both that meet, as in KADABRA (Borassi and Natale, ESA 2016). After rounds of more and more paths, the
// empirical Bernstein bound (Maurer and Pontil, COLT 2009) of each vertex is looked at, with an equal share of the
// probability to fail for each vertex, and half as much in each round.
func (c Betweenness) estimate(ctx context.Context, e *Env) ([]float64, error) {
	out, err := e.Load(ctx, shard.Out)
	in := out
	if err == nil && !e.Graph.Symmetric {
		in, err = e.Load(ctx, shard.In)
	}
	if err != nil {
		return nil, err
	}
	n := int(e.Graph.Vertices)
	var counts []int64
	var sums []float64
	if err := makeAll(e, into(&counts, n), into(&sums, n)); err != nil {
		return nil, err
	}
	lanes := make([]meeting, e.lanes(e.Threads))
	for i := range lanes {
		if err := lanes[i].init(e, out, in); err != nil {
			return nil, err
		}
	}
	paths, goal, failure := 0, firstPaths, (1-c.Confidence)/2
	state := State{Done: &paths, Numbers: []any{&goal, &failure}, Arrays: []any{&counts}}
	err = e.Steps(ctx, state, func() (again bool, err error) {
		if n == 1 {
			return false, nil
		}
		if err := c.samplePaths(ctx, e, lanes, &paths, goal, counts); err != nil || paths < goal {
			return true, err
		}
		off := 0.
		for _, count := range counts {
			off = max(off, bernstein(count, paths, failure/float64(n)))
		}
		e.Progress("paths", int64(paths), int64(float64(paths)*max(1, off/c.Error)))
		goal, failure = goal+goal/2, failure/2
		return off >= c.Error, nil
	})
	if err != nil {
		return nil, err
	}
	scale := float64(n) * float64(n-1) / float64(max(paths, 1))
	if e.Graph.Symmetric {
		scale /= 2
	}
	for v, count := range counts {
		sums[v] = float64(count) * scale
	}
	e.Total("paths", int64(paths))
	return sums, nil
}

// firstPaths are the paths of the first round.
const firstPaths = 1 << 10

// bernstein returns by how much the mean of samples, of which count are 1 and the others 0, is off at most, but with a
// probability to fail.
func bernstein(count int64, samples int, failure float64) float64 {
	n := float64(samples)
	mean, log := float64(count)/n, math.Log(4/failure)
	return math.Sqrt(2*mean*(1-mean)*log/(n-1)) + 7*log/(3*(n-1))
}

// samplePaths counts the inner vertices of the paths of the numbers from *done to before end, see [Env.Tasks].
func (c Betweenness) samplePaths(
	ctx context.Context, e *Env, lanes []meeting, done *int, end int, counts []int64,
) error {
	return e.Tasks(ctx, len(lanes), done, end, func(lane, i int) {
		x, n := &lanes[lane], uint64(len(counts))
		x.random = walk.Mixed(walk.Mixed(c.Seed+walk.Gamma) + uint64(i)*walk.Gamma)
		source := uint32(walk.Below(x.next(), n))
		target := uint32((uint64(source) + 1 + walk.Below(x.next(), n-1)) % n)
		x.path(source, target, func(v uint32) { atomic.AddInt64(&counts[v], 1) })
	})
}

// meeting is a search from both ends of a path.
type meeting struct {
	rows   [2]*frontier.Rows // along which the searches from the source and from the target advance
	level  []int32           // from the source, from 1 on, or below 0, from the target; 0: not reached
	paths  []float64         // to the source or to the target
	queue  [2][]uint32
	random uint64
}

func (x *meeting) init(e *Env, out, in *frontier.Rows) error {
	n := int(e.Graph.Vertices)
	x.rows = [2]*frontier.Rows{out, in}
	return makeAll(e, into(&x.level, n), into(&x.queue[0], n), into(&x.queue[1], n), into(&x.paths, n))
}

func (x *meeting) next() uint64 {
	x.random += walk.Gamma
	return walk.Mixed(x.random)
}

func (x *meeting) row(side int, v uint32) []uint32 {
	return x.rows[side].Nbr[x.rows[side].Off[v]:x.rows[side].Off[v+1]]
}

// path calls f for the inner vertices of a shortest path, which is one of all at random.
func (x *meeting) path(source, target uint32, f func(v uint32)) {
	queue, begin := [2][]uint32{x.queue[0][:0], x.queue[1][:0]}, [2]int{}
	for side, v := range [2]uint32{source, target} {
		queue[side] = append(queue[side], v)
		x.level[v], x.paths[v] = int32(1-2*side), 1
	}
	for begin[0] < len(queue[0]) && begin[1] < len(queue[1]) {
		side := 0
		if x.edges(1, queue[1][begin[1]:]) < x.edges(0, queue[0][begin[0]:]) {
			side = 1
		}
		now, end, crossing := queue[side][begin[side]:], len(queue[side]), 0.
		next := x.level[now[0]] + int32(1-2*side)
		for _, v := range now {
			for _, u := range x.row(side, v) {
				switch level := x.level[u]; {
				case level == 0:
					x.level[u], x.paths[u] = next, x.paths[v]
					queue[side] = append(queue[side], u)
				case level == next:
					x.paths[u] += x.paths[v]
				case (level > 0) != (next > 0):
					crossing += x.paths[v] * x.paths[u]
				}
			}
		}
		if begin[side] = end; crossing > 0 {
			v, u := x.cross(side, now, next, walk.Share(x.next(), crossing))
			x.back(side, v, f)
			x.back(1-side, u, f)
			break
		}
	}
	for _, reached := range queue {
		for _, v := range reached {
			x.level[v] = 0
		}
	}
}

// edges returns the number of edges along which a search advances from vertices.
func (x *meeting) edges(side int, vertices []uint32) (n uint64) {
	for _, v := range vertices {
		n += x.rows[side].Off[v+1] - x.rows[side].Off[v]
	}
	return n
}

// cross returns the ends of the edge between the searches that has a share of the paths.
func (x *meeting) cross(side int, now []uint32, next int32, goal float64) (v, u uint32) {
	sum := 0.
	for _, v := range now {
		for _, u := range x.row(side, v) {
			if level := x.level[u]; level != 0 && (level > 0) != (next > 0) {
				if sum += x.paths[v] * x.paths[u]; sum > goal {
					return v, u
				}
			}
		}
	}
	panic("a share of the paths is beyond all of them")
}

// back calls f for the vertices on a path from v to the end where a search began, but for that end.
func (x *meeting) back(side int, v uint32, f func(v uint32)) {
	for toward := int32(2*side - 1); x.level[v] != -toward; {
		f(v)
		goal, sum, level := walk.Share(x.next(), x.paths[v]), 0., x.level[v]+toward
		for _, u := range x.row(1-side, v) {
			if x.level[u] == level {
				if v, sum = u, sum+x.paths[u]; sum > goal {
					break
				}
			}
		}
	}
}
