package build

import (
	"context"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/rows"
)

// sideBuilder sorts the groups of one side into shards.
type sideBuilder struct {
	sideStore
	sortMemory
	spill    *spill
	parallel Parallel
	groups   []group
	numbers  *numbering  // gives the dense ids of a record's ends
	n        uint32      // vertices
	mirrors  *mirrorTest // gets all edges; may be nil
	dropped  atomic.Uint64
	rounded  atomic.Uint64 // sums of weights
	sorted   func(edges uint64)

	twin    *grouping // of the other side; nil when there is none
	writers []*writer // that collect the twin's edges, by goroutine
}

// sortMemory is the memory of all sorters of a side.
type sortMemory struct {
	plan    memoryPlan
	memory  *semaphore.Weighted // plan.sort bytes
	waiting atomic.Int32        // sorters that wait for it
}

// cacheEdges are sorted within a processor's own cache. Only tests change it.
var cacheEdges uint64 = 1 << 17

// maxGroups bounds the buffers for the groups of the other side.
const maxGroups = 512

// groupEdges returns the number of edges that make a group, but for larger shards.
func groupEdges(total, times uint64) uint64 { return max(times*cacheEdges, total/maxGroups) }

// run sorts all groups. Each sorter has consecutive ones with about as many edges
// as the others', and goes through them in order, so that what it collects for
// the twin comes in the order of vertices.
func (s *sideBuilder) run(ctx context.Context, plan memoryPlan) error {
	g, ctx := errgroup.WithContext(ctx)
	s.plan, s.memory = plan, semaphore.NewWeighted(plan.sort)
	var total, done uint64
	for i := range s.groups {
		total += s.groups[i].edges
	}
	next := 0
	var shared atomic.Int64 // the next group, where the order does not matter
	for i := range plan.sorters {
		from := next
		for next < len(s.groups) && (i == plan.sorters-1 || done < total*uint64(i+1)/uint64(plan.sorters)) {
			done += s.groups[next].edges
			next++
		}
		to := next
		take := func() int {
			from++
			return from - 1
		}
		if s.twin == nil {
			to, take = len(s.groups), func() int { return int(shared.Add(1)) - 1 }
		}
		x := &sorter{sideBuilder: s, writer: shardWriter{sideStore: &s.sideStore}}
		if s.twin != nil {
			x.twins = s.spill.groupWriter(s.twin.groups, s.twin.weight)
			s.writers = append(s.writers, x.twins)
		}
		g.Go(func() error {
			defer func() {
				s.rounded.Add(x.rows.rounded)
				_ = x.writer.stored() // after an error: the blobs are in use until then
				x.free()
			}()
			for k := take(); k < to; k = take() {
				if err := ctx.Err(); err != nil {
					return err
				}
				if err := x.group(ctx, &s.groups[k]); err != nil {
					return err
				}
			}
			return x.writer.stored()
		})
	}
	return g.Wait()
}

// collect hands the edges collected for the twin to its groups: for each in
// ascending order of their neighbours.
func (s *sideBuilder) collect() []group {
	groups := s.twin.groups
	for _, w := range s.writers {
		w.flush()
		for i := range groups {
			groups[i].parts = append(groups[i].parts, w.buckets[i])
		}
	}
	return groups
}

// collectTwins hands the edges of a side to its twin.
func (s *sorter) collectTwins(side *rows.Side) error {
	if s.twins == nil {
		return nil
	}
	for v := range side.Vertices() {
		from, to := side.Off[v], side.Off[v+1]
		var weights shard.Plane
		if s.twin.weight > 0 {
			weights = side.Plane().Slice(int(from), int(to))
		}
		if err := s.twins.addRun(side.First+uint32(v), side.Nbr[from:to], weights, s.twin); err != nil {
			return err
		}
	}
	return nil
}
