package dispatcher

import (
	"context"
	"errors"
	"fmt"

	"github.com/garaph/garaph/cpuengine"
	"github.com/garaph/garaph/frontier"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/page"
	"github.com/garaph/garaph/store"
)

// frontierPlan is what a job needs to advance frontiers.
type frontierPlan struct {
	unfit   error // why it cannot, or nil
	whole   wholeRows
	bytes   int64            // of memory
	edges   uint64           // in rows; with weights they count twice
	ordered bool             // by priorities, where iterations are not limited
	seeks   bool             // vertices settle: each is active once
	local   bool             // most edges stay in a shard, and iterations may do shards one after another
	stored  *page.StoredRows // rows read as they are needed; nil if all are brought into memory
	// held are rows in memory as they are stored, of which a job brings what it needs: so for
	// programs that seek, whose vertices are active once and rarely look at whole rows. The last
	// ones are sought along, where these are others. See pushes.
	held  []*page.HeldRows
	plain []*page.SharedRows // otherwise, of the CPU, in the same order
	gpu   gpuRows
}

// pushes reports whether rows are held that vertices push along, and none to seek along: pulls do the large frontiers.
func (f *frontierPlan) pushes() bool { return len(f.held) == 1 && len(f.whole.in.Sides) > 0 }

// free frees the rows that are not unpacked.
func (f *frontierPlan) free() {
	if f.stored != nil {
		f.stored.Close()
		f.stored = nil
	}
	f.held = nil
}

// wholeRows are the rows of a whole graph along which vertices notify, and those along which they
// seek where these are others: without sides, there are none.
type wholeRows struct{ out, in page.WholeRows }

// bytes returns the memory of the rows, and what reading them takes beside.
func (w wholeRows) bytes(cat *store.Catalogue) (all, reading int64) {
	all, reading = w.out.Bytes(cat)
	if len(w.in.Sides) > 0 {
		more, r := w.in.Bytes(cat)
		all, reading = all+more, max(reading, r)
	}
	return all, reading
}

// load brings the rows into memory, and returns how many bytes it read.
func (w wholeRows) load(ctx context.Context, s *store.Store) (out, in *frontier.Rows, read int64, err error) {
	out, err = w.out.Load(ctx, s)
	if err == nil && len(w.in.Sides) > 0 {
		in, err = w.in.Load(ctx, s)
		read = w.in.Reads(s.Catalogue())
	}
	if err != nil {
		return nil, nil, 0, errors.Join(err, w.free(out, in))
	}
	return out, in, read + w.out.Reads(s.Catalogue()), nil
}

// free frees rows that were loaded, unless they are nil.
func (w wholeRows) free(out, in *frontier.Rows) error {
	return errors.Join(w.out.Free(out), w.in.Free(in))
}

// wantFrontier says what rows the job advances frontiers along, if it can.
func (p *plan[V, A]) wantFrontier() {
	f := &p.front
	if f.unfit = p.frontierUnfit(); f.unfit != nil {
		return
	}
	weighted := p.shape.cat.Weighted && p.loops.Weighs
	f.whole.out = page.WholeRows{Sides: p.shape.notifySides, Weighted: weighted, Threads: p.opt.Threads}
	f.edges = p.shape.notifyEdges
	if f.seeks = cpuengine.CanSeek(p.loops); f.seeks && !p.shape.cat.SameRows() {
		f.whole.in = page.WholeRows{Sides: p.shape.gatherSides, Weighted: weighted, Threads: p.opt.Threads}
		f.edges *= 2
	}
	if weighted {
		f.edges *= 2
	}
	all, reading := f.whole.bytes(p.shape.cat)
	f.bytes = all + reading + cpuengine.AdvancerBytes(p.shape.cat.Vertices, p.opt.Threads)
	f.ordered = p.loops.Relax != nil && p.opt.Iterations == 0
	if f.unfit = p.planPlain(); f.unfit == nil {
		p.planHeld()
	}
}

