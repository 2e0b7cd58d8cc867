package policy

import (
	"math"
	"slices"
)

// Interval is the shards [From, To).
type Interval struct{ From, To int }

// Split divides shards among workers with such speeds, so that each takes about as long as the others.
func Split(edges []uint64, speeds []float64) []Interval {
	list := make([]Interval, len(speeds))
	rest, from := 0.0, 0
	for _, x := range speeds {
		rest += x
	}
	for k, x := range speeds {
		to := len(edges)
		if k < len(speeds)-1 {
			to = from + prefix(edges[from:], sum(edges[from:])*x/rest)
		}
		list[k], from, rest = Interval{from, to}, to, rest-x
	}
	return list
}

// Evenly returns the speeds of n workers that are equal.
func Evenly(n int) []float64 { return slices.Repeat([]float64{1}, n) }

// Balance returns the speeds of workers by the seconds after which they ended an iteration. Unless the ends differ
// by more than [steady], nothing changes. Otherwise speeds change by half of what would have made the ends the same,
// since one iteration may be slow by chance.
func Balance(speeds, seconds []float64) []float64 {
	first, last := slices.Min(seconds), slices.Max(seconds)
	if first <= 0 || last <= (1+steady)*first {
		return speeds
	}
	list := make([]float64, len(speeds))
	for k, x := range speeds {
		list[k] = min(max(x*math.Sqrt((first+last)/2/seconds[k]), 1./mostFaster), mostFaster)
	}
	return list
}

// mostFaster bounds speeds.
const mostFaster = 2

// Widen extends intervals into their neighbours, by as much as borders may move. Of a list in order, the first and the
// last shards of the intervals are in order, too.
func Widen(edges []uint64, list []Interval) []Interval {
	list = slices.Clone(list)
	for k, i := range list {
		more := sum(edges[i.From:i.To]) / widenedShare
		list[k] = Interval{i.From - suffix(edges[:i.From], more), i.To + prefix(edges[i.To:], more)}
		if k > 0 {
			list[k].From = max(list[k].From, list[k-1].From)
		}
	}
	for k := len(list) - 2; k >= 0; k-- {
		list[k].To = min(list[k].To, list[k+1].To)
	}
	return list
}

// widenedShare is the part of its edges that a worker also keeps on either side.
const widenedShare = 16

// Divides reports whether frontiers of a graph become so large that several GPUs take less time than one. On a grid,
// where few edges leave a vertex, they do not: a frontier is the rim of the reached vertices.
func Divides(vertices uint32, edges uint64) bool {
	const atLeast, degree = 1 << 27, 8
	return edges >= max(atLeast, degree*uint64(vertices))
}

// Division says what workers do in an iteration.
type Division struct {
	Kept []Interval // by each GPU, of what stays there
	GPUs []Interval // that are streamed to each
	CPU  Interval
}

// Divide divides an iteration over shards with the given edges among GPUs with such speeds and, if both is set, the
// CPU, so that they end at the same time. Each GPU keeps an interval of shards, from the first one on; those of
// neighbours may overlap. The CPU gets those shards that are streamed and have the most edges each, up to a limit: it
// goes over all values once for a shard. Of a Division that is nearly as good as the new one, nothing changes: GPUs
// copy ahead what they had the last time.
func Divide(edges []uint64, keep []Interval, speeds []float64, s Speeds, both bool, last Division) Division {
	kept := keep[len(keep)-1].To
	all, streamed := Interval{0, len(edges)}, sum(edges[kept:])
	rate := s.Streamed
	if s.Crowded > 0 {
		rate = s.Crowded
	}
	d := Division{CPU: Interval{len(edges), len(edges)}}
	if rest := (Interval{kept, all.To}); both && streamed > 0 {
		share := max(streamed*rate/(s.Page+rate), min(streamed, s.Resident*sum(edges[:kept])/s.Page))
		d.CPU = ofCPU(edges, rest, share)
		if old := last.CPU; old.From >= kept && math.Abs(sum(edges[old.From:old.To])-share) < steady*streamed {
			d.CPU = old
		}
		all = Interval{kept, d.CPU.From}
		if d.CPU.From == kept {
			all = Interval{d.CPU.To, rest.To}
		}
	} else {
		all.From = kept
		if share := s.Resident * sum(edges) / (s.Page + s.Resident) / float64(len(keep)); both {
			d.CPU.From = len(edges) - suffix(edges, share)
		}
	}
	for _, i := range Split(edges[all.From:max(all.From, all.To)], speeds) {
		d.GPUs = append(d.GPUs, Interval{all.From + i.From, all.From + i.To})
	}
	from, end := 0, min(kept, d.CPU.From)
	for k, i := range Split(edges[:end], speeds) {
		to := end
		if k < len(keep)-1 {
			to = max(from, min(max(i.To, keep[k+1].From), keep[k].To, end))
		}
		d.Kept, from = append(d.Kept, Interval{from, to}), to
	}
	return d
}

// steady is the part by which the share of the CPU, or the time of a GPU, must change before borders do.
const steady = 0.03

// longTask is the cost of a shard that keeps a goroutine of the CPU busy for some milliseconds, so that others wait for
// it at the end of an iteration.
const longTask = 3 << 18

// ofCPU returns an interval with about share edges, at the end of rest where shards have more of them, unless those
// take a goroutine too long.
func ofCPU(edges []uint64, rest Interval, share float64) Interval {
	half := (rest.From + rest.To) / 2
	first := sum(edges[rest.From:half]) / float64(max(1, half-rest.From))
	second := sum(edges[half:rest.To]) / float64(max(1, rest.To-half))
	if (first > second) == (max(first, second) <= longTask) {
		return Interval{rest.From, rest.From + prefix(edges[rest.From:rest.To], share)}
	}
	return Interval{rest.To - suffix(edges[rest.From:rest.To], share), rest.To}
}

func sum(edges []uint64) float64 {
	var n uint64
	for _, x := range edges {
		n += x
	}
	return float64(n)
}

// prefix returns the number of shards, from the first one on, that have about want edges.
func prefix(edges []uint64, want float64) int {
	for i, n := range edges {
		if want < float64(n)/2 {
			return i
		}
		want -= float64(n)
	}
	return len(edges)
}

// suffix returns the number of shards, from the last one back, that have about want edges.
func suffix(edges []uint64, want float64) (n int) {
	for n < len(edges) {
		x := float64(edges[len(edges)-1-n])
		if want < x/2 {
			break
		}
		want -= x
		n++
	}
	return n
}
