package bench

import "github.com/garaph/garaph/shard/packed"

// gathered is what is made of blocks: sums that don't wait for each other, and the
// destinations, so that they are decoded.
type gathered[F float32 | float64] struct {
	sums [packed.GroupSlots]F
	to   uint16
}

// gatherPacked decodes blocks and sums the values of the sources: what remains of a
// fold without accumulators.
func gatherPacked[F float32 | float64](values []F, t together) (sum F) {
	var all gathered[F]
	gathers := gathersOf[F]()
	var b packed.Blocks
	for _, r := range t.runs {
		for b.Reset(t.sides[r.Side], r.From, r.To); b.Next(); {
			gathers[b.Wide()][b.Width()](&all, &b, values)
		}
	}
	for _, s := range all.sums {
		sum += s
	}
	return sum
}

func gatherBlock[W packed.Width, D packed.Destination, F float32 | float64](all *gathered[F], b *packed.Blocks, values []F) {
	w, d := packed.Bits[W](), packed.Bits[D]()
	g, u := b.Block()
	s0, s1, s2, s3 := all.sums[0], all.sums[1], all.sums[2], all.sums[3]
	s4, s5, s6, s7 := all.sums[4], all.sums[5], all.sums[6], all.sums[7]
	to := all.to
	for range packed.Groups {
		u += g.Delta(w, 0)
		s0, to = s0+values[u], to^g.Slot(w, d, 0)
		u += g.Delta(w, 1)
		s1, to = s1+values[u], to^g.Slot(w, d, 1)
		u += g.Delta(w, 2)
		s2, to = s2+values[u], to^g.Slot(w, d, 2)
		u += g.Delta(w, 3)
		s3, to = s3+values[u], to^g.Slot(w, d, 3)
		u += g.Delta(w, 4)
		s4, to = s4+values[u], to^g.Slot(w, d, 4)
		u += g.Delta(w, 5)
		s5, to = s5+values[u], to^g.Slot(w, d, 5)
		u += g.Delta(w, 6)
		s6, to = s6+values[u], to^g.Slot(w, d, 6)
		u += g.Delta(w, 7)
		s7, to = s7+values[u], to^g.Slot(w, d, 7)
		g = g.Next(w, d)
	}
	all.sums, all.to = [...]F{s0, s1, s2, s3, s4, s5, s6, s7}, to
}

// gathersOf has code for each width of destinations and of sources.
func gathersOf[F float32 | float64]() [2][packed.MaxWidth + 1]func(*gathered[F], *packed.Blocks, []F) {
	return [2][packed.MaxWidth + 1]func(*gathered[F], *packed.Blocks, []F){
		{0: gatherBlock[packed.W0, packed.D14, F], 1: gatherBlock[packed.W1, packed.D14, F], 2: gatherBlock[packed.W2, packed.D14, F], 3: gatherBlock[packed.W3, packed.D14, F], 4: gatherBlock[packed.W4, packed.D14, F], 5: gatherBlock[packed.W5, packed.D14, F], 6: gatherBlock[packed.W6, packed.D14, F], 7: gatherBlock[packed.W7, packed.D14, F], 8: gatherBlock[packed.W8, packed.D14, F], 9: gatherBlock[packed.W9, packed.D14, F], 10: gatherBlock[packed.W10, packed.D14, F], 12: gatherBlock[packed.W12, packed.D14, F], 14: gatherBlock[packed.W14, packed.D14, F], 16: gatherBlock[packed.W16, packed.D14, F], 20: gatherBlock[packed.W20, packed.D14, F], 24: gatherBlock[packed.W24, packed.D14, F], 32: gatherBlock[packed.W32, packed.D14, F]},
		{0: gatherBlock[packed.W0, packed.D16, F], 1: gatherBlock[packed.W1, packed.D16, F], 2: gatherBlock[packed.W2, packed.D16, F], 3: gatherBlock[packed.W3, packed.D16, F], 4: gatherBlock[packed.W4, packed.D16, F], 5: gatherBlock[packed.W5, packed.D16, F], 6: gatherBlock[packed.W6, packed.D16, F], 7: gatherBlock[packed.W7, packed.D16, F], 8: gatherBlock[packed.W8, packed.D16, F], 9: gatherBlock[packed.W9, packed.D16, F], 10: gatherBlock[packed.W10, packed.D16, F], 12: gatherBlock[packed.W12, packed.D16, F], 14: gatherBlock[packed.W14, packed.D16, F], 16: gatherBlock[packed.W16, packed.D16, F], 20: gatherBlock[packed.W20, packed.D16, F], 24: gatherBlock[packed.W24, packed.D16, F], 32: gatherBlock[packed.W32, packed.D16, F]},
	}
}
