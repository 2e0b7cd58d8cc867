package packed

import "github.com/garaph/garaph/shard/rows"

// Unpack writes the edges as plain rows. Those of a destination stay in their order, so
// that neighbours ascend: a first count gives the place of each.
// [Side.CheckValues] has been called.
func (s *Side) Unpack(to *rows.Side) {
	if s.Layout.Bits == 16 {
		plain[D16](s, to)
	} else {
		plain[D14](s, to)
	}
}

// plain fills the rows: a function for each width of destinations.
func plain[D Destination](s *Side, to *rows.Side) {
	clear(to.Off)
	for b := s.Range(0, len(s.Heads)); b.Next(); {
		w := b.Width()
		g, _ := b.Block()
		for range Groups {
			for i := range uint(GroupSlots) {
				to.Off[g.Slot(w, Bits[D](), i)]++ // the last one counts dummies
			}
			g = g.Next(w, Bits[D]())
		}
	}
	next := uint32(0)
	for v, n := range to.Off {
		to.Off[v] = next
		next += n
	}
	for b := s.Range(0, len(s.Heads)); b.Next(); {
		w, weights := b.Width(), b.plane()
		g, u := b.Block()
		for k := 0; k < BlockSlots; k += GroupSlots {
			for i := range uint(GroupSlots) {
				u += g.Delta(w, i)
				v := int(g.Slot(w, Bits[D](), i))
				if v == s.Layout.Vertices {
					continue
				}
				at := to.Off[v]
				to.Off[v] = at + 1
				to.Nbr[at] = u
				switch {
				case to.Weight != nil:
					to.Weight[at] = weights.Narrow[k+int(i)]
				case to.Wide != nil:
					to.Wide[at] = weights.Wide[k+int(i)]
				}
			}
			g = g.Next(w, Bits[D]())
		}
	}
	copy(to.Off[1:], to.Off[:s.Layout.Vertices]) // each stood at the end of its row
	to.Off[0] = 0
}
