package bench

import (
	"math"
	"testing"
	"time"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/dispatcher"
)

func pull(i int, edges uint64, read int64, seconds float64) garaph.Iteration {
	return garaph.Iteration{Iteration: i, Method: dispatcher.Pull, Edges: edges, Traffic: dispatcher.Traffic{Reads: dispatcher.Reads{BytesRead: read}}, Seconds: seconds}
}

func TestFiguresInMemory(t *testing.T) {
	f := figuresOf(dispatcher.Report{InMemory: true, Duration: 20 * time.Second, Iterations: []garaph.Iteration{
		pull(0, 100, 500, 9), // brings the pages
		pull(1, 100, 0, 2),
		{Iteration: 2, Method: dispatcher.NotifyPull, Edges: 9, Seconds: 1},
		pull(3, 100, 0, 4),
		pull(4, 100, 0, 1),
	}}, 77)
	f.compare(100, 1, nil)
	if f.iterations != 5 || f.pulls != 3 || f.seconds != 20 || f.peak != 77 || f.pullSeconds != 2 || f.edgesPerSecond != 50 || f.ofCeiling != 0.5 {
		t.Errorf("got %+v", f)
	}
	if !math.IsNaN(f.ofDisk) || !math.IsNaN(f.ofMemory) {
		t.Errorf("a run in memory has shares of other ceilings: %+v", f)
	}
}

func TestFiguresFromDisk(t *testing.T) {
	report := dispatcher.Report{Iterations: []garaph.Iteration{pull(0, 100, 900, 9), pull(1, 100, 400, 2), pull(2, 0, 0, 1)}}
	memory := &figures{edgesPerSecond: 200}
	for _, test := range []struct {
		name                        string
		disk                        float64
		memory                      *figures
		ofDisk, ofMemory, ofCeiling float64
	}{
		{"the disk is the ceiling", 250, memory, 0.8, 0.25, 0.8},
		{"memory is the ceiling", 2000, memory, 0.1, 0.25, 0.25},
		{"no run in memory", 250, nil, 0.8, math.NaN(), 0.8},
		{"the disk is unknown", math.NaN(), memory, math.NaN(), 0.25, 0.25},
	} {
		f := figuresOf(report, 0)
		f.compare(1, test.disk, test.memory)
		if f.pulls != 2 || f.edgesPerSecond != 50 || f.bytesPerSecond != 200 {
			t.Fatalf("%s: got %+v", test.name, f)
		}
		for i, pair := range [][2]float64{{f.ofDisk, test.ofDisk}, {f.ofMemory, test.ofMemory}, {f.ofCeiling, test.ofCeiling}} {
			if pair[0] != pair[1] && !(math.IsNaN(pair[0]) && math.IsNaN(pair[1])) {
				t.Errorf("%s: share %d is %v, want %v", test.name, i, pair[0], pair[1])
			}
		}
	}
}

// Without a pull that counts there are no figures of pulls, and what was read
// by none is no share of the disk.
func TestFiguresAbsent(t *testing.T) {
	f := figuresOf(dispatcher.Report{InMemory: true, Iterations: []garaph.Iteration{pull(0, 100, 900, 9)}}, 0)
	f.compare(1, 1, nil)
	r := &Table{Columns: programColumns, Rows: [][]any{cells([]figures{f})}}
	if column[int](t, r, "iterations")[0] != 1 || column[int](t, r, "pulls")[0] != 0 {
		t.Errorf("got %v", r.Rows)
	}
	for _, name := range []string{"seconds/pull", "edges/s", "read B/s", "of ceiling"} {
		if s := column[*Spread](t, r, name)[0]; s != nil {
			t.Errorf("%s: got %v", name, s)
		}
	}
	f = figuresOf(dispatcher.Report{Iterations: []garaph.Iteration{pull(1, 100, 0, 1)}}, 0)
	f.compare(1, 1, nil)
	r.Rows[0] = cells([]figures{f})
	if column[*Spread](t, r, "edges/s")[0] == nil || column[*Spread](t, r, "of disk")[0] != nil || column[*Spread](t, r, "of ceiling")[0] != nil {
		t.Errorf("got %v", r.Rows)
	}
}
