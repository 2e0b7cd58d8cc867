package odd

import model "github.com/garaph/garaph/gas"

// Namesake has large methods whose parameters have the names of what the loops
// assign their results to.
type Namesake struct{ p uint64 }

// Init is part of it.
func (Namesake) Init(v model.Vertex) (uint64, bool) { return uint64(v.ID) * 77, true }

// Zero is part of it.
func (Namesake) Zero() uint64 { return 0 }

// Gather is too large to be inlined.
func (p Namesake) Gather(g uint64, e model.Edge, dst uint64) uint64 {
	g = stirred(g)
	rest := p.p
	for g > 1 {
		if g%2 == 1 {
			g = 3*g + 1
			rest += g ^ dst
		} else {
			g /= 2
			rest ^= g << 3
		}
		if rest > 1<<40 {
			return rest % 1009
		}
	}
	return rest + uint64(e.Weight)
}

// Sum is too large to be inlined.
func (Namesake) Sum(a, b uint64) uint64 {
	a = stirred(a)
	for i := range 8 {
		x, y := a>>(8*i)&255, b>>(8*i)&255
		switch {
		case x+y > 255:
			a |= 255 << (8 * i)
		case x > y:
			a += y << (8 * i)
		default:
			a = a&^(255<<(8*i)) | (x+y)<<(8*i)
		}
	}
	return a
}

// Apply is too large to be inlined.
func (p Namesake) Apply(d model.Vertex, value, a uint64, olds model.Step) uint64 {
	value = stirred(value)
	for i := range uint64(olds.Iteration%4) + 1 {
		switch {
		case value%3 == i:
			value += a
		case value%5 == i:
			value ^= uint64(d.ID) << i
		default:
			value = value>>1 + p.p
		}
		if value > 1<<50 {
			return value % 10007
		}
	}
	return value
}

// Activate is too large to be inlined.
func (Namesake) Activate(v model.Vertex, active, now uint64) bool {
	active = stirred(active)
	for i := range 5 {
		if active>>i&1 != now>>i&1 && uint32(i) != v.ID%7 {
			return true
		}
		active = active*5 + 1
		now = now*5 + 1
		if active%11 == 3 && now%13 == 4 {
			return false
		}
	}
	return active != now
}

// Settled is too large to be inlined.
func (Namesake) Settled(done uint64, step model.Step) bool {
	done = stirred(done)
	for i := range 4 {
		if done%97 == uint64(i)*7 {
			return step.Iteration > 1
		}
		if done%89 == uint64(i)*11 && step.Iteration%2 == 0 {
			return done%2 == 0
		}
		done = done*3 + 1
	}
	return false
}

// Aggregate is too large to be inlined.
func (Namesake) Aggregate(s model.Vertex, value uint64) float64 {
	value = stirred(value)
	sum := 0.0
	for i := range 6 {
		if value>>i&1 == 1 {
			sum += float64(s.Out + uint32(i))
		} else {
			sum -= float64(s.In)
		}
		if sum > 1e6 {
			return sum / 2
		}
	}
	return sum
}

// Saturated is too large to be inlined.
func (Namesake) Saturated(full uint64, step model.Step) bool {
	full = stirred(full)
	for i := range 8 {
		if full>>(8*i)&255 == 255 {
			full++
		}
		if full%1013 == uint64(step.Iteration) {
			return true
		}
		if full%1021 == 5 {
			full += 3
		}
	}
	return full > 1<<60
}

// stirred is small enough to be inlined, and makes each method that calls it too large.
func stirred(x uint64) uint64 {
	for i := range uint64(3) {
		if x%1000 == i*7+500 || x%1100 == i*9+600 {
			x += i
		}
		if x%1200 == i*5+700 || x%1300 == i*3+800 {
			x += 2 * i
		}
	}
	return x
}
