package cpuengine

import (
	"context"
	"math"
	"time"

	"github.com/garaph/garaph/frontier"
	"github.com/garaph/garaph/gas"
)

const (
	// fusedVertices is the most vertices of the current bucket that a goroutine processes
	// by itself, without a round of all (bucket fusion; Zhang et al., CGO 2020).
	fusedVertices = 1 << 10
	// fusedEdges is after how many edges it leaves the rest to the next round, which all
	// goroutines share.
	fusedEdges = 1 << 16
	// aloneOrdered is up to how many vertices one goroutine does a round.
	aloneOrdered = 1 << 8
	// checkRounds is after how many rounds the time is looked at.
	checkRounds = 1 << 6
)

// ordered is what an advancer needs to do vertices by their priorities.
type ordered[V any] struct {
	priority gas.Prioritized[V]
	width    float64    // of a bucket
	flat     bool       // edges lead to the same priority
	lists    [][]uint32 // by goroutine, its part of the bucket that is being done
	lows     []float64  // by goroutine, the lowest priority of its vertices
}

// AdvanceOrdered processes vertices in the order of their priorities, as [Advancer.Advance] does
// levels. An iteration is a round: the first bucket, and what its vertices add to it while one
// goroutine processes them. Values are read in place.
func (f *Advancer[V, A]) AdvanceOrdered(ctx context.Context, s gas.Step, from Stats, limit int,
	until time.Time) (done Advanced, err error) {
	done = Advanced{Stats: Stats{Activated: from.Activated, Degrees: from.Degrees}}
	f.block.Step = s
	for i := range f.lanes {
		l := &f.lanes[i]
		l.advance.Edges, l.advance.Vertices = 0, 0
	}
	err = f.fill()
	for err == nil && done.Levels < limit {
		var more bool
		if more, err = f.round(); !more || err != nil {
			break
		}
		done.Levels++
		if done.Levels%checkRounds == 0 && (ctx.Err() != nil || !time.Now().Before(until)) {
			break
		}
		var again bool
		if again, err = f.overfull(); again {
			break
		}
	}
	for i := range f.lanes {
		done.Edges += f.lanes[i].advance.Edges
		done.Vertices += f.lanes[i].advance.Vertices
	}
	if err == nil {
		done.Activated, done.Degrees, err = f.empty()
	}
	if err != nil { // the vertices in progress are not known
		for v := range f.engine.arrays.N {
			f.engine.arrays.Active.Add(v)
		}
		f.Forget()
	}
	return done, err
}

// fill puts the active vertices into buckets.
func (f *Advancer[V, A]) fill() error {
	a, o := f.engine.arrays, &f.order
	if o.priority == nil {
		o.priority = f.engine.program.(gas.Prioritized[V])
		if err := f.each(1, func(*lane, int) { f.bucketWidth() }); err != nil {
			return err
		}
		o.lists, o.lows = make([][]uint32, len(f.lanes)), make([]float64, len(f.lanes))
	}
	each := func(do func(i int, v uint32, priority float64)) error {
		return f.eachRange(func(i int, begin, end uint32) {
			for v, ok := a.Active.Next(begin, end); ok; v, ok = a.Active.Next(v+1, end) {
				do(i, v, o.priority.Priority(a.Cur[v]))
			}
		})
	}
	o.forgetLows()
	err := each(func(i int, _ uint32, priority float64) { o.lows[i] = frontier.Lowest(o.lows[i], priority) })
	if err != nil {
		return err
	}
	f.begin(o.low())
	return each(func(i int, v uint32, priority float64) { f.lanes[i].advance.Buckets.Put(v, priority) })
}

// eachRange calls do for each lane i, with its share of the vertices.
func (f *Advancer[V, A]) eachRange(do func(i int, begin, end uint32)) error {
	n := int(f.engine.arrays.N)
	size := max(1, parts(n, len(f.lanes)))
	return f.each(parts(n, size), func(_ *lane, i int) {
		begin, end := part(i, size, n)
		do(i, uint32(begin), uint32(end))
	})
}

