package results

import (
	"math"

	"golang.org/x/sync/errgroup"
)

// Summary describes the distribution of numbers. It takes some KiB, however many there are, and is the same for
// any order in which they are added, up to the rounding of the mean. The zero value is empty.
type Summary struct {
	Count          int64 // finite numbers
	Null, Infinite int64 // rows without a number; infinite numbers
	Zeros          int64
	Min, Max       float64 // of the finite ones, as the rest
	Whole          bool    // all of these are integers

	sum    float64
	values histogram // by value
	powers histogram // those above 0 by their exponent and the first bits of their fraction
}

// Bin is an interval of numbers, without its end, and how many there are.
type Bin struct {
	From  float64 `json:"from"`
	To    float64 `json:"to"`
	Count int64   `json:"count"`
}

// perOctave is the number of bins of powers lie between a number and twice that, at most.
const perOctave = 8

// powerShift leaves of the bits of a float the exponent, and log₂ perOctave bits of the fraction.
const powerShift = 52 - 3

// Add adds a number.
func (s *Summary) Add(x float64) {
	if x-x != 0 { // infinite, or NaN
		s.Infinite++
		return
	}
	if s.Count == 0 {
		s.Min, s.Max, s.Whole = x, x, true
	}
	s.Count++
	s.Whole = s.Whole && x == math.Trunc(x)
	s.Min, s.Max = min(s.Min, x), max(s.Max, x)
	s.sum += x
	s.values.add(min(max(x, -most), most), 1)
	if x > 0 {
		s.powers.add(float64(math.Float64bits(x)>>powerShift), 1)
	} else if x == 0 {
		s.Zeros++
	}
}

// Merge adds the numbers of another summary of the same type of numbers.
func (s *Summary) Merge(o *Summary) {
	s.Null += o.Null
	s.Infinite += o.Infinite
	if o.Count == 0 {
		return
	}
	if s.Count == 0 {
		s.Min, s.Max, s.Whole = o.Min, o.Max, true
	}
	s.Whole = s.Whole && o.Whole
	s.Count += o.Count
	s.Zeros += o.Zeros
	s.Min, s.Max = min(s.Min, o.Min), max(s.Max, o.Max)
	s.sum += o.sum
	s.values.merge(&o.values)
	s.powers.merge(&o.powers)
}

// Mean returns the mean of the finite numbers, and 0 of none.
func (s *Summary) Mean() float64 { return s.sum / float64(max(s.Count, 1)) }

// tail is the ratio of the largest number to the median of those above 0 from which the tail is heavy.
const tail = 32

// HeavyTailed reports whether logarithmic axes show the distribution better than linear ones.
func (s *Summary) HeavyTailed() bool {
	positive := s.Count - s.Zeros
	if positive == 0 || s.Min < 0 {
		return false
	}
	median, _ := s.quantile(s.octaves(1), s.Zeros+(positive+1)/2)
	return s.Max >= tail*median
}

// Quantile returns the q-th quantile, 0 < q ≤ 1, if it is exact, and otherwise a number in the same bin.
func (s *Summary) Quantile(q float64) (x float64, exact bool) {
	rank := int64(math.Ceil(q * float64(s.Count)))
	if s.HeavyTailed() {
		return s.quantile(s.octaves(1), rank)
	}
	return s.quantile(s.steps(), rank)
}

// quantile returns the number of a rank, from 1 on; the bins are of all numbers, or of those above 0.
func (s *Summary) quantile(bins []Bin, rank int64) (x float64, exact bool) {
	below := s.Count
	for _, b := range bins {
		below -= b.Count
	}
	if rank <= below {
		return 0, true
	}
	for _, b := range bins {
		if below+b.Count < rank {
			below += b.Count
			continue
		}
		x = b.From + (b.To-b.From)*float64(rank-below)/float64(b.Count+1)
		if s.Whole {
			x = max(math.Floor(x), math.Ceil(b.From))
			exact = math.Ceil(b.From)+1 >= b.To
		}
		return min(max(x, s.Min), s.Max), exact || s.Min == s.Max
	}
	return s.Max, true
}

// Bins returns the distribution: bins of equal width, or if the tail is heavy those of equal ratios, or nearly so,
// without numbers that are 0. Empty ones are among them.
func (s *Summary) Bins() []Bin {
	switch {
	case !s.HeavyTailed():
		return s.steps()
	case s.Whole:
		return s.octaves(perOctave) // narrower ones have none of the small integers
	}
	return s.octaves(1)
}

