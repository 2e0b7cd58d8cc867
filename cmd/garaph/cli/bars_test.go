package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dustin/go-humanize"
	"golang.org/x/sys/unix"
)

// terminal opens a pseudo-terminal of 100 columns.
func terminal(t *testing.T) (control, tty *os.File) {
	t.Helper()
	control, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no pseudo-terminals here: %v", err)
	}
	fd := int(control.Fd())
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 100})
	}
	if err != nil {
		t.Fatal(err)
	}
	tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	return control, tty
}

// onTerminal runs garaph with standard error on a terminal, and returns what was
// written there.
func onTerminal(t *testing.T, args ...string) (stdout, stderr string) {
	t.Helper()
	control, tty := terminal(t)
	defer control.Close()
	p := newProcess(t, args...)
	p.Stderr = tty
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	_ = tty.Close()
	screen, _ := io.ReadAll(control) // ends with an error when the other side is closed
	p.end(t, exitDone)
	return p.stdout.String(), string(screen)
}

// TestBars: bars are drawn, lines go above them, and when the job is done only
// lines are left.
func TestBars(t *testing.T) {
	edges := edgeFile(t, 14)
	stdout, screen := onTerminal(t, append(endless(edges), "--iterations", "100", "--method", "pull", "--top", "1", "-v")...)
	for _, want := range []string{"reading  ", "MiB", "pagerank  ", "debug iteration 7 (cpu, pull)"} {
		if !strings.Contains(screen, want) {
			t.Errorf("%q was not on the screen", want)
		}
	}
	left := render(screen)
	if strings.Contains(left, "░") || strings.Contains(left, "█") {
		t.Errorf("a bar is left on the screen:\n%s", left)
	}
	lines := strings.Split(strings.TrimSpace(left), "\n")
	if last := lines[len(lines)-1]; !strings.HasPrefix(last, "pagerank: 100 iterations in ") {
		t.Errorf("the screen ends with %q", last)
	}
	if n := strings.Count(left, "debug iteration"); n != 100 {
		t.Errorf("%d lines of iterations are left, want 100:\n%s", n, left)
	}
	if strings.Count(stdout, "\n") != 2 || strings.Contains(stdout, "\x1b") {
		t.Errorf("standard output: %q", stdout)
	}
	if _, screen := onTerminal(t, "run", "wcc", edges, "-q"); screen != "" {
		t.Errorf("quiet, but on the screen: %q", screen)
	}
}

// TestTerminalWithoutSize: lines are written where no bar could be seen.
func TestTerminalWithoutSize(t *testing.T) {
	control, tty := terminal(t)
	defer control.Close()
	defer tty.Close()
	for _, size := range []unix.Winsize{{}, {Row: 24}, {Col: 100}, {Row: 24, Col: 100}} {
		if err := unix.IoctlSetWinsize(int(tty.Fd()), unix.TIOCSWINSZ, &size); err != nil {
			t.Fatal(err)
		}
		sized := size.Row > 0 && size.Col > 0
		if c := newConsole(tty); c.draws() != sized || c.lists() == sized {
			t.Errorf("%d × %d: bars %t, lines %t", size.Col, size.Row, c.draws(), c.lists())
		}
	}
}

// TestBarsOfPipe: two processes that share a terminal draw in turn, and lines of the one
// do not meet the bar of the other.
func TestBarsOfPipe(t *testing.T) {
	control, tty := terminal(t)
	defer control.Close()
	const scale = 15
	graph, edges := filepath.Join(t.TempDir(), "g"), int64(16<<scale)
	writer := newProcess(t, "generate", "rmat", "--scale", strconv.Itoa(scale), "--threads", "1")
	reader := newProcess(t, "import", "-", graph, "-v")
	written, stdout, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stdin, read, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	writer.Stdout, reader.Stdin = stdout, stdin
	bar, drawn := make(chan bool), false // closed when one is on the screen
	go func() {
		defer read.Close()
		defer written.Close()
		_, _ = io.CopyN(read, written, 1<<20)
		select {
		case <-bar:
			time.Sleep(time.Second) // in which both would draw
		case <-time.After(time.Minute):
			t.Error("no bar was drawn")
		}
		_, _ = io.Copy(read, written)
	}()
	for _, p := range []*process{reader, writer} {
		p.Stderr = tty
		if err := p.Start(); err != nil {
			t.Fatal(err)
		}
	}
	_, _, _ = tty.Close(), stdin.Close(), stdout.Close()
	var screen []byte
	for buf := make([]byte, 4096); ; { // ends with an error when the other sides are closed
		n, err := control.Read(buf)
		if screen = append(screen, buf[:n]...); err != nil {
			break
		}
		if !drawn && bytes.Contains(screen, []byte("░")) {
			drawn = true
			close(bar)
		}
	}
	writer.end(t, exitDone)
	reader.end(t, exitDone)
	left := render(string(screen))
	if strings.ContainsAny(left, "░█") {
		t.Errorf("a bar is left on the screen:\n%s", left)
	}
	for _, want := range []string{"generated " + humanize.Comma(edges) + " edges in ", fmt.Sprintf("info read entries=%d ", edges), " and " + humanize.Comma(edges) + " edges in "} {
		if strings.Count(left, want) != 1 {
			t.Errorf("%q is not on the screen once:\n%s", want, left)
		}
	}
}

// render plays the two codes that bars use: one line up, and clear from here.
func render(screen string) string {
	var lines [][]byte
	line := 0
	for len(screen) > 0 {
		switch {
		case strings.HasPrefix(screen, "\x1b["):
			end := strings.IndexAny(screen, "AJ")
			if screen[end] == 'A' {
				var n int
				_, _ = fmt.Sscanf(screen[2:], "%dA", &n)
				line -= n
			} else {
				lines = lines[:line]
			}
			screen = screen[end+1:]
			continue
		case screen[0] == '\n':
			line++
		case screen[0] != '\r':
			for len(lines) <= line {
				lines = append(lines, nil)
			}
			lines[line] = append(lines[line], screen[0])
		}
		screen = screen[1:]
	}
	return string(bytes.Join(lines, []byte("\n")))
}

// TestBinaryToTerminal: what people cannot read is not written to a terminal, and the
// job that would do so does not begin.
func TestBinaryToTerminal(t *testing.T) {
	edges := edgeFile(t, 4)
	for format, want := range map[string]int{"parquet": exitUsage, "npy": exitUsage, "tsv.gz": exitUsage, "csv": exitDone} {
		control, tty := terminal(t)
		p := newProcess(t, "run", "wcc", edges, "-q", "--output", "-", "--output-format", format)
		p.Stdout = tty
		if err := p.Start(); err != nil {
			t.Fatal(err)
		}
		_ = tty.Close()
		screen, _ := io.ReadAll(control) // ends with an error when the other side is closed
		_ = control.Close()
		p.end(t, want)
		if refused := strings.Contains(p.stderr.String(), "results as "+format+" are binary"); refused != (want == exitUsage) || refused != (len(screen) == 0) {
			t.Errorf("%s: %d bytes on the terminal, and %q", format, len(screen), p.stderr.String())
		}
	}
}
