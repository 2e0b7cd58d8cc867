package ingest

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// foreign are formats of graphs that are text, and whose lines would be taken
// for edges between words of syntax. They are recognised by how their first lines of
// data begin; an edge list that begins so has to name its format.
var foreign = []foreignText{
	{
		regexp.MustCompile(`(?i)^(<\?xml[^>]*>\s*)?(<!--[^>]*-->\s*)?<(!doctype\s+html|html|head|body)\b`), "is an HTML page, perhaps the answer to a download that failed",
		"download the file again, and look at what came",
	},
	{regexp.MustCompile(`^version https://git-lfs\.github\.com/`), "is a pointer of Git LFS, and not the file that it stands for", "fetch that with git lfs pull"},
	{
		regexp.MustCompile(`^<([?!]|[A-Za-z][\w.-]*(:[\w.-]+)?[\s/>])`), "is XML, as GEXF is",
		asGraphML + viaNetworkX(`g = x.read_gexf(sys.argv[1]); n = {v: v for v in g}`) + thenGraphML,
	},
	{regexp.MustCompile(`^[{[]`), "is JSON", ""}, // adviceJSON
	{
		regexp.MustCompile(`(?i)^(strict\s+)?(di)?graph(\s+("[^"]*"|[\w.]+))?\s*\{`), "is a DOT file of Graphviz",
		linesAlone + `gvpr 'E { print(tail.name, "\t", head.name) }' %[1]s > edges.tsv` + thenImport,
	},
	{
		regexp.MustCompile(`(?i)^((creator|version|comment|directed)\b[^\n]*\n\s*)*graph\s*\[`), "is a GML file",
		asGraphMLOfGML + viaNetworkX(readGML) + thenGraphML,
	},
	{regexp.MustCompile(`(?i)^\*(vertices|network)\b`), "is a Pajek file", linesOfNames + ofPajek + ", and import edges.csv with --delimiter , --no-header, and with --undirected where it has *Edges or *Edgeslist alone"},
	{regexp.MustCompile(`^\S+[ \t]+->[ \t]+\S`), "has -> between ids", "use --columns 1,3 to take the ids around it"},
	{regexp.MustCompile(`^[^\s,;]+->[^\s,;]+;?[ \t\r]*(\n|$)`), "has -> between ids", linesOfIDs + `sed 's/->/\t/; s/;[[:space:]]*$//' %[1]s > edges.tsv` + thenImport},
	{
		regexp.MustCompile(`^[^\s,;]*[^\s,;:]:([ \t][^\n]*|\r?)(\n[^\s,;]*[^\s,;:]:([ \t]|\r?\n|$)|\n?$)`), "is a list of neighbours behind ids with a colon",
		linesOfIDs + `awk '` + awkCSV + `{ sub(/:$/, "", $1); for (i = 2; i <= NF; i++) print q($1) "," q($i) }' %[1]s > edges.csv` + thenCommas,
	},
}

type foreignText struct {
	begins       *regexp.Regexp
	what, advice string
}

// dated is how the lists of neighbours of NetworkX begin, whose lines are, or may be, good edges and weights: no edge list of NetworkX has a comment
// with the date.
var dated = regexp.MustCompile(`^#.*\r?\n# GMT [A-Z][a-z]{2} `)

// anything is how any text begins.
var anything = regexp.MustCompile(``)

// ofDegree is a vertex and its degree, in a list of several lines for each vertex, and a neighbour behind it.
var ofDegree = regexp.MustCompile(`(?m)^[^#\n].*?([,;|\t] ?| )\d+\r?\n.*\{.*\}\r?$`)

