package dispatcher

import (
	"errors"
	"fmt"

	"github.com/garaph/garaph/page"
)

// frameShare is which part of the memory for pages and rows the frames of stored rows may
// take.
const frameShare = 8

// openPages takes the memory of the pages, and of rows that are read as they are needed
// where not all fit. fixed is what the job takes beside pages and rows.
func (p *plan[V, A]) openPages(o page.Options, fixed int64) (err error) {
	if p.pages, err = page.New(p.store, o); err != nil {
		return err
	}
	if !p.readsRows() {
		return nil
	}
	if rows := p.planRows(o, fixed); rows != nil {
		return p.makeRoom(rows, o)
	}
	return nil
}

// readsRows reports whether rows are to be read as they are needed.
func (p *plan[V, A]) readsRows() bool {
	asked := p.opt.Method == Frontier
	fit := p.rowsFit() || !asked && p.pages.InMemory()
	return p.front.unfit == nil && len(p.devices) == 0 && (!fit || p.opt.rowsStay > 0) && (asked || p.opt.Method == Auto)
}

// planRows are rows that are read as they are needed; nil: they cannot be, and memory for all is named.
func (p *plan[V, A]) planRows(o page.Options, fixed int64) *page.StoredRows {
	rows, err := p.front.whole.out.PlanRows(p.store)
	if err != nil {
		enough := fixed + page.Whole(p.store, o) + p.front.bytes
		p.front.unfit = fmt.Errorf("the rows of the whole graph do not fit into --memory, where %dMiB is enough, and cannot be read as they are needed: %w", (enough+1<<20-1)>>20, err)
	}
	return rows
}

// makeRoom divides the memory between pages and stored rows. If frontiers are asked for, or
// vertices are active once, few pages are read or none, and rows get what the least pages
// leave; otherwise none stay, and pages have what a few frames leave.
func (p *plan[V, A]) makeRoom(rows *page.StoredRows, o page.Options) error {
	f, budget := &p.front, o.Budget
	frames := rows.Frames(budget / frameShare)
	if p.opt.Method == Frontier || f.seeks {
		o.PageBytes = 1
		o.Budget = page.Least(p.store, o)
	} else {
		o.Budget -= rows.Memory(frames)
	}
	stay := budget - o.Budget - rows.Memory(frames)
	if p.opt.rowsStay > 0 {
		stay = min(stay, p.opt.rowsStay-1)
	}
	if o.Budget <= 0 || stay < 0 {
		enough := p.opt.Memory - budget + leastBudget(o.Budget, rows)
		f.unfit = fmt.Errorf("rows that are read as they are needed take %d MiB beside pages: --memory has no room for them; %dMiB is enough", rows.Memory(1)>>20+1, enough>>20+1)
		return nil
	}
	pages, err := page.New(p.store, o)
	var need *page.NeedError
	if errors.As(err, &need) {
		f.unfit = fmt.Errorf("rows that are read as they are needed take %d MiB: --memory has no room for them beside pages", rows.Memory(frames)>>20+1)
		return nil
	}
	if err != nil {
		return err
	}
	f.stored, f.ordered, f.edges = rows, false, 0
	f.held = heldRows{}
	rows.Once = f.seeks
	if err := errors.Join(p.pages.Close(), rows.Reserve(frames, stay)); err != nil {
		return errors.Join(err, pages.Close())
	}
	p.pages = pages
	return nil
}

// leastRows adds to what a job lacks of memory what rows take where frontiers are asked
// for, so that the budget it names is enough. The error says why more memory is not.
func (p *plan[V, A]) leastRows(e *MemoryError, o page.Options) error {
	if p.opt.Method != Frontier || p.front.unfit != nil || len(p.devices) > 0 {
		return nil
	}
	rows := p.planRows(o, processBytes+e.Vertices+e.Checkpoints)
	if rows == nil {
		return p.withoutFrontier(p.front.unfit)
	}
	o.PageBytes = 1
	e.Rows = max(0, leastBudget(page.Least(p.store, o), rows)-e.Pages)
	return nil
}

// leastBudget is enough for the least pages and for stored rows, of which frames may take a
// share of it, or one frame.
func leastBudget(pages int64, rows *page.StoredRows) int64 {
	return max(pages+rows.Memory(1), pages+pages/(frameShare-1)+1)
}
