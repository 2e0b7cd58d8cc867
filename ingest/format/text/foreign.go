package text

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/garaph/garaph/ingest/read"
)

// foreign matches the beginnings of texts whose words of syntax would be taken for vertices.
var foreign = regexp.MustCompile("^(" + strings.Join([]string{
	`<([?!]|[A-Za-z][\w.-]*(:[\w.-]+)?[\s/>])`, // XML and HTML
	`[{[]`, // JSON
	`(?i:(strict\s+)?(di)?graph(\s+("[^"]*"|[\w.]+))?\s*\{)`,                      // DOT
	`(?i:((creator|version|comment|directed)\b[^\n]*\n\s*)*graph\s*\[)`,           // GML
	`(?i:\*(vertices|network)\b)`,                                                 // Pajek
	`version https://git-lfs\.`,                                                   // a pointer to the file
	`(\S+[ \t]+->[ \t]+\S|[^\s,;]+->[^\s,;]+;?[ \t\r]*(\n|$))`,                    // u -> v
	`[^\s,;]*[^\s,;:]:([ \t][^\n]*|\r?)(\n[^\s,;]*[^\s,;:]:([ \t]|\r?\n|$)|\n?$)`, // u: v w
}, "|") + ")")

// checkForeign refuses text that begins as other formats do.
func checkForeign(h *read.Head) error {
	text := bytes.TrimLeft(bytes.TrimPrefix(h.Bytes, read.BOM), " \t\r\n")
	for len(text) > 0 && strings.IndexByte("#%", text[0]) >= 0 {
		_, text = read.CutLine(text)
		text = bytes.TrimLeft(text, " \t\r\n")
	}
	if !read.IsText(h.Bytes) || !foreign.Match(text[:min(len(text), 4096)]) {
		return nil
	}
	line, _ := read.CutLine(text)
	return &read.SyntaxError{
		File: h.Input.Name, Line: int64(1 + bytes.Count(h.Bytes[:len(h.Bytes)-len(text)], []byte("\n"))),
		Text: read.Shown(bytes.TrimSpace(line)), Expected: "an edge",
		Advice: "see docs/formats.md for what is read, or use --format text if it is an edge list",
	}
}