// listOfNeighbours is what a list of neighbours of NetworkX is, and what to do about it. Nothing in it says which separator it was written with.
func listOfNeighbours(list []byte) (what, advice string) {
	class := strings.NewReplacer("\t", `[\t]`, ",", "[,]", ";", "[;]", "|", "[|]")
	if found := ofDegree.FindSubmatch(list); found != nil {
		rows := strings.ReplaceAll(`[(u, *re.split(r"%s(?={)", next(lines), maxsplit=1)) for l in lines for u, n in [re.split(r"%s(?=\d+$)", l)] for _ in range(int(n))]`,
			"%s", class.Replace(string(found[1])))
		return "is a list of neighbours of NetworkX, of several lines for each vertex", linesOfAttributes + strings.ReplaceAll(ofAttributes, "%[2]s", rows) + thenCommas
	}
	split := separatorOfNeighbours(list)
	if split != "" {
		split = "-F ' *" + class.Replace(split) + " *' "
	}
	return "is a list of neighbours of NetworkX, a line for each vertex",
		linesOfIDs + "awk " + split + `'` + awkCSV + `!/^#/ { for (i = 2; i <= NF; i++) print q($1) "," q($i) }' %[1]s > edges.csv` + thenCommas
}

// separatorOfNeighbours is the separator by which most neighbours begin a line of their own, as each vertex does; "" are blanks.
func separatorOfNeighbours(list []byte) (best string) {
	most := -1
	for _, separator := range []string{"\t", ",", ";", "|", ""} {
		first, neighbours := map[string]bool{}, []string(nil)
		for line := range bytes.Lines(list) {
			fields := strings.Fields(string(line))
			if separator != "" {
				fields = strings.Split(strings.TrimSpace(string(line)), separator)
			}
			if len(fields) > 0 && line[0] != '#' {
				first[strings.TrimSpace(fields[0])], neighbours = true, append(neighbours, fields[1:]...)
			}
		}
		known := 0
		for _, v := range neighbours {
			if first[strings.TrimSpace(v)] {
				known++
			}
		}
		if len(neighbours) > 0 && known > most {
			best, most = separator, known
		}
	}
	return best
}

// attributes are edges as networkx.write_edgelist writes them unless it is asked for less, and the command that leaves the
// ids and the weight of each, 1 where others have one, as NetworkX takes it.
var attributes = regexp.MustCompile(`^(?:[^,\n{]+(,)[^,\n{]+,|[^;\n{]+(;)[^;\n{]+;|[^|\n{]+(\|)[^|\n{]+\||[^\t\n{]+(\t)[^\t\n{]+\t|[^\s{]+[ \t]+[^\s{]+[ \t])[ \t]*\{(?:|['"][^\n]*)\}[ \t\r]*(?:\n|$)`)

const ofAttributes = `python3 -c 'import sys, ast, re, csv; ` +
	`lines = (l.strip() for l in open(sys.argv[1], encoding="utf-8-sig") if l.strip() and l[0] != "#"); rows = %[2]s; ` +
	`edges = [(u, v, ast.literal_eval(re.sub(r"\b[\w.]+\(([^()]*)\)", r"(\1)", d))) for u, v, d in rows]; w = "weight" if any("weight" in d for _, _, d in edges) else "value"; some = any(w in d for _, _, d in edges); ` +
	`number = lambda w: w[0] / w[1] if type(w) is tuple else float(w); ` +
	pythonCSV + `[u, v] + some * [number(d.get(w, 1))] for u, v, d in edges)' %[1]s edges.csv`

// viaNetworkX is a command that writes a graph g as GraphML, which keeps vertices without edges and any characters of the names n. The numbers of
// edges remain, and every edge has a weight if any has one.
func viaNetworkX(read string) string {
	return `python3 -c 'import sys, re, networkx as x; ` + read + `; d = [d for _, _, d in g.edges(data=True)]; ` +
		`w = "weight" if any("weight" in e for e in d) else "value"; some = w == "weight" or any(type(e.get(w)) in (int, float) for e in d); ` +
		`h = type(g)(); h.add_nodes_from(n[v] for v in g); h.add_edges_from((n[u], n[v], dict({k: float(a) for k, a in e.items() if type(a) in (int, float)}, ` +
		`**({"weight": float(e.get(w, 1))} if some else {}))) for u, v, e in g.edges(data=True)); x.write_graphml(h, sys.argv[2])' %[1]s graph.graphml`
}

