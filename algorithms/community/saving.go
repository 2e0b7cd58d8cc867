package community

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/garaph/garaph/checkpoint"
)

// Saving says from where a search goes on, and when it saves where it stands.
type Saving struct {
	From *Saved // of the same queries; if nil, the beginning
	// Save, when not nil, is called with where the search stands: as Policy says, whose iterations are answers, and when
	// the search ends with an error. Nothing goes on meanwhile. When it takes longer than the time between
	// two calls, there are fewer.
	Save   func(*Saved)
	Policy checkpoint.Policy
}

// saver calls Save of a search.
type saver struct {
	Saving
	schedule checkpoint.Schedule
	called   bool // there is something to go on from
	changed  bool // since then
}

// leastSlice is how long a search goes on between two calls of Save at least, so that it comes on.
const leastSlice = 10 * time.Millisecond

// rest returns how long a search goes on before Save is due.
func (s *saver) rest() time.Duration {
	if s.Save == nil {
		return math.MaxInt64
	}
	return max(leastSlice, s.schedule.Left())
}

func (s *saver) due() bool { return s.Save != nil && s.schedule.Due() }

// wanted reports whether Save is called before the end.
func (s *saver) wanted() bool { return s.Save != nil && s.Policy.Wanted() }

// save saves where the search stands.
func (f *finder) save() {
	begin := time.Now()
	f.Save(&Saved{f.queries, f.answers, slices.Concat(f.begun, f.earlier)})
	f.schedule.Restart()
	f.schedule.Took, f.called, f.changed = time.Since(begin), true, false
}

func (f *finder) saveIfDue() {
	if f.due() {
		f.save()
	}
}

// saveLast saves where a search has ended with an error, if that is news.
func (f *finder) saveLast(err error) {
	if err != nil && f.Save != nil && (f.changed || !f.called) {
		f.save()
	}
}

// answered reports a query's answer, the next one.
func (f *finder) answered(p *pending) error {
	p.answer(p.result)
	p.result.Proven = len(p.Open) == 0
	f.answers = append(f.answers, p.result)
	f.begun = f.begun[1:]
	f.schedule.Iterations++
	f.changed = true
	err := f.answer(len(f.answers)-1, p.result)
	if err == nil {
		f.saveIfDue()
	}
	return err
}

// answer notes what was found so far.
func (p *pending) answer(r *Result) {
	r.Members, r.MinDegree = p.Best.Members(), p.Best.K()
	r.Branches, r.Search = p.Branches, p.search
}

// begin begins with the next query, or continues it.
func (f *finder) begin(ctx context.Context, b *base) (*pending, error) {
	if len(f.earlier) > 0 {
		p := f.earlier[0]
		if err := b.restore(p); err != nil {
			return nil, err
		}
		f.earlier, f.begun = f.earlier[1:], append(f.begun, p)
		return p, nil
	}
	q := f.queries[len(f.answers)+len(f.begun)]
	begin := time.Now()
	p := &pending{DeviceQuery: DeviceQuery{Best: &Best{}}}
	problem, err := b.start(ctx, q, p.Best, func() bool {
		return ctx.Err() != nil || f.o.TimeLimit > 0 && time.Since(begin) >= f.o.TimeLimit
	})
	if err != nil {
		return nil, err
	}
	p.result = &Result{Query: q, Start: p.Best.K(), Prepare: time.Since(begin)}
	if problem != nil {
		p.result.Vertices, p.result.Edges = int64(problem.N), int64(len(problem.Neighbours)/2)
		p.Open = []Open{{problem, Root(problem)}}
	}
	f.begun = append(f.begun, p)
	return p, nil
}

// left returns the time left for a query, or the largest duration without a limit.
func (f *finder) left(p *pending) time.Duration {
	if f.o.TimeLimit == 0 {
		return math.MaxInt64
	}
	return max(0, f.o.TimeLimit-p.earlier)
}

// leftAlone returns the time left for a query that is searched alone, after its first community was
// looked for.
func (f *finder) leftAlone(p *pending) time.Duration {
	left := f.left(p)
	if f.o.TimeLimit > 0 {
		left = max(0, left-p.result.Prepare)
	}
	return left
}

// restore makes the rows of the problems of a query that were read.
func (b *base) restore(p *pending) error {
	vertices, arcs := 0, uint64(0)
	problems := problemsOf(&p.DeviceQuery)
	for problem := range problems {
		vertices += problem.N
		for _, id := range problem.IDs {
			at, there := slices.BinarySearch(b.ids, id)
			if !there {
				return b.tooSmall("the part of the graph in which the search goes on does not fit")
			}
			arcs += b.offsets[at+1] - b.offsets[at]
		}
	}
	if err := b.checkSearch(p.result.Query, vertices, arcs); err != nil {
		return err
	}
	for problem := range problems {
		local := make([]uint32, problem.N)
		for i, id := range problem.IDs {
			at, _ := slices.BinarySearch(b.ids, id)
			local[i] = uint32(at)
		}
		rows := induced(local, b.local, b.row)
		for _, v := range local {
			b.local[v] = absent
		}
		problem.Offsets, problem.Neighbours = rows.Offsets, rows.Neighbours
	}
	return nil
}
