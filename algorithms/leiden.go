package algorithms

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"github.com/spf13/pflag"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/flags"
	"github.com/garaph/garaph/internal/registry"
	"github.com/garaph/garaph/store"
)

// Leiden finds communities of high modularity by the algorithm of Traag, Waltman and van Eck (From Louvain to
// Leiden, 2019): vertices move to the community of a neighbour while modularity rises, each community is divided
// into well-connected parts, the parts become the vertices of a smaller graph, and so on until nothing moves.
// Every community is connected. It is named by its least vertex.
//
// Directions of edges don't matter, parallel edges add up, and a self-loop counts twice in the
// degree of its vertex. With a Resolution γ, modularity is Σ (w(C)/m - γ·(k(C)/2m)²) over
// communities C, where w(C) is the weight of the edges within C, k(C) the sum of the degrees in C,
// and m the weight of all edges.
//
// Vertices choose communities in batches, on all threads, from what is known when the batch begins,
// and move one after another. One whose neighbour has moved within the batch chooses again. So the
// result does not depend on the number of threads. Memory: 103 bytes for a vertex and 12 for each
// thread and vertex, 24 bytes for an edge, and 8 more if weighted.
type Leiden struct {
	Resolution float64 // if 0, 1
	Weighted   bool    // edges count by their weights, in single precision
	Seed       uint64  // of the order in which vertices choose
	Iterations int     // at most; if 0, until modularity does not rise
	// Levels is the number of divisions of communities into parts that become columns, from the finest to coarser ones,
	// at most [MostLevels].
	Levels int
}

// MostLevels is the largest number of levels that are columns. There are seldom more than ten.
const MostLevels = 32

// Louvain is [Leiden] without the division into parts (Blondel et al., Fast unfolding of communities in large
// networks, 2008). Its communities may be disconnected.
type Louvain Leiden

// Plan returns the rows of both directions, the graph of the communities, and the state of the vertices.
func (p Leiden) Plan(g *store.Catalogue, threads int) Plan {
	n, m := int64(g.Vertices), int64(g.Edges)
	if !g.Symmetric {
		m *= 2
	}
	weights := int64(0)
	if p.Weighted && g.Weighted {
		weights = 4 * m
	}
	return Plan{Rows: BothRows(g), Weights: weights > 0, Arrays: []Array{
		{"the edges", 4*m + weights},
		{"the graphs of communities", 8*m + 40*n + 16},
		{"the vertices", 87*n + 16},
		{"sums of weights", 12 * n * int64(threads)},
		{"the results", 4 * n * int64(1+min(p.Levels, MostLevels))},
	}}
}

// Plan returns that of [Leiden].
func (p Louvain) Plan(g *store.Catalogue, threads int) Plan { return Leiden(p).Plan(g, threads) }

// Run finds communities.
func (p Leiden) Run(ctx context.Context, e *Env) ([]gas.VertexID, error) { return p.run(ctx, e, true) }

// Run finds communities.
func (p Louvain) Run(ctx context.Context, e *Env) ([]gas.VertexID, error) {
	return Leiden(p).run(ctx, e, false)
}

// optimiser is the state of a run.
type optimiser struct {
	leiden  Leiden
	env     *Env
	divides bool
	double  float64 // the sum of all degrees
	base    *level
	at      vertexArrays
	choices []choice
	sums    []sums // of each worker
	columns [][]gas.VertexID
}

// vertexArrays have room for the vertices of the stored graph. Levels use the first elements.
type vertexArrays struct {
	node     []uint32 // of the level, by stored vertex
	whole    []uint32 // the communities of stored vertices
	order    []uint32 // vertices by community, then by part
	start    []uint32 // where those of a community begin in order
	part     []uint32 // of a vertex, named by a vertex of it
	size     []uint32 // of communities, then of parts
	degrees  []float64
	cut      []float64 // weights from a part to the rest of its community
	queue    []uint32
	queued   []bool
	touched  []uint32 // the last batch in which a neighbour has moved
	shuffled []uint32
}

// level is a graph whose vertices are parts of the level below, without self-loops.
type level struct {
	off       []uint64
	to        []uint32
	weight    []float32 // if nil, 1 each
	degree    []float64 // self-loops counted
	community []uint32  // of each vertex, a number below that of vertices
}

func (l *level) size() int { return len(l.degree) }

// sums adds up the weights from a vertex to groups of its neighbours.
type sums struct {
	of     []float64 // by group
	groups []uint32  // those with a sum
}

func (s *sums) add(group uint32, w float64) {
	if s.of[group] == 0 {
		if w == 0 {
			return
		}
		s.groups = append(s.groups, group)
	}
	s.of[group] += w
}

func (s *sums) clear() {
	for _, g := range s.groups {
		s.of[g] = 0
	}
	s.groups = s.groups[:0]
}

// gather adds up the weights from v to the groups of its neighbours.
func (l *level) gather(s *sums, v uint32, group []uint32) {
	from, to := l.off[v], l.off[v+1]
	if l.weight == nil {
		for _, u := range l.to[from:to] {
			s.add(group[u], 1)
		}
		return
	}
	for k, u := range l.to[from:to] {
		s.add(group[u], float64(l.weight[from+uint64(k)]))
	}
}