// readGML takes parallel edges whether or not the file says that it has some, and ids where labels are no names of vertices.
const readGML = `g = x.parse_gml(re.sub(r"(?im)^(\s*)graph\s*\[", r"\1graph [ multigraph 1 ", open(sys.argv[1], encoding="utf-8-sig").read(), count=1), label="id"); ` +
	`n = {v: str(e.get("label", "")) for v, e in g.nodes(data=True)}; n = n if len(set(n.values()) - {""}) == len(n) else {v: v for v in g}`

const (
	// pythonCSV writes rows of strings and numbers, whatever characters the strings have.
	pythonCSV = `csv.writer(open(sys.argv[2], "w", encoding="utf8", newline=""), quoting=csv.QUOTE_NONNUMERIC).writerows(`

	// awkCSV is a function for a field of CSV, whatever characters it has, and leaves out what ends lines on Windows.
	awkCSV = `function q(s) { gsub(/"/, "\"\"", s); return "\"" s "\"" } { sub(/\r$/, "") } `

	// ofMatrix is a command for a matrix as pandas writes it, with a delimiter.
	ofMatrix = `python3 -c 'import sys, csv; h, *m = csv.reader(open(sys.argv[1], encoding="utf-8-sig", newline=""), delimiter="%[2]s"); ` +
		pythonCSV + `[r[0], v, float(w)] for r in m if r for v, w in zip(h[1:], r[1:]) if w and float(w))' %[1]s edges.csv`

	// ofPajek is a command for all kinds of sections: arcs, edges, lists of both, and matrices. Beside arcs, an edge is two of them.
	ofPajek = `python3 -c 'import sys, re, csv; t = re.split(r"(?m)^\*(\w+).*\n?", open(sys.argv[1], encoding="utf-8-sig").read()); ` +
		`s = [(k.lower(), [r for r in ([a or b for a, b in re.findall(r"\"([^\"]*)\"|(\S+)", l)] for l in b.splitlines() if l[:1] != "%") if r]) for k, b in zip(t[1::2], t[2::2])]; ` +
		`n = {r[0]: r[1] for k, b in s if k == "vertices" for r in b if r[1:] and r[1]}; ` +
		`e = [(r[0], v, float(w), k[0] == "e") for k, b in s for i, r in enumerate(b, 1) for r, v, w in ` +
		`([(r, r[1], r[2] if r[2:] and r[2][0] in "+-.0123456789" else 1)] if k in ("arcs", "edges") else [(r, v, 1) for v in r[1:]] if k in ("arcslist", "edgeslist") else ` +
		`[([str(i)], str(j), w) for j, w in enumerate(r, 1 + len(b) * (len(r) != len(b))) if float(w)] if k == "matrix" else [])]; ` +
		`n = n if len(set(n.values())) == len(n) and not {a for x in e for a in x[:2] if a not in n} & set(n.values()) else {}; both = len({x for *_, x in e}) > 1; some = any(w != 1 for _, _, w, _ in e); ` +
		pythonCSV + `[n.get(a, a), n.get(c, c)] + some * [w] for u, v, w, x in e for a, c in [(u, v), (v, u)][:1 + (both and x and u != v)])' %[1]s edges.csv`
)

