package algorithms

// joinRow adds to c the counters of those vertices of a row that have changed. All vertices of the row are in now
// and in changed.
//
//go:noescape
func joinRow(c *hyperCounter, now []hyperCounter, changed []bool, row []uint32)
