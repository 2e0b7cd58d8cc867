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

// ReadSaved reads the words of a [Saved] for a graph of n vertices: words that no search writes are
// an error. The slice is not needed afterwards.
func ReadSaved(words []uint64, n uint32) (*Saved, error) {
	r := &savedReader{rest: words, vertices: n}
	s := &Saved{}
	r.require(r.word() == SavedVersion)
	queries, answers, begun := r.count(3), r.count(leastResult), r.count(leastResult)
	r.require(queries <= len(r.rest)/3 && answers <= queries && begun <= queries-answers)
	for i := 0; i < queries && !r.odd; i++ {
		s.Queries = append(s.Queries, r.query())
	}
	for i := 0; i < answers && !r.odd; i++ {
		s.Answers = append(s.Answers, r.result(s.Queries[i]))
	}
	for i := answers; i < answers+begun && !r.odd; i++ {
		s.begun = append(s.begun, r.pending(s.Queries[i]))
	}
	if r.require(len(r.rest) == 0); r.odd {
		return nil, fmt.Errorf("%w before word %d of %d", errSaved, len(words)-r.read, len(words))
	}
	return s, nil
}

var errSaved = errors.New("the saved search is damaged")

// leastResult is the number of words a result has at least.
const leastResult = 10

// mostCount is more than any count or time of a search, so that a few of them do not overflow 64 bits.
const mostCount = 1 << 60

// mostName is the length of the name of a GPU at most.
const mostName = 256

// savedReader reads words until the first that is odd.
type savedReader struct {
	rest     []uint64
	vertices uint32
	odd      bool
	read     int // words that were left then
}

// require notes that what was read is odd unless ok.
func (r *savedReader) require(ok bool) {
	if !ok && !r.odd {
		r.odd, r.read, r.rest = true, len(r.rest), nil
	}
}

// words returns the next n words, or nil if there are fewer.
func (r *savedReader) words(n int) (words []uint64) {
	if r.require(n <= len(r.rest)); !r.odd {
		words, r.rest = r.rest[:n], r.rest[n:]
	}
	return words
}

func (r *savedReader) word() (x uint64) {
	if words := r.words(1); words != nil {
		x = words[0]
	}
	return x
}

// number returns the next word, which must be at most most.
func (r *savedReader) number(most int64) int64 {
	x := r.word()
	if r.require(x <= uint64(most)); r.odd {
		return 0
	}
	return int64(x)
}

// count returns the number of items that follow, each of at least some words.
func (r *savedReader) count(words int) int { return int(r.number(int64(len(r.rest) / words))) }

func (r *savedReader) query() Query {
	q := Query{
		Vertex: uint32(r.number(int64(r.vertices) - 1)), Low: int(r.number(math.MaxInt64)),
		High: int(r.number(math.MaxInt64)),
	}
	r.require(q.Check() == nil)
	return q
}

// ids are n ids of vertices, ascending, v among them.
func (r *savedReader) ids(n int, v uint32) (list []uint32) {
	for _, x := range r.words((n + 1) / 2) {
		list = append(list, uint32(x), uint32(x>>32))
	}
	if r.odd {
		return nil
	}
	r.require(n%2 == 0 || list[n] == 0)
	list = list[:n]
	for i, id := range list {
		r.require(id < r.vertices && (i == 0 || id > list[i-1]))
	}
	_, there := slices.BinarySearch(list, v)
	r.require(there)
	return list
}

func (r *savedReader) result(q Query) *Result {
	x := &Result{Query: q, MinDegree: int(r.number(int64(r.vertices))) - 1}
	if n := r.count(1); n > 0 || x.MinDegree >= 0 {
		r.require(0 <= x.MinDegree && x.MinDegree < n && q.Low <= n && n <= q.High)
		x.Members = r.ids(n, q.Vertex)
	}
	x.Start = int(r.number(int64(x.MinDegree)+1)) - 1
	x.Proven = r.number(1) == 1
	x.Vertices, x.Edges = r.number(mostCount), r.number(mostCount)
	x.Prepare, x.Search = time.Duration(r.number(mostCount)), time.Duration(r.number(mostCount))
	x.Branches = r.number(mostCount)
	x.GPU = r.text(int(r.number(mostName)))
	return x
}

func (r *savedReader) text(n int) string {
	var b []byte
	for _, x := range r.words((n + 7) / 8) {
		b = binary.LittleEndian.AppendUint64(b, x)
	}
	b = b[:min(n, len(b))]
	r.require(utf8.Valid(b))
	return string(b)
}

func (r *savedReader) pending(q Query) *pending {
	x := r.result(q)
	p := &pending{
		result: x, earlier: x.Search, search: x.Search, DeviceQuery: DeviceQuery{Best: &Best{}, Branches: x.Branches},
	}
	p.Best.Offer(x.MinDegree, x.Members)
	problems := make([]*Problem, r.count(2))
	nodes := r.count(3)
	if nodes > 0 {
		x.GPU = "" // it has not searched to the end
	}
	for i := range problems {
		problems[i] = r.problem(q)
	}
	for i := 0; i < nodes && !r.odd; i++ {
		number := r.word()
		if r.require(number < uint64(len(problems))); !r.odd {
			p.Open = append(p.Open, Open{problems[number], r.task(problems[number])})
		}
	}
	return p
}

// problem returns a problem without rows. See [base.restore].
func (r *savedReader) problem(q Query) *Problem {
	n := int(r.number(int64(r.vertices)))
	p := &Problem{N: n, IDs: r.ids(n, q.Vertex)}
	p.bound(q)
	at, _ := slices.BinarySearch(p.IDs, q.Vertex)
	p.Query = uint32(at)
	return p
}

// task returns a node whose vertices exist, each once, with the query vertex in C.
func (r *savedReader) task(p *Problem) Task {
	n := TaskWords(p) - 1
	words := r.words(n)
	if words == nil {
		return nil
	}
	t := append(make(Task, 1, n+1), words...)
	t[0] = uint64(popcount(t.C()))
	for i, c := range t.C() {
		r.require(c&t.R()[i] == 0)
	}
	if bits := p.N % 64; bits > 0 {
		r.require((t.C()[len(t.C())-1]|t.R()[len(t.R())-1])>>bits == 0)
	}
	r.require(t.C()[p.Query/64]>>(p.Query%64)&1 != 0)
	return t
}
