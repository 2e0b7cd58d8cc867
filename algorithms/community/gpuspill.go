package community

// spill has the tasks that a device has no room for: a stack.
type spill struct {
	words int   // of a task
	limit int64 // bytes; if 0, none
	tasks []uint64
}

func (p *spill) len() int { return len(p.tasks) / p.words }

// full reports whether there is no room for one more task, and for the array in the place of which
// a larger one comes.
func (p *spill) full() bool { return p.limit > 0 && 3*8*int64(len(p.tasks)+p.words) > p.limit }

func (p *spill) push(task []uint64) { p.tasks = append(p.tasks, task...) }

// pop returns the last n tasks, or all of them, until the next push.
func (p *spill) pop(n int) []uint64 {
	from := max(0, len(p.tasks)-n*p.words)
	last := p.tasks[from:]
	p.tasks = p.tasks[:from]
	return last
}
