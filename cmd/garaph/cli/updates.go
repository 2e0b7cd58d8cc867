package cli

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/spf13/pflag"
	"golang.org/x/sys/unix"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/internal/results"
)

// update is a line of --progress json.
type update struct {
	Time  string `json:"time"`
	State string `json:"state"` // one of the states below
	Phase string `json:"phase"`
	Done  int64  `json:"done"`
	Total *int64 `json:"total"` // null: unknown
	Unit  string `json:"unit"`
	Rate  number `json:"rate"` // units a second, since the phase began
	ETA   *int64 `json:"eta"`  // whole seconds; null: unknown
	Text  string `json:"text,omitempty"`
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
		return // of an iteration with infinite numbers: none has them
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	_, _ = u.w.Write(append(b, '\n')) // a reader that has gone does not end the job
}

// progressFDFlag declares --progress-fd; 0 is none.
func progressFDFlag(fs *pflag.FlagSet) *int {
	value := 0
	parse := func(s string) (int, error) {
		fd, err := strconv.Atoi(s)
		if err != nil || fd < 3 {
			return 0, errDescriptor
		}
		return fd, results.CheckInherited(fd, unix.O_RDONLY, "writing")
	}
	show := func(fd int) string {
		if fd == 0 {
			return "" // the usage names the default
		}
		return strconv.Itoa(fd)
	}
	fs.Var(&checked[int]{&value, "N", parse, show, ""}, "progress-fd", "the file descriptor for --progress json (default standard error)")
	return &value
}

// errDescriptor: what is given is no number of a descriptor that a caller can have opened.
var errDescriptor = errors.New("expected the number of an open file descriptor, 3 or more")

// pipeWriter writes lines to a descriptor, and leaves out those for which there is no
// room: a reader that does not read must not hold the job up.
type pipeWriter struct{ f *os.File }

func newPipeWriter(fd int) pipeWriter {
	return pipeWriter{os.NewFile(uintptr(fd), "progress")}
}

func (p pipeWriter) Write(b []byte) (int, error) {
	ready := []unix.PollFd{{Fd: int32(p.f.Fd()), Events: unix.POLLOUT}}
	if n, err := unix.Poll(ready, 0); err == nil && n == 0 {
		return len(b), nil
	}
	return p.f.Write(b)
}
