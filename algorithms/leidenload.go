package algorithms

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/shard"
)

// newLevel returns a level of n vertices without edges.
func (o *optimiser) newLevel(n int) (*level, error) {
	l := new(level)
	return l, makeAll(o.env, into(&l.off, n+1), into(&l.degree, n), into(&l.community, n))
}

// free frees a level above the stored graph.
func (o *optimiser) free(l *level) {
	if l == o.base {
		return
	}
	Free(o.env, l.off)
	Free(o.env, l.to)
	Free(o.env, l.weight)
	Free(o.env, l.degree)
	Free(o.env, l.community)
}

// load makes the arrays of a run, and the level of the stored graph. Every vertex is a community.
func (o *optimiser) load(ctx context.Context) (err error) {
	e := o.env
	n := int(e.Graph.Vertices)
	if o.base, err = o.newLevel(n); err != nil {
		return err
	}
	at := &o.at
	err = makeAll(e, into(&at.node, n), into(&at.order, n), into(&at.part, n), into(&at.size, n), into(&at.queue, n),
		into(&at.touched, n), into(&at.shuffled, n), into(&at.saved, n), into(&at.degrees, n), into(&at.cut, n),
		into(&at.start, n+1), into(&at.queued, n))
	if err != nil {
		return err
	}
	o.at.whole = o.base.community
	o.choices = make([]choice, min(n, 1<<12))
	o.sums = make([]sums, e.Threads)
	for i := range o.sums {
		if err = makeAll(e, into(&o.sums[i].of, n), into(&o.sums[i].groups, n)); err != nil {
			return err
		}
		o.sums[i].groups = o.sums[i].groups[:0]
	}
	o.columns = make([][]gas.VertexID, min(o.leiden.Levels, MostLevels))
	for i := range o.columns {
		if o.columns[i], err = Make[gas.VertexID](e, n); err != nil {
			return err
		}
	}
	for v := range at.saved {
		at.saved[v] = uint32(v)
	}
	return o.read(ctx)
}

// read reads the rows: the first pass has the degrees, the second one the neighbours.
func (o *optimiser) read(ctx context.Context) (err error) {
	l, e := o.base, o.env
	weighted := o.leiden.Weighted && e.Graph.Weighted
	err = o.eachRow(ctx, "degrees", func(v uint32, row []uint32, weights shard.Plane) {
		for k, u := range row {
			w := 1.
			if weighted {
				w = weights.At(k)
			}
			l.degree[v] += w
			switch {
			case u != v:
				l.off[v+1]++
			case e.Graph.Symmetric:
				l.degree[v] += w // the row has a self-loop once
			}
		}
	})
	if err != nil {
		return err
	}
	for v := range l.size() {
		l.off[v+1] += l.off[v]
		o.double += l.degree[v]
	}
	if math.IsInf(o.double, 0) {
		return fmt.Errorf("graph %s: the sum of all weights is infinite", e.store.Name())
	}
	if l.to, err = Make[uint32](e, int(l.off[l.size()])); err != nil {
		return err
	}
	if weighted {
		if l.weight, err = Make[float32](e, len(l.to)); err != nil {
			return err
		}
	}
	err = o.eachRow(ctx, "edges", func(v uint32, row []uint32, weights shard.Plane) {
		at := l.off[v] + uint64(o.at.size[v])
		for k, u := range row {
			if u == v {
				continue
			}
			if l.to[at] = u; weighted {
				l.weight[at] = float32(weights.At(k))
			}
			at++
		}
		o.at.size[v] = uint32(at - l.off[v])
	})
	return errors.Join(err, e.Rows().Close())
}

// eachRow calls f with each row of each vertex, the two of a vertex one after the other.
func (o *optimiser) eachRow(ctx context.Context, stage string, f func(v uint32, row []uint32, w shard.Plane)) error {
	e := o.env
	return e.Rows().pass(ctx, stage, nil, func(_ int, b *Block) {
		for i := range b.Len {
			v := b.Vertex(i)
			for _, dir := range BothRows(e.Graph) {
				var weights shard.Plane
				if o.leiden.Weighted && e.Graph.Weighted {
					weights = b.Weights(dir, i)
				}
				f(v, b.Row(dir, i), weights)
			}
		}
	})
}

// modularity returns that of the communities of the stored graph.
func (o *optimiser) modularity(ctx context.Context) (float64, error) {
	l, n := o.base, o.base.size()
	if o.double == 0 {
		return 0, nil
	}
	loops := func(v uint32) float64 { // both of their ends
		k := l.degree[v]
		for e := l.off[v]; e < l.off[v+1]; e++ {
			k -= l.at(e)
		}
		return max(k, 0)
	}
	inside, err := o.env.Sum(ctx, n, func(from, to int) (sum float64) {
		for v := uint32(from); v < uint32(to); v++ {
			sum += l.within(v) + loops(v)
		}
		return sum
	})
	clear(o.at.degrees[:n])
	for v, c := range l.community {
		o.at.degrees[c] += l.degree[v]
	}
	q := inside / o.double
	for _, k := range o.at.degrees[:n] {
		q -= o.leiden.Resolution * (k / o.double) * (k / o.double)
	}
	return q, err
}

// name gives each stored vertex the name of its group, the least vertex of it.
func (o *optimiser) name(names []gas.VertexID, group []uint32) {
	least := o.at.queue
	for g := range least {
		least[g] = nowhere
	}
	for v, g := range group {
		least[g] = min(least[g], uint32(v))
	}
	for v, g := range group {
		names[v] = gas.VertexID(least[g])
	}
}

// result returns the communities.
func (o *optimiser) result(modularity float64, passes, levels int) ([]gas.VertexID, error) {
	values, err := Make[gas.VertexID](o.env, len(o.at.whole))
	if err != nil {
		return nil, err
	}
	o.name(values, o.at.whole)
	communities := int64(0)
	for v, c := range values {
		if uint32(c) == uint32(v) {
			communities++
		}
	}
	for i, column := range o.columns {
		if i >= levels-1 { // the communities themselves
			copy(column, values)
		}
		AddColumn(o.env, fmt.Sprintf("level%d", i+1), column)
	}
	o.env.Total("communities", communities)
	o.env.Total("iterations", int64(passes))
	o.env.TotalFloat("modularity", modularity)
	return values, nil
}