// matrixOfLabels is the delimiter of a matrix whose first row and first column are the same labels, behind an empty cell; 0 for anything else.
func matrixOfLabels(h *inputHead) byte {
	text := bytes.TrimPrefix(bytes.TrimPrefix(h.bytes, utf8BOM), []byte(`""`))
	if len(text) == 0 || strings.IndexByte(",;\t", text[0]) < 0 {
		return 0
	}
	s := splitter{commas: true, delimiter: text[0]}
	var labels []string
	lines := linesOf(h)
	for row := 0; ; row++ {
		raw, ok := lines.next(row == 0)
		line := bytes.TrimRight(raw, "\r\n")
		if !ok || len(line) == 0 {
			few := row < 3 || row < 5 && labels[1] == "0"               // or edges that pandas numbered, in two or three columns
			if !few && (row == len(labels) || !ok && h.err != io.EOF) { // or more rows follow
				return text[0]
			}
			return 0
		}
		cells := s.columnNames(line)
		if row == 0 {
			labels = cells
		}
		if len(cells) < 3 || len(cells) != len(labels) || row > 0 && (row >= len(labels) || cells[0] != labels[row]) {
			return 0
		}
		if row > 0 && slices.ContainsFunc(cells[1:], func(c string) bool { return c != "" && !isNumber([]byte(c)) }) {
			return 0
		}
	}
}

// What stands around commands that write edges. Tests run these as they are in errors.
const (
	linesOfIDs     = "write its edges as lines of two ids: "
	linesOfNames   = "write its edges, without vertices that have none, as lines of two names, or of two numbers where vertices have no names or the same one, and of a weight, unless all are 1: "
	linesAlone     = "write its edges as lines of two ids, without weights and other attributes: "
	linesOfMatrix  = "write its cells that are not 0 as lines of two ids and a weight: "
	linesNoWeight  = "write its edges as lines of two ids (and put a weight behind these, if one of its keys is that): "
	asGraphML      = "write it as GraphML, with the weight 1 where only other edges have one: "
	asGraphMLOfGML = "write it as GraphML, with the labels as ids, unless vertices have none or the same one, and with the weight 1 where only other edges have one: "
	linesOfWeights = "write its edges as lines of two ids and of a weight, 1 where only others have one: "
	// of NetworkX, for which lines that begin with # are comments
	linesOfAttributes = "write its edges, but for lines that begin with #, as lines of two ids and of a weight, 1 where only others have one: "
	thenPlain         = ", and import what comes out: the error then has a command for that file"
	thenImport        = ", and import edges.tsv with --delimiter tab --no-header, and with --undirected where the graph is"
	thenGraphML       = ", and import graph.graphml"
	thenBothThere     = ", and import edges.csv with --delimiter , --no-header: an edge without direction is there both ways" // of matrices and neighbours
	thenCommas        = ", and import edges.csv with --delimiter , --no-header, and with --undirected where the graph is"
)

// joinQuoted is a command that makes blanks of line ends in quotes, where a field begins with these, and leaves all else as it is. %[2]s is what separates fields.
const joinQuoted = `python3 -c 'import sys, re; s = re.sub(rb"(?m)^[ \t]*[#%%].*|(?:^(?:\xef\xbb\xbf)?|%[2]s)[ \t]*\"[^\"]*(?:\"\"[^\"]*)*\"(?=[ \t]*(?:%[2]s|\r?$))", ` +
	`lambda m: re.sub(rb"[\r\n]+", b" ", m[0]), open(sys.argv[1], "rb").read()); sys.stdout.buffer.write(s)' %[1]s > %[3]s`

// adviceQuotes is what can be done about a field whose quote is not closed on its line.
func adviceQuotes(h *inputHead, delimiter byte) string {
	separator := `[, \t]`
	if delimiter != 0 {
		separator = fmt.Sprintf(`\x%02x`, delimiter)
	}
	file, written := shellWord(h.in.name), shellWord("new-"+filepath.Base(h.in.name))
	return h.pasted("a field ends on its line; where it goes on in the next one, join the two: " + fmt.Sprintf(joinQuoted, file, separator, written) +
		", and import " + written + "; where quotes are characters as others, and around no field, leave them out: tr -d '\"' < " + file + " > " + written)
}

// shellWord quotes a name for a shell.
func shellWord(name string) string {
	return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
}

