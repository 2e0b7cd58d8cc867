//go:build !amd64

package algorithms

// joinRow adds to c the counters of those vertices of a row that have changed.
func joinRow(c *hyperCounter, now []hyperCounter, changed []bool, row []uint32) {
	for _, u := range row {
		if changed[u] {
			c.join(&now[u])
		}
	}
}

// join takes the larger of each pair of registers, which are below 128.
func (c *hyperCounter) join(o *hyperCounter) {
	const high = 0x8080808080808080
	for k, y := range o {
		x := c[k]
		larger := ((x | high) - y) & high // where x is, or they are equal
		larger = larger<<1 - larger>>7    // all bits of the register
		c[k] = x&larger | y&^larger
	}
}
