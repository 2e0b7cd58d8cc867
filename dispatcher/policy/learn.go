package policy

import "cmp"

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

// Sound returns the speeds, or none where a figure cannot be one of a machine: the
// file that keeps them can be edited.
func (s Speeds) Sound() Speeds {
	for _, x := range []float64{s.CPU, s.Page, s.Notify, s.Least, s.Resident, s.Streamed, s.Crowded, s.Link, s.Alone, s.Both} {
		if x != 0 && !(x > 1e-15 && x < 1e6) {
			return Speeds{}
		}
	}
	return s
}

// Complete reports whether the speeds are there that a choice needs.
func (s Speeds) Complete(o Observation) bool {
	return s.CPU > 0 && s.Page > 0 && s.Link > 0 && (s.Resident > 0 || o.ResidentEdges == 0) && (s.Streamed > 0 || o.ResidentEdges == o.PullEdges)
}

// Took is how long so much work took. Nothing is learnt from the zero value.
type Took struct {
	Seconds float64 `json:"seconds"`
	Amount  float64 `json:"amount"`
}

// Rate is seconds by amount; 0: nothing was measured.
func (t Took) Rate() float64 {
	if t.Amount <= 0 || t.Seconds <= 0 {
		return 0
	}
	return t.Seconds / t.Amount
}

// mix takes in a new measurement. One that is far off counts as twice the old one:
// it may have been of something else, and a side that looks slow does not work, so
// that nobody sees the mistake.
func (t Took) mix(old *float64) {
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

// Rates are what it says of Speeds.Page and Speeds.CPU; 0: nothing.
func (p Scanned) Rates() (page, cpu float64) {
	return Took{p.Seconds, p.Edges}.Rate(), p.looked().Rate()
}

// Measurement is what was measured of an iteration, or beside it.
type Measurement struct {
	// Observation and Decision are those of an iteration that was done. A Device of
	// "" says that there was none, and the rest was measured beside iterations.
	Observation Observation `json:"observation"`
	Decision    Decision    `json:"decision"`
	Seconds     float64     `json:"seconds"`  // of the whole iteration
	Looked      uint64      `json:"looked"`   // edges and vertices, in a pull of the CPU alone
	GPUWorked   float64     `json:"gpu_work"` // seconds until the last page of a GPU was done
	Notify      float64     `json:"notify"`   // seconds of a notify-pull of the CPU
	Scan        Scanned     `json:"scan"`
	Resident    Took        `json:"resident"`
	Streamed    Took        `json:"streamed"`
	Link        Took        `json:"link"`
	// Beside is what an iteration with a GPU took beside the work on pages.
	Beside float64 `json:"beside"`
	// Orders are how many pulls over a page the making of source orders took. Late:
	// there was none, for want of time.
	Orders []float64 `json:"orders,omitempty"`
	Late   bool      `json:"late"`
	Lowest int       `json:"lowest"` // rank of a page that the CPU did in an iteration of both
}

// Learn takes in a measurement.
func Learn(s State, m Measurement) State {
	notified := s.Notified // otherwise sides were read for good
	if m.Decision.Device != "" {
		s = count(s, m)
		s = learnOrder(s, m)
	}
	if s.Fixed {
		return s
	}
	v := &s.Speeds
	switch {
	case m.Decision.Device == Hybrid:
		Took{m.Beside, 1}.mix(&v.Both)
	case m.Decision.Device == GPU && m.Decision.Method == Pull:
		Took{m.Beside, 1}.mix(&v.Alone)
	}
	m.Resident.mix(&v.Resident)
	switch {
	case m.Decision.Device == Hybrid:
		m.Streamed.mix(&v.Crowded)
	case compares(m.Observation, s) && m.Decision.Device == GPU:
		v.Streamed, s.Compared = cmp.Or(m.Streamed.Rate(), v.Streamed), true
	default:
		m.Streamed.mix(&v.Streamed)
	}
	m.Link.mix(&v.Link)
	Took{m.Scan.Seconds, m.Scan.Edges}.mix(&v.Page)
	m.Scan.looked().mix(&v.CPU)
	if notified && m.Notify > 0 {
		learnNotify(v, m)
	}
	return s
}

// learnNotify takes in an iteration that notified.
func learnNotify(v *Speeds, m Measurement) {
	const few = 1e-4 // of all edges: the rest is what it takes in any case
	if m.Observation.Fraction < few {
		Took{m.Notify, 1}.mix(&v.Least)
		return
	}
	edges := m.Observation.Fraction * float64(m.Observation.NotifyEdges)
	Took{max(0, m.Notify-v.Least), edges}.mix(&v.Notify)
}

// count takes in an iteration by its counts.
func count(s State, m Measurement) State {
	excess := gain(m.Observation, s) // notify-pull would have been better
	if few := m.Observation.Fraction; m.Decision.Device == CPU && m.Decision.Method != Frontier && few <= frontierLimit {
		s.Spared += max(0, float64(m.Looked)-few/frontierLimit*float64(m.Observation.NotifyEdges))
	}
	switch d := m.Decision; {
	case d.Device != CPU:
		if excess > 0 && s.Speeds.CPU > 0 {
			s.Owed -= int64(min(excess, max(0, m.GPUWorked)/s.Speeds.CPU))
		}
	case d.Method == Pull:
		s.Pulled = m.Looked
		if excess > 0 {
			s.Owed -= int64(min(excess, float64(m.Looked)))
		}
	case d.Method == NotifyPull:
		s.Notified = true
	}
	if m.Decision.Device == Hybrid || m.Decision.Device == CPU && m.Decision.Method == Pull {
		s.Pulls++
	}
	if s.Untried += m.Seconds; m.Decision.Device != CPU {
		s.Untried = 0
	}
	return s
}

// firstOrderPulls is how many pulls it takes to make source order, before that is
// measured.
const firstOrderPulls = 3

// retried is by how much the making of source order is taken to be shorter, after an
// iteration that had too little time for it: each page's is made once, and saves
// something ever after.
const retried = 0.9

// learnOrder takes in what the CPU did of an iteration of both.
func learnOrder(s State, m Measurement) State {
	if m.Decision.Device != Hybrid {
		return s
	}
	s.Lowest = min(s.Lowest+1, m.Observation.Pages, m.Lowest) // not so far if it was once
	for _, took := range m.Orders {
		s.OrderPulls = max(min(took, 4*s.OrderPulls), (s.OrderPulls+took)/2)
	}
	if m.Late && len(m.Orders) == 0 { // it may take less than it once did
		s.OrderPulls *= retried
	}
	return s
}
