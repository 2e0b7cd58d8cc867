package ingest

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// HeaderMode says whether text begins with a line of column names.
type HeaderMode string

// The modes. With HeaderAuto the first lines decide, see isHeader.
const (
	HeaderAuto HeaderMode = ""
	HeaderYes  HeaderMode = "yes"
	HeaderNo   HeaderMode = "no"
)

// TableOptions say how lines of text ([Text]) are columns. The zero value takes
// blanks or a comma as the separator, and the first columns.
type TableOptions struct {
	// Delimiter separates columns; 0: spaces and tabs, or one comma. With it,
	// names may have any other character inside.
	Delimiter byte
	Header    HeaderMode
	// Columns are those of source, destination and, if there is a third one,
	// weight: numbers from 1 on, or names in the header.
	Columns []string
}

func (o *TableOptions) isSet() bool {
	return o.Delimiter != 0 || o.Header != HeaderAuto || len(o.Columns) > 0
}

// Check refuses what contradicts itself, or the way in which weights are taken.
func (o *TableOptions) Check(weights WeightMode) error {
	switch c := o.Delimiter; {
	case c == '"' || c == '\n' || c == '\r' || c > '~' || c < ' ' && c != '\t' && c != 0:
		return fmt.Errorf("delimiter %q: expected a character of ASCII that is no quote, line end or control", c)
	case c >= '0' && c <= '9':
		return fmt.Errorf("delimiter %q: expected a character that is no digit", c)
	}
	if !slices.Contains([]HeaderMode{HeaderAuto, HeaderYes, HeaderNo}, o.Header) {
		return fmt.Errorf("unknown way to take a header %q: expected yes, no or nothing", string(o.Header))
	}
	switch len(o.Columns) {
	case 0:
		return nil
	case 2:
		if weights == WeightsYes {
			return fmt.Errorf("columns %s have no weight, but weights are required: name the column of the weight as the third", strings.Join(o.Columns, ", "))
		}
	case 3:
		if weights == WeightsNo {
			return fmt.Errorf("columns %s have a weight, but weights are to be passed over: name the first two alone", strings.Join(o.Columns, ", "))
		}
	default:
		return fmt.Errorf("%d columns: expected those of source and destination, and perhaps of the weight", len(o.Columns))
	}
	for i, c := range o.Columns {
		n, err := strconv.Atoi(c)
		switch {
		case slices.Contains(o.Columns[:i], c):
			return fmt.Errorf("column %s is there twice: %s", c, adviceOther)
		case c == "":
			return fmt.Errorf("columns %q: one of them is empty", o.Columns)
		case err == nil && (n < 1 || n > maxColumns):
			return fmt.Errorf("column %s: expected a number from 1 to %d, or a name", c, maxColumns)
		case err != nil && o.Header == HeaderNo:
			return fmt.Errorf("column %q is a name, but the input has no header: give its number", c)
		}
	}
	return nil
}

// named reports whether a column is given by its name.
func (o *TableOptions) named() bool {
	return slices.ContainsFunc(o.Columns, func(c string) bool {
		_, err := strconv.Atoi(c)
		return err != nil
	})
}

// maxColumns bounds the number of a column.
const maxColumns = 1 << 16

// fit refuses options that are not for a format. Files of columns have names for these,
// and neither delimiter nor header.
func (o *TableOptions) fit(name string, f Format) error {
	switch {
	case f == Text || !o.isSet():
		return nil
	case (f.hasColumns() || f == GraphML) && o.Delimiter == 0 && o.Header == HeaderAuto:
		return nil
	case f.hasColumns() || f == GraphML:
		return &InputError{File: name, Problem: fmt.Sprintf("is in format %s, which has no delimiter or header to choose", f), Advice: "leave these options out"}
	}
	return &InputError{
		File: name, Problem: fmt.Sprintf("is in format %s, which has no delimiter, header or columns to choose", f),
		Advice: "leave these options out, or use --format text if it is text",
	}
}

