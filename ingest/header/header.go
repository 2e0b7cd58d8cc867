// Package header finds the columns of source, target and weight by their names.
package header

import (
	"fmt"
	"slices"
	"strings"
)

// headerNames are the usual names of the id columns, less case, blanks and
// punctuation.
var headerNames = [2][]string{
	{"source", "src", "from", "u", "sourceid", "srcid", "fromid", "fromnodeid", "fromnode", "sourcenode",
		"node1", "id1", "start", "startid"},
	{"target", "dst", "to", "v", "targetid", "dstid", "toid", "tonodeid", "tonode", "targetnode", "node2", "id2", "end",
		"endid", "destination", "dest"},
}

// Misplaced reports whether a header has the names of the id columns at other places
// than the first two: an edge of the first two would be wrong without a word.
func Misplaced(header []string) bool {
	at := ColumnsOfEnds(header)
	return at != nil && (at[0] != 0 || at[1] != 1)
}

// endNames are names that are of source and destination beyond doubt where a header has both, with
// or without "id" behind them. Unlike headerNames, one of them alone says nothing.
var endNames = [][2]string{
	{"source", "target"}, {"src", "dst"}, {"payer", "payee"}, {"caller", "callee"}, {"sender", "receiver"},
	{"sender", "recipient"}, {"follower", "followee"}, {"citing", "cited"}, {"origin", "destination"},
}

// ColumnsOfEnds returns the indexes of the source and destination columns, or nil if the names do not tell.
func ColumnsOfEnds(header []string) []int {
	find := func(is func(name string) bool) (at []int) {
		for i, name := range header {
			if is(name) {
				at = append(at, i)
			}
		}
		return at
	}
	src, dst := find(func(s string) bool { return IsUsual(s, 0) }), find(func(s string) bool { return IsUsual(s, 1) })
	if len(src) > 0 && src[0] == 0 && slices.Contains(dst, 1) {
		return []int{0, 1}
	}
	for _, pair := range endNames { // before start and end, which may be times
		named := func(name string) []int {
			return find(func(s string) bool { return strings.TrimSuffix(PlainName(s), "id") == name })
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

// IsUsual reports whether a name is a usual one of the source's column (0) or of
// the destination's (1).
func IsUsual(name string, kind int) bool {
	return slices.Contains(headerNames[kind], PlainName(name))
}

// PlainName returns a name of a column without case, blanks, punctuation, and text in
// parentheses, such as units.
func PlainName(name string) string {
	name, _, _ = strings.Cut(name, "(")
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" _-:~", r) {
			return -1
		}
		return r
	}, strings.ToLower(name))
}

// SeveralColumns have the same name, see FindColumn.
const SeveralColumns = -2

// FindColumn returns the place of a name in a header, as it is written or else in another case: -1 without one, and
// SeveralColumns where it is not clear which one is meant.
func FindColumn(header []string, name string) int {
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		at := -1
		for i, h := range header {
			switch {
			case !same(h, name):
			case at >= 0:
				return SeveralColumns
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

// weightNames are the usual names of a column of weights, less case, blanks and
// punctuation.
var weightNames = []string{"weight", "weights", "w", "wt", "edgeweight", "cost", "distance", "dist",
	"length", "capacity"}

// otherWeightNames are not looked for, but a third column of such a name is hardly anything else.
var otherWeightNames = []string{"value", "val", "amount", "count", "km", "score", "similarity", "strength"}

// IsWeightName reports whether a column of that name is looked for as weights.
func IsWeightName(name string) bool { return slices.Contains(weightNames, PlainName(name)) }

// MayBeWeight reports whether a third column of that name is a weight beyond doubt.
func MayBeWeight(name string) bool {
	return IsWeightName(name) || slices.Contains(otherWeightNames, PlainName(name))
}

// TakenAsWeight returns the warning about a third column that is a weight by its place alone.
func TakenAsWeight(file, column string) string {
	return fmt.Sprintf("%s: column %q is taken as the weight; --weights no leaves it out", file, column)
}
