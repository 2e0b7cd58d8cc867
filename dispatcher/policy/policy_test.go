package policy

import (
	"math"
	"testing"
)

// facts are those of a job over a graph in memory, with both devices.
func facts() Facts {
	return Facts{Method: Auto, Device: Hybrid, Vertices: 500, ValueBytes: 8, PullEdges: 10000, NotifyEdges: 10000,
		Pages: 20, InMemory: true}
}

func near(got, want float64) bool { return math.Abs(got-want) <= 1e-6*math.Abs(want) }

// TestMethod checks the choice of pull or notify-pull by f, by what pulls look at, and by what has to be
// applied in any case.
func TestMethod(t *testing.T) {
	for _, c := range []struct {
		name string
		set  func(o *Observation, s *State)
		f    float64
		want Method
	}{
		{"few are active", nil, 0.4, NotifyPull},
		{"many are active", nil, 0.6, Pull},
		{"none is active along edges", nil, 0, NotifyPull},
		{"asked for", func(o *Observation, _ *State) { o.Facts.Method = NotifyPull }, 0.9, NotifyPull},
		{"the aggregate changed", func(o *Observation, _ *State) { o.Facts.Method, o.AggregateChanged = NotifyPull, true },
			0.1, Pull},
		{"sides not read yet", func(_ *Observation, s *State) { s.Counts.Owed = 1 }, 0.1, Pull},
		{"from disk", func(_ *Observation, s *State) { s.Limit = 0.05 }, 0.1, Pull},
		{"a pull ends early", func(o *Observation, _ *State) { o.Facts.Saturates = true }, 0.3, Pull},
		{"the last pull was short", func(o *Observation, s *State) { o.Facts.Saturates, s.Counts.Pulled = true, 100 },
			0.1, Pull},
		{"the last pull was longer", func(o *Observation, s *State) { o.Facts.Saturates, s.Counts.Pulled = true, 300 },
			0.01, NotifyPull},
		{"a pull folds the same blocks", func(o *Observation, _ *State) { o.Facts.Fold.News = true }, 0.01, Pull},
		{"a pull looks at all vertices", func(o *Observation, _ *State) { o.Facts.Fold.News = true }, 0.005, NotifyPull},
		{"a pull from disk reads all", func(o *Observation, _ *State) { o.Facts.Fold.News, o.Facts.InMemory = true, false },
			0.3, NotifyPull},
		{"a side to go through", func(o *Observation, _ *State) { o.Facts.Fold.Scans = 5000 }, 0.3, Pull},
		{"few lead to what is active", func(o *Observation, _ *State) { o.Facts.Fold.Scans, o.Facts.Vertices = 5000, 2001 },
			0.2, NotifyPull},
		{"as many as there are vertices", func(o *Observation, _ *State) {
			o.Facts.Fold.Scans, o.Facts.Vertices = 5000, 2000
		}, 0.2, Pull},
		{"notified edges lead to all shards", func(o *Observation, _ *State) {
			o.Facts.Fold.Folded, o.Facts.Fold.Shards = 10000, 20
		}, 0.04, Pull},
		{"they lead to all, and a pull applies all vertices", func(o *Observation, _ *State) {
			o.Facts.Fold.Folded, o.Facts.Fold.Shards = 10000, 20
		}, 0.002, NotifyPull},
		{"they lead to half of them", func(o *Observation, _ *State) { o.Facts.Fold.Folded, o.Facts.Fold.Shards = 10000, 20 },
			0.001, NotifyPull},
		{"as they lead to, as was seen", func(o *Observation, s *State) {
			o.Facts.Fold.Folded, o.Facts.Fold.Shards, s.Counts.Spread = 10000, 20, 0.01
		},
			0.1, NotifyPull},
		{"they lead to all, as was seen", func(o *Observation, s *State) {
			o.Facts.Fold.Folded, o.Facts.Fold.Shards, s.Counts.Spread = 10000, 20, 1
		},
			0.1, Pull},
		{"one is tried after pulls", func(o *Observation, s *State) {
			o.Facts.Fold.Folded, o.Facts.Fold.Shards, s.Counts.Spread, s.Counts.Pulls = 10000, 20, 1, 32
		}, 0.05, NotifyPull},
		{"not soon after one led to all", func(o *Observation, s *State) {
			o.Facts.Fold.Folded, o.Facts.Fold.Shards, s.Counts.Spread, s.Counts.Pulls = 10000, 20, 1, 31
		}, 0.05, Pull},
		{"it is not tried where that takes long", func(o *Observation, s *State) {
			o.Facts.Fold.Folded, o.Facts.Fold.Shards, s.Counts.Spread, s.Counts.Pulls = 10000, 20, 1, 32
		}, 0.1, Pull},
		{"few edges are packed", func(o *Observation, _ *State) { o.Facts.Fold.Folded, o.Facts.Fold.Shards = 5000, 20 },
			0.1, NotifyPull},
		{"the last pull of one without Saturated", func(_ *Observation, s *State) { s.Counts.Pulled = 100 },
			0.01, NotifyPull},
	} {
		o := Observation{Facts: facts(), Fraction: c.f}
		s := Start(o.Facts, State{}, 0)
		s.Counts.Owed = 0
		if c.set != nil {
			c.set(&o, &s)
		}
		if d, _ := Decide(o, s); d.Method != c.want || d.Device != CPU || d.Alpha != 0 {
			t.Errorf("%s: got %+v, want %s on the CPU", c.name, d, c.want)
		}
	}
}

