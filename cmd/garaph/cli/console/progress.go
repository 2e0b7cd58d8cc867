package console

import (
	"math"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/cmd/garaph/cli/show"
)

// between is the time between two log lines of a stage.
const between = 2 * time.Second

// measured is the time after which the rate of a stage is shown.
const measured = 100 * time.Millisecond

// Unit is the unit in which a stage is measured.
type Unit struct {
	name string // in --progress json
	text func(int64) string
}

// The units.
var (
	InBytes      = Unit{"bytes", show.Bytes}
	InEdges      = Unit{"edges", func(n int64) string { return show.Count(float64(n)) + " edges" }}
	InIterations = Unit{"iterations", func(n int64) string { return show.Iterations(int(n)) }}
	InQueries    = Unit{"queries", func(n int64) string { return show.Counted(n, "query", "queries") }}
	InSteps      = Unit{"steps", func(n int64) string { return show.Counted(n, "step", "steps") }}
)

// Stage shows the progress of one stage of a job: as a bar on a terminal, elsewhere
// as a log line now and then, or as lines of JSON. Its methods may be called from many
// goroutines.
type Stage struct {
	console *Console
	name    string
	total   int64 // ≤ 0: unknown
	unit    Unit
	begun   time.Time
	bar     *mpb.Bar // if one is drawn

	mu     sync.Mutex // guards the rest
	from   int64      // done when it began
	text   string     // beside the bar
	logged time.Time  // time of the last log line, or line of JSON
	last   update     // as it was set
}

// Stage begins a stage of the given length; total ≤ 0: unknown. Its end must be
// called.
func (c *Console) Stage(name string, total int64, in Unit) *Stage {
	now := time.Now()
	s := &Stage{console: c, name: name, total: total, unit: in, begun: now, logged: now}
	s.update(phaseBegun)
	c.Metrics.phase.Store(s)
	if c.draws() {
		s.draw()
	}
	return s
}

// leastBar is the width of a bar on a narrow terminal, with the spaces around it.
const leastBar = 12

// draw puts a bar onto the screen.
func (s *Stage) draw() {
	c := s.console
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bars == nil {
		c.bars = mpb.New(mpb.WithOutput(c.w), mpb.WithRefreshRate(150*time.Millisecond))
	}
	note := func(at decor.Statistics) string {
		s.mu.Lock()
		defer s.mu.Unlock()
		text := []rune(" " + s.text)
		if room := at.AvailableWidth - leastBar; room > 0 && len(text) > room {
			return string(text[:room-1]) + "…"
		}
		return string(text)
	}
	options := []mpb.BarOption{mpb.PrependDecorators(decor.Name(s.name + " ")), mpb.AppendDecorators(decor.Any(note))}
	if s.total <= 0 {
		s.bar = c.bars.New(0, mpb.SpinnerStyle().PositionLeft(), append(options, mpb.BarWidth(1))...)
		return
	}
	filler := mpb.BarStyle().Lbound("").Rbound("").Filler("█").Tip("█").Padding("░")
	s.bar = c.bars.New(0, filler, append(options, mpb.BarWidth(24))...)
	s.bar.SetTotal(s.total, false) // a bar that is full stays until end
}

// done returns how much of the stage is done.
func (s *Stage) done() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last.Done
}

// Set shows the amount that is done, with a text. If text is "", it shows the amount in its unit.
func (s *Stage) Set(done int64, text string) { s.show(done, text, nil) }

// Iterated shows an iteration.
func (s *Stage) Iterated(text string, it garaph.Iteration) {
	s.console.Metrics.iterated(it)
	s.mu.Lock()
	if s.last.Iteration == nil {
		s.from = int64(it.Iteration) // of a resumed job
	}
	s.mu.Unlock()
	s.show(int64(it.Iteration+max(1, it.Levels)), text, &it)
}