// plainFirst is what to do about an input that commands cannot read by its name, for it is packed or a pipe; "" for others.
func (h *inputHead) plainFirst() string {
	switch suffix := map[string]string{"gzip": ".gz", "zstd": ".zst", "bzip2": ".bz2"}[h.stream.packed]; {
	case h.in.once, isStream(h.in.name):
		return "write it to a file and import that: the error then has a command for that file"
	case suffix != "":
		return toUnpack(h.stream.packed, suffix, h.in.name) + thenPlain
	}
	return ""
}

// isStream reports whether a name is one of an open stream, which no command that is pasted has.
func isStream(name string) bool {
	return name == stdinText || name == "/dev/stdin" || strings.HasPrefix(name, "/dev/fd/")
}

// pasted is advice with a command over the input by its name, or what comes before that.
func (h *inputHead) pasted(advice string) string {
	if strings.Contains(advice, shellWord(h.in.name)) {
		advice = cmp.Or(h.plainFirst(), advice)
	}
	return beside(h.in.name, advice)
}

// beside is advice whose commands write no file of the name of the input, which they read.
func beside(name, advice string) string {
	base := filepath.Base(name)
	if !strings.HasPrefix(base, "edges.") && base != "graph.mtx" && base != "weighted.graphml" {
		return advice
	}
	return strings.ReplaceAll(advice, " "+base, " new-"+base) // names that are read are in quotes
}

// checkForeign refuses, by name, what no format reads.
func checkForeign(h *inputHead, weights WeightMode) error {
	whole := bytes.TrimPrefix(h.bytes, utf8BOM)
	text, known := whole, foreign
	for text = bytes.TrimLeft(text, " \t\r\n"); len(text) > 0 && (text[0] == '#' || text[0] == '%'); {
		_, text = cutLine(text)
		text = bytes.TrimLeft(text, " \t\r\n")
	}
	text = text[:min(len(text), 4096)]
	if dated.Match(whole) {
		what, advice := listOfNeighbours(whole)
		known = []foreignText{{anything, what, advice}}
	}
	if c := matrixOfLabels(h); c != 0 && isTextBytes(h.bytes) {
		known = []foreignText{{anything, "is a matrix with a label for each row and column", linesOfMatrix + strings.ReplaceAll(ofMatrix, "%[2]s", strings.ReplaceAll(string(c), "\t", `\t`)) + thenBothThere}}
	}
	if found := attributes.FindSubmatch(text); weights != WeightsNo && found != nil && isTextBytes(h.bytes) {
		separator, flags := string(bytes.Join(found[1:], nil)), "--weights no"
		switch separator {
		case ";", "|":
			flags = "--delimiter " + shellWord(separator) + " " + flags
		case "\t":
			separator = `\t`
		}
		if separator = `"` + separator + `"`; separator == `""` {
			separator = "None"
		}
		rows := "[[x.strip() for x in l.split(" + separator + ", 2)] for l in lines]"
		return &InputError{
			File: h.in.name, Problem: "is an edge list of NetworkX with the attributes of edges in braces, which cannot be read",
			Advice: h.pasted(linesOfAttributes+strings.NewReplacer("%[1]s", shellWord(h.in.name), "%[2]s", rows).Replace(ofAttributes)+thenCommas) +
				"; or use " + flags + " to leave out the attributes, weights too",
		}
	}
	for _, f := range known {
		if f.begins.Match(text) && isTextBytes(h.bytes) {
			advice := strings.ReplaceAll(f.advice, "%[1]s", shellWord(h.in.name))
			if advice == "" {
				if advice = h.plainFirst(); advice == "" {
					advice = adviceJSON(shellWord(h.in.name), jsonOf(h, text))
				}
			}
			return &InputError{
				File: h.in.name, Problem: f.what + ", which cannot be read",
				Advice: h.pasted(advice) + "; if it is an edge list nevertheless, use --format text",
			}
		}
	}
	return nil
}
