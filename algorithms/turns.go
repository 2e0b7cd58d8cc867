package algorithms

import "sync"

// turns lets goroutines end tasks in the order in which they begin them.
type turns struct {
	next         *sync.Cond
	begun, ended int
	most         int // tasks that are begun
	failed       bool
}

// newTurns returns the turns of the tasks from begin to before end.
func newTurns(begin, end int) *turns {
	return &turns{next: sync.NewCond(new(sync.Mutex)), begun: begin, ended: begin, most: end}
}

// begin returns the next task.
func (t *turns) begin() (i int, ok bool) {
	t.next.L.Lock()
	defer t.next.L.Unlock()
	if t.failed || t.begun >= t.most {
		return 0, false
	}
	t.begun++
	return t.begun - 1, true
}

// end calls f when all tasks before i have ended.
func (t *turns) end(i int, f func()) {
	t.next.L.Lock()
	defer t.next.L.Unlock()
	for t.ended < i && !t.failed {
		t.next.Wait()
	}
	if !t.failed {
		f()
	}
	t.ended++
	t.next.Broadcast()
}

// stop begins no more tasks. It is called by the function of an end.
func (t *turns) stop() { t.most = t.begun }

func (t *turns) fail() {
	t.next.L.Lock()
	defer t.next.L.Unlock()
	t.failed = true
	t.next.Broadcast()
}