func (s *Stage) show(done int64, text string, it *garaph.Iteration) {
	now := time.Now()
	s.mu.Lock()
	pace := s.pace(done, now, measured)
	shown, left := text, pace.left()
	if shown == "" {
		shown = pace.amount(s.unit)
	}
	switch { // a bar may have no room for all of it
	case left == "":
		s.text = shown
	case text == "":
		s.text = shown + ", " + left
	default:
		s.text = left + ", " + text
	}
	s.last.Done, s.last.Text, s.last.Iteration = done, text, it
	every := between
	if s.console.updates != nil {
		every = betweenUpdates
	}
	due := now.Sub(s.logged) >= every
	if due {
		s.logged = now
	}
	s.mu.Unlock()
	switch {
	case s.bar != nil:
		s.bar.SetCurrent(done)
	case due && s.console.updates != nil:
		s.update(phaseRunning)
	case due && s.console.Lists():
		if left != "" {
			shown += ", " + left
		}
		s.console.Log.Info(s.name + ": " + shown)
	}
}

// update writes a line of JSON, if that is wanted.
func (s *Stage) update(state string) {
	if s.console.updates == nil {
		return
	}
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	line := s.last
	line.Time, line.State, line.Phase, line.Unit = now.UTC().Format(logTime), state, s.name, s.unit.name
	least := measured
	if state == phaseEnded { // no better one comes
		least = 0
	}
	p := s.pace(line.Done, now, least)
	line.Rate = show.Number(p.rate)
	if s.total > 0 {
		line.Total = &s.total
	}
	if eta, known := p.eta(); known {
		left := int64(math.Ceil(eta.Seconds()))
		if state == phaseEnded { // perhaps before its total, by converging
			left = 0
		}
		line.ETA = &left
	}
	if line.Iteration != nil {
		it := *line.Iteration
		it.Iteration++ // users count from 1
		line.Iteration = &it
	}
	s.console.updates.write(line)
}

// End removes the stage's bar from the screen.
func (s *Stage) End() {
	s.update(phaseEnded)
	s.console.Metrics.phase.CompareAndSwap(s, nil)
	if s.bar != nil {
		s.bar.Abort(true)
		s.bar.Wait()
		s.console.Close()
	}
}

// pace is the speed of a stage.
type pace struct {
	done, total int64   // total ≤ 0: unknown
	rate        float64 // a second; 0 if not known yet
	most        bool    // the stage may end sooner, by converging
}

// pace returns the pace of the stage, whose lock is held, once it has run for longer than least.
func (s *Stage) pace(done int64, now time.Time, least time.Duration) pace {
	p := pace{done: done, total: s.total, most: s.unit.name == InIterations.name}
	if took := now.Sub(s.begun); took > least {
		p.rate = max(0, float64(done-s.from)/took.Seconds())
	}
	return p
}

// eta returns how long the rest takes at this pace.
func (p pace) eta() (left time.Duration, known bool) {
	if p.rate <= 0 || p.total <= 0 {
		return 0, false
	}
	seconds := float64(max(0, p.total-p.done)) / p.rate
	return time.Duration(seconds * float64(time.Second)), seconds < 1e9 // decades
}

// amount returns how much of the whole is done, and the rate.
func (p pace) amount(u Unit) string {
	text := u.text(p.done)
	if p.total > 0 {
		text += " of " + u.text(p.total)
	}
	if p.rate > 0 {
		text += ", " + u.text(int64(p.rate)) + "/s"
	}
	return text
}

// left returns how long the rest takes; "" where that is not known.
func (p pace) left() string {
	eta, known := p.eta()
	if !known || p.done >= p.total {
		return ""
	}
	left := max(time.Second, eta.Round(time.Second)).String() + " left"
	if p.most {
		left = "at most " + left
	}
	return left
}

// Phases shows the stages of a job, one after another. Its methods may be called from
// many goroutines.
type Phases struct {
	Console *Console

	mu    sync.Mutex // guards the rest
	stage *Stage     // in progress
	over  bool
}

// At returns the stage of a name, which begins if it is not the last one that was asked for.
// It is nil when the job is over.
func (p *Phases) At(name string, total int64, in Unit) *Stage {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return nil
	}
	if p.stage == nil || p.stage.name != name {
		if p.stage != nil {
			p.stage.End()
		}
		p.stage = p.Console.Stage(name, total, in)
	}
	return p.stage
}

// Set shows how much of the stage of a name is done.
func (p *Phases) Set(name string, done, total int64, in Unit) {
	if s := p.At(name, total, in); s != nil {
		s.Set(done, "")
	}
}

// End ends the stage in progress. No other begins.
func (p *Phases) End() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	if p.stage != nil {
		p.stage.End()
	}
}
