package cli

import (
	"math"
	"sync"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"github.com/garaph/garaph"
)

// between is the time between two log lines of a stage.
const between = 2 * time.Second

// unit is what a stage is measured in.
type unit struct {
	name string // as --progress json has it
	text func(int64) string
}

// The units.
var (
	inBytes      = unit{"bytes", bytesText}
	inEdges      = unit{"edges", edgesText}
	inIterations = unit{"iterations", func(n int64) string { return iterations(int(n)) }}
	inQueries    = unit{"queries", func(n int64) string { return counted(n, "query", "queries") }}
	inSteps      = unit{"steps", func(n int64) string { return counted(n, "step", "steps") }}
)

// stage shows how far one stage of a job is: as a bar on a terminal, elsewhere
// as a log line now and then, or as lines of JSON. Its methods may be called from many
// goroutines.
type stage struct {
	console *console
	name    string
	total   int64 // ≤ 0: unknown
	unit    unit
	begun   time.Time

	mu     sync.Mutex // guards the rest
	bar    *mpb.Bar   // nil where none is drawn
	ended  bool
	from   int64 // how much was done when it began
	text   string
	logged time.Time // when the last log line was written, or line of JSON
	last   update    // as it was set
}

// stage begins a stage of the given length; total ≤ 0: unknown. Its end must be
// called.
func (c *console) stage(name string, total int64, in unit) *stage {
	now := time.Now()
	s := &stage{console: c, name: name, total: total, unit: in, begun: now, logged: now}
	s.update(phaseBegun)
	c.metrics.begin(s)
	s.draw()
	return s
}

// draw puts a bar onto the screen, if that is wanted and no other process draws there.
func (s *stage) draw() {
	c := s.console
	if !c.draws() {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	s.mu.Lock()
	has, done := s.bar != nil || s.ended, s.last.Done
	s.mu.Unlock()
	if has || !c.openBars() {
		return
	}
	filler := mpb.BarStyle().Lbound("").Rbound("").Filler("█").Tip("█").Padding("░")
	options := []mpb.BarOption{
		mpb.BarWidth(24),
		mpb.PrependDecorators(decor.Name(s.name + " ")),
		mpb.AppendDecorators(decor.Any(func(at decor.Statistics) string { return cutTo(" "+s.note(), at.AvailableWidth-leastBar) })),
	}
	var bar *mpb.Bar
	if s.total > 0 {
		bar = c.bars.New(0, filler, options...)
		bar.SetTotal(s.total, false) // a bar that is full stays until end, when it goes
		bar.SetCurrent(done)
	} else {
		bar = c.bars.New(0, mpb.SpinnerStyle().PositionLeft(), append(options, mpb.BarWidth(1))...)
	}
	s.mu.Lock()
	s.bar = bar
	s.mu.Unlock()
}

// leastBar is what a bar has of a narrow terminal, with the spaces around it.
const leastBar = 12

// cutTo is a text of at most so many characters, if there is room for any.
func cutTo(text string, room int) string {
	if runes := []rune(text); room > 0 && len(runes) > room {
		return string(runes[:room-1]) + "…"
	}
	return text
}

func (s *stage) note() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text
}

// done is how much of the stage is done.
func (s *stage) done() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last.Done
}

// set says how far the stage is, as a number and in words; without words, as an amount
// of its unit.
func (s *stage) set(done int64, text string) {
	s.show(done, text, nil)
}

// iterated is set after an iteration.
func (s *stage) iterated(text string, it garaph.Iteration) {
	s.console.metrics.iterated(it)
	s.mu.Lock()
	if s.last.Iteration == nil {
		s.from = int64(it.Iteration) // of a resumed job
	}
	s.mu.Unlock()
	s.show(int64(it.Iteration+max(1, it.Levels)), text, &it)
}

func (s *stage) show(done int64, text string, it *garaph.Iteration) {
	now := time.Now()
	s.mu.Lock()
	pace := s.pace(done, now, measured)
	shown := text
	if shown == "" {
		shown = pace.amount(s.unit)
	}
	left := pace.left()
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
	bar := s.bar
	s.mu.Unlock()
	switch {
	case bar != nil:
		bar.SetCurrent(done)
	case due && s.console.updates != nil:
		s.update(phaseRunning)
	case due && s.console.lists():
		if left != "" {
			shown += ", " + left
		}
		s.console.log.Info(s.name + ": " + shown)
	case due:
		s.draw() // another process may have ended
	}
}