// pickColumns finds the columns that the options name, and sets their places
// in the layout.
func pickColumns(h *inputHead, l *lineLayout, o *TableOptions) error {
	if len(o.Columns) == 0 {
		return nil
	}
	var header []string
	var line []byte
	var at int64
	if o.named() {
		if line, at = headerOf(h, l); line != nil {
			header = l.columnNames(line)
		}
		if header == nil {
			return &InputError{File: h.in.name, Problem: "has no header line", Advice: "give the columns by their numbers"}
		}
	}
	l.pick = make([]int, len(o.Columns))
	for i, c := range o.Columns {
		if n, err := strconv.Atoi(c); err == nil {
			l.pick[i] = n - 1
			continue
		}
		if l.pick[i] = findColumn(header, c); l.pick[i] == severalColumns {
			return &SyntaxError{
				File: h.in.name, Line: at, Text: shown([]byte(strings.Join(header, ", "))), Expected: fmt.Sprintf("one column %q in the header, not several", c),
				Advice: "give the column's number",
			}
		}
		if l.pick[i] < 0 {
			return &SyntaxError{
				File: h.in.name, Line: at, Text: shown([]byte(strings.Join(header, ", "))), Expected: fmt.Sprintf("a column %q in the header", c),
				Advice: "give one of its names, or the column's number" + delimiterHint(header, l.delimiter),
			}
		}
	}
	if problem := sameColumn(l.pick, o.Columns); problem != "" {
		return &InputError{File: h.in.name, Problem: problem, Advice: adviceOther}
	}
	l.depth = slices.Max(l.pick) + 1
	if header != nil && !l.runs() {
		l.width = len(header)
	}
	if header != nil {
		var f lineFields
		if l.picked(line, &f); f.mixed { // its blanks would shift the columns
			return &SyntaxError{File: h.in.name, Line: at, Text: shown(line), Expected: mixedColumns, Advice: adviceMixed(line)}
		}
	}
	return nil
}

// severalColumns have the same name, see findColumn.
const severalColumns = -2

// findColumn is the place of a name in a header, as it is written or else in another case: -1 without one, and
// severalColumns where it is not clear which one is meant.
func findColumn(header []string, name string) int {
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		at := -1
		for i, h := range header {
			switch {
			case !same(h, name):
			case at >= 0:
				return severalColumns
			default:
				at = i
			}
		}
		if at >= 0 {
			return at
		}
	}
	return -1
}

// sameColumn is the problem of a column that was chosen twice, by its name and its number perhaps; "" if there is none.
func sameColumn(at []int, chosen []string) string {
	for i, c := range at {
		if k := slices.Index(at, c); k < i {
			return fmt.Sprintf("has one column that is both %q and %q", chosen[k], chosen[i])
		}
	}
	return ""
}

// adviceOther is what to do about a column that is chosen twice.
const adviceOther = "name another one for each of source, destination and weight"

func delimiterHint(header []string, delimiter byte) string {
	if len(header) != 1 || delimiter != 0 {
		return ""
	}
	if i := strings.IndexAny(header[0], ";|"); i >= 0 {
		return "; use --delimiter '" + header[0][i:i+1] + "' if that separates the columns"
	}
	return "; --delimiter names the separator if it is no blank and no comma"
}

// headerOf is the first line of data, and its number; nil when there is none.
func headerOf(h *inputHead, l *lineLayout) ([]byte, int64) {
	lines := linesOf(h)
	for {
		raw, ok := lines.next(true)
		if !ok {
			return nil, 0
		}
		if line, ok := l.data(raw); ok {
			return line, lines.lines
		}
	}
}

// columnNames are all fields of a line; nil when it cannot be split.
func (s *splitter) columnNames(line []byte) []string {
	var names []string
	for p := 0; p >= 0; {
		field, _, next, problem := s.next(line, p)
		if problem != "" {
			return nil
		}
		names = append(names, string(field))
		p = next
	}
	return names
}

// countNames counts the fields of a line, but for a last one that is empty; 0 when it cannot be split.
func (s *splitter) countNames(line []byte) int {
	names := s.columnNames(line)
	if n := len(names); n > 0 && names[n-1] == "" {
		return n - 1
	}
	return len(names)
}

// misplaced finds the names of the id columns in a header at other places
// than the first two: an edge of the first two would be wrong without a word.
func misplaced(header []string) []int {
	if at := columnsOfEnds(header); !slices.Equal(at, []int{0, 1}) {
		return at
	}
	return nil
}

// endNames are names that are of source and destination beyond doubt where a header has both, with or without "id" behind them. Unlike
// headerNames, one of them alone says nothing.
var endNames = [][2]string{
	{"payer", "payee"}, {"caller", "callee"}, {"sender", "receiver"}, {"sender", "recipient"}, {"follower", "followee"}, {"citing", "cited"}, {"origin", "destination"},
}

