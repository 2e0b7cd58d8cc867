package read

import (
	"fmt"
	"strconv"
)

// placedError is an error and where it stands among all blocks. The Line of a
// SyntaxError counts from the start of its block until locate is called: only
// then are the lines of all earlier blocks known.
type placedError struct {
	seq  int64
	plan *Plan
	err  error
}

// NoteBad counts a bad line that is passed over.
func (w *Parser) NoteBad(err *SyntaxError, b *Block) {
	if w.badLines++; w.badLines == 1 {
		w.firstBad = placedError{b.seq, b.Plan, err}
	}
	b.Plan.bad.Add(1)
}

// locate returns e with line numbers that count from the start of the input. It
// is called when no goroutine parses any more.
func (p *readPipeline) locate(e placedError) placedError {
	s, ok := e.err.(*SyntaxError)
	if !ok || s.Line == 0 {
		return e
	}
	located := *s
	located.Line += e.plan.SkipLines
	for seq := e.plan.firstSeq; seq < min(e.seq, int64(len(p.lines))); seq++ {
		located.Line += p.lines[seq]
	}
	e.err = &located
	return e
}

// checkSigns refuses ids of which some are negative and some above the range of int64.
func (p *readPipeline) checkSigns(workers []*Parser) error {
	negative := false
	for _, w := range workers {
		negative = negative || w.Batch.negative
		p.unsigned = p.unsigned || w.Batch.large
	}
	if !negative || !p.unsigned {
		return nil
	}
	return &InputError{
		File:    p.plans[0].Name(),
		Problem: "has ids of no one range: some are negative, and some above 9223372036854775807", Advice: AdviceStrings,
	}
}

// warnBadLines reports how many lines were passed over, and the first of them.
func (p *readPipeline) warnBadLines(workers []*Parser, n int64) {
	var first placedError
	for _, w := range workers {
		if bad := p.locate(w.firstBad); bad.err != nil && (first.err == nil || bad.seq < first.seq) {
			first = bad
		}
	}
	if n > 0 {
		p.opts.Warn(fmt.Sprintf("%s passed over; the first is %v", HowMany(n, "bad line was", "bad lines were"), first.err))
	}
}

// warnRounded reports how many whole numbers were rounded as weights, and the largest result.
func (p *readPipeline) warnRounded(workers []*Parser) {
	n, largest := int64(0), 0.
	for _, w := range workers {
		n += w.Batch.rounded
		largest = max(largest, w.Batch.largest)
	}
	if n == 0 {
		return
	}
	bits, advice := 24, "; --weights float64 keeps 53"
	switch p.opts.Weights.Rule() {
	case KeepDouble:
		bits, advice = 53, ""
	case keepSingle:
		advice = ""
	}
	p.opts.Warn(fmt.Sprintf("%s rounded to %d bits, the largest to %.0f%s",
		HowMany(n, "weight was", "weights were"), bits, largest, advice))
}

// checkCounts compares the edges found with those that the headers promise, and
// calls the bodies' Finish. A bad line that was passed over may have
// been an edge or not.
func (p *readPipeline) checkCounts() error {
	for _, plan := range p.plans {
		found, bad := plan.entries.Load(), plan.bad.Load()
		if plan.Promised >= 0 && (found > plan.Promised || found+bad < plan.Promised) {
			return plan.miscounted(found)
		}
		if body, ok := plan.Body.(inputFinish); ok {
			if err := body.Finish(plan); err != nil {
				return err
			}
		}
	}
	return nil
}

// miscounted returns the error of another number of edges than the header promises.
func (p *Plan) miscounted(found int64) error {
	what := "the file is truncated, or its header wrong"
	if found > p.Promised {
		what = "the header is wrong, or something was appended to the file"
	}
	return &DamagedError{
		File:    fmt.Sprintf("%s:%d", p.Name(), p.AtLine),
		Problem: fmt.Sprintf("the header promises %d edges, but the file has %d: %s", p.Promised, found, what),
	}
}

// HowMany returns "1 line" or "2 lines".
func HowMany(n int64, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.FormatInt(n, 10) + " " + more
}