// TestAlpha checks that α decides as the formula says, with what has to be fetched first, and
// what saves nothing is not shared.
func TestAlpha(t *testing.T) {
	for _, c := range []struct {
		name   string
		speeds Speeds
		method Method
		f      float64
		want   Device
		alpha  float64
	}{
		{"as fast", Speeds{CPU: 1, Page: 1, Resident: 1, Link: 1e-12}, Pull, 1, CPU, 1},
		{"twice as fast", Speeds{CPU: 2, Page: 2, Resident: 1, Link: 1e-12}, Pull, 1, Hybrid, 2},
		{"the CPU would add little", Speeds{CPU: 50, Page: 50, Resident: 1, Link: 1e-12}, Pull, 1, GPU, 50},
		{"a slow link", Speeds{CPU: 2, Page: 2, Resident: 1, Link: 10}, Pull, 1, GPU, 2},
		{"few are active", Speeds{CPU: 10, Page: 10, Notify: 20, Resident: 1, Link: 1e-12}, NotifyPull, 0.01, CPU, 0.2},
		{"not measured yet", Speeds{CPU: 10, Page: 10, Resident: 1, Link: 1e-12}, NotifyPull, 0.01, CPU, 0.6},
		{"not that few", Speeds{CPU: 10, Page: 10, Notify: 20, Resident: 1, Link: 1e-12}, NotifyPull, 0.25, Hybrid, 5},
		{"measured along few edges", Speeds{CPU: 1, Page: 1, Notify: 1000, Resident: 2, Link: 1e-12}, NotifyPull, 0.01,
			CPU, 0.53},
		{"what an iteration takes beside", Speeds{CPU: 2, Page: 2, Resident: 1, Link: 1e-12, Alone: 10000}, Pull, 1, CPU, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := Observation{Facts: facts(), Fraction: c.f, GPUs: 1, ResidentEdges: 10000}
			o.Facts.Method = c.method
			s := State{Limit: inMemoryLimit, Speeds: c.speeds}
			d, _ := Decide(o, s)
			if d.Device != c.want || !near(d.Alpha, c.alpha) {
				t.Errorf("got %s, α = %v; want %s, %v", d.Device, d.Alpha, c.want, c.alpha)
			}
			if d.Device != CPU && d.Method != Pull {
				t.Errorf("all edges stay on the GPU, and it does a %s", d.Method)
			}
			behind := o
			behind.GPUStale = 4000
			once, after := Decide(behind, s)
			if !(once.Alpha < d.Alpha) {
				t.Errorf("α = %v, and %v when the GPU is behind", d.Alpha, once.Alpha)
			}
			if twice, _ := Decide(behind, after); twice.Alpha > once.Alpha != (d.Alpha > 1) {
				t.Errorf("α = %v, when the GPU is behind %v and %v: what was missed counts", d.Alpha, once.Alpha, twice.Alpha)
			}
			behind = o
			behind.HostStale = 4000
			if once, after = Decide(behind, s); !(once.Alpha > d.Alpha) {
				t.Errorf("α = %v, and %v when the host is behind", d.Alpha, once.Alpha)
			}
			if twice, _ := Decide(behind, after); twice.Alpha < once.Alpha != (d.Alpha < 1) {
				t.Errorf("α = %v, when the host is behind %v and %v: what was missed counts", d.Alpha, once.Alpha, twice.Alpha)
			}
		})
	}
}

