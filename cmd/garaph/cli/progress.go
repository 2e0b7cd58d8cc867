package cli

import (
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// between is the time between two log lines of a stage.
const between = 2 * time.Second

// stage shows how far one stage of a job is: as a bar on a terminal, elsewhere
// as a log line now and then. Its methods may be called from many goroutines.
type stage struct {
	console *console
	name    string

	mu     sync.Mutex // guards the rest
	bar    *mpb.Bar   // nil without a terminal
	text   string
	logged time.Time // when the last log line was written
}

// stage begins a stage of the given length; total ≤ 0: unknown. Its end must be
// called.
func (c *console) stage(name string, total int64) *stage {
	s := &stage{console: c, name: name, logged: time.Now()}
	if !c.tty || c.quiet {
		return s
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bars == nil {
		c.bars = mpb.New(mpb.WithOutput(c.w), mpb.WithRefreshRate(150*time.Millisecond))
	}
	filler := mpb.BarStyle().Lbound("").Rbound("").Filler("█").Tip("█").Padding("░")
	options := []mpb.BarOption{
		mpb.BarWidth(24),
		mpb.PrependDecorators(decor.Name(name + " ")),
		mpb.AppendDecorators(decor.Any(func(decor.Statistics) string { return " " + s.note() })),
	}
	if total > 0 {
		s.bar = c.bars.New(0, filler, options...)
		s.bar.SetTotal(total, false) // a bar that is full stays until end, when it goes
	} else {
		s.bar = c.bars.New(0, mpb.SpinnerStyle().PositionLeft(), append(options, mpb.BarWidth(1))...)
	}
	return s
}

func (s *stage) note() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text
}

// set says how far the stage is, as a number and in words.
func (s *stage) set(done int64, text string) {
	s.mu.Lock()
	s.text = text
	due := s.bar == nil && time.Since(s.logged) >= between
	if due {
		s.logged = time.Now()
	}
	bar := s.bar
	s.mu.Unlock()
	switch {
	case bar != nil:
		bar.SetCurrent(done)
	case due:
		s.console.log.Info(s.name + ": " + text)
	}
}

// end takes the stage's bar from the screen.
func (s *stage) end() {
	if s.bar == nil {
		return
	}
	s.bar.Abort(true)
	s.bar.Wait()
	s.console.close()
}

// amount is how many of a whole, at which rate.
type amount struct {
	unit  func(int64) string
	begin time.Time
}

func (a amount) text(done, total int64) string {
	of := ""
	if total > 0 {
		of = " of " + a.unit(total)
	}
	text := a.unit(done) + of
	if s := time.Since(a.begin).Seconds(); s > 0.1 {
		text += fmt.Sprintf(", %s/s", a.unit(int64(float64(done)/s)))
	}
	return text
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
