package text

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/garaph/garaph/ingest/read"
)

// foreignText are how texts begin, behind comments, whose lines would be taken for edges between words of syntax.
var foreignText = []struct{ begins, what string }{
	{`(?i)^(<\?xml[^>]*>\s*)?(<!--[^>]*-->\s*)?<(!doctype\s+html|html|head|body)\b`, "an HTML page"},
	{`^version https://git-lfs\.github\.com/`, "a pointer of Git LFS"},
	{`^<([?!]|[A-Za-z][\w.-]*(:[\w.-]+)?[\s/>])`, "XML, as GEXF is"},
	{`^[{[]`, "JSON"},
	{`(?i)^(strict\s+)?(di)?graph(\s+("[^"]*"|[\w.]+))?\s*\{`, "a DOT file of Graphviz"},
	{`(?i)^((creator|version|comment|directed)\b[^\n]*\n\s*)*graph\s*\[`, "a GML file"},
	{`(?i)^\*(vertices|network)\b`, "a Pajek file"},
	{`^(\S+[ \t]+->[ \t]+\S|[^\s,;]+->[^\s,;]+;?[ \t\r]*(\n|$))`, "a list of edges u -> v"},
	{`^[^\s,;]*[^\s,;:]:([ \t][^\n]*|\r?)(\n[^\s,;]*[^\s,;:]:([ \t]|\r?\n|$)|\n?$)`,
		"a list of neighbours behind ids with a colon"},
	{attributes, "an edge list with attributes in braces"},
}

// attributes matches the attributes of an edge that NetworkX wrote, which are skipped if weights are not wanted.
const attributes = `^[^{\n]+[ \t,;|]\{(['"][^\n]*)?\}\s*(\n|$)`

// neighboursOfNetworkX matches the beginning of lists of neighbours that NetworkX wrote. Its edge
// lists have no comment with the date.
var neighboursOfNetworkX = regexp.MustCompile(`^#.*\r?\n# GMT [A-Z][a-z]{2} `)

// checkForeign refuses, by name, text of formats that are not read.
func checkForeign(h *read.Head, weights read.WeightMode) error {
	if !read.IsText(h.Bytes) {
		return nil
	}
	whole := bytes.TrimPrefix(h.Bytes, read.BOM)
	text := bytes.TrimLeft(whole, " \t\r\n")
	for len(text) > 0 && strings.IndexByte("#%", text[0]) >= 0 {
		_, text = read.CutLine(text)
		text = bytes.TrimLeft(text, " \t\r\n")
	}
	text = text[:min(len(text), 4096)]
	known := foreignText
	if neighboursOfNetworkX.Match(whole) {
		text, known = nil, []struct{ begins, what string }{{``, "a list of neighbours of NetworkX"}}
	}
	for _, f := range known {
		if regexp.MustCompile(f.begins).Match(text) && (weights != read.WeightsNo || f.begins != attributes) {
			const advice = read.SeeFormats + ", or use --format text if it is an edge list"
			return &read.InputError{File: h.Input.Name, Problem: "is " + f.what + ", which is not read", Advice: advice}
		}
	}
	return nil
}
