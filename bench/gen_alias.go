package bench

// aliasCells is the number of cells of an aliasTable.
const (
	aliasBits  = 2 * levelsPerStep
	aliasCells = 1 << aliasBits
)

// aliasTable chooses among outcomes with given chances by one look-up (Walker's
// alias method, as Vose, 1991, builds it). Of a random 32-bit number the low
// bits are a cell, and the others decide between the cell's two outcomes.
type aliasTable [aliasCells]struct {
	limit         uint32 // first below it, second from it on
	first, second uint16
}

// newAliasTable takes the outcomes and their chances, which sum to 1; their
// number is a divisor of aliasCells.
func newAliasTable(outcomes []uint16, chances []float64) *aliasTable {
	const one = 1 << (32 - aliasBits)
	n := len(chances)
	share := make([]float64, n) // in units of a cell; what is above 1 fills other cells
	second := make([]int, n)
	var small, large []int
	for i, p := range chances {
		share[i] = p * float64(n)
		second[i] = i
		if share[i] < 1 {
			small = append(small, i)
		} else {
			large = append(large, i)
		}
	}
	for len(small) > 0 && len(large) > 0 {
		s, l := small[len(small)-1], large[len(large)-1]
		small = small[:len(small)-1]
		second[s] = l
		share[l] -= 1 - share[s]
		if share[l] < 1 {
			large = large[:len(large)-1]
			small = append(small, l)
		}
	}
	t := new(aliasTable)
	for i := range t {
		k := i % n
		t[i].limit = uint32(min(share[k], 1) * one)
		t[i].first, t[i].second = outcomes[k], outcomes[second[k]]
	}
	return t
}

// pick has no branch, which would be mispredicted half of the time.
func (t *aliasTable) pick(random uint32) uint64 {
	s := t[random%aliasCells]
	below := uint16((int32(random>>aliasBits) - int32(s.limit)) >> 31) // all ones or zero
	return uint64(s.second ^ (s.first^s.second)&below)
}
