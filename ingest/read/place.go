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

// before orders errors that were located.
func (e placedError) before(o placedError) bool {
	if e.seq != o.seq {
		return e.seq < o.seq
	}
	a, aok := e.err.(*SyntaxError)
	b, bok := o.err.(*SyntaxError)
	return aok && bok && a.Line < b.Line
}

// NoteBad counts a bad line that is passed over.
func (w *Parser) NoteBad(err *SyntaxError, b *Block) {
	if w.badLines++; w.badLines == 1 {
		w.firstBad = placedError{b.seq, b.Plan, err}
	}
	b.Plan.bad.Add(1)
}

// NoteSigns remembers where the first ids are that are no small positive
// integers: one kind or the other may occur, not both.
func (w *Parser) NoteSigns(e *Edge, b *Block) { w.NoteSignsAt(e, b, "") }

// NoteSignsAt does it for a row, or for the current line.
func (w *Parser) NoteSignsAt(e *Edge, b *Block, row string) {
	for i := range e.Count {
		switch kind := e.Kinds[i]; {
		case kind == NegativeInteger && w.negative.err == nil:
			w.negative = w.placedID(strconv.FormatInt(int64(e.IDs[i]), 10), b, row)
		case kind == LargeInteger && w.large.err == nil:
			w.large = w.placedID(strconv.FormatUint(e.IDs[i], 10), b, row)
		}
	}
}

// placedID is an id in a row, or else in the current line, as the error that it may become.
func (w *Parser) placedID(text string, b *Block, row string) placedError {
	e := &SyntaxError{File: b.Plan.Name(), Line: w.Lines + 1, Row: row, Text: text}
	if row != "" {
		e.Line = 0
	}
	return placedError{b.seq, b.Plan, e}
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

// firstError is the first error in the order of the inputs. Ids of which some are negative and some above the
// range of int64 are one, at the place where the second kind first occurs.
func (p *readPipeline) firstError(workers []*Parser) error {
	first := p.locate(p.first)
	var negative, large placedError
	for _, w := range workers {
		negative = p.earlier(negative, w.negative)
		large = p.earlier(large, w.large)
	}
	p.unsigned = large.err != nil
	if negative.err == nil || large.err == nil {
		return first.err
	}
	early, late := negative, large
	if large.before(negative) {
		early, late = large, negative
	}
	if first.err != nil && !late.before(first) {
		return first.err
	}
	e, was := late.err.(*SyntaxError), early.err.(*SyntaxError)
	e.Expected = fmt.Sprintf("ids of one range, either with negative ones or with ones above 9223372036854775807, but %s has %s",
		was.place(), was.Text)
	e.Advice = AdviceStrings
	return e
}

// earlier locates e and returns the earlier one of best and e; either may be empty.
func (p *readPipeline) earlier(best, e placedError) placedError {
	e = p.locate(e)
	if e.err == nil || best.err != nil && best.before(e) {
		return best
	}
	return e
}

// warnBadLines reports how many lines were passed over, and the first of them.
func (p *readPipeline) warnBadLines(workers []*Parser, n int64) {
	var first placedError
	for _, w := range workers {
		first = p.earlier(first, w.firstBad)
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
	p.opts.Warn(fmt.Sprintf("%s rounded to %d bits, the largest to %.0f%s", HowMany(n, "weight was", "weights were"), bits, largest, advice))
}

// checkCounts compares the edges found with those that the headers promise, and
// lets bodies look at all of an input. A bad line that was passed over may have
// been an edge or not.
func (p *readPipeline) checkCounts() error {
	for _, plan := range p.plans {
		found, bad := plan.entries.Load(), plan.bad.Load()
		if plan.Promised >= 0 && (found > plan.Promised || found+bad < plan.Promised) {
			return &CountError{File: plan.Name(), Line: plan.AtLine, Promised: plan.Promised, Found: found}
		}
		if body, ok := plan.Body.(inputFinish); ok {
			if err := body.Finish(plan); err != nil {
				return err
			}
		}
	}
	return nil
}

// HowMany is "1 line" or "2 lines".
func HowMany(n int64, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.FormatInt(n, 10) + " " + more
}
