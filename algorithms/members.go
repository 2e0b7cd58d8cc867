package algorithms

import "math/bits"

// members is a set of vertices: a hash table with open addressing, most of whose slots are empty.
type members struct {
	slots []uint32 // a power of two of them; a member plus one, or 0
	shift int      // of a hash, to a slot
}

// slotsPerMember is how many slots a member of a small set has: that few lookups meet another member, and the slots of
// most rows are in the nearest cache.
const slotsPerMember = 32

// memberSlots returns the number of slots for sets of up to most members.
func memberSlots(most int64) int64 { return 1 << bits.Len64(uint64(2*most)) }

// newMembers returns the set of a row, in some of the slots of memory.
func newMembers(memory, row []uint32) members {
	n := min(len(memory), 1<<bits.Len(uint(slotsPerMember*len(row))))
	m := members{memory[:n], 33 - bits.Len(uint(n))}
	clear(m.slots)
	for _, x := range row {
		i := m.slot(x)
		for m.slots[i] != 0 {
			i = m.next(i)
		}
		m.slots[i] = x + 1
	}
	return m
}

func (m members) slot(x uint32) uint32 { return x * 0x9E3779B1 >> (m.shift & 31) }

func (m members) next(i uint32) uint32 { return (i + 1) & uint32(len(m.slots)-1) }

// has reports whether x is a member.
func (m members) has(x uint32) bool {
	i := m.slot(x)
	for m.slots[i] != 0 {
		if m.slots[i] == x+1 {
			return true
		}
		i = m.next(i)
	}
	return false
}