// TestNothingToChoose checks that the CPU works without a GPU, and the GPU where no other may and
// need work.
func TestNothingToChoose(t *testing.T) {
	for _, c := range []struct {
		name     string
		device   Device
		gpus     int
		pull     uint64
		resident uint64
		want     Device
		chosen   bool
	}{
		{"no GPU", Hybrid, 0, 10000, 0, CPU, false},
		{"the GPU was lost", GPU, 0, 10000, 0, CPU, false},
		{"no edges", Hybrid, 1, 0, 0, CPU, false},
		{"no edges, on the GPU", GPU, 1, 0, 0, GPU, false},
		{"all edges on the GPU", GPU, 1, 10000, 10000, GPU, false},
		{"some edges on the GPU", GPU, 1, 10000, 5000, GPU, true},
	} {
		f := facts()
		f.Device, f.PullEdges = c.device, c.pull
		o := Observation{Facts: f, Fraction: 1, GPUs: c.gpus, ResidentEdges: c.resident}
		s := State{Limit: inMemoryLimit, Speeds: Speeds{CPU: 1, Page: 1, Resident: 1, Streamed: 1}}
		if d, _ := Decide(o, s); d.Device != c.want || (d.Alpha > 0) != c.chosen {
			t.Errorf("%s: got %+v, want %s", c.name, d, c.want)
		}
	}
}

// TestStreamedNotifies checks that a job of the GPU alone notifies where edges are streamed, few
// vertices are active and no aggregate is over all.
func TestStreamedNotifies(t *testing.T) {
	for _, c := range []struct {
		f          float64
		resident   uint64
		aggregates bool
		want       Method
	}{
		{0.001, 0, false, NotifyPull}, {0.001, 10000, false, Pull}, {0.4, 0, false, Pull}, {0.001, 0, true, Pull},
	} {
		o := Observation{Facts: facts(), Fraction: c.f, GPUs: 1, ResidentEdges: c.resident}
		o.Facts.Device, o.Facts.Aggregates = GPU, c.aggregates
		s := State{Limit: inMemoryLimit, Speeds: Speeds{CPU: 1, Page: 1, Resident: 1, Streamed: 1}}
		if d, _ := Decide(o, s); d.Method != c.want || d.Device != GPU {
			t.Errorf("%+v: got %+v", c, d)
		}
	}
}

// TestTried checks that while the CPU works alone, a GPU that is not much slower has three
// iterations after fifty times of what one takes; with α > 1 it is not an attempt.
func TestTried(t *testing.T) {
	o := Observation{Facts: facts(), Fraction: 1, GPUs: 1, ResidentEdges: 10000}
	run := func(s State, iterations int) (devices string) {
		for range iterations {
			var d Decision
			d, s = Decide(o, s)
			devices += string(d.Device[0])
			s = Learn(s, Measurement{Observation: o, Decision: d, Seconds: 10000})
		}
		return devices
	}
	for _, c := range []struct {
		cpu     float64
		untried float64
		want    string
	}{
		{0.5, 50*20000 - 1, "cgggcc"}, {0.5, 50 * 20000, "gggccc"}, {0.1, 1e12, "cccccc"}, {1.01, 0, "gggggg"},
	} {
		s := State{Limit: inMemoryLimit, Fixed: true, Untried: c.untried, Speeds: Speeds{CPU: 2 * c.cpu, Page: 1e9,
			Resident: 2}}
		if got := run(s, len(c.want)); got != c.want {
			t.Errorf("α = %v, untried for %v s: got %s, want %s", c.cpu, c.untried, got, c.want)
		}
	}
}

// TestMaintain checks what is due while the GPU works alone.
func TestMaintain(t *testing.T) {
	o := Observation{Facts: facts(), GPUs: 1, Behind: true}
	s := State{Speeds: Speeds{Link: 1e-3, Page: 1}} // 4 s for all values, 500 s for a page
	var u Upkeep
	if u, s = Maintain(o, s, 800); u != (Upkeep{}) {
		t.Errorf("after 200 times of what fetching takes: %+v", u)
	}
	if u, s = Maintain(o, s, 1); u != (Upkeep{Fetch: true}) || s.Alone != 0 {
		t.Errorf("after more than that: %+v", u)
	}
	if u, s = Maintain(o, s, 200*500); !u.TimeCPU || s.Unseen != 0 {
		t.Errorf("after 200 times of what a page takes: %+v", u)
	}
	o.Facts.Device = GPU
	if u, _ := Maintain(o, s, 1e6); u.TimeCPU {
		t.Error("the CPU is measured in a job of the GPU alone")
	}
	o.Behind = false
	if u, s = Maintain(o, s, 1e6); u != (Upkeep{}) || s.Alone != 0 || s.Unseen != 0 {
		t.Errorf("the host is up to date: %+v", u)
	}
}

