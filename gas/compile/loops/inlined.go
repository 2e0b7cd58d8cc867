package loops

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/garaph/garaph/gas/compile/source"
)

// decisions are the Go compiler's decisions about the calls in a package: which
// it inlines, and which functions it never does.
type decisions struct {
	inlined map[string][]string // methods called, by base name of the file and line
	refused map[string]string   // why, by name of the function
}

var (
	inlining = regexp.MustCompile(`^(.*\.go):(\d+):\d+: inlining call to (?:.*\.)?(\w+)$`)
	refusing = regexp.MustCompile(`^.*\.go:\d+:\d+: cannot inline (.*?): (.*)$`)
	shapes   = regexp.MustCompile(`\[go\.shape[^\]]*\]`)
)

// ask builds the package in dir with the given files in the place of all
// generated ones that it has. Nothing is written but the build cache.
func ask(dir string, files []*File) (*decisions, error) {
	replace := map[string]string{}
	for _, path := range source.Generated(dir) {
		replace[path] = ""
	}
	for _, f := range files {
		file, err := inMemory(f.Text)
		if err != nil {
			return nil, fmt.Errorf("asking the Go compiler what it inlines: %w", err)
		}
		defer file.Close()
		replace[f.Path] = pathOf(file)
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return nil, fmt.Errorf("asking the Go compiler what it inlines: %w", err)
	}
	overlay, err := inMemory(text)
	if err != nil {
		return nil, fmt.Errorf("asking the Go compiler what it inlines: %w", err)
	}
	defer overlay.Close()
	cmd := exec.Command("go", "build", "-gcflags=-m=2", "-overlay", pathOf(overlay), "-o", os.DevNull, ".")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		text := string(errorLines(out))
		for path, temp := range replace {
			if temp != "" {
				text = strings.ReplaceAll(text, temp+":", filepath.Base(path)+":")
			}
		}
		return nil, fmt.Errorf("building %s with its loops: %w\n%s", dir, err, text)
	}
	return parse(out), nil
}

// inMemory makes a file that goes with the process: a killed one leaves nothing.
func inMemory(text []byte) (*os.File, error) {
	fd, err := unix.MemfdCreate("garaph-compile", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), "garaph-compile")
	if _, err := f.Write(text); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// pathOf returns the path of the file for other processes.
func pathOf(f *os.File) string { return fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), f.Fd()) }

// errorLines leaves out the compiler's messages about inlining.
func errorLines(out []byte) []byte {
	var kept [][]byte
	for line := range bytes.Lines(out) {
		if !regexp.MustCompile(`inlin|escape|leak|moved to heap|devirtual|does not|parameter .* flow|^\S+: +(from|flow)`).
			Match(line) {
			kept = append(kept, line)
		}
	}
	return bytes.TrimSpace(bytes.Join(kept[max(0, len(kept)-20):], nil))
}

func parse(out []byte) *decisions {
	d := &decisions{inlined: map[string][]string{}, refused: map[string]string{}}
	for line := range strings.Lines(string(out)) {
		line = shapes.ReplaceAllString(strings.TrimSpace(line), "")
		if m := inlining.FindStringSubmatch(line); m != nil {
			at := filepath.Base(m[1]) + ":" + m[2]
			d.inlined[at] = append(d.inlined[at], m[3])
		} else if m := refusing.FindStringSubmatch(line); m != nil {
			d.refused[m[1]] = m[2]
		}
	}
	return d
}

// call is a line of a generated file that calls a method.
type call struct {
	line    int // from 1
	loops   string
	indent  string
	to      string // variable
	assign  string // = or :=
	method  string
	args    []string
	inlined bool
}

var (
	callLine = regexp.MustCompile(`^(\t+)(\w+) (:?=) p\.(\w+)\((.*)\)$`)
	loopLine = regexp.MustCompile(`^func \(l (\w+)\) (\w+)\(`)
)

// calls finds the calls of methods in the loops of a file.
func calls(f *File, d *decisions) []call {
	var list []call
	loops, n := "", 0
	for line := range strings.Lines(string(f.Text)) {
		n++
		line = strings.TrimSuffix(line, "\n")
		if m := loopLine.FindStringSubmatch(line); m != nil {
			loops = m[1]
		}
		if m := callLine.FindStringSubmatch(line); m != nil {
			at := fmt.Sprintf("%s:%d", filepath.Base(f.Path), n)
			list = append(list, call{n, loops, m[1], m[2], m[3], m[4], arguments(m[5]), slices.Contains(d.inlined[at], m[4])})
		}
	}
	return list
}

// arguments splits at the commas that are in no brackets.
func arguments(s string) (list []string) {
	depth, start := 0, 0
	for i, r := range s {
		switch r {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case ',':
			if depth == 0 {
				list = append(list, strings.TrimSpace(s[start:i]))
				start = i + 1
			}
		}
	}
	return append(list, strings.TrimSpace(s[start:]))
}