// columnsOfEnds are the places of source and destination in a header by their names; nil where these do not tell.
func columnsOfEnds(header []string) []int {
	find := func(is func(name string) bool) (at []int) {
		for i, name := range header {
			if is(name) {
				at = append(at, i)
			}
		}
		return at
	}
	src, dst := find(func(s string) bool { return isUsual(s, 0) }), find(func(s string) bool { return isUsual(s, 1) })
	if len(src) > 0 && src[0] == 0 && slices.Contains(dst, 1) {
		return []int{0, 1}
	}
	for _, pair := range endNames { // before start and end, which may be times
		named := func(name string) []int {
			return find(func(s string) bool { return strings.TrimSuffix(plainName(s), "id") == name })
		}
		if u, v := named(pair[0]), named(pair[1]); len(u) == 1 && len(v) == 1 {
			return []int{u[0], v[0]}
		}
	}
	if len(src) == 0 || len(dst) == 0 {
		return nil
	}
	return []int{src[0], dst[0]}
}

// withWeightOf are two columns of a header, and the one that is a weight by its name, if there is one. It may have a type behind a colon, as those of Neptune.
func withWeightOf(header []string, ends []int) []int {
	for _, is := range []func(string) bool{isWeightName, mayBeWeight} {
		for i, name := range header {
			if name, _, _ = strings.Cut(name, ":"); is(name) && !slices.Contains(ends, i) {
				return append(slices.Clone(ends), i)
			}
		}
	}
	return ends
}

// isUsual reports whether a name is a usual one of the source's column (0) or of
// the destination's (1).
func isUsual(name string, kind int) bool {
	return slices.Contains(headerNames[kind], plainName(name))
}

// plainName is a name of a column less case, blanks and punctuation.
func plainName(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" _-:~", r) {
			return -1
		}
		return r
	}, strings.ToLower(name))
}

// picked takes the columns that were chosen out of a line.
func (l *lineLayout) picked(line []byte, f *lineFields) {
	f.reset(len(l.pick))
	for k, p := 0, 0; k < l.depth; k++ {
		if p < 0 {
			if f.n, f.problem = 0, fmt.Sprintf("at least %d columns", l.depth); l.delimiter == 0 && line[len(line)-1] == ',' {
				f.problem = fmt.Sprintf("something in column %d, which is empty", k+1)
			}
			return
		}
		field, end, next, problem := l.next(line, p)
		if problem != "" {
			f.n, f.problem = 0, problem
			return
		}
		for i, column := range l.pick {
			if column == k {
				f.field[i] = field
			}
		}
		if p = next; p >= 0 && l.delimiter == 0 {
			f.separated(line[end:p])
		}
		f.rest = p
		if k+1 == l.depth && l.width > 0 && p >= 0 && l.depth+1+bytes.Count(line[p:], []byte{l.delimiter}) > l.width { // some may be in quotes
			if n := l.countNames(line); n > l.width {
				f.n, f.problem = 0, fmt.Sprintf("%d fields, as in the header, and not %d", l.width, n)
				return
			}
		}
	}
	f.mixed = f.mixed && !l.numbers(line)
}

// numbers reports whether the columns of a line are numbers, as far as any is read: no
// blank is of a name.
func (l *lineLayout) numbers(line []byte) bool {
	for k, p := 0, 0; k < l.depth && p >= 0; k++ {
		var field []byte
		if field, _, p, _ = l.next(line, p); !isNumber(field) {
			return false
		}
	}
	return true
}

// fields takes a line of data apart into f, up to want fields, or into the
// columns that were chosen.
func (l *lineLayout) fields(line []byte, want int, f *lineFields) {
	if l.pick != nil {
		l.picked(line, f)
	} else {
		l.split(line, want, f)
	}
	if f.problem != "" || f.rest < 0 {
		return
	}
	if c := l.quotesBehind(f.by); c != 0 && opensQuote(line[f.rest:], c) { // its next line is no edge
		f.n, f.problem = 0, openQuote
	}
}

// plainSeps are the separators of the fast path: none when lines need more care.
func (l *lineLayout) plainSeps() uint64 {
	if l.pick != nil && !slices.Equal(l.pick, []int{0, 1, 2}[:len(l.pick)]) {
		return 0
	}
	switch l.delimiter {
	case 0:
		return textSeps
	case ' ', '\t', ',':
		return 1 << l.delimiter
	}
	return 0
}

