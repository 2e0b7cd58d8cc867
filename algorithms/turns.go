package algorithms

import "sync"

// turns lets goroutines end tasks in the order in which they begin them.
type turns struct {
	next         *sync.Cond
	begun, ended int
	failed       bool
}

func newTurns() turns { return turns{next: sync.NewCond(new(sync.Mutex))} }

// begin returns the next task of n.
func (t *turns) begin(n int) (i int, ok bool) {
	t.next.L.Lock()
	defer t.next.L.Unlock()
	if t.failed || t.begun == n {
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

func (t *turns) fail() {
	t.next.L.Lock()
	defer t.next.L.Unlock()
	t.failed = true
	t.next.Broadcast()
}
