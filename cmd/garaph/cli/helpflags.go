package cli

import (
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"
)

const (
	helpColumns = 120 // of a line of help, where no terminal is narrower
	leastHelp   = 60  // where one is narrower than this, it breaks lines itself
	mostOfFlag  = 34  // columns for a flag and its value; what is said of a longer one begins in the next line
)

// columnsOf is how long lines of a command's help may be.
func columnsOf(cmd *cobra.Command) int {
	if out, ok := cmd.OutOrStdout().(*output); ok && out.tty() {
		if width, _, err := term.GetSize(int(out.w.(*os.File).Fd())); err == nil {
			return min(max(width, leastHelp), helpColumns)
		}
	}
	return helpColumns
}

// flagUsages is what the flags of a set do, in lines of at most so many columns that end
// between words.
func flagUsages(set *pflag.FlagSet, columns int) string {
	var flags, texts []string
	width := 0
	set.VisitAll(func(f *pflag.Flag) {
		one := pflag.NewFlagSet("", pflag.ContinueOnError)
		one.AddFlag(f)
		line := strings.TrimRight(one.FlagUsages(), "\n")
		at := strings.Index(line, "--")
		if at < 0 {
			return // a hidden one
		}
		name, text, _ := strings.Cut(line[at:], "   ")
		flags, texts = append(flags, line[:at]+name), append(texts, text)
		if n := at + len(name); n <= mostOfFlag {
			width = max(width, n)
		}
	})
	var b strings.Builder
	margin := strings.Repeat(" ", width+3)
	for i, flag := range flags {
		b.WriteString(flag)
		lines := wrapWords(texts[i], columns-len(margin))
		if len(flag) > width || len(lines) == 0 {
			b.WriteString("\n")
		} else {
			b.WriteString(strings.Repeat(" ", len(margin)-len(flag)) + lines[0] + "\n")
			lines = lines[1:]
		}
		for _, line := range lines {
			b.WriteString(margin + line + "\n")
		}
	}
	return b.String()
}

// wrapWords cuts a text between its words, into lines of at most so many characters where words
// are not longer.
func wrapWords(text string, width int) []string {
	var lines []string
	line, length := "", 0
	for _, word := range strings.Fields(text) {
		n := len([]rune(word))
		switch {
		case line == "":
			line, length = word, n
		case length+1+n > width:
			lines = append(lines, line)
			line, length = word, n
		default:
			line, length = line+" "+word, length+1+n
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
