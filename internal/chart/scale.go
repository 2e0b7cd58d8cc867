package chart

import (
	"math"
	"strconv"
	"strings"
)

// Scale is how an axis shows numbers.
type Scale struct {
	Label string
	Unit  string // of the labels of ticks, which get a prefix: ms, µs …
	Log   bool
	Whole bool // whole numbers only, none of them abbreviated
}

// tick is a mark at a place on an axis, "": without a label.
type tick struct {
	at    float64
	label string
}

// beyond this, or below its inverse, a number is none that was measured.
const beyond = 1e30

// Shows reports whether a number has a place on the axis.
func (s Scale) Shows(x float64) bool {
	if s.Log {
		return x >= 1/beyond && x <= beyond
	}
	return x >= 0 && x <= beyond // so not NaN
}

// at is the place of a number on the axis: that of its logarithm, if need be.
func (s Scale) at(x float64) float64 {
	if s.Log {
		return math.Log10(x)
	}
	return x
}

// bounds are the places where an axis for numbers from low to high begins and
// ends, with some room.
func (s Scale) bounds(low, high float64) (from, to float64) {
	switch {
	case s.Whole:
		return low - 0.5, high + 0.5
	case s.Log:
		from, to = s.at(low), s.at(high)
		room := max((to-from)/20, 0.08)
		return from - room, to + room
	case high == 0:
		return 0, 1
	default:
		return 0, 1.05 * high
	}
}

// ticks are at 1, 2 and 5 times powers of ten; on a logarithmic axis of more
// than three decades at powers of ten alone, and on one of less than one at even
// steps.
func (s Scale) ticks(from, to float64) []tick {
	switch {
	case !s.Log:
		return s.evenTicks(from, to)
	case to-from < 1:
		return s.evenTicks(math.Pow(10, from), math.Pow(10, to))
	}
	var all []tick
	decades := int(math.Ceil((to - from) / 9))
	for e := int(math.Floor(from)); e <= int(math.Ceil(to)); e++ {
		for digit := 1.0; digit < 10; digit++ {
			x := digit * math.Pow10(e)
			t := tick{at: s.at(x)}
			if t.at < from || t.at > to {
				continue
			}
			if digit == 1 && e%decades == 0 || to-from <= 3 && (digit == 2 || digit == 5) {
				t.label = s.text(x)
			}
			all = append(all, t)
		}
	}
	return all
}

func (s Scale) evenTicks(low, high float64) []tick {
	step := math.Pow10(int(math.Floor(math.Log10((high - low) / 4))))
	for _, factor := range []float64{2, 2.5, 2} {
		if (high-low)/step > 7 {
			step *= factor
		}
	}
	if s.Whole {
		step = max(step, 1)
	}
	var all []tick
	for i := math.Ceil(low / step); i*step <= high; i++ {
		all = append(all, tick{s.at(i * step), s.text(i * step)})
	}
	return all
}

func (s Scale) text(x float64) string {
	if s.Whole {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return Number(x, s.Unit)
}

// Number writes three digits of x with a prefix to the unit: 1.5 ms, 20 M. With
// no unit, small numbers have none: 0.02.
func Number(x float64, unit string) string {
	const prefixes, one = "pnµm kMGTPE", 4
	digits, power, finite := strings.Cut(strconv.FormatFloat(x, 'e', 2, 64), "e")
	if !finite {
		return strings.TrimSpace(digits + " " + unit)
	}
	mantissa, _ := strconv.ParseFloat(digits, 64) // these were written here
	exponent, _ := strconv.Atoi(power)
	thousands := int(math.Floor(float64(exponent) / 3))
	prefix := []rune(prefixes)
	if thousands+one < 0 || thousands+one >= len(prefix) || unit == "" && thousands < 0 {
		return strings.TrimSpace(strconv.FormatFloat(x, 'g', 3, 64) + " " + unit)
	}
	value := strconv.FormatFloat(mantissa*math.Pow10(exponent-3*thousands), 'g', 4, 64)
	return strings.TrimSpace(value + " " + strings.TrimSpace(string(prefix[thousands+one])+unit))
}