// planPlain plans to have plain rows, which cost nothing where earlier jobs over the open graph have loaded them.
func (p *plan[V, A]) planPlain() error {
	f, loaded := &p.front, true
	for _, w := range []page.WholeRows{f.whole.out, f.whole.in} {
		if len(w.Sides) == 0 {
			continue
		}
		x, err := w.Shared(p.store)
		if err != nil {
			return err
		}
		f.plain = append(f.plain, x)
		loaded = loaded && x.Loaded()
	}
	if loaded && len(p.devices) == 0 {
		f.edges = 0
	}
	return nil
}

// planFrontier says whether the memory lets the job advance frontiers: what other
// iterations need has its memory before.
func (p *plan[V, A]) planFrontier() error {
	f := &p.front
	if len(p.devices) > 0 && f.unfit == nil {
		f.unfit = f.gpu.unfit
	}
	if f.unfit == nil && f.stored == nil && !p.rowsFit(0) {
		f.unfit = fmt.Errorf("the rows of the whole graph take %d MiB besides pages: --memory has no room for them",
			f.bytes>>20+1)
	}
	if p.opt.Method == Frontier && f.unfit != nil {
		return p.withoutFrontier(f.unfit)
	}
	return nil
}

// rowsFit reports whether the rows, and some bytes more, have room in memory beside the pages.
func (p *plan[V, A]) rowsFit(more int64) bool {
	rest := p.pages.Rest()
	return p.pages.InMemory() && (rest < 0 || rest >= p.front.bytes+more)
}

// withoutFrontier is the error of a job that is to advance frontiers and cannot.
func (p *plan[V, A]) withoutFrontier(why error) error {
	return fmt.Errorf("graph %s: program %s: method %s: %w", p.store.Name(), p.name(), Frontier, why)
}

// frontierUnfit returns the reason why a program cannot advance frontiers over a graph, or nil.
func (p *plan[V, A]) frontierUnfit() error {
	switch {
	case !p.can.monotone || p.can.restless || p.can.aggregable != nil:
		return errors.New("its values must only improve from neighbour to neighbour, as those of bfs, sssp, sswp and wcc " +
			"do (gas.Monotone and gas.Idempotent, without an aggregate); methods auto, pull and notify-pull run any program")
	case !cpuengine.CanAdvance(p.loops):
		return errors.New("its values are not 4 or 8 bytes without padding, or its loops are outdated: run go generate")
	case p.shape.cat.Weighted && p.loops.Weighs && !p.shape.cat.Symmetric && gas.DirectionOf(p.program) == gas.Both:
		return errors.New("it reads weights and gathers along both directions of a directed graph")
	}
	return nil
}

// counts returns the number of bytes of rows that came from the store without being unpacked: of held ones,
// and of stored ones, whose rows themselves have the bytes that were needed.
func (f *frontierPlan) counts() (held, stored, needed int64) {
	if f.stored != nil {
		stored, needed = f.stored.Counts()
	}
	for _, r := range f.held {
		held += r.BytesRead()
	}
	return held, stored, needed
}

// planHeld plans to hold rows as they are stored. Where the graph has them so in one direction only, a job holds these
// unless it was asked for frontiers, for which plain rows in both are sooner than pushing alone. When jobs over the
// open graph have looked at as many edges along them as there are, plain ones pay: to make these takes about as long
// as they save in looking at that number of edges.
func (p *plan[V, A]) planHeld() {
	f := &p.front
	if !f.seeks || f.ordered || len(p.devices) > 0 || p.opt.hooks.plainRows || f.edges == 0 {
		return
	}
	rows, err := f.whole.out.PlanHeld(p.store)
	if err != nil {
		return
	}
	held := []*page.HeldRows{rows}
	if !p.shape.cat.SameRows() {
		if in, err := f.whole.in.PlanHeld(p.store); err == nil {
			held = append(held, in)
		} else if p.opt.Method == Frontier {
			return
		}
	}
	if p.opt.Memory == 0 && rows.Searched().Load() > p.shape.notifyEdges {
		f.edges = 0
		return
	}
	f.held, f.bytes, f.edges = held, cpuengine.AdvancerBytes(p.shape.cat.Vertices, p.opt.Threads), 0
	for _, r := range held {
		f.bytes += r.Bytes() + r.ListBytes(p.opt.Threads)
	}
}

// frameShare is which part of the memory for pages and rows the frames of stored rows may take.
const frameShare = 8

