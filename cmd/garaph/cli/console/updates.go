package console

import (
	"encoding/json"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/cmd/garaph/cli/show"
)

// update is a line of --progress json.
type update struct {
	Time  string      `json:"time"`
	State string      `json:"state"` // one of the states below
	Phase string      `json:"phase"`
	Done  int64       `json:"done"`
	Total *int64      `json:"total"` // null: unknown
	Unit  string      `json:"unit"`
	Rate  show.Number `json:"rate"` // units a second, since the phase began
	ETA   *int64      `json:"eta"`  // whole seconds; null: unknown
	Text  string      `json:"text,omitempty"`
	// Iteration is the last one, of a vertex program.
	Iteration *garaph.Iteration `json:"iteration,omitempty"`
}

// The states of a phase.
const (
	phaseBegun   = "begin"
	phaseRunning = "running"
	phaseEnded   = "end"
)

// betweenUpdates is the least time between two lines of a phase, other than its first
// and its last one.
const betweenUpdates = 100 * time.Millisecond

// updates writes progress as JSON.
type updates struct {
	mu sync.Mutex // guards w
	w  io.Writer
}

func (u *updates) write(line update) {
	b, err := json.Marshal(line)
	if err != nil {
		return // of an iteration with infinite numbers
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	_, _ = u.w.Write(append(b, '\n')) // a reader that has gone does not end the job
}

// pipeWriter writes lines to a descriptor, and leaves out those for which there is no
// room: a reader that does not read must not hold the job up.
type pipeWriter struct{ f *os.File }

func (p pipeWriter) Write(b []byte) (int, error) {
	ready := []unix.PollFd{{Fd: int32(p.f.Fd()), Events: unix.POLLOUT}}
	if n, err := unix.Poll(ready, 0); err == nil && n == 0 {
		return len(b), nil
	}
	return p.f.Write(b)
}
