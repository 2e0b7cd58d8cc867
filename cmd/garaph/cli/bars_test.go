package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

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

// TestBars checks that bars are drawn, lines go above them, and when the job is done only
// lines are left.
func TestBars(t *testing.T) {
	edges := edgeFile(t, 14)
	stdout, screen := onTerminal(t,
		append(endless(edges), "--iterations", "100", "--method", "pull", "--top", "1", "-v")...)
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

// TestBinaryToTerminal checks that binary results are not written to a terminal, and the
// job that would do so does not begin.
func TestBinaryToTerminal(t *testing.T) {
	edges := edgeFile(t, 4)
	for format, want := range map[string]int{"parquet": exitUsage, "npy": exitUsage, "tsv.gz": exitUsage,
		"csv": exitDone} {
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
		if refused := strings.Contains(p.stderr.String(), "format "+format+" is binary"); refused != (want == exitUsage) ||
			refused != (len(screen) == 0) {
			t.Errorf("%s: %d bytes on the terminal, and %q", format, len(screen), p.stderr.String())
		}
	}
}
