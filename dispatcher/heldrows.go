package dispatcher

import (
	"github.com/garaph/garaph/cpuengine"
	"github.com/garaph/garaph/page"
)

// heldRows are rows in memory as they are stored, of which a job brings what it needs: so
// for programs that seek, whose vertices are active once and rarely look at whole rows. In
// is nil, or the same as rows.
type heldRows struct {
	rows, in *page.HeldRows
}

// planHeld plans to hold rows as they are stored, where the graph has them so in both
// directions.
func (p *plan[V, A]) planHeld() {
	f := &p.front
	if !f.seeks || f.ordered || len(p.devices) > 0 || p.opt.plainRows {
		return
	}
	rows, err := f.rows.PlanHeld(p.store)
	if err != nil {
		return
	}
	in := rows
	if !p.shape.cat.SameRows() {
		if in, err = f.in.PlanHeld(p.store); err != nil {
			return
		}
	}
	f.held = heldRows{rows, in}
	f.bytes, f.edges = cpuengine.AdvancerBytes(p.shape.cat.Vertices)+f.held.bytes(p.opt.Threads), 0
}

// bytes is the memory of rows that are held, and of goroutines that unpack some.
func (h heldRows) bytes(threads int) int64 {
	const listBytes = 3 * 4 // for each edge of the longest row: it may grow to 3/2, and there are two
	n := h.rows.Bytes() + listBytes*int64(threads)*int64(h.rows.LongestRow())
	if h.in != h.rows {
		n += h.in.Bytes() + listBytes*int64(threads)*int64(h.in.LongestRow())
	}
	return n
}

// bytesRead is how many bytes came from the store so far.
func (h heldRows) bytesRead() int64 {
	switch h.in {
	case nil:
		return 0
	case h.rows:
		return h.rows.BytesRead()
	}
	return h.rows.BytesRead() + h.in.BytesRead()
}
