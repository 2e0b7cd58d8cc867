package bench

import (
	"math"

	"github.com/garaph/garaph/dispatcher"
)

// figures are those of one run of a program in one round. Those that it cannot
// have are NaN.
type figures struct {
	inMemory   bool
	iterations int
	pulls      int     // that were measured
	seconds    float64 // of all iterations, without opening and loading
	peak       int64   // resident memory of the process

	// Of the measured pulls:
	pullSeconds    float64 // the median
	edgesPerSecond float64 // weighted by edges, as are the bytes
	bytesPerSecond float64 // read from disk

	// Shares of ceilings; the last is that of the lowest:
	ofDisk, ofMemory, ofCeiling float64
}

// figuresOf takes a run's report apart.
func figuresOf(r dispatcher.Report, peak int64) figures {
	f := figures{inMemory: r.InMemory, iterations: r.Done() - r.Before, seconds: r.Duration.Seconds(), peak: peak,
		ofDisk: math.NaN(), ofMemory: math.NaN(), ofCeiling: math.NaN()}
	var seconds []float64
	var edges, bytes []weighted
	for i, it := range r.Iterations {
		if measured(r, i) {
			seconds = append(seconds, it.Seconds)
			edges = append(edges, weighted{float64(it.Edges) / it.Seconds, float64(it.Edges)})
			bytes = append(bytes, weighted{float64(it.BytesRead) / it.Seconds, float64(it.Edges)})
		}
	}
	f.pulls = len(seconds)
	f.pullSeconds, f.edgesPerSecond, f.bytesPerSecond = median(seconds), weightedMedian(edges), weightedMedian(bytes)
	return f
}

// measured reports whether the i-th iteration counts: a pull as there would be
// more and more of in a longer run. Those that bring pages into memory to stay
// are not, which are the pulls in memory that read anything and the first
// iteration of a run from disk.
func measured(r dispatcher.Report, i int) bool {
	it := r.Iterations[i]
	return it.Method == dispatcher.Pull && (r.InMemory && it.BytesRead == 0 || !r.InMemory && it.Iteration > 0)
}

// compare computes the shares of a run: in memory, of gather-only; from
// disk, of the disk and of the same program in memory (nil: there was no such
// run), the larger of which is the share of the lower ceiling.
func (f *figures) compare(gather, disk float64, memory *figures) {
	if f.inMemory {
		f.ofCeiling, f.bytesPerSecond = f.edgesPerSecond/gather, math.NaN()
		return
	}
	if f.bytesPerSecond > 0 {
		f.ofDisk = f.bytesPerSecond / disk
	}
	if memory != nil {
		f.ofMemory = f.edgesPerSecond / memory.edgesPerSecond
	}
	f.ofCeiling = f.ofDisk
	if math.IsNaN(f.ofDisk) || f.ofMemory > f.ofDisk {
		f.ofCeiling = f.ofMemory
	}
}

// programColumns are those of the table of programs, after which program and
// from where; cells are theirs.
var programColumns = []Column{
	{Name: "iterations"}, {Name: "seconds", text: secondsText}, {Name: "pulls"}, {Name: "seconds/pull", text: secondsText},
	{Name: "edges/s", text: rateText, spread: true}, {Name: "read B/s", text: rateText}, {Name: "of disk", text: shareText},
	{Name: "of memory", text: shareText}, {Name: "of ceiling", text: shareText, spread: true},
	{Name: "peak memory", text: func(x float64) string { return sizeText(int64(x)) }},
}

// cells sums up the rounds of a run.
func cells(rounds []figures) []any {
	over := func(figure func(figures) float64) *Spread {
		var values []float64
		for _, f := range rounds {
			values = append(values, figure(f))
		}
		return spread(values)
	}
	last := rounds[len(rounds)-1]
	return []any{
		last.iterations, over(func(f figures) float64 { return f.seconds }),
		last.pulls, over(func(f figures) float64 { return f.pullSeconds }),
		over(func(f figures) float64 { return f.edgesPerSecond }), over(func(f figures) float64 { return f.bytesPerSecond }),
		over(func(f figures) float64 { return f.ofDisk }), over(func(f figures) float64 { return f.ofMemory }),
		over(func(f figures) float64 { return f.ofCeiling }), over(func(f figures) float64 { return float64(f.peak) }),
	}
}
