package policy

import "testing"

// TestLearnSpeeds checks that a measurement counts half, one that is far off no more than twice
// the old one, and none where the speeds are given.
func TestLearnSpeeds(t *testing.T) {
	for _, c := range []struct {
		name string
		old  Speeds
		m    Measurement
		want Speeds
	}{
		{"the first", Speeds{}, Measurement{Link: Took{6, 2}}, Speeds{Link: 3}},
		{"half each", Speeds{Link: 4}, Measurement{Link: Took{6, 1}}, Speeds{Link: 5}},
		{"far off", Speeds{Link: 4}, Measurement{Link: Took{600, 1}}, Speeds{Link: 6}},
		{"nothing", Speeds{Link: 4}, Measurement{Link: Took{0, 1}, Streamed: Took{1, 0}}, Speeds{Link: 4}},
		{"a pull", Speeds{}, Measurement{Scan: Scanned{Seconds: 12, Edges: 6, Looked: 4}}, Speeds{Page: 2, CPU: 3}},
		{"a pull that skipped most", Speeds{CPU: 1}, Measurement{Scan: Scanned{Seconds: 12, Edges: 6, Looked: 3}},
			Speeds{Page: 2, CPU: 1}},
		{"of the GPU", Speeds{}, Measurement{Decision: Decision{Device: GPU, Method: Pull}, Beside: 5, Resident: Took{1, 2}},
			Speeds{Alone: 5, Resident: 0.5}},
		{"of the GPU, with notifying", Speeds{}, Measurement{Decision: Decision{Device: GPU, Method: NotifyPull}, Beside: 5},
			Speeds{}},
		{"of both", Speeds{}, Measurement{Decision: Decision{Device: Hybrid, Method: Pull}, Beside: 5, Streamed: Took{1, 2}},
			Speeds{Both: 5, Crowded: 0.5}},
		{"a page beside iterations was slower", Speeds{Page: 2}, Measurement{Scan: Scanned{Seconds: 12, Edges: 4}},
			Speeds{Page: 2}},
		{"it was faster", Speeds{Page: 2}, Measurement{Scan: Scanned{Seconds: 4, Edges: 4}}, Speeds{Page: 1.5}},
	} {
		if got := Learn(State{Limit: inMemoryLimit, Speeds: c.old}, c.m).Speeds; got != c.want {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
		if got := Learn(State{Limit: inMemoryLimit, Speeds: c.old, Fixed: true}, c.m).Speeds; got != c.old {
			t.Errorf("%s: given speeds became %+v", c.name, got)
		}
	}
}

// TestCompare checks that a cold iteration of both does not keep the CPU away for ever. Then the GPU
// works alone, then both, and what these show counts alone.
func TestCompare(t *testing.T) {
	o := Observation{Facts: facts(), Fraction: 1, GPUs: 1}
	s := State{Limit: inMemoryLimit, Speeds: Speeds{CPU: 4, Page: 4, Streamed: 2, Link: 1e-12, Alone: 1}}
	for i, c := range []struct {
		want             Device
		streamed, beside float64 // that it takes
		page             float64
	}{
		{Hybrid, 9, 5000, 40}, {GPU, 1, 2, 0}, {Hybrid, 1.2, 3, 4}, {Hybrid, 1.2, 3, 4},
	} {
		d, next := Decide(o, s)
		if d.Device != c.want {
			t.Fatalf("iteration %d: %s, want %s, with %+v", i, d.Device, c.want, s.Speeds)
		}
		m := Measurement{Observation: o, Decision: d, Beside: c.beside, Streamed: Took{c.streamed, 1}}
		if d.Device == Hybrid {
			m.Scan = Scanned{c.page, 1, 1}
		}
		s = Learn(next, m)
	}
	if want := (Speeds{CPU: s.Speeds.CPU, Page: 4, Streamed: 1, Crowded: 1.2, Link: 1e-12, Alone: 2,
		Both: 3}); s.Speeds != want {
		t.Errorf("got %+v, want %+v", s.Speeds, want)
	}
	s = Learn(s, Measurement{Observation: o, Decision: Decision{Device: Hybrid, Method: Pull}, Streamed: Took{3, 1}})
	if d, _ := Decide(o, s); !near(s.Speeds.Crowded, 1.8) || d.Device != GPU {
		t.Errorf("%s, with %+v", d.Device, s.Speeds)
	}
}

// TestLearnNotify checks that the first notify-pull reads the sides and says nothing; then few
// edges say what it takes in any case, and many what an edge takes.
func TestLearnNotify(t *testing.T) {
	o := Observation{Facts: facts(), Fraction: 0.5}
	m := Measurement{Observation: o, Decision: Decision{Device: CPU, Method: NotifyPull}, Notify: 5100}
	s := Learn(State{Limit: inMemoryLimit}, m)
	if s.Speeds != (Speeds{}) || !s.Notified {
		t.Fatalf("the first notify-pull: %+v", s)
	}
	m.Observation.Fraction, m.Notify = 0.00005, 100
	if s = Learn(s, m); s.Speeds != (Speeds{Least: 100}) {
		t.Errorf("few edges: %+v", s.Speeds)
	}
	m.Observation.Fraction, m.Notify = 0.5, 5100
	if s = Learn(s, m); s.Speeds != (Speeds{Least: 100, Notify: 1}) {
		t.Errorf("many edges: %+v", s.Speeds)
	}
}

// TestOwed checks that pulls that look at more than notify-pull would pay for the sides that it
// needs, by what they look at.
func TestOwed(t *testing.T) {
	f := facts()
	s := Start(f, State{}, 0)
	if s.Counts.Owed != 10000 || s.Limit != 0.5 {
		t.Fatalf("it begins with %+v", s)
	}
	pull := func(s State, device Device, fraction float64) State {
		m := Measurement{Observation: Observation{Facts: f, Fraction: fraction},
			Decision: Decision{Device: device, Method: Pull}, Looked: 9000}
		m.GPUWorked = 9000
		return Learn(s, m)
	}
	if got := pull(s, CPU, 0.6); got.Counts.Owed != 10000 || got.Counts.Pulled != 9000 {
		t.Errorf("a pull that was right: %+v", got.Counts)
	}
	if got := pull(s, CPU, 0.25); got.Counts.Owed != 5000 {
		t.Errorf("a pull of 5000 edges more: %+v", got.Counts)
	}
	if got := pull(s, CPU, 0.01); got.Counts.Owed != 1000 {
		t.Errorf("a pull that looked at 9000 edges and vertices: %+v", got.Counts)
	}
	if got := pull(s, GPU, 0.25); got.Counts.Owed != 10000 {
		t.Errorf("on the GPU, with an unknown speed of the CPU: %+v", got.Counts)
	}
	s.Speeds.CPU = 3
	if got := pull(s, Hybrid, 0.25); got.Counts.Owed != 7000 || got.Counts.Pulled != 0 {
		t.Errorf("in the time for 3000 edges of the CPU: %+v", got.Counts)
	}
	f.Fold.News = true
	if got := pull(s, CPU, 0.005); got.Counts.Owed != 10000-(500+156-4*100) {
		t.Errorf("a pull that looked at 500 vertices and 156 heads: %+v", got.Counts)
	}
	f.Fold.News = false
	f.OneSide = true
	if s := Start(f, State{}, 0); s.Counts.Owed != 0 {
		t.Errorf("with the sides of a pull: %+v", s)
	}
	f.InMemory = false
	if s := Start(f, State{}, 10); s.Limit != 0.05 || s.Counts.Owed != 0 {
		t.Errorf("from disk: %+v", s)
	}
}
