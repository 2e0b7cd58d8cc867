package dispatcher

import "github.com/garaph/garaph/gas"

// EndAt lets a job end as soon as the value of a vertex is final, and that of every vertex on a shortest path to it: of a
// program that is [gas.Prioritized], when all active vertices have higher priorities, for a vertex whose value is yet to fall
// is behind an active one on a path that is no longer; of one that is [gas.Settleable], when the vertex is settled.
// Others go on to their ends. Vertices farther away have values that are not final. GPUs do not look.
func (o *Options) EndAt(v uint32) { o.end = &v }

// arrived reports whether the values allow the job to end at its vertex.
func (s *state[V, A]) arrived() bool {
	if s.plan.opt.end == nil || *s.plan.opt.end >= s.arrays.N {
		return false
	}
	value := s.arrays.Cur[*s.plan.opt.end]
	if p, ok := s.plan.program.(gas.Settleable[V]); ok && p.Settled(value, s.now.step) {
		return true
	}
	p, ok := s.plan.program.(gas.Prioritized[V])
	if !ok {
		return false
	}
	at := p.Priority(value)
	for v, ok := s.arrays.Active.Next(0, s.arrays.N); ok; v, ok = s.arrays.Active.Next(v+1, s.arrays.N) {
		if !(p.Priority(s.arrays.Cur[v]) > at) { // no number is not behind it either
			return false
		}
	}
	return true
}

// rounds is after how many levels, or rounds of ordered ones, the job asks whether it has arrived, at most: twice as many each
// time, since buckets are emptied and filled for it.
func (s *state[V, A]) rounds() int {
	s.asked = max(1, 2*s.asked)
	return s.asked
}
