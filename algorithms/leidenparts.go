package algorithms

import "context"

// bucket puts the first n vertices in the order of their groups, shuffled within each, and returns how many groups
// there are.
func (o *optimiser) bucket(group []uint32, n int) (groups int) {
	start := o.at.start[:n+1]
	clear(start)
	for _, g := range group[:n] {
		start[g]++
	}
	sum := uint32(0)
	for g, size := range start {
		if size > 0 {
			groups++
		}
		start[g] = sum
		sum += size
	}
	for _, v := range o.at.shuffled[:n] {
		g := group[v]
		o.at.order[start[g]] = v
		start[g]++
	}
	copy(start[1:], start[:n])
	start[0] = 0
	return groups
}

// members returns the vertices of a group after bucket.
func (o *optimiser) members(g int) []uint32 { return o.at.order[o.at.start[g]:o.at.start[g+1]] }

// divide divides the communities of a level into parts.
func (o *optimiser) divide(ctx context.Context, l *level) error {
	n := l.size()
	if !o.divides {
		copy(o.at.part, l.community)
		return nil
	}
	copy(o.at.degrees, l.degree)
	for v := range n {
		o.at.part[v], o.at.size[v] = uint32(v), 1
	}
	const task = 256
	err := o.env.Each(ctx, (n+task-1)/task, func(worker, i int) error {
		for c := i * task; c < min((i+1)*task, n); c++ {
			if members := o.members(c); len(members) > 1 {
				o.divideOne(l, members, &o.sums[worker])
			}
		}
		return nil
	})
	joined := func() bool {
		for v := range n {
			if o.at.part[v] != uint32(v) {
				return true
			}
		}
		return false
	}
	if err == nil && !joined() {
		if o.connect(l); !joined() {
			copy(l.community, o.at.part) // no edge is within a community
		}
	}
	return err
}

// divideOne joins vertices of a community that are alone with parts that are well connected within it.
func (o *optimiser) divideOne(l *level, members []uint32, s *sums) {
	all := 0.
	for _, v := range members {
		all += l.degree[v]
		o.at.cut[v] = l.within(v)
	}
	scale := o.leiden.Resolution / o.double
	connected := func(part uint32) bool {
		k := o.at.degrees[part]
		return o.at.cut[part] >= scale*k*(all-k)
	}
	for _, v := range members {
		if o.at.size[v] != 1 || !connected(v) {
			continue
		}
		l.gatherWithin(s, v, o.at.part)
		best, most := v, 0.
		for _, part := range s.groups {
			gain := s.of[part] - scale*l.degree[v]*o.at.degrees[part]
			if part != v && gain >= most && (gain > most || best == v || part < best) && connected(part) {
				best, most = part, gain
			}
		}
		if best != v {
			o.at.part[v] = best
			o.at.size[v], o.at.size[best] = 0, o.at.size[best]+1
			o.at.degrees[best] += l.degree[v]
			o.at.cut[best] += o.at.cut[v] - 2*s.of[best]
		}
		s.clear()
	}
}

// connect makes parts of the vertices of a community that are connected within it.
func (o *optimiser) connect(l *level) {
	for v := range uint32(l.size()) {
		for _, u := range l.to[l.off[v]:l.off[v+1]] {
			if u < v && l.community[u] == l.community[v] {
				a, b := root(o.at.part, u), root(o.at.part, v)
				o.at.part[max(a, b)] = min(a, b)
			}
		}
	}
	for v := range l.size() {
		o.at.part[v] = root(o.at.part, uint32(v))
	}
}

// aggregate returns the graph of the parts, in the communities of their vertices, and frees the level.
func (o *optimiser) aggregate(ctx context.Context, l *level) (*level, error) {
	n := l.size()
	number, count := o.at.touched[:n], 0
	clear(o.at.size[:n])
	for _, p := range o.at.part[:n] {
		o.at.size[p]++
	}
	for p, size := range o.at.size[:n] {
		if number[p] = uint32(count); size > 0 {
			count++
		}
	}
	next, err := o.newLevel(count)
	if err != nil {
		return nil, err
	}
	for v, p := range o.at.part[:n] {
		p = number[p]
		o.at.part[v] = p
		next.degree[p] += l.degree[v]
		next.community[p] = l.community[v]
	}
	o.renumber(next.community, number)
	for v, x := range o.at.node {
		o.at.node[v] = o.at.part[x]
	}
	if l != o.base && len(l.to) > len(o.base.to)/2 { // the edges of the stored graph do as well, and are there anyway
		o.free(l)
		l = o.base
		copy(o.at.part, o.at.node)
		o.shuffle(l.size())
	}
	o.bucket(o.at.part, l.size())
	err = o.join(ctx, l, next)
	o.free(l)
	return next, err
}

// renumber gives communities numbers below that of vertices, in the order in which vertices have them.
func (o *optimiser) renumber(community, number []uint32) {
	for c := range number {
		number[c] = nowhere
	}
	used := uint32(0)
	for v, c := range community {
		if number[c] == nowhere {
			number[c] = used
			used++
		}
		community[v] = number[c]
	}
}

// join makes the rows of the parts: the first pass counts, the second one fills.
func (o *optimiser) join(ctx context.Context, l, next *level) error {
	const task = 256
	n := next.size()
	each := func(f func(part int, s *sums)) error {
		return o.env.Each(ctx, (n+task-1)/task, func(worker, i int) error {
			s := &o.sums[worker]
			for p := i * task; p < min((i+1)*task, n); p++ {
				for _, v := range o.members(p) {
					l.gather(s, v, o.at.part)
				}
				f(p, s)
				s.clear()
			}
			return nil
		})
	}
	err := each(func(p int, s *sums) {
		next.off[p+1] = uint64(len(s.groups))
		if s.of[p] > 0 {
			next.off[p+1]--
		}
	})
	for p := range n {
		next.off[p+1] += next.off[p]
	}
	if err == nil {
		err = makeAll(o.env, into(&next.to, int(next.off[n])), into(&next.weight, int(next.off[n])))
	}
	if err != nil {
		return err
	}
	return each(func(p int, s *sums) {
		k := next.off[p]
		for _, to := range s.groups {
			if int(to) != p {
				next.to[k], next.weight[k] = to, float32(s.of[to])
				k++
			}
		}
	})
}
