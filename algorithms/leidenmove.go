package algorithms

import (
	"context"
	"math/rand/v2"
)

// move lets vertices choose communities until none has a better one.
func (o *optimiser) move(ctx context.Context, l *level, stage string) error {
	n := l.size()
	total, size := o.at.degrees[:n], o.at.size[:n]
	queue, queued, touched := o.at.queue[:n], o.at.queued[:n], o.at.touched[:n]
	clear(total)
	clear(size)
	clear(touched)
	for v, c := range l.community {
		total[c] += l.degree[v]
		size[c]++
		queued[v] = true
	}
	m := mover{o: o, level: l, total: total}
	for c, s := range size {
		if s == 0 {
			m.empty = append(m.empty, uint32(c))
		}
	}
	copy(queue, o.shuffle(n))
	most := min(max(n/256, 1), len(o.choices))
	for batch, head, waiting := uint32(1), 0, n; waiting > 0; batch++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		chosen := o.choices[:min(most, waiting)]
		for i := range chosen {
			v := queue[head]
			queued[v], chosen[i].vertex = false, v
			head = (head + 1) % n
		}
		waiting -= len(chosen)
		if err := m.choose(ctx, chosen); err != nil {
			return err
		}
		for _, c := range chosen {
			v := c.vertex
			if touched[v] == batch || c.to != l.community[v] && !m.better(c) {
				c = m.best(v, &o.sums[0])
			}
			if c.to == l.community[v] {
				continue
			}
			to := m.apply(c)
			for _, u := range l.to[l.off[v]:l.off[v+1]] {
				touched[u] = batch
				if l.community[u] != to && !queued[u] {
					queued[u] = true
					queue[(head+waiting)%n] = u
					waiting++
				}
			}
		}
		o.env.Progress(stage, int64(n-waiting), int64(n))
	}
	return nil
}

// shuffle returns the numbers below n in an order that follows from the seed.
func (o *optimiser) shuffle(n int) []uint32 {
	list, rng := o.at.shuffled[:n], rand.New(rand.NewPCG(o.leiden.Seed, uint64(n)))
	for i := range list {
		list[i] = uint32(i)
	}
	rng.Shuffle(n, func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// choice is the community that a vertex has chosen.
type choice struct {
	vertex, to uint32
	here       float64 // weight to the others of its community
	there      float64 // weight to the chosen one
}

// nowhere is the choice of a community of its own.
const nowhere = 1<<32 - 1

// mover moves the vertices of a level.
type mover struct {
	o     *optimiser
	level *level
	total []float64 // degrees of communities
	empty []uint32  // communities
}

// choose finds the communities of a batch of vertices.
func (m *mover) choose(ctx context.Context, chosen []choice) error {
	const task = 64
	if len(chosen) <= task {
		for i := range chosen {
			chosen[i] = m.best(chosen[i].vertex, &m.o.sums[0])
		}
		return nil
	}
	return m.o.env.Each(ctx, (len(chosen)+task-1)/task, func(worker, i int) error {
		some := chosen[i*task : min((i+1)*task, len(chosen))]
		for i := range some {
			some[i] = m.best(some[i].vertex, &m.o.sums[worker])
		}
		return nil
	})
}

// best returns the community in which v contributes most to modularity, its own if there are several.
func (m *mover) best(v uint32, s *sums) choice {
	l := m.level
	own, k := l.community[v], l.degree[v]
	l.gather(s, v, l.community)
	scale := m.o.leiden.Resolution * k / m.o.double
	c := choice{vertex: v, to: own, here: s.of[own]}
	most := c.here - scale*(m.total[own]-k) + slack*k
	for _, group := range s.groups {
		gain := s.of[group] - scale*m.total[group]
		if group != own && (gain > most || gain == most && group < c.to && c.to != own) {
			most, c.to, c.there = gain, group, s.of[group]
		}
	}
	if most < 0 && m.o.at.size[own] > 1 {
		c.to, c.there = nowhere, 0
	}
	s.clear()
	return c
}

// slack is the least gain of a move by the degree of a vertex: less may be rounding of weights in single precision.
const slack = 2e-7

// better reports whether a choice still is better than to stay.
func (m *mover) better(c choice) bool {
	own, k := m.level.community[c.vertex], m.level.degree[c.vertex]
	scale := m.o.leiden.Resolution * k / m.o.double
	there := c.there
	if c.to != nowhere {
		there -= scale * m.total[c.to]
	} else if m.o.at.size[own] == 1 {
		return false
	}
	return there > c.here-scale*(m.total[own]-k)+slack*k
}

// apply moves a vertex and returns its new community.
func (m *mover) apply(c choice) uint32 {
	own, k := m.level.community[c.vertex], m.level.degree[c.vertex]
	for c.to == nowhere {
		last := len(m.empty) - 1
		if x := m.empty[last]; m.o.at.size[x] == 0 {
			c.to = x
		}
		m.empty = m.empty[:last]
	}
	m.total[own] -= k
	if m.o.at.size[own]--; m.o.at.size[own] == 0 {
		m.total[own] = 0
		m.empty = append(m.empty, own)
	}
	m.total[c.to] += k
	m.o.at.size[c.to]++
	m.level.community[c.vertex] = c.to
	return c.to
}
