package cli

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/garaph/garaph/internal/hostmem"
)

const (
	// tooLong is when a command over a small graph hangs, and tooLongAfter when it
	// does so after SIGTERM.
	tooLong      = 30 * time.Second
	tooLongAfter = 5 * time.Second
	// tooMuch ends a process before it takes the machine with it.
	tooMuch = 3 << 29
)

// commandLine draws a command over the graph.
func (c *hostileCase) commandLine(r *rand.Rand) []string {
	graph := anyOf(r, []string{"g.graph", "g.graph", c.path(), "./g.graph/"})
	job := strconv.Itoa(1 + r.IntN(5))
	memory := anyOf(r, []string{"64MiB", "80MiB", "100MiB"})
	n := r.IntN(100)
	if c.job != "" && n%2 == 0 { // whoever mutates a job wants it resumed
		n, job = 40+n%30, c.job
	}
	switch {
	case n < 28:
		return c.runLine(r, graph, memory)
	case n < 40:
		return c.askLine(r, graph, memory)
	case n < 70:
		line := []string{"resume", graph}
		if n < 60 {
			line = append(line, job)
		}
		line = append(line, "--memory", memory, "--device", "cpu")
		if r.IntN(4) > 0 { // otherwise it asks for it
			line = append(line, "--output", "out/again.tsv")
		}
		return line
	case n < 78:
		return []string{"verify", graph}
	case n < 82:
		return []string{"info", graph}
	case n < 85:
		return []string{"info", graph, "--json"}
	case n < 88:
		return []string{"jobs", graph}
	case n < 91:
		return []string{"jobs", graph, "--json"}
	case n < 95:
		return []string{"jobs", "rm", graph, job}
	default:
		return []string{"import", "--force", "edges.txt", graph, "--memory", "192MiB"}
	}
}

// askLine draws a command that reads rows.
func (c *hostileCase) askLine(r *rand.Rand, graph, memory string) []string {
	a, b := c.graph.vertex(r.IntN(10)), c.graph.vertex(r.IntN(10))
	switch r.IntN(6) {
	case 0:
		return []string{"neighbors", graph, a, "--memory", memory}
	case 1:
		return []string{"path", graph, a, b, "--weighted", "--memory", memory}
	case 2:
		return []string{"run", "sssp", graph, "--source", a, "--parents", "--device", "cpu", "--memory", memory, "--output",
			"out/parents.csv"}
	case 3:
		return []string{"subgraph", graph, "--source", a, "--hops", "3", "--along", "both", "--output", "out/sub",
			"--memory", "256MiB"}
	default:
		return []string{"export", graph, "--format", anyOf(r, []string{"text", "csv", "mtx", "ldbc"}), "--output",
			"out/edges", "--ids", "out/ids", "--no-weights", "--memory", memory}
	}
}

// runLine draws a run of any program on any device.
func (c *hostileCase) runLine(r *rand.Rand, graph, memory string) []string {
	program := anyOf(r, killed)
	line := append([]string{"run", program.program, graph, "--memory", memory}, c.graph.arguments(program.args)...)
	if device := anyOf(r, []string{"cpu", "cpu", "gpu", "hybrid", "auto"}); device == "gpu" || device == "hybrid" {
		line = append(line, "--device", device, "--gpu", "emulated")
	} else {
		line = append(line, "--device", device)
	}
	if r.IntN(4) == 0 {
		line = append(line, "--mode", "async")
	} else if r.IntN(3) == 0 {
		line = append(line, "--method", anyOf(r, []string{"pull", "notify-pull"}))
	}
	if r.IntN(2) == 0 {
		line = append(line, "--checkpoint-every", "1")
	}
	switch r.IntN(6) {
	case 0, 1, 2:
		line = append(line, "--output", "out/result.tsv")
	case 3:
		line = append(line, "--output", "out/result."+anyOf(r, []string{"csv", "ndjson.gz", "parquet", "npy"}))
	case 4:
		line = append(line, "--json")
	default:
		line = append(line, "--top", "1000")
	}
	if r.IntN(8) == 0 {
		line = append(line, "--report", "out/report.html", "--trace", "out/trace.json")
	}
	return line
}

// arguments puts vertices of the graph into the arguments of a program.
func (g *soundGraph) arguments(args string) []string {
	list := strings.Fields(args)
	for i, arg := range list {
		if i > 0 && (list[i-1] == "--source" || list[i-1] == "--ground") {
			list[i] = g.vertex(int(arg[0] - '0'))
		}
	}
	return list
}

// ended is how a command ended.
type ended struct {
	code           int
	signal         syscall.Signal
	took           time.Duration
	hung, stayed   bool // longer than tooLong, and tooLongAfter
	peak           int64
	stdout, stderr string
}

// execute runs a command line where the graph lies, until it ends or takes too
// long.
func (h *hostile) execute(line []string, patience time.Duration) (e ended) {
	cmd := exec.Command("garaph", line...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.Dir = &stdout, &stderr, h.in("work")
	cmd.Env = append(os.Environ(), "TMPDIR="+h.in("tmp"))
	smallParent()
	begin := time.Now()
	h.must(cmd.Start())
	inherited := hostmem.ProcBytes("/proc/self/status", "VmHWM:") // a child's peak begins with that of its parent
	gone := make(chan error, 1)
	go func() { gone <- cmd.Wait() }()
	status := fmt.Sprintf("/proc/%d/status", cmd.Process.Pid)
	for tick := time.NewTicker(10 * time.Millisecond); ; <-tick.C {
		if n := hostmem.ProcBytes(status, "VmHWM:"); n > 0 {
			e.peak = n
		}
		if e.peak > tooMuch {
			_ = cmd.Process.Kill()
		}
		if !e.hung && time.Since(begin) > patience {
			e.hung = true
			_ = cmd.Process.Signal(unix.SIGTERM)
		}
		if !e.stayed && time.Since(begin) > patience+tooLongAfter {
			e.stayed = true
			_ = cmd.Process.Kill()
		}
		var err error
		select {
		case err = <-gone:
		default:
			continue
		}
		tick.Stop()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			h.t.Fatal(err)
		}
		break
	}
	e.took = time.Since(begin)
	e.code = cmd.ProcessState.ExitCode()
	if s := cmd.ProcessState.Sys().(syscall.WaitStatus); s.Signaled() {
		e.signal = s.Signal()
	}
	// the kernel counts in lumps
	if peak := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10; peak > inherited+4<<20 {
		e.peak = peak // and not what was seen last
	}
	e.stdout, e.stderr = stdout.String(), stderr.String()
	return e
}

// smallParent returns memory back and lets the kernel forget the peak of this
// process, which a child's begins with.
func smallParent() {
	debug.FreeOSMemory()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // without it, less is seen of a child's
}
