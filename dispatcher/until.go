package dispatcher

import "github.com/garaph/garaph/gas"

// EndAt lets a job end as soon as the value of a vertex is final, and that of every vertex on a shortest path to it: of a
// program that is [gas.Prioritized], when all active vertices have higher priorities, for a vertex whose value is yet to fall
// is behind an active one on a path that is no longer; of one that is [gas.Settleable], when the vertex is settled.
// Others go on to their ends. Vertices farther away have values that are not final. GPUs do not look.
func (o *Options) EndAt(v uint32) { o.end = &v }

// arrived reports whether the job may end at its vertex.
func (j *Job[V, A]) arrived() bool {
	if j.opt.end == nil || len(j.workers.gpus) > 0 || *j.opt.end >= j.arrays.N {
		return false
	}
	value := j.arrays.Cur[*j.opt.end]
	if p, ok := j.program.(gas.Settleable[V]); ok && p.Settled(value, j.standing.position.step) {
		return true
	}
	p, ok := j.program.(gas.Prioritized[V])
	if !ok {
		return false
	}
	at := p.Priority(value)
	for v, ok := j.arrays.Active.Next(0, j.arrays.N); ok; v, ok = j.arrays.Active.Next(v+1, j.arrays.N) {
		if !(p.Priority(j.arrays.Cur[v]) > at) { // no number is not behind it either
			return false
		}
	}
	return true
}

// rounds is after how many levels, or rounds of ordered ones, the job asks whether it has arrived, at most: twice as many each
// time, since buckets are emptied and filled for it.
func (f *frontiers[V, A]) rounds() int {
	f.asked = max(1, 2*f.asked)
	return f.asked
}