// update writes a line of JSON, if that is wanted.
func (s *stage) update(state string) {
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
	line.Rate = number(p.rate)
	if s.total > 0 {
		line.Total = &s.total
	}
	if eta, known := p.eta(); known {
		left := int64(math.Ceil(eta.Seconds()))
		if state == phaseEnded { // perhaps before its total, as what converges
			left = 0
		}
		line.ETA = &left
	}
	if line.Iteration != nil {
		it := *line.Iteration
		it.Iteration++ // from 1 on, as everywhere that a user looks
		line.Iteration = &it
	}
	s.console.updates.write(line)
}

// end takes the stage's bar from the screen.
func (s *stage) end() {
	s.update(phaseEnded)
	s.console.metrics.end(s)
	bar := s.over()
	if bar == nil {
		return
	}
	bar.Abort(true)
	bar.Wait()
	s.console.close()
}

// over is the bar, after which no other one is drawn.
func (s *stage) over() *mpb.Bar {
	s.console.mu.Lock() // of a bar that is begun
	defer s.console.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	return s.bar
}

// pace is how fast a stage goes.
type pace struct {
	done, total int64   // total ≤ 0: unknown
	rate        float64 // a second; 0: not known yet
	most        bool    // it may be over sooner, as what converges is
}

// measured is how long a stage must have run for a rate to say something.
const measured = 100 * time.Millisecond

// pace is that of the stage, whose lock is held, once it has run for longer than least.
func (s *stage) pace(done int64, now time.Time, least time.Duration) pace {
	p := pace{done: done, total: s.total, most: s.unit.name == inIterations.name}
	if took := now.Sub(s.begun); took > least {
		p.rate = max(0, float64(done-s.from)/took.Seconds())
	}
	return p
}

// eta is how long the rest takes at this pace.
func (p pace) eta() (left time.Duration, known bool) {
	if p.rate <= 0 || p.total <= 0 {
		return 0, false
	}
	seconds := float64(max(0, p.total-p.done)) / p.rate
	if seconds > 1e9 { // decades
		return 0, false
	}
	return time.Duration(seconds * float64(time.Second)), true
}

// amount is how much of the whole is done, at which rate.
func (p pace) amount(u unit) string {
	text := u.text(p.done)
	if p.total > 0 {
		text += " of " + u.text(p.total)
	}
	if p.rate > 0 {
		text += ", " + u.text(int64(p.rate)) + "/s"
	}
	return text
}

// left says how long the rest takes; "" where that is not known.
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

// phases shows the stages of a job, one after another. Its methods may be called from
// many goroutines.
type phases struct {
	console *console

	mu    sync.Mutex // guards the rest
	stage *stage     // nil before the first
	over  bool
}

// at is the stage of a name, which begins if it is not the last one that was asked for.
// It is nil when the job is over.
func (p *phases) at(name string, total int64, in unit) *stage {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return nil
	}
	if p.stage == nil || p.stage.name != name {
		if p.stage != nil {
			p.stage.end()
		}
		p.stage = p.console.stage(name, total, in)
	}
	return p.stage
}

// set says how far the stage of a name is.
func (p *phases) set(name string, done, total int64, in unit) {
	if s := p.at(name, total, in); s != nil {
		s.set(done, "")
	}
}

func (p *phases) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	if p.stage != nil {
		p.stage.end()
	}
}

func bytesText(n int64) string { return humanize.IBytes(uint64(max(0, n))) }

func edgesText(n int64) string { return countText(float64(n)) + " edges" }

// countText rounds a large number for a reader: 12.3 M.
func countText(x float64) string {
	if x < 1e4 {
		return humanize.Comma(int64(x))
	}
	unit := math.Pow(1000, math.Floor(math.Log10(x)/3))
	return humanize.SIWithDigits(x+unit/20, 1, "") // which cuts off
}