// trimEnd cuts the line end and the blanks before it.
func trimEnd(line []byte) []byte {
	line = bytes.TrimSuffix(line, []byte("\n"))
	line = bytes.TrimSuffix(line, []byte("\r"))
	for len(line) > 0 && isBlank(line[len(line)-1]) {
		line = line[:len(line)-1]
	}
	return line
}

// delimiterByName is the delimiter that the name of a file says, where its first line has one; 0 for others. Commas may be of
// names where there are semicolons or tabs, and where numbers have others between them, both separate.
func delimiterByName(h *inputHead, l *lineLayout) byte {
	c := map[string]byte{".csv": ',', ".tsv": '\t'}[extension(h.in.name)]
	if c == 0 {
		return 0
	}
	if line, _ := headerOf(h, l); bytes.IndexByte(line, c) < 0 || c == ',' && bytes.ContainsAny(line, ";\t") || separatedNumbers(h, l, c) {
		return 0
	}
	return c
}

// delimiterLine is a first line by which spreadsheets know the delimiter of the others.
var delimiterLine = regexp.MustCompile(`^(?i:"?sep=([[:punct:]\t])"?)\r?\n`)

// passDelimiter passes over such a line; 0 without one.
func passDelimiter(h *inputHead) byte {
	found := delimiterLine.FindSubmatch(bytes.TrimPrefix(h.bytes, utf8BOM))
	if found == nil || found[1][0] == '"' {
		return 0
	}
	h.passed = len(found[0])
	return found[1][0]
}

// separatedNumbers reports whether a line among the first ones has numbers with blanks or commas between them in a cell, if this is the delimiter.
func separatedNumbers(h *inputHead, l *lineLayout, delimiter byte) bool {
	const some = 100
	lines := linesOf(h)
	for range some {
		raw, ok := lines.next(true)
		if !ok {
			return false
		}
		line, _ := l.data(raw)
		for cell := range bytes.SplitSeq(line, []byte{delimiter}) {
			words := bytes.FieldsFunc(cell, func(r rune) bool { return r == ' ' || r == '\t' || r == ',' })
			if len(words) > 1 && !slices.ContainsFunc(words, func(w []byte) bool { return !isNumber(w) }) {
				return true
			}
		}
	}
	return false
}

// columnFlags are the flags that take columns of a header: by their names, or by their numbers where names do not tell.
func columnFlags(header []string, at ...int) string {
	var names, numbers []string
	for _, i := range at {
		if _, err := strconv.Atoi(header[i]); err != nil && header[i] != "" && findColumn(header, header[i]) == i {
			names = append(names, header[i])
		}
		numbers = append(numbers, strconv.Itoa(i+1))
	}
	if len(names) < len(at) {
		return "--header --columns " + strings.Join(numbers, ",")
	}
	var list strings.Builder
	w := csv.NewWriter(&list)
	_ = w.Write(names) // to memory
	w.Flush()
	value := strings.TrimSuffix(list.String(), "\n")
	if strings.ContainsAny(value, " \t\"'$`\\!*?[]{}()<>|&;#~") {
		value = shellWord(value)
	}
	return "--columns " + value
}

// takenColumns are the flags that take the columns of edges of a header: by their names if these tell, else those that a user chooses.
func takenColumns(header []string) (flags string, told bool) {
	if at := columnsOfEnds(header); at != nil {
		if at = withWeightOf(header, at); len(at) == 3 {
			return columnFlags(header, at...), true
		}
		return columnFlags(header, at...) + " to take these two, with a third one for weights", true
	}
	const most = 20
	names := header[:min(len(header), most)]
	all := make([]int, len(names))
	for i := range all {
		all[i] = i
	}
	use := "--columns SRC,DST[,WEIGHT] to choose among "
	if strings.HasPrefix(columnFlags(names, all...), "--header") {
		use = "--header and --columns SRC,DST[,WEIGHT], by their numbers from 1, to choose among "
	}
	list := make([]string, 0, most+1)
	for _, name := range names {
		list = append(list, strconv.Quote(shown([]byte(name))))
	}
	if len(header) > most {
		list = append(list, fmt.Sprintf("and %d more", len(header)-most))
	}
	return use + strings.Join(list, ", "), false
}

// adviceColumns is what can be done about a table with this header, of which no
// columns were chosen and that has more than are read; "" for others.
func adviceColumns(header []string) string {
	if len(header) < 3 {
		return ""
	}
	use, told := takenColumns(header)
	if told {
		return "use " + use + ", or --weights no to pass over what follows the ids"
	}
	return "use " + use + ", or --weights no where the first two are the ids, to pass over what follows them"
}

