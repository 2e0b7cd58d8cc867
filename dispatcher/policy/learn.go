package policy

import "cmp"

// edgeSeconds is how long the CPU takes for an edge of a pull, as long as that was not
// measured.
const edgeSeconds = 1e-9

// Speeds are how fast the devices of a job are, in seconds: per edge, or per
// byte. They are measured in every iteration that shows them.
type Speeds struct {
	// CPU is per edge or vertex that a pull looks at, Page per edge of the pages
	// that it pulls over: less than that where vertices are settled.
	CPU  float64 `json:"cpu"`
	Page float64 `json:"page"`
	// Notify is per edge along which notify-pull notifies, Least what it takes
	// beside that: it goes over all bits.
	Notify   float64 `json:"notify"`
	Least    float64 `json:"least"`
	Resident float64 `json:"resident"` // per edge that stays on the GPU
	Streamed float64 `json:"streamed"` // per edge that is copied there
	Crowded  float64 `json:"crowded"`  // the same while the CPU works, which shares the bandwidth of memory
	Link     float64 `json:"link"`     // per byte of values
	// Alone and Both are what an iteration of the GPU, or of both, takes beside the
	// work on pages.
	Alone float64 `json:"alone"`
	Both  float64 `json:"both"`
}

// Sound reports whether all figures can be those of a machine.
func (s Speeds) Sound() bool {
	for _, x := range []float64{s.CPU, s.Page, s.Notify, s.Least, s.Resident, s.Streamed, s.Crowded, s.Link,
		s.Alone, s.Both} {
		if x != 0 && !(x > 1e-15 && x < 1e6) {
			return false
		}
	}
	return true
}

// Complete reports whether the speeds are there that a choice needs.
func (s Speeds) Complete(o Observation) bool {
	return s.CPU > 0 && s.Page > 0 && s.Link > 0 && (s.Resident > 0 || o.ResidentEdges == 0) &&
		(s.Streamed > 0 || o.ResidentEdges == o.Facts.PullEdges)
}

// Took is how long so much work took. Nothing is learnt from the zero value.
type Took struct {
	Seconds float64 `json:"seconds"`
	Amount  float64 `json:"amount"`
}

// Rate is seconds by amount; if 0, nothing was measured.
func (t Took) Rate() float64 {
	if t.Amount <= 0 || t.Seconds <= 0 {
		return 0
	}
	return t.Seconds / t.Amount
}

// Mix takes in a new measurement. One that is far off counts as twice the old one:
// it may have been of something else, and a side that looks slow does not work, so
// that the mistake stays hidden.
func (t Took) Mix(old *float64) {
	switch rate := t.Rate(); {
	case rate == 0:
	case *old == 0:
		*old = rate
	default:
		*old = (*old + min(rate, 2**old)) / 2
	}
}

// Scanned is a pull of the CPU over pages.
type Scanned struct {
	Seconds float64 `json:"seconds"`
	Edges   float64 `json:"edges"`  // of the pages
	Looked  float64 `json:"looked"` // edges and vertices that it looked at
}

// looked is what it took for what it looked at; nothing where it was busy with what
// it skipped.
func (p Scanned) looked() (t Took) {
	if p.Looked > p.Edges/2 {
		t = Took{p.Seconds, p.Looked}
	}
	return t
}

// pages is what it took for the edges of the pages.
func (p Scanned) pages() Took { return Took{p.Seconds, p.Edges} }

// Rates are its Speeds.Page and Speeds.CPU; if 0, it has none.
func (p Scanned) Rates() (page, cpu float64) {
	return p.pages().Rate(), p.looked().Rate()
}

// Measurement is what was measured of an iteration, or beside it.
type Measurement struct {
	// Observation and Decision are those of an iteration that was done. A Device of
	// "" says that there was none, and the rest was measured beside iterations.
	Observation Observation `json:"observation"`
	Decision    Decision    `json:"decision"`
	Seconds     float64     `json:"seconds"`          // of the whole iteration
	Looked      uint64      `json:"looked"`           // edges and vertices, in a pull of the CPU alone
	Shards      uint64      `json:"shards,omitempty"` // with marked vertices, in a notify-pull of the CPU
	GPUWorked   float64     `json:"gpu_work"`         // seconds until the last page of a GPU was done
	Notify      float64     `json:"notify"`           // seconds of a notify-pull of the CPU
	Scan        Scanned     `json:"scan"`
	Resident    Took        `json:"resident"`
	Streamed    Took        `json:"streamed"`
	Link        Took        `json:"link"`
	// Beside is what an iteration with a GPU took beside the work on pages.
	Beside float64 `json:"beside"`
}

