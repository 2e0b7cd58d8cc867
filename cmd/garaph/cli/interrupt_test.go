package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	ossignal "os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/garaph/garaph/bench"
	"github.com/garaph/garaph/cmd/garaph/cli/output"
	"github.com/garaph/garaph/internal/testsize"
)

// edgeFile generates a graph, and beside it two vertices, 900000 and 900001,
// between which a rank goes to and fro (see endless).
func edgeFile(t *testing.T, scale int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "edges.txt")
	o := bench.GenOptions{Kind: bench.RMAT, Scale: scale, Degree: 16, Seed: 1}
	err := output.WriteWhole(path, false, func(w io.Writer) error {
		if err := bench.Generate(t.Context(), w, o, nil); err != nil {
			return err
		}
		_, err := io.WriteString(w, "900000\t900001\n900001\t900000\n")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// endless is a job on an edgeFile that does not end.
func endless(graph string) []string {
	return []string{"run", "pagerank", graph, "--iterations", "0", "--tolerance", "0", "--damping", "0.999999999",
		"--precision", "64", "--source", "900000"}
}

// process is a garaph of its own, with a folder for temporary files.
type process struct {
	*exec.Cmd
	stdout, stderr bytes.Buffer
	tmp            string
}

func newProcess(t *testing.T, args ...string) *process {
	t.Helper()
	p := &process{Cmd: exec.Command("garaph", args...), tmp: t.TempDir()}
	p.Stdout, p.Stderr = &p.stdout, &p.stderr
	p.Env = append(os.Environ(), "TMPDIR="+p.tmp)
	return p
}

// listens waits until p listens to signals: it ignores SIGPIPE right after it has begun
// to. A slow machine may take long to begin.
func (p *process) listens(t *testing.T) {
	t.Helper()
	for range 10_000 {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.Process.Pid))
		if err != nil {
			t.Fatal(err)
		}
		_, ignored, _ := strings.Cut(string(status), "SigIgn:")
		ignored, _, _ = strings.Cut(ignored, "\n")
		if mask, err := strconv.ParseUint(strings.TrimSpace(ignored), 16, 64); err == nil &&
			mask>>(syscall.SIGPIPE-1)&1 != 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("it does not listen to signals")
}

// end waits for p and compares its exit code with want. Nothing may be left in
// its folder of temporary files.
func (p *process) end(t *testing.T, want int) {
	t.Helper()
	err := p.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if got := p.ProcessState.ExitCode(); got != want {
		t.Errorf("exit code %d, want %d\n%s", got, want, p.stderr.String())
	}
	left, err := os.ReadDir(p.tmp)
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, error %v", left, err)
	}
}

// TestInterrupt stops jobs at different times: all end in order and leave
// nothing behind.
func TestInterrupt(t *testing.T) {
	edges := edgeFile(t, 15)
	for turn, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		for _, after := range testsize.Some([]time.Duration{100 * time.Millisecond, 300 * time.Millisecond, time.Second}, 3,
			turn) {
			t.Run(signal.String()+" after "+after.String(), func(t *testing.T) {
				if ossignal.Ignored(signal) {
					t.Skip("the tests began with it ignored, as under nohup, and so does the command")
				}
				p := newProcess(t, endless(edges)...)
				if err := p.Start(); err != nil {
					t.Fatal(err)
				}
				p.listens(t)
				time.Sleep(after)
				for range 2 { // as timeout does
					if err := p.Process.Signal(signal); err != nil {
						t.Fatal(err)
					}
				}
				p.end(t, exitInterrupted)
				if text := p.stderr.String(); !strings.Contains(text, "garaph: interrupted: ") || strings.Contains(text, "panic") {
					t.Errorf("standard error: %s", text)
				}
				if p.stdout.Len() > 0 {
					t.Errorf("standard output: %s", p.stdout.String())
				}
			})
		}
	}
}

// TestNohup checks that a process that began with SIGHUP ignored goes on ignoring it.
func TestNohup(t *testing.T) {
	p := newProcess(t, endless(edgeFile(t, 10))...)
	p.Cmd.Args = append([]string{"nohup"}, p.Cmd.Args...)
	path, err := exec.LookPath("nohup")
	if err != nil {
		t.Skip(err.Error())
	}
	p.Path = path
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	p.listens(t)
	_ = p.Process.Signal(syscall.SIGHUP)
	time.Sleep(3 * sameSignal)
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.Process.Pid))
	if err != nil || bytes.Contains(status, []byte("State:\tZ")) {
		t.Errorf("SIGHUP ended it: %v\n%s", err, p.stderr.String())
	}
	_ = p.Process.Signal(syscall.SIGTERM)
	p.end(t, exitInterrupted)
}

