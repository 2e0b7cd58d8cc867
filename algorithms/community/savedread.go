package community

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"
	"unicode/utf8"
)

// ReadSaved reads the words of a [Saved] for a graph of n vertices. They may have been made by anybody:
// what no search writes is an error, and what is read takes no more memory than some times the words.
// The slice is not needed afterwards.
func ReadSaved(words []uint64, n uint32) (*Saved, error) {
	r := &savedReader{rest: words, vertices: n}
	s := &Saved{}
	if head, want := r.word(), uint64(rules)<<32|SavedVersion; head != want && r.err == nil {
		return nil, fmt.Errorf("version %d with %d rules: expected version %d with %d", uint32(head), head>>32, SavedVersion, rules)
	}
	queries, answers, begun := r.count(3), r.count(leastResult), r.count(leastResult)
	if queries > len(r.rest)/3 || answers > queries || begun > queries-answers {
		return nil, fmt.Errorf("%d answers and %d more queries that are searched, of %d in %d words", answers, begun, queries, len(words))
	}
	for range queries {
		s.Queries = append(s.Queries, r.query())
	}
	for i := 0; i < answers && r.err == nil; i++ {
		s.Answers = append(s.Answers, r.result(s.Queries[i]))
	}
	for i := answers; i < answers+begun && r.err == nil; i++ {
		s.begun = append(s.begun, r.pending(s.Queries[i]))
	}
	if len(r.rest) > 0 {
		r.fail("%d words more than it has", len(r.rest))
	}
	return s, r.err
}

// leastResult is how many words an answer has at least.
const leastResult = 10 + 2*rules

// mostCount is more than any count or time of a search, so that sums of some stay in 64 bits.
const mostCount = 1 << 60

// mostName is the length of the name of a GPU at most.
const mostName = 256

// savedReader reads words until the first error.
type savedReader struct {
	rest     []uint64
	vertices uint32
	err      error
}

func (r *savedReader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
		r.rest = nil
	}
}

func (r *savedReader) word() uint64 {
	if len(r.rest) == 0 {
		r.fail("it ends too early")
		return 0
	}
	x := r.rest[0]
	r.rest = r.rest[1:]
	return x
}

// number is a word of most at most.
func (r *savedReader) number(what string, most int64) int64 {
	x := r.word()
	if x > uint64(most) {
		r.fail("%s: %d, expected %d at most", what, x, most)
		return 0
	}
	return int64(x)
}

// count is how many things follow, each of some words at least.
func (r *savedReader) count(words int) int {
	return int(r.number("the number of parts", int64(len(r.rest)/words)))
}

func (r *savedReader) query() Query {
	q := Query{Vertex: uint32(r.number("a query vertex", int64(r.vertices)-1)), Low: int(r.number("the least size", math.MaxInt64)), High: int(r.number("the largest size", math.MaxInt64))}
	if err := q.Check(); err != nil {
		r.fail("%w", err)
	}
	return q
}

// ids are n ids of vertices, ascending, v among them.
func (r *savedReader) ids(n int, v uint32) []uint32 {
	if n > 2*len(r.rest) {
		r.fail("%d vertices in %d words", n, len(r.rest))
		return nil
	}
	list := make([]uint32, n)
	for i := range list {
		if i%2 == 0 {
			x := r.word()
			list[i] = uint32(x)
			if i+1 < n {
				list[i+1] = uint32(x >> 32)
			} else if x>>32 != 0 {
				r.fail("more than %d vertices", n)
			}
		}
		if list[i] >= r.vertices || i > 0 && list[i] <= list[i-1] {
			r.fail("vertex %d of %d is not in its place", list[i], r.vertices)
		}
	}
	if _, there := slices.BinarySearch(list, v); !there {
		r.fail("vertices without the query vertex")
	}
	return list
}

func (r *savedReader) result(q Query) *Result {
	x := &Result{Query: q, MinDegree: int(r.number("a minimum degree", int64(r.vertices))) - 1}
	n := r.count(1)
	switch {
	case r.err != nil || n == 0 && x.MinDegree < 0:
	case x.MinDegree < 0 || x.MinDegree >= n || n < q.Low || n > q.High:
		r.fail("%d members of minimum degree %d, of %d to %d", n, x.MinDegree, q.Low, q.High)
	default:
		x.Members = r.ids(n, q.Vertex)
	}
	x.Start = int(r.number("the minimum degree at first", int64(x.MinDegree)+1)) - 1
	x.Proven = r.number("whether it is proven", 1) == 1
	x.Vertices, x.Edges = r.number("vertices", mostCount), r.number("edges", mostCount)
	x.Prepare, x.Search = time.Duration(r.number("a time", mostCount)), time.Duration(r.number("a time", mostCount))
	x.Stats.Branches = r.number("branches", mostCount)
	for i := range rules {
		x.Stats.Ended[i], x.Stats.Dropped[i] = r.number("branches", mostCount), r.number("vertices", mostCount)
	}
	x.GPU = r.text(int(r.number("the length of a name", mostName)))
	return x
}

func (r *savedReader) text(n int) string {
	b := make([]byte, 0, n+8)
	for len(b) < n {
		b = binary.LittleEndian.AppendUint64(b, r.word())
	}
	if !utf8.Valid(b[:n]) {
		r.fail("a name that is no text")
	}
	return string(b[:n])
}

func (r *savedReader) pending(q Query) *pending {
	x := r.result(q)
	p := &pending{result: x, earlier: x.Search, search: x.Search, DeviceQuery: DeviceQuery{Best: &Best{}, Stats: &Stats{}}}
	*p.Stats = x.Stats
	p.Best.Offer(x.MinDegree, x.Members)
	problems := make([]*Problem, r.count(2))
	nodes := r.count(3)
	if nodes > 0 {
		x.GPU = "" // it has not searched to the end
	}
	for i := range problems {
		problems[i] = r.problem(q)
	}
	for i := 0; i < nodes && r.err == nil; i++ {
		number := int(r.word())
		if number < 0 || number >= len(problems) {
			r.fail("a node of problem %d of %d", number, len(problems))
			break
		}
		p.Open = append(p.Open, Open{problems[number], r.task(problems[number])})
	}
	return p
}

// problem is one without rows, see [base.restore].
func (r *savedReader) problem(q Query) *Problem {
	n := int(r.number("vertices of a problem", int64(r.vertices)))
	p := &Problem{N: n, IDs: r.ids(n, q.Vertex)}
	p.bound(q)
	at, _ := slices.BinarySearch(p.IDs, q.Vertex)
	p.Query = uint32(at)
	return p
}

var errNode = errors.New("a node with vertices that are not there, or twice, or without the query vertex")

func (r *savedReader) task(p *Problem) Task {
	n := TaskWords(p) - 1
	if n > len(r.rest) {
		r.fail("it ends in a node")
		return nil
	}
	t := append(make(Task, 1, n+1), r.rest[:n]...)
	r.rest = r.rest[n:]
	t.SetHead(-1, popcount(t.C()))
	twice, over := uint64(0), uint64(0)
	for i, c := range t.C() {
		twice |= c & t.R()[i]
	}
	if bits := p.N % 64; bits > 0 {
		over = (t.C()[len(t.C())-1] | t.R()[len(t.R())-1]) >> bits
	}
	if twice|over != 0 || t.C()[p.Query/64]>>(p.Query%64)&1 == 0 {
		r.fail("%w", errNode)
	}
	return t
}
