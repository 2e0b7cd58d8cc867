package ingest

import (
	"fmt"
	"strconv"
)

// placedError is an error and where it stands among all blocks. The Line of a
// SyntaxError counts from the start of its block until locate is called: only
// then are the lines of all earlier blocks known.
type placedError struct {
	seq  int64
	plan *inputPlan
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

// noteBad counts a bad line that is passed over.
func (w *parseWorker) noteBad(err *SyntaxError, b *readBlock) {
	if w.badLines++; w.badLines == 1 {
		w.firstBad = placedError{b.seq, b.plan, err}
	}
	b.plan.bad.Add(1)
}

// noteSigns remembers where the first ids are that are no small positive
// integers: one kind or the other may occur, not both.
func (w *parseWorker) noteSigns(e *lineEdge, b *readBlock) { w.noteSignsAt(e, b, "") }

// noteSignsAt does it for a row, or for the current line.
func (w *parseWorker) noteSignsAt(e *lineEdge, b *readBlock, row string) {
	for i := range e.count {
		switch kind := e.kinds[i]; {
		case kind == negativeInteger && w.negative.err == nil:
			w.negative = w.placedID(strconv.FormatInt(int64(e.ids[i]), 10), b, row)
		case kind == largeInteger && w.large.err == nil:
			w.large = w.placedID(strconv.FormatUint(e.ids[i], 10), b, row)
		}
	}
}

// placedID is an id in a row, or else in the current line, as the error that it may become.
func (w *parseWorker) placedID(text string, b *readBlock, row string) placedError {
	e := &SyntaxError{File: b.plan.name(), Line: w.lines + 1, Row: row, Text: text}
	if row != "" {
		e.Line = 0
	}
	return placedError{b.seq, b.plan, e}
}

// locate returns e with line numbers that count from the start of the input. It
// is called when no goroutine parses any more.
func (p *readPipeline) locate(e placedError) placedError {
	s, ok := e.err.(*SyntaxError)
	if !ok || s.Line == 0 {
		return e
	}
	located := *s
	located.Line += e.plan.skipLines
	for seq := e.plan.firstSeq; seq < min(e.seq, int64(len(p.lines))); seq++ {
		located.Line += p.lines[seq]
	}
	e.err = &located
	return e
}

// firstError is the first error in the order of the inputs. Ids of which some are negative and some above the
// range of int64 are one, at the place where the second kind first occurs.
func (p *readPipeline) firstError(workers []*parseWorker) error {
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
	e.Advice = adviceStrings
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
func (p *readPipeline) warnBadLines(workers []*parseWorker, n int64) {
	var first placedError
	for _, w := range workers {
		first = p.earlier(first, w.firstBad)
	}
	if n > 0 {
		p.opts.Warn(fmt.Sprintf("%s passed over; the first is %v", howMany(n, "bad line was", "bad lines were"), first.err))
	}
}

// warnRounded reports how many whole numbers were rounded as weights, and the largest result.
func (p *readPipeline) warnRounded(workers []*parseWorker) {
	n, largest := int64(0), 0.
	for _, w := range workers {
		n += w.batch.rounded
		largest = max(largest, w.batch.largest)
	}
	if n == 0 {
		return
	}
	bits, advice := 24, "; --weights float64 keeps 53"
	switch p.opts.Weights.rule() {
	case keepDouble:
		bits, advice = 53, ""
	case keepSingle:
		advice = ""
	}
	p.opts.Warn(fmt.Sprintf("%s rounded to %d bits, the largest to %.0f%s", howMany(n, "weight was", "weights were"), bits, largest, advice))
}

// checkCounts compares the edges found with those that the headers promise, and
// lets bodies look at all of an input. A bad line that was passed over may have
// been an edge or not.
func (p *readPipeline) checkCounts() error {
	for _, plan := range p.plans {
		found, bad := plan.entries.Load(), plan.bad.Load()
		if plan.promised >= 0 && (found > plan.promised || found+bad < plan.promised) {
			return &CountError{File: plan.name(), Line: plan.atLine, Promised: plan.promised, Found: found}
		}
		if body, ok := plan.body.(inputFinish); ok {
			if err := body.finish(plan); err != nil {
				return err
			}
		}
	}
	return nil
}

// howMany is "1 line" or "2 lines".
func howMany(n int64, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.FormatInt(n, 10) + " " + more
}