// TestInterruptStdin checks that an import that waits for its input ends as well.
func TestInterruptStdin(t *testing.T) {
	p := newProcess(t, "run", "wcc", "-")
	stdin, err := p.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(stdin, strings.Repeat("1 2\n", 1<<16)) // more than a pipe holds: it reads
	_ = p.Process.Signal(os.Interrupt)
	p.end(t, exitInterrupted)
	if text := p.stderr.String(); !strings.Contains(text, "interrupted: the import of - was stopped") {
		t.Errorf("standard error: %s", text)
	}
}

// TestSecondSignal checks that a job that cannot end in order, since its output is not read
// writes, is killed by the second signal.
func TestSecondSignal(t *testing.T) {
	p := newProcess(t, "run", "wcc", "--output", "-", edgeFile(t, 15))
	stdout, err := p.stdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdout.Close()
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := stdout.Read(make([]byte, 1)); err != nil { // the results are being written
		t.Fatal(err)
	}
	eventually(t, func() string { // until the pipe takes no more
		pipe := []unix.PollFd{{Fd: int32(p.Stdout.(*os.File).Fd()), Events: unix.POLLOUT}}
		if n, err := unix.Poll(pipe, 0); n > 0 || err != nil {
			return ""
		}
		return "full"
	})
	ended := make(chan error, 1)
	go func() { ended <- p.Wait() }()
	_ = p.Process.Signal(os.Interrupt)
	select {
	case err := <-ended:
		t.Fatalf("the first signal ended it: %v\n%s", err, p.stderr.String())
	case <-time.After(2 * sameSignal):
	}
	eventually(t, func() string { // a slow process may take the second one for the first
		_ = p.Process.Signal(os.Interrupt)
		select {
		case <-ended:
			return "ended"
		case <-time.After(sameSignal):
			return ""
		}
	})
	if s := p.ProcessState.Sys().(syscall.WaitStatus); !s.Signaled() || s.Signal() != syscall.SIGINT {
		t.Errorf("it ended with %v, want a kill by SIGINT", p.ProcessState)
	}
}

// stdoutPipe makes standard output a pipe of the test's.
func (p *process) stdoutPipe() (*os.File, error) {
	r, w, err := os.Pipe()
	p.Stdout = w
	return r, err
}

// TestKilledRun checks that the temporary graph of a run that was killed goes with the
// next run over edge files; that of one that is still running stays, and so
// does what only looks like one.
func TestKilledRun(t *testing.T) {
	edges, tmp := edgeFile(t, 10), t.TempDir()
	begin := func() (p *process, folder string) {
		before := folders(t, tmp)
		p = newProcess(t, append(endless(edges), "-v", "--scratch", tmp)...)
		p.Stderr = nil
		stderr, err := p.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Start(); err != nil {
			t.Fatal(err)
		}
		var seen []byte
		for buf := make([]byte, 4096); !bytes.Contains(seen, []byte("iteration 3 ")); {
			n, err := stderr.Read(buf)
			if seen = append(seen, buf[:n]...); err != nil {
				t.Fatalf("%v after %s", err, seen)
			}
		}
		go func() { _, _ = io.Copy(io.Discard, stderr) }()
		for _, name := range folders(t, tmp) {
			if !slices.Contains(before, name) {
				folder = name
			}
		}
		return p, folder
	}
	for _, name := range []string{"garaph-job-", "garaph-job-2024", "garaph-job-x", "garaph-jobs"} {
		if err := os.MkdirAll(filepath.Join(tmp, name, "mine"), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	killed, left := begin()
	_ = killed.Process.Kill()
	_ = killed.Wait()
	if left == "" || !slices.Contains(folders(t, tmp), left) {
		t.Fatalf("the killed run left nothing to be removed: %v", folders(t, tmp))
	}
	running, kept := begin()
	defer func() {
		_ = running.Process.Kill()
		_ = running.Wait()
	}()
	p := newProcess(t, "run", "wcc", edges, "--scratch", tmp, "-q")
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	p.end(t, exitDone)
	want := []string{"garaph-job-", "garaph-job-2024", kept, "garaph-job-x", "garaph-jobs"}
	slices.Sort(want)
	if got := folders(t, tmp); !slices.Equal(got, want) {
		t.Errorf("there are %v, want %v", got, want)
	}
}

// folders are the names in a folder.
func folders(t *testing.T, path string) []string {
	t.Helper()
	list, err := os.ReadDir(path)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}
