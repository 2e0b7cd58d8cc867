package ingest

import (
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

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

// headerOf is the first line of data, and its number; nil when there is none.
func headerOf(h *inputHead, l *lineLayout) ([]byte, int64) {
	lines := linesOf(h)
	line, _, ok := lines.data(l, true)
	if !ok {
		return nil, 0
	}
	return line, lines.lines
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
	{"source", "target"}, {"src", "dst"}, {"payer", "payee"}, {"caller", "callee"}, {"sender", "receiver"}, {"sender", "recipient"}, {"follower", "followee"}, {"citing", "cited"}, {"origin", "destination"},
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

// plainName is a name of a column less case, blanks and punctuation, and what stands behind it in parentheses, as units and id spaces do.
func plainName(name string) string {
	name, _, _ = strings.Cut(name, "(")
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" _-:~", r) {
			return -1
		}
		return r
	}, strings.ToLower(name))
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
