package community

import (
	"encoding/binary"
	"slices"
	"sort"
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

// Words are the words of a Saved (docs/format-checkpoint.md, "Searches"). They are valid until
// the search goes on: open nodes lie where they were.
type Words struct {
	parts [][]uint64
	ends  []int // by part, how many words there are up to its end
	last  []uint64
}

// Words writes down where a search stands.
func (s *Saved) Words() *Words {
	w := &Words{}
	w.put(uint64(rules)<<32|SavedVersion, uint64(len(s.Queries)), uint64(len(s.Answers)), uint64(len(s.begun)))
	for _, q := range s.Queries {
		w.put(uint64(q.Vertex), uint64(q.Low), uint64(q.High))
	}
	for _, r := range s.Answers {
		w.result(r)
	}
	for _, p := range s.begun {
		w.pending(p)
	}
	w.borrow(nil)
	return w
}

// Len is the number of words.
func (w *Words) Len() int { return w.ends[len(w.ends)-1] }

// Read copies the words from place from on. Several goroutines may call it.
func (w *Words) Read(from int, to []uint64) {
	for i := sort.SearchInts(w.ends, from+1); len(to) > 0; i++ {
		part := w.parts[i]
		n := copy(to, part[len(part)-(w.ends[i]-from):])
		to, from = to[n:], from+n
	}
}

func (w *Words) put(words ...uint64) { w.last = append(w.last, words...) }

// borrow appends words that are not copied.
func (w *Words) borrow(words []uint64) {
	end := 0
	if len(w.ends) > 0 {
		end = w.Len()
	}
	for _, part := range [][]uint64{w.last, words} {
		end += len(part)
		w.parts, w.ends = append(w.parts, part), append(w.ends, end)
	}
	w.last = nil
}

// ids appends ids, two in a word.
func (w *Words) ids(ids []uint32) {
	for pair := range slices.Chunk(ids, 2) {
		word := uint64(pair[0])
		if len(pair) > 1 {
			word |= uint64(pair[1]) << 32
		}
		w.put(word)
	}
}

// result appends what is known of an answer, but for its query.
func (w *Words) result(r *Result) {
	proven := uint64(0)
	if r.Proven {
		proven = 1
	}
	w.put(uint64(r.MinDegree+1), uint64(len(r.Members)))
	w.ids(r.Members)
	w.put(uint64(r.Start+1), proven, uint64(r.Vertices), uint64(r.Edges), uint64(r.Prepare), uint64(r.Search), uint64(r.Stats.Branches))
	for i := range rules {
		w.put(uint64(r.Stats.Ended[i]), uint64(r.Stats.Dropped[i]))
	}
	w.put(uint64(len(r.GPU)))
	for part := range slices.Chunk([]byte(r.GPU), 8) {
		var word [8]byte
		copy(word[:], part)
		w.put(binary.LittleEndian.Uint64(word[:]))
	}
}

// pending appends a query that is being searched: what it has so far, its problems, and their open
// nodes.
func (w *Words) pending(p *pending) {
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
		w.borrow(o.Task[1:])
	}
}