// TestFrontier checks that frontiers are chosen when their rows have paid or will; and by programs
// without a better order when few vertices are active.
func TestFrontier(t *testing.T) {
	const paid = rowsCost * 10000
	for _, c := range []struct {
		name                    string
		able, ordered, weighted bool
		f                       float64
		iteration               int
		counts                  Counts
		want                    Method
	}{
		{"cannot", false, true, false, 0.01, 0, Counts{Spent: paid}, NotifyPull},
		{"nobody knows", true, true, false, 0.01, 0, Counts{}, NotifyPull},
		{"has paid", true, true, false, 1, 3, Counts{Spent: paid}, Frontier},
		{"has paid, but many are active", true, false, false, 1, 3, Counts{Spent: paid}, Pull},
		{"has paid, and few are active", true, false, false, 0.01, 3, Counts{Spent: paid}, Frontier},
		{"is there", true, true, false, 1, 3, Counts{Loaded: true}, Frontier},
		{"values go slowly", true, true, false, 1, 0, Counts{Reach: Reach{Slow: true}}, Frontier},
		{"slowly, where many are active", true, false, false, 1, 0, Counts{Reach: Reach{Slow: true}}, Pull},
		{"by priorities over weights", true, true, true, 0.01, 0, Counts{}, Frontier},
		{"over weights, to few", true, true, true, 0.01, 0, Counts{Reach: Reach{Few: true}}, Pull},
		{"over weights, from many to few", true, true, true, 0.1, 0, Counts{Reach: Reach{Few: true}}, Frontier},
		{"from nearly half of the edges", true, true, true, 0.49, 0, Counts{}, Frontier},
		{"from half of them, as of a star", true, true, true, 0.5, 0, Counts{}, NotifyPull},
		{"from a hub", true, true, true, 0.6, 0, Counts{}, Pull},
		{"from a hub, slowly", true, true, true, 0.6, 0, Counts{Reach: Reach{Slow: true}}, Pull},
		{"one step from a hub", true, true, true, 0.6, 1, Counts{}, Pull},
		{"two steps from a hub", true, true, true, 0.6, 2, Counts{}, Frontier},
		{"two steps from hubs of few", true, true, true, 0.6, 2, Counts{Reach: Reach{Few: true}}, Frontier},
		{"few are left two steps from a hub", true, true, true, 0.01, 2, Counts{}, NotifyPull},
		{"few are left, but it takes long", true, true, true, 0.01, 2, Counts{Spent: paid}, Frontier},
	} {
		o := Observation{Facts: facts(), Fraction: c.f, Iteration: c.iteration}
		o.Facts.Rows = FrontierFacts{Frontier: c.able, Ordered: c.ordered, Weighted: c.weighted, RowsEdges: 10000}
		s := Start(o.Facts, State{}, 0)
		s.Counts = c.counts
		if d, _ := Decide(o, s); d.Method != c.want {
			t.Errorf("%s: got %s, want %s", c.name, d.Method, c.want)
		}
		o.Facts.Rows.Iterations = manyIterations
		if d, _ := Decide(o, s); !c.weighted && d.Method == Frontier && c.counts.Reach.Slow {
			t.Errorf("%s, with few iterations: got %s", c.name, d.Method)
		}
		o.AggregateChanged = true
		if d, _ := Decide(o, s); d.Method != Pull {
			t.Errorf("%s, and the aggregate changed: got %s", c.name, d.Method)
		}
	}
	o := Observation{Facts: facts(), Fraction: 0.001}
	s := Start(o.Facts, State{}, 0)
	for _, m := range []Method{Pull, Frontier} {
		s = Learn(s, Measurement{Observation: o, Decision: Decision{Method: m, Device: CPU}, Looked: 10000})
	}
	if want := 10000 + iterationEdges + o.Facts.Vertices/bitVertices; s.Counts.Spent != want || s.Counts.Reached != 20 ||
		!s.Counts.Loaded {
		t.Errorf("10,000 edges pulled along with 10 of active vertices, and a frontier: %+v, want %d spent", s.Counts, want)
	}
}

