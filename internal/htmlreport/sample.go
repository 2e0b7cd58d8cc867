package htmlreport

import (
	"math/rand/v2"

	"github.com/garaph/garaph/dispatcher"
)

// maxPages is how many pages of each series are kept.
const maxPages = 6000

// Pages is what a run's page shows of [dispatcher.PageWork]: all of it for some
// thousands of pages, and of more an even sample of each series, so that memory
// is bounded. It is drawn at random, since a run's pages come round in each
// iteration, but always in the same way. The zero value is empty.
type Pages struct {
	series [pageSeries]sample
	random *rand.Rand
}

// The series that pages are plotted in.
const (
	onCPU        = iota
	onReplicated // on the GPU with several copies of each accumulator
	onSingle     // on the GPU with one
	pageSeries
)

// sample is a reservoir: each of the pages so far is as likely in it.
type sample struct {
	pages []dispatcher.PageWork
	seen  int
}

// Add takes a page, one call at a time: it is an Options.Trace.Page.
func (p *Pages) Add(w dispatcher.PageWork) {
	if p.random == nil {
		p.random = rand.New(rand.NewPCG(1, 2))
	}
	i := onCPU
	switch {
	case w.Device == dispatcher.CPU:
	case w.Copies > 1:
		i = onReplicated
	default:
		i = onSingle
	}
	s := &p.series[i]
	s.seen++
	if len(s.pages) < maxPages {
		s.pages = append(s.pages, w)
	} else if k := p.random.IntN(s.seen); k < maxPages {
		s.pages[k] = w
	}
}