// openPages takes the memory of the pages, and of rows that are read as they are needed
// where not all fit. fixed is what the job takes beside pages and rows.
func (p *plan[V, A]) openPages(o page.Options, fixed int64) (err error) {
	if p.pages, err = page.New(p.store, o); err != nil {
		return err
	}
	asked := p.opt.Method == Frontier
	may := p.front.unfit == nil && len(p.devices) == 0 && (asked || p.opt.Method == Auto)
	if !may || p.rowsFit(p.lookBytes()) && p.opt.hooks.rowsStay == 0 {
		return nil
	}
	rows := p.planRows(o, fixed)
	stay := p.rowsFit(0) || !asked && p.pages.InMemory()
	if rows == nil || stay && !p.front.local && p.opt.hooks.rowsStay == 0 {
		return nil
	}
	return p.makeRoom(rows, o)
}

// planRows returns rows that are read as they are needed, whole shards where most edges stay in them. If nil, they
// cannot be, and memory for all is named.
func (p *plan[V, A]) planRows(o page.Options, fixed int64) *page.StoredRows {
	rows, err := p.front.whole.out.PlanRows(p.store)
	switch {
	case err != nil:
		enough := fixed + page.Whole(p.store, o) + p.front.bytes
		p.front.unfit = fmt.Errorf("the rows of the whole graph do not fit into --memory (%dMiB is enough), and cannot be "+
			"read on demand: %w", (enough+1<<20-1)>>20, err)
	case p.front.ordered && rows.Local():
		p.front.local = true
		rows.ReadWhole()
	}
	return rows
}

// makeRoom divides the memory between pages and stored rows. If frontiers are asked for, vertices are active once, or
// edges stay in their shards, few pages are read or none, and rows get what the least pages leave; otherwise none stay,
// and pages have what a few frames leave.
func (p *plan[V, A]) makeRoom(rows *page.StoredRows, o page.Options) error {
	f, budget := &p.front, o.Budget
	frames := rows.Frames(budget / frameShare)
	if f.local {
		frames = 1 // a shard that is read ahead misses what the one before it activates
	}
	if p.opt.Method == Frontier || f.seeks || f.local {
		o.PageBytes = 1
		o.Budget = page.Least(p.store, o)
	} else {
		o.Budget -= rows.Memory(frames)
	}
	stay := budget - o.Budget - rows.Memory(frames)
	if p.opt.hooks.rowsStay > 0 {
		stay = min(stay, p.opt.hooks.rowsStay-1)
	}
	if o.Budget <= 0 || stay < 0 {
		enough := p.opt.Memory - budget + leastBudget(o.Budget, rows)
		f.unfit = fmt.Errorf("rows read on demand take %d MiB besides pages: --memory has no room for them; %dMiB is enough",
			rows.Memory(1)>>20+1, enough>>20+1)
		return nil
	}
	pages, err := page.New(p.store, o)
	var need *page.NeedError
	if errors.As(err, &need) {
		f.unfit = fmt.Errorf("rows read on demand take %d MiB: --memory has no room for them besides pages",
			rows.Memory(frames)>>20+1)
		return nil
	}
	if err != nil {
		return err
	}
	f.stored, f.ordered, f.edges = rows, false, 0
	f.held = nil
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
	if asked := p.opt.Method == Frontier && p.front.unfit == nil && len(p.devices) == 0; !asked {
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

// After manyFew iterations in a row, each with less than a thousandth of the vertices active, a job from
// disk says that these are slow.
const (
	manyFew   = 100
	fewActive = 1000
)

// hintDisk warns once of a job that goes along few edges at a time from disk.
func (j *Job[V, A]) hintDisk(done int) {
	s := j.state
	if j.recorder.report.InMemory && j.plan.front.stored == nil || !j.plan.can.monotone || s.few >= manyFew {
		return
	}
	if s.few += done; s.now.activated*fewActive >= uint64(j.plan.shape.cat.Vertices) {
		s.few = 0
	}
	if s.few >= manyFew {
		j.plan.opt.Log.Warn("many iterations with few active vertices read from disk, which is slow: give more --memory, " +
			"or use components to find what is connected")
	}
}