// TestStoredRows checks that rows that are read as they are needed are chosen where they are fewer bytes
// than the pages of a pull, and whole sides are not read to notify.
func TestStoredRows(t *testing.T) {
	for _, c := range []struct {
		name       string
		f          float64
		ordered    bool
		ratio      float64 // of sequential over random reads
		rows, pull uint64
		want       Method
	}{
		{"few are active", 0.01, false, 1, 100, 100, Frontier},
		{"many are active", 0.2, false, 1, 100, 100, Pull},
		{"many are active, once each", 0.2, true, 1, 100, 100, Frontier},
		{"all rows are fewer bytes than pages", 1, true, 10, 100, 100, Frontier},
		{"all rows are more", 1, true, 1, 101, 100, Pull},
		{"few of many bytes", 0.01, true, 1, 100, 5, Frontier},
		{"few of many bytes, and random reads are slow", 0.01, true, 2, 100, 5, Pull},
		{"all pages stay", 0.0001, true, 1, 100, 0, Pull},
	} {
		o := Observation{Facts: facts(), Fraction: c.f, Iteration: 3}
		o.Facts.InMemory, o.Facts.Rows.Frontier, o.Facts.Rows.Ordered, o.Facts.Rows.RowsBytes, o.PullBytes = false,
			true, c.ordered, c.rows, c.pull
		if d, _ := Decide(o, Start(o.Facts, State{}, c.ratio)); d.Method != c.want {
			t.Errorf("%s: got %s, want %s", c.name, d.Method, c.want)
		}
	}
}

// TestNotifyBytes checks that an iteration from disk notifies only where that, and then gathering, reads no more
// than a pull.
func TestNotifyBytes(t *testing.T) {
	for _, c := range []struct {
		name         string
		f, spread    float64
		pulls        int
		pull, notify uint64
		want         Method
	}{
		{"each edge may lead to another shard", 0.001, 0, 0, 1000, 300, NotifyPull},
		{"there are too many", 0.001, 0, 0, 1000, 400, Pull},
		{"to as few as the last time", 0.1, 0.01, 0, 1000, 300, NotifyPull},
		{"too many sides of active vertices", 0.1, 0.01, 0, 1000, 950, Pull},
		{"to all, and not tried again", 0.01, 1, 100, 1000, 10, Pull},
		{"nothing is read", 0.01, 1, 0, 0, 0, NotifyPull},
		{"a pull reads nothing", 0.01, 1, 0, 0, 10, Pull},
	} {
		o := Observation{Facts: facts(), Fraction: c.f, Iteration: 3, PullBytes: c.pull, NotifyBytes: c.notify}
		o.Facts.InMemory, o.Facts.Fold.Shards = false, 20
		s := Start(o.Facts, State{}, 1)
		s.Counts.Spread, s.Counts.Pulls = c.spread, c.pulls
		if d, _ := Decide(o, s); d.Method != c.want {
			t.Errorf("%s: got %s, want %s", c.name, d.Method, c.want)
		}
	}
}

// TestSpread checks that a job learns from notify-pulls to how many shards notified edges lead. Where
// few are active it finds that these are few, and where they are all it goes back to pulls.
func TestSpread(t *testing.T) {
	for _, c := range []struct {
		name   string
		shards uint64 // that notified edges lead to
		want   int    // notify-pulls of 100 iterations
	}{
		{"a grid", 2, 92}, {"a random graph", 20, 3},
	} {
		f := facts()
		f.Fold.Folded, f.Fold.Shards, f.OneSide = f.PullEdges, 20, true
		f.Vertices = 10 // to apply them all is nothing
		s, notified := Start(f, State{}, 0), 0
		for i := range 100 {
			o := Observation{Facts: f, Iteration: i, Fraction: 0.01}
			d, next := Decide(o, s)
			m := Measurement{Observation: o, Decision: d, Looked: f.PullEdges}
			if d.Method == NotifyPull {
				notified++
				m.Looked, m.Shards = f.PullEdges*c.shards/20, c.shards
			}
			s = Learn(next, m)
		}
		if notified != c.want {
			t.Errorf("%s: %d notify-pulls, want %d", c.name, notified, c.want)
		}
	}
}