// steps returns the bins by value.
func (s *Summary) steps() []Bin {
	least := 0.0
	if s.Whole {
		least = 1
	}
	return s.values.bins(least, func(x float64) float64 { return x })
}

// octaves returns the bins by powers, of a least width.
func (s *Summary) octaves(width float64) []Bin {
	return s.powers.bins(width, func(x float64) float64 {
		return math.Float64frombits(min(uint64(x)<<powerShift, math.Float64bits(math.Inf(1))))
	})
}

// most is the largest number of a bin by value: where it begins is a number, too.
const most = 1e300

// places is the number of bins of a histogram.
const places = 128

// histogram counts numbers in bins of equal width. The width is a power of two, and doubles whenever the numbers
// have no room; bins begin at multiples of it.
type histogram struct {
	width float64 // 0 for an empty interval
	first float64 // the number of the first bin: where it begins, over width
	count [places]int64
}

// add adds a number n times.
func (h *histogram) add(x float64, n int64) {
	at := math.Floor(x/h.width) - h.first
	if !(at >= 0 && at < places) { // or NaN, of width 0
		h.widen(x, 0)
		at = math.Floor(x/h.width) - h.first
	}
	h.count[int(at)] += n
}

// precision is the number of bits of the largest number that make a difference.
const precision = 30

// widen makes room for a number, with a least width.
func (h *histogram) widen(x, least float64) {
	old := *h
	low, high := x, x
	for i, n := range old.count {
		if n > 0 {
			low, high = min(low, old.start(i)), max(high, old.start(i))
		}
	}
	_, exponent := math.Frexp(max(-low, high))
	if low == 0 && high == 0 {
		exponent = -900
	}
	w := max(old.width, least, math.Ldexp(1, max(exponent, -900)-precision))
	for math.Floor(high/w)-math.Floor(low/w) >= places {
		w *= 2
	}
	room := places - 1 - (math.Floor(high/w) - math.Floor(low/w))
	*h = histogram{width: w, first: math.Floor(low/w) - math.Floor(room/2)}
	for i, n := range old.count {
		if n > 0 {
			h.count[int(math.Floor(old.start(i)/w)-h.first)] += n
		}
	}
}

// start returns where a bin begins.
func (h *histogram) start(i int) float64 { return (h.first + float64(i)) * h.width }

func (h *histogram) merge(o *histogram) {
	for i, n := range o.count {
		if n == 0 {
			continue
		}
		if h.width < o.width {
			h.widen(o.start(i), o.width)
		}
		h.add(o.start(i), n)
	}
}

// bins returns the bins from the first that is not empty to the last, joined to a least width, with the numbers
// for which those of the histogram stand.
func (h *histogram) bins(least float64, number func(float64) float64) (list []Bin) {
	w := max(h.width, least)
	for i, n := range h.count {
		at := math.Floor(h.start(i) / w)
		switch {
		case n == 0:
			continue
		case list == nil:
			list = []Bin{{From: at}}
		}
		for list[len(list)-1].From < at {
			list = append(list, Bin{From: list[len(list)-1].From + 1})
		}
		list[len(list)-1].Count += n
	}
	for i := range list {
		list[i].From, list[i].To = number(list[i].From*w), number((list[i].From+1)*w)
	}
	return list
}

// intervals is into how many parts rows are divided for a summary: the parts, and so the mean, are the same for any
// number of threads.
const intervals = 16

// Summarize describes the numbers of the i-th column, in one pass on some threads.
func Summarize(t Table, i, threads int) (*Summary, error) {
	var parts [intervals]Summary
	var group errgroup.Group
	group.SetLimit(max(threads, 1))
	for k := range parts {
		from, to := t.Rows()*int64(k)/intervals, t.Rows()*int64(k+1)/intervals
		part := &parts[k]
		group.Go(func() error {
			return t.Numbers(i, from, to, func(v *Values) error {
				addAll(part, v.F32, v)
				addAll(part, v.F64, v)
				addAll(part, v.I64, v)
				return nil
			})
		})
	}
	err := group.Wait()
	for k := range parts[1:] {
		parts[0].Merge(&parts[k+1])
	}
	return &parts[0], err
}

func addAll[N float32 | float64 | int64](s *Summary, list []N, v *Values) {
	for i, x := range list {
		if v.isNull(i) {
			s.Null++
		} else {
			s.Add(float64(x))
		}
	}
}