// forgetLows makes the lowest priority of each lane unknown.
func (o *ordered[V]) forgetLows() {
	for i := range o.lows {
		o.lows[i] = math.NaN()
	}
}

// low returns the lowest priority of all lanes, or NaN.
func (o *ordered[V]) low() float64 {
	low := math.NaN()
	for _, x := range o.lows {
		low = frontier.Lowest(low, x)
	}
	return low
}

// begin empties the buckets, which then begin at the given priority, or at 0 if that is NaN.
func (f *Advancer[V, A]) begin(low float64) {
	if math.IsNaN(low) {
		low = 0
	}
	for i := range f.lanes {
		f.lanes[i].advance.Buckets.Begin(low, f.order.width)
	}
}

// overfull reports whether the buckets have to begin again with the active vertices: a vertex
// has a priority whose bucket has been done, or the buckets are too large even without the
// vertices that have moved to another one.
func (f *Advancer[V, A]) overfull() (again bool, err error) {
	for i := range f.lanes {
		again = again || f.lanes[i].advance.Buckets.Len(frontier.Fallen) > 0
	}
	if again || f.held() <= f.limits.held {
		return again, nil
	}
	p, cur := f.order.priority, f.engine.arrays.Cur
	err = f.each(len(f.lanes), func(_ *lane, i int) {
		f.lanes[i].advance.Buckets.Compact(func(v uint32) float64 { return p.Priority(cur[v]) })
	})
	return f.held() > f.limits.held, err
}

// held returns the number of vertices the buckets have.
func (f *Advancer[V, A]) held() (n int) {
	for i := range f.lanes {
		n += f.lanes[i].advance.Buckets.Held
	}
	return n
}

// empty makes the vertices in buckets that are not done active, and empties the buckets.
func (f *Advancer[V, A]) empty() (active, degrees uint64, err error) {
	a, p := f.engine.arrays, f.order.priority
	a.Active.Clear()
	f.Forget()
	err = f.each(len(f.lanes), func(_ *lane, i int) {
		f.lanes[i].advance.Buckets.Each(a.Active.Add, func(v uint32) float64 { return p.Priority(a.Cur[v]) })
		f.lanes[i].advance.Buckets.Begin(0, f.order.width)
	})
	if err != nil {
		return 0, 0, err
	}
	return f.count(a.Active)
}

// round does the first bucket that has vertices. It reports whether there was one.
func (f *Advancer[V, A]) round() (more bool, err error) {
	first := frontier.Far + 1
	for i := range f.lanes {
		first = f.lanes[i].advance.Buckets.Next(first)
	}
	if first > frontier.Far {
		return false, nil
	}
	if first == frontier.Far {
		err := f.sortFar()
		return err == nil, err
	}
	lists, vertices, degrees := f.order.lists, 0, uint64(0)
	for i := range f.lanes {
		l := &f.lanes[i]
		l.advance.Buckets.Now = first
		lists[i] = l.advance.Buckets.Take(first, lists[i])
		vertices += len(lists[i])
	}
	if vertices <= taskVertices { // a hub may be among them
		for _, list := range lists {
			for _, v := range list {
				degrees += uint64(f.block.Degree[v])
			}
		}
	}
	alone := len(f.lanes) == 1 || vertices <= aloneOrdered && degrees <= f.limits.alone
	for i := range f.lanes {
		f.lanes[i].advance.Next.Alone = alone
	}
	if alone {
		err = f.each(1, func(l *lane, _ int) { f.relaxAlone(l, first) })
	} else {
		err = f.relaxTogether(first)
	}
	return true, err
}