// Learn takes in a measurement.
func Learn(s State, m Measurement) State {
	notified := s.Notified // otherwise sides were read for good
	if m.Decision.Device != "" {
		s = count(s, m)
	}
	if s.Fixed {
		return s
	}
	v := &s.Speeds
	learnGPU(&s, m)
	m.Link.Mix(&v.Link)
	if page := m.Scan.pages(); m.Decision.Device != "" || v.Page == 0 || page.Rate() < v.Page {
		page.Mix(&v.Page) // beside iterations one page alone is measured, which takes longer than among others
	}
	m.Scan.looked().Mix(&v.CPU)
	if notified && m.Notify > 0 {
		learnNotify(v, m)
	}
	return s
}

// learnGPU takes in an iteration with a GPU. The ones that compare count alone, and cold
// ones only where nothing is known.
func learnGPU(s *State, m Measurement) {
	v, beside, streamed := &s.Speeds, &s.Speeds.Alone, &s.Speeds.Streamed
	if m.Decision.Device == Hybrid {
		beside, streamed = &v.Both, &v.Crowded
	}
	m.Resident.Mix(&v.Resident)
	works := m.Decision.Device == Hybrid || m.Decision.Device == GPU && m.Decision.Method == Pull
	if works && m.Observation.streams() {
		switch {
		case s.Compared == cold:
			s.Compared = warm
			if *streamed > 0 {
				return
			}
		case s.Compared == warm && m.Decision.Device == GPU:
			s.Compared, *beside, *streamed = shownAlone, 0, 0
		case s.Compared == shownAlone && m.Decision.Device == Hybrid:
			s.Compared, *beside, *streamed, v.Page = shownBoth, 0, 0, 0
		}
	}
	if works {
		Took{m.Beside, 1}.Mix(beside)
	}
	m.Streamed.Mix(streamed)
}

// learnNotify takes in an iteration that notified.
func learnNotify(v *Speeds, m Measurement) {
	const few = 1e-4 // of all edges: the rest is what it takes in any case
	if m.Observation.Fraction < few {
		Took{m.Notify, 1}.Mix(&v.Least)
		return
	}
	edges := m.Observation.Fraction * float64(m.Observation.Facts.NotifyEdges)
	Took{max(0, m.Notify-v.Least), edges}.Mix(&v.Notify)
}

// count takes in an iteration by its counts.
func count(s State, m Measurement) State {
	excess := gain(m.Observation, s) // notify-pull would have been better
	switch d := m.Decision; {
	case d.Method == Frontier:
		s.Counts.Loaded = true
	case d.Device == CPU:
		s.Counts.Spent += m.Observation.Facts.spends(m.Looked)
	case m.Observation.Facts.Rows.Frontier:
		s.Counts.Spent += uint64(m.Seconds / cmp.Or(s.Speeds.CPU, edgeSeconds))
	}
	if m.Decision.Device == CPU || m.Observation.Facts.Rows.Frontier {
		s.Counts.Reached += uint64(m.Observation.Fraction * float64(m.Observation.Facts.NotifyEdges))
	}
	switch d := m.Decision; {
	case d.Method == Frontier:
	case d.Device != CPU:
		if excess > 0 && s.Speeds.CPU > 0 {
			s.Counts.Owed -= int64(min(excess, max(0, m.GPUWorked)/s.Speeds.CPU))
		}
	case d.Method == Pull:
		s.Counts.Pulled = m.Looked
		s.Counts.Pulls++
		if excess > 0 {
			s.Counts.Owed -= int64(min(excess, float64(m.Looked)))
		}
	case d.Method == NotifyPull:
		s.Notified, s.Counts.Pulls = true, 0
		if m.Shards > 0 {
			s.Counts.Spread = spreadOf(m)
		}
	}
	if s.Untried += m.Seconds; m.Decision.Device != CPU {
		s.Untried = 0
	}
	return s
}
