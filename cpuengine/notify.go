package cpuengine

import (
	"context"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/garaph/garaph/shard"
)

// notifyEdges is about how many edges one goroutine notifies along before it
// acquires the next task.
const notifyEdges = 1 << 15

// SideReader returns one side of a shard, and a function to call when done with it.
type SideReader interface {
	Side(dir shard.Direction, i int) (shard.Side, func(), error)
}

// Task is the active vertices of one shard in [From, To].
type Task struct {
	Shard    int
	From, To uint32
}

// Tasks cuts the active set at the borders of shards, given by the first
// vertex of each, and, when split, also into about equal numbers of edges.
// Without split each shard is one task, and read once.
func (e *Engine[V, A]) Tasks(active *roaring.Bitmap, firsts []uint32, split bool) []Task {
	var (
		list  []Task
		edges uint64
		buf   [512]uint32
		limit uint64 // first vertex of the next shard
		next  int
	)
	it := active.ManyIterator()
	for n := it.NextMany(buf[:]); n > 0; n = it.NextMany(buf[:]) {
		for _, v := range buf[:n] {
			if uint64(v) >= limit || split && edges >= notifyEdges {
				for next < len(firsts) && firsts[next] <= v {
					next++
				}
				limit = 1 << 32
				if next < len(firsts) {
					limit = uint64(firsts[next])
				}
				list = append(list, Task{Shard: next - 1, From: v})
				edges = 0
			}
			list[len(list)-1].To = v
			edges += uint64(e.arrays.Degree[v])
		}
	}
	return list
}

// Notify marks, in Arrays.Marks, the neighbours of the active vertices in the
// given tasks, along one side. It ends soon after the context has.
func (e *Engine[V, A]) Notify(ctx context.Context, tasks []Task, dir shard.Direction, sides SideReader) (Stats, error) {
	return e.parallel(len(tasks), func(r *worker[V, A], i int) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		p := &tasks[i]
		s, release, err := sides.Side(dir, p.Shard)
		if err != nil {
			return err
		}
		defer release()
		if x, ok := s.(shard.Scanned); ok {
			if i == 0 || tasks[i-1].Shard != p.Shard {
				r.scan(x)
			}
			return nil
		}
		side, first := s.(shard.Rows), s.Header().First
		for v, ok := e.arrays.Active.Next(p.From, p.To+1); ok; v, ok = e.arrays.Active.Next(v+1, p.To+1) {
			list := side.Row(int(v-first), &r.row)
			for _, u := range list {
				e.arrays.Marks.Add(u)
			}
			r.stats.Vertices++
			r.stats.Edges += uint64(len(list))
		}
		return nil
	})
}

// scan marks the neighbours of all active vertices of a side that takes a pass over all
// its edges: the first task of a shard does it for all.
func (r *worker[V, A]) scan(side shard.Scanned) {
	a, h := r.engine.arrays, side.Header()
	var active [shard.MaxVertices]bool
	for v := range h.Vertices {
		if active[v] = a.Active.Has(h.First + uint32(v)); active[v] {
			r.stats.Vertices++
		}
	}
	side.Scan(&active, func(neighbours []uint32) {
		for _, u := range neighbours {
			a.Marks.Add(u)
		}
		r.stats.Edges += uint64(len(neighbours))
	})
}