// relaxAlone does a bucket on one goroutine, until it is empty or large.
func (f *Advancer[V, A]) relaxAlone(l *lane, bucket int) {
	for i := range f.order.lists {
		f.engine.loops.Relax(&l.advance, &f.block, f.order.lists[i], f.engine.arrays.Cur)
	}
	for n := l.advance.Buckets.Len(bucket); n > 0 && n <= fusedVertices; n = l.advance.Buckets.Len(bucket) {
		l.spare = l.advance.Buckets.Take(bucket, l.spare)
		f.engine.loops.Relax(&l.advance, &f.block, l.spare, f.engine.arrays.Cur)
	}
}

// fuse does what has come to the bucket of one goroutine while it is little, but hubs.
func (f *Advancer[V, A]) fuse(l *lane, bucket int) {
	most := l.advance.Edges + fusedEdges
	b := &l.advance.Buckets
	for n := b.Len(bucket); n > 0 && n <= fusedVertices && l.advance.Edges < most; n = b.Len(bucket) {
		l.spare = l.advance.Buckets.Take(bucket, l.spare)
		f.relaxBetweenHubs(l, l.spare)
	}
}

// relaxTogether does a bucket on all goroutines, each of which then does what has come to it.
func (f *Advancer[V, A]) relaxTogether(bucket int) error {
	size, tasks := f.limits.task, 0
	for _, list := range f.order.lists {
		tasks += parts(len(list), size)
	}
	err := f.each(tasks+len(f.lanes), func(l *lane, i int) {
		if i >= tasks {
			f.fuse(l, bucket)
			return
		}
		for _, list := range f.order.lists {
			n := parts(len(list), size)
			if i >= n {
				i -= n
				continue
			}
			begin, end := part(i, size, len(list))
			f.relaxBetweenHubs(l, list[begin:end])
			break
		}
	})
	if err != nil {
		return err
	}
	return f.eachHub(nil, func(l *lane, v uint32) {
		f.engine.loops.Relax(&l.advance, &f.block, []uint32{v}, f.engine.arrays.Cur)
	})
}

// relaxBetweenHubs relaxes the edges of vertices, but leaves hubs for later.
func (f *Advancer[V, A]) relaxBetweenHubs(l *lane, list []uint32) {
	for k := 0; k < len(list); k++ {
		if v := list[k]; f.block.Degree[v] > f.limits.hub {
			f.engine.loops.Relax(&l.advance, &f.block, list[:k], f.engine.arrays.Cur)
			l.hubs = append(l.hubs, v)
			list, k = list[k+1:], -1
		}
	}
	f.engine.loops.Relax(&l.advance, &f.block, list, f.engine.arrays.Cur)
}

// sortFar sorts the vertices of the last bucket into new ones, from the lowest priority
// among them on.
func (f *Advancer[V, A]) sortFar() error {
	o, cur, listed := &f.order, f.engine.arrays.Cur, f.engine.arrays.Rising
	o.forgetLows()
	err := f.each(len(f.lanes), func(_ *lane, i int) {
		l := &f.lanes[i]
		l.advance.Buckets.Now = frontier.Far // what is nearer has been done
		list := l.advance.Buckets.Take(frontier.Far, o.lists[i])
		o.lists[i] = list[:0]
		for _, v := range list { // once, although a vertex comes again with each better value
			if at := o.priority.Priority(cur[v]); !l.advance.Buckets.Passed(at) && listed.Insert(v) {
				o.lists[i] = append(o.lists[i], v)
				o.lows[i] = frontier.Lowest(o.lows[i], at)
			}
		}
	})
	if err != nil {
		return err
	}
	low := o.low()
	if o.flat {
		o.width *= flatter
	}
	f.begin(low)
	return f.each(len(f.lanes), func(_ *lane, i int) {
		for _, v := range o.lists[i] {
			listed.Remove(v)
			at := o.priority.Priority(cur[v])
			if math.IsNaN(low) {
				at = math.Inf(-1) // none has a priority
			}
			f.lanes[i].advance.Buckets.Put(v, at)
		}
	})
}