// gatherWithin is like gather, for the neighbours in the community of v.
func (l *level) gatherWithin(s *sums, v uint32, group []uint32) {
	own, from := l.community[v], l.off[v]
	for k, u := range l.to[from:l.off[v+1]] {
		if l.community[u] == own {
			s.add(group[u], l.at(from+uint64(k)))
		}
	}
}

func (l *level) at(edge uint64) float64 {
	if l.weight == nil {
		return 1
	}
	return float64(l.weight[edge])
}

// within returns the weight from v to its community.
func (l *level) within(v uint32) (w float64) {
	own, from := l.community[v], l.off[v]
	for k, u := range l.to[from:l.off[v+1]] {
		if l.community[u] == own {
			w += l.at(from + uint64(k))
		}
	}
	return w
}

func (p Leiden) run(ctx context.Context, e *Env, divides bool) ([]gas.VertexID, error) {
	if p.Resolution == 0 {
		p.Resolution = 1
	}
	o := &optimiser{leiden: p, env: e, divides: divides}
	if err := o.load(ctx); err != nil {
		return nil, err
	}
	best, passes := -1., 0
	for {
		levels, err := o.pass(ctx, fmt.Sprintf("iteration %d", passes+1))
		if err != nil {
			return nil, err
		}
		passes++
		o.base.community = o.at.whole
		q, err := o.modularity(ctx)
		if err != nil {
			return nil, err
		}
		if done := !(q > best+1e-6) || !divides; done || passes == p.Iterations {
			return o.result(q, passes, levels)
		}
		best = q
	}
}

// pass moves vertices, then parts of communities, and so on. It returns how many levels there were.
func (o *optimiser) pass(ctx context.Context, stage string) (levels int, err error) {
	l := o.base
	for v := range o.at.node {
		o.at.node[v] = uint32(v)
	}
	for {
		levels++
		if err := o.move(ctx, l, fmt.Sprintf("%s, level %d", stage, levels)); err != nil {
			return 0, err
		}
		communities := o.bucket(l.community, l.size())
		if communities == l.size() {
			break
		}
		if err := o.divide(ctx, l); err != nil {
			return 0, err
		}
		next, err := o.aggregate(ctx, l)
		if err != nil {
			return 0, err
		}
		if levels <= len(o.columns) {
			o.name(o.columns[levels-1], o.at.node)
		}
		l = next
	}
	for v, x := range o.at.node {
		o.at.whole[v] = l.community[x]
	}
	o.free(l)
	return levels, nil
}

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
		next.to, err = Make[uint32](o.env, int(next.off[n]))
	}
	if err == nil {
		next.weight, err = Make[float32](o.env, int(next.off[n]))
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

// ColumnName returns "community".
func (Leiden) ColumnName() string { return "community" }

// ColumnName returns "community".
func (Louvain) ColumnName() string { return "community" }

const modularityHelp = `Directions of edges don't matter, and parallel edges add up. The summary has the number
of communities and their modularity. The result is the same for any number of threads;
--seed draws another one.`

// LeidenCommand describes garaph run leiden.
var LeidenCommand = registry.Command{
	Name: "leiden", Value: Leiden{}, Short: "communities of high modularity, each connected, by the Leiden algorithm",
	Long: modularityHelp + ` --iterations limits how often the communities found begin
again as those of the vertices.`,
	Example: `  garaph run leiden friends.graph --output communities.parquet
  garaph run leiden roads.graph --weighted --resolution 0.5 --levels 3`,
	Ranking: registry.Groups, Iterations: 2,
	Setup: func(fs *pflag.FlagSet) registry.Make {
		make := leidenFlags(fs)
		return func(e registry.Env) (any, error) { return make(e), nil }
	},
}

// LouvainCommand describes garaph run louvain.
var LouvainCommand = registry.Command{
	Name: "louvain", Value: Louvain{},
	Short: "communities of high modularity, by the Louvain algorithm; leiden finds better ones",
	Long:  modularityHelp + ` Communities may be disconnected.`,
	Example: `  garaph run louvain friends.graph --output communities.parquet
  garaph run louvain roads.graph --weighted --levels 3`,
	Ranking: registry.Groups,
	Setup: func(fs *pflag.FlagSet) registry.Make {
		make := leidenFlags(fs)
		return func(e registry.Env) (any, error) { return Louvain(make(e)), nil }
	},
}

func leidenFlags(fs *pflag.FlagSet) func(registry.Env) Leiden {
	resolution := flags.Checked(fs, "resolution", "X", 1, func(s string) (float64, error) {
		x, err := strconv.ParseFloat(s, 64)
		if err != nil || !(x > 0 && x <= math.MaxFloat64) {
			return 0, errors.New("expected a number above 0")
		}
		return x, nil
	}, func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) },
		"the larger, the smaller the communities; above 0")
	weighted := fs.Bool("weighted", false, "edges count by their weights")
	seed := seedFlag(fs)
	levels := flags.Range(fs, "levels", 0, 0, MostLevels,
		"how many divisions of communities to write as columns, from the finest one")
	return func(e registry.Env) Leiden {
		if *weighted && !e.Graph.Weighted {
			e.LogUnweighted()
		}
		return Leiden{
			Resolution: *resolution, Weighted: *weighted, Seed: uint64(*seed), Iterations: e.Iterations, Levels: *levels,
		}
	}
}
