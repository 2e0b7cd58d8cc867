package community

import (
	"encoding/binary"
	"slices"
)

// Saved is where the search for some queries stands: what a later process needs to go on with
// it. [Saved.Words] writes it down, and [ReadSaved] reads that again.
type Saved struct {
	Queries []Query
	Answers []*Result // to the first queries
	begun   []*pending
}

// SavedVersion is the version of the words of a Saved, and of what they mean.
const SavedVersion = 1

// words is an encoded Saved.
type words []uint64

// Words writes down where a search stands (docs/format-checkpoint.md, "Searches").
func (s *Saved) Words() []uint64 {
	var w words
	w.put(SavedVersion, uint64(len(s.Queries)), uint64(len(s.Answers)), uint64(len(s.begun)))
	for _, q := range s.Queries {
		w.put(uint64(q.Vertex), uint64(q.Low), uint64(q.High))
	}
	for _, r := range s.Answers {
		w.result(r)
	}
	for _, p := range s.begun {
		w.pending(p)
	}
	return w
}

func (w *words) put(words ...uint64) { *w = append(*w, words...) }

// ids appends ids, two in a word.
func (w *words) ids(ids []uint32) {
	for pair := range slices.Chunk(ids, 2) {
		word := uint64(pair[0])
		if len(pair) > 1 {
			word |= uint64(pair[1]) << 32
		}
		w.put(word)
	}
}

// result appends what is known of an answer, but for its query.
func (w *words) result(r *Result) {
	proven := uint64(0)
	if r.Proven {
		proven = 1
	}
	w.put(uint64(r.MinDegree+1), uint64(len(r.Members)))
	w.ids(r.Members)
	w.put(uint64(r.Start+1), proven, uint64(r.Vertices), uint64(r.Edges), uint64(r.Prepare), uint64(r.Search),
		uint64(r.Branches), uint64(len(r.GPU)))
	for part := range slices.Chunk([]byte(r.GPU), 8) {
		var word [8]byte
		copy(word[:], part)
		w.put(binary.LittleEndian.Uint64(word[:]))
	}
}

// pending appends a query that is being searched: what it has so far, its problems, and their open
// nodes.
func (w *words) pending(p *pending) {
	so := *p.result
	p.answer(&so)
	w.result(&so)
	number := map[*Problem]uint64{}
	var problems []*Problem
	for _, o := range p.Open {
		if _, known := number[o.Problem]; !known {
			number[o.Problem] = uint64(len(problems))
			problems = append(problems, o.Problem)
		}
	}
	w.put(uint64(len(problems)), uint64(len(p.Open)))
	for _, problem := range problems {
		w.put(uint64(problem.N))
		w.ids(problem.IDs)
	}
	for _, o := range p.Open {
		w.put(number[o.Problem])
		w.put(o.Task[1:]...)
	}
}
