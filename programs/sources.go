package programs

import "slices"

// among reports whether v is one of some vertices, which are ascending. It is asked when
// a job begins, on the CPU.
func among(list []uint32, v uint32) bool {
	if len(list) == 0 {
		return false
	}
	_, found := slices.BinarySearch(list, v)
	return found
}
