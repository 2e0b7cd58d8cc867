// Package gap has the sources and the checks of the GAP Benchmark Suite (Beamer, Asanović, Patterson, 2015).
package gap

// Sources chooses vertices to search from, in the order in which GAPBS's SourcePicker does: at random, of those with
// out-edges.
type Sources struct {
	random    mersenne
	vertices  uint32
	hasEdges  func(id uint32) bool
	exclusive uint32 // the least number that is drawn again; if 0, there is none
}

// seed is GAPBS's.
const seed = 27491095

// NewSources returns the sources of a graph of the vertices 0 … vertices-1, at least one of which has edges.
func NewSources(vertices uint32, hasEdges func(id uint32) bool) *Sources {
	s := &Sources{random: newMersenne(seed), vertices: vertices, hasEdges: hasEdges}
	if rest := uint32((1<<64 - 1) % uint64(vertices)); rest != vertices-1 {
		s.exclusive = 1<<32 - 1 - rest // of 32 bits, as GAPBS has it
	}
	return s
}

// Next returns the next source.
func (s *Sources) Next() uint32 {
	for {
		number := uint32(s.random.next())
		for s.exclusive != 0 && number >= s.exclusive {
			number = uint32(s.random.next())
		}
		if v := number % s.vertices; s.hasEdges(v) {
			return v
		}
	}
}

// mersenne is the generator MT19937-64 (Nishimura, 2000), which is std::mt19937_64 of C++.
type mersenne struct {
	state [mersenneWords]uint64
	at    int
}

const (
	mersenneWords  = 312
	mersenneMiddle = 156
)

func newMersenne(seed uint64) (m mersenne) {
	m.state[0], m.at = seed, mersenneWords
	for i := 1; i < mersenneWords; i++ {
		before := m.state[i-1]
		m.state[i] = 6364136223846793005*(before^before>>62) + uint64(i)
	}
	return m
}

func (m *mersenne) next() uint64 {
	if m.at == mersenneWords {
		for i := range m.state {
			x := m.state[i]&^(1<<31-1) | m.state[(i+1)%mersenneWords]&(1<<31-1)
			m.state[i] = m.state[(i+mersenneMiddle)%mersenneWords] ^ x>>1 ^ x&1*0xb5026f5aa96619e9
		}
		m.at = 0
	}
	x := m.state[m.at]
	m.at++
	x ^= x >> 29 & 0x5555555555555555
	x ^= x << 17 & 0x71d67fffeda60000
	x ^= x << 37 & 0xfff7eee000000000
	return x ^ x>>43
}
