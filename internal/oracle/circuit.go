package oracle

import "math"

// Circuit returns the voltages in a network of resistors, of which source is held
// at volts and ground at 0; edge weights are conductances. It goes over the
// vertices in turn (Gauss and Seidel) until no voltage changes by more than
// tol. Vertices that nothing connects to source are at 0.
func Circuit(g Graph, source, ground uint32, volts, tol float64) []float64 {
	in := make([][]Edge, g.N)
	for _, e := range g.Edges {
		in[e.Dst] = append(in[e.Dst], e)
	}
	v := make([]float64, g.N)
	v[source] = volts
	for change := math.Inf(1); change > tol; {
		change = 0
		for i := range v {
			current, conductance := 0.0, 0.0
			for _, e := range in[i] {
				current += float64(e.Weight) * v[e.Src]
				conductance += float64(e.Weight)
			}
			if uint32(i) == source || uint32(i) == ground || conductance == 0 {
				continue
			}
			change = max(change, math.Abs(current/conductance-v[i]))
			v[i] = current / conductance
		}
	}
	return v
}