// adviceDoubtful is the same where the first line may be a header, or an edge.
func adviceDoubtful(first []string) string {
	if len(first) < 3 {
		return ""
	}
	use, _ := takenColumns(first)
	return "if it names the columns, use " + use + "; if it is an edge, --no-header and --columns SRC,DST[,WEIGHT], by their numbers from 1"
}

// checkDelimiter refuses a table whose separator is a semicolon or a bar, of which commas and blanks in names, and decimal commas, make edges
// that nobody meant. It warns where these may be of names.
func checkDelimiter(h *inputHead, l *lineLayout, warn func(string)) error {
	for _, c := range []byte(";|") {
		d := delimitedBy(h, l, c)
		if d == nil {
			continue
		}
		use := "use --delimiter '" + string(c) + "'"
		switch wrong, doubtful := d.verdict(); {
		case wrong:
			if d.commas && !d.decimals {
				use += ", or --delimiter , where commas alone separate the fields"
			}
			return &SyntaxError{File: h.in.name, Line: d.line, Text: shown(d.first), Expected: "fields separated by spaces, tabs or commas", Advice: use}
		case doubtful:
			other := "space"
			if d.comma {
				other = ","
			}
			warn(fmt.Sprintf("%s:%d: %q: %q was taken for a part of names; %s if it separates the fields, or --delimiter %s to say that it does not",
				h.in.name, d.line, shown(d.first), c, use, other))
		}
	}
	return nil
}

// delimited is what the first lines show about a character that stands in each of them as often, and that does not separate so far.
type delimited struct {
	char  byte
	first []byte
	line  int64 // the number of the first line
	table bool  // the file is called .csv, or its header names source and destination

	short, uneven, early, both bool // a line has no two ids; one id has more of it than the other; the first one has; both have it
	comma, commas              bool // a line has a comma; all lines have
	apart                      bool // a comma has a blank behind it, as in names
	tab                        bool
	decimals                   bool // all commas are of numbers
}

// verdict says whether it separates fields, or whether it may. Names of a real table may have it in both ids, or in the second one.
func (d *delimited) verdict() (wrong, doubtful bool) {
	semicolon := d.char == ';'
	switch {
	case d.short:
		return true, false
	case d.comma:
		return d.uneven && (semicolon || d.early || d.apart) || d.both && semicolon && d.apart, d.uneven || d.both
	case d.tab:
		return false, false
	}
	return d.table && semicolon, d.uneven
}

// delimitedBy looks at the first lines.
func delimitedBy(h *inputHead, l *lineLayout, c byte) *delimited {
	const looks = 16
	d := &delimited{char: c, commas: true, decimals: true}
	s := splitter{commas: true, delimiter: c}
	lines := linesOf(h)
	var f lineFields
	columns, filled := 0, false
	for n := 0; n < looks; {
		raw, ok := lines.next(n == 0)
		if !ok {
			break
		}
		line, ok := l.data(raw)
		if !ok {
			continue
		}
		cells := s.columnNames(line)
		if n++; n == 1 {
			d.first, d.line, columns = bytes.Clone(line), lines.lines, len(cells)
			d.table = extension(h.in.name) == ".csv" || columns > 1 && isUsual(cells[0], 0) && isUsual(cells[1], 1)
		}
		if len(cells) != columns || columns < 2 {
			return nil
		}
		filled = filled || cells[0] != "" && cells[1] != ""
		l.fields(line, 2, &f)
		d.note(line, cells, &f)
	}
	if !filled {
		return nil
	}
	return d
}

// note takes a line into account; f is how it is split so far.
func (d *delimited) note(line []byte, cells []string, f *lineFields) {
	comma := bytes.IndexByte(line, ',') >= 0
	d.comma, d.commas = d.comma || comma, d.commas && comma
	d.apart = d.apart || bytes.Contains(line, []byte(", "))
	d.tab = d.tab || bytes.IndexByte(line, '\t') >= 0
	d.decimals = d.decimals && !slices.ContainsFunc(cells, func(s string) bool { return strings.Contains(s, ",") && !hasDecimalComma([]byte(s)) })
	if f.problem != "" || f.n < 2 {
		d.short = true
		return
	}
	one, other := bytes.Count(f.field[0], []byte{d.char}), bytes.Count(f.field[1], []byte{d.char})
	d.uneven, d.early, d.both = d.uneven || one != other, d.early || one > other, d.both || one > 0 && other > 0
}
