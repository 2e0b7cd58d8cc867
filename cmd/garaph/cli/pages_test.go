package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"
)

// pageCommand is a command of a page, and the lines below it.
type pageCommand struct{ command, output string }

// commandsOf returns what stands behind "$ " in the blocks of a page, indented or between fences.
func commandsOf(page string) []pageCommand {
	var list []pageCommand
	open := false // lines belong to the last command
	for line := range strings.Lines(page) {
		text := strings.TrimPrefix(strings.TrimSuffix(line, "\n"), "    ")
		command, is := strings.CutPrefix(text, "$ ")
		switch {
		case is:
			list = append(list, pageCommand{command: command})
			open = true
		case text == "" || strings.HasPrefix(text, "```"):
			open = false
		case open:
			list[len(list)-1].output += text + "\n"
		}
	}
	return list
}

// varying is what commands print of when they ran, and for how long.
var varying = regexp.MustCompile(`\b\d\d:\d\d:\d\d\b|\b[0-9][0-9.e-]* (µs|ms|s)\b`)

// page FILE WORD runs the commands of a page that have the word, and compares what they print with what stands
// below them: with -q, on standard error too.
func page(ts *testscript.TestScript, _ bool, args []string) {
	text, err := os.ReadFile(filepath.Join("../../..", args[0]))
	ts.Check(err)
	ran := false
	for _, x := range commandsOf(string(text)) {
		if !strings.Contains(x.command, args[1]) {
			continue
		}
		command := strings.ReplaceAll(x.command, "./garaph ", "garaph ")
		if strings.Contains(command, " -q") {
			command += " 2>&1"
		}
		ts.Check(ts.Exec("sh", "-c", command))
		want, got := varying.ReplaceAllString(x.output, "T"), varying.ReplaceAllString(ts.ReadFile("stdout"), "T")
		if diff := cmp.Diff(want, got); diff != "" {
			ts.Fatalf("%s: %s\n%s", args[0], x.command, diff)
		}
		ran = true
	}
	if !ran {
		ts.Fatalf("%s shows no command with %s", args[0], args[1])
	}
}
