package bench

import (
	"math"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/dispatcher"
)

// figures are what one run of a program in one round gives. Those that it
// cannot have are NaN.
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

	// Shares of ceilings:
	ofGather, ofDisk, ofMemory, ofCeiling float64
}

// figuresOf takes a run's report apart.
func figuresOf(r dispatcher.Report, peak int64) figures {
	f := figures{inMemory: r.InMemory, iterations: len(r.Iterations), seconds: r.Duration.Seconds(), peak: peak,
		ofGather: math.NaN(), ofDisk: math.NaN(), ofMemory: math.NaN(), ofCeiling: math.NaN()}
	var seconds []float64
	var edges, bytes []weighted
	for _, it := range r.Iterations {
		if measured(it, r.InMemory) {
			seconds = append(seconds, it.Seconds)
			edges = append(edges, weighted{float64(it.Edges) / it.Seconds, float64(it.Edges)})
			bytes = append(bytes, weighted{float64(it.BytesRead) / it.Seconds, float64(it.Edges)})
		}
	}
	f.pulls = len(seconds)
	f.pullSeconds, f.edgesPerSecond, f.bytesPerSecond = median(seconds), weightedMedian(edges), weightedMedian(bytes)
	return f
}

// measured reports whether an iteration counts: a pull, and none that brings
// pages into memory to stay there. Those are the pulls in memory that read
// anything, and the first iteration of a run from disk.
func measured(it garaph.Iteration, inMemory bool) bool {
	if it.Method != dispatcher.Pull {
		return false
	}
	if inMemory {
		return it.BytesRead == 0
	}
	return it.Iteration > 0
}

// holdAgainst computes the shares of a run: in memory, of gather-only; from
// disk, of the disk and of the same program in memory (nil: there was no such
// run), the larger of which is the share of the lower ceiling.
func (f *figures) holdAgainst(gather, disk float64, memory *figures) {
	if f.inMemory {
		f.ofGather = f.edgesPerSecond / gather
		f.ofCeiling = f.ofGather
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
