package ingest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// JSON is not read. The shape of what a file begins with decides which filter of jq writes its edges, or that none does.

// jsonShape is what was seen at one place of JSON, or at all the places of a list.
type jsonShape struct {
	object, list, text, number bool
	large                      bool // there are integers in it that are no float64

	seen  int      // values but null
	keys  []string // of an object, in their order
	kids  map[string]*jsonShape
	each  *jsonShape // the members of a list
	long  int        // members of the longest list
	words []string   // strings, the first ones
}

const (
	shapeBytes = 32 << 20 // of a file that are looked at
	shapeDepth = 12       // what lies deeper is passed over
	shapeKeys  = 1000     // of an object; others are merged into the last of these
)

// shapeOf reads values one after the other, as far as they go.
func shapeOf(r io.Reader) *jsonShape {
	s, d := &jsonShape{}, json.NewDecoder(r)
	for d.UseNumber(); s.read(d, 0) == nil; {
	}
	return s
}

func (s *jsonShape) read(d *json.Decoder, depth int) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	if token != nil {
		s.seen++
	}
	switch t := token.(type) {
	case string:
		if s.text = true; len(s.words) < shapeKeys {
			s.words = append(s.words, t)
		}
	case json.Number:
		s.number = true
		if v, err := strconv.ParseFloat(t.String(), 64); err == nil && math.Abs(v) >= 1<<53 && !strings.ContainsAny(t.String(), ".eE") {
			s.large = true
		}
	case json.Delim:
		s.object, s.list = s.object || t == '{', s.list || t == '['
		if depth == shapeDepth {
			return passOver(d)
		}
		members := 0
		for ; d.More(); members++ {
			var kid *jsonShape
			if t == '[' {
				kid = s.member()
			} else {
				key, err := d.Token()
				if err != nil {
					return err
				}
				kid = s.kid(key.(string))
			}
			err := kid.read(d, depth+1)
			if s.large = s.large || kid.large; err != nil {
				return err
			}
		}
		s.long = max(s.long, members)
		_, err = d.Token()
	}
	return err
}

// passOver reads to the end of the list or object that was begun.
func passOver(d *json.Decoder) error {
	for open := 1; open > 0; {
		token, err := d.Token()
		if err != nil {
			return err
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			open++
		case json.Delim('}'), json.Delim(']'):
			open--
		}
	}
	return nil
}

func (s *jsonShape) member() *jsonShape {
	if s.each == nil {
		s.each = &jsonShape{}
	}
	return s.each
}

func (s *jsonShape) kid(key string) *jsonShape {
	if s.kids == nil {
		s.kids = map[string]*jsonShape{}
	}
	k := s.kids[key]
	switch {
	case k != nil:
	case len(s.keys) == shapeKeys:
		k = s.kids[s.keys[shapeKeys-1]]
	default:
		k = &jsonShape{}
		s.keys, s.kids[key] = append(s.keys, key), k
	}
	return k
}

// merge adds what was seen at another place.
func (s *jsonShape) merge(o *jsonShape) {
	s.object, s.list, s.text, s.number = s.object || o.object, s.list || o.list, s.text || o.text, s.number || o.number
	s.seen += o.seen
	s.long, s.words = max(s.long, o.long), append(s.words, o.words[:min(len(o.words), 8)]...)
	for _, key := range o.keys {
		s.kid(key).merge(o.kids[key])
	}
	if o.each != nil {
		s.member().merge(o.each)
	}
}

// values is what was seen under all keys.
func (s *jsonShape) values() *jsonShape {
	all := &jsonShape{}
	for _, key := range s.keys {
		all.merge(s.kids[key])
	}
	return all
}

func (s *jsonShape) scalar() bool { return (s.text || s.number) && !s.object && !s.list }

// only reports whether there are values under the keys, and each is so.
func (s *jsonShape) only(is func(*jsonShape) bool) bool {
	return len(s.keys) > 0 && !slices.ContainsFunc(s.keys, func(key string) bool { return !is(s.kids[key]) })
}

func isColumn(s *jsonShape) bool {
	return s.list && !s.object && (s.each == nil || s.each.scalar()) || s.object && !s.list && s.only((*jsonShape).scalar)
}

// namesOfEnds are the names of source and target, "" if these are not among some.
func namesOfEnds(names []string) (source, target string) {
	if at := columnsOfEnds(names); at != nil {
		return names[at[0]], names[at[1]]
	}
	return "", ""
}

// weightOf is the name of a weight, "" if it is not among some.
func weightOf(names []string) string {
	for _, is := range []func(string) bool{isWeightName, mayBeWeight} {
		if at := slices.IndexFunc(names, is); at >= 0 {
			return names[at]
		}
	}
	return ""
}

// jqLine writes a line of these values, with 1 where only others have a weight.
func jqLine(source, target, weight string) string {
	if weight == "" {
		return fmt.Sprintf("[%s, %s] | @csv", source, target)
	}
	return fmt.Sprintf("[%s, %s, %s // 1] | @csv", source, target, weight)
}

var plainKey = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// jqKey is the value of a key in jq, within the quotes of a shell.
func jqKey(key string) string {
	if plainKey.MatchString(key) {
		return "." + key
	}
	b, _ := json.Marshal(key) // a string can be
	return "." + strings.ReplaceAll(string(b), "'", `\u0027`)
}

// edge is the filter of an object or a list that is an edge, "" if it is none.
func (s *jsonShape) edge() string {
	if s.list {
		if s.object || s.each == nil || s.each.list || s.long < 2 || s.long > 3 {
			return ""
		}
		weight := ""
		switch name := weightOf(s.each.keys); {
		case name != "": // among the attributes, as NetworkX has them
			weight = ".[2]" + jqKey(name)
		case !s.each.object && s.long == 3:
			weight = ".[2]"
		}
		return jqLine(".[0]", ".[1]", weight)
	}
	if slices.Contains(s.keys, "id") && slices.Contains(s.keys, "parent") { // results of a search
		return `select(.parent != null) | [.parent, .id] | @csv`
	}
	source, target, seen := s.ends()
	if source == "" || target == "" {
		return ""
	}
	line := jqLine(source, target, s.weight())
	if seen < s.seen { // nodes are between the edges
		line = "select(" + source + " != null) | " + line
	}
	return line
}

// ends are the places of source and target in an object, or in the only one of its objects that has them, and how often they are there.
func (s *jsonShape) ends() (source, target string, seen int) {
	if u, v := namesOfEnds(s.keys); u != "" {
		return s.kids[u].id(jqKey(u)), s.kids[v].id(jqKey(v)), s.kids[u].seen
	}
	for _, key := range s.keys {
		kid := s.kids[key]
		u, v := namesOfEnds(kid.keys)
		switch {
		case u == "":
		case source != "":
			return "", "", 0
		default:
			source, target, seen = kid.kids[u].id(jqKey(key)+jqKey(u)), kid.kids[v].id(jqKey(key)+jqKey(v)), kid.kids[u].seen
		}
	}
	return source, target, seen
}

// id is the place of an id, which may be that of an object at a place.
func (s *jsonShape) id(at string) string {
	switch id := s.kids["id"]; {
	case s.scalar():
		return at
	case id != nil && id.scalar():
		return at + ".id"
	}
	return ""
}

// weight is the place of the weight of an edge, among its attributes perhaps; "" if it has none.
func (s *jsonShape) weight() string {
	if name := weightOf(s.keys); name != "" && s.kids[name].scalar() {
		return jqKey(name)
	}
	for _, key := range s.keys {
		if name := weightOf(s.kids[key].keys); name != "" && !isUsual(key, 0) && !isUsual(key, 1) {
			return jqKey(key) + jqKey(name)
		}
	}
	return ""
}

// edges is the filter of all edges below a place, "" if nothing is known to be one.
func (s *jsonShape) edges() string {
	if s.list {
		if e := s.member().edge(); e != "" {
			return ".[] | " + e
		}
		return ""
	}
	if e := s.edge(); e != "" {
		return e
	}
	if nodes := s.kids["adjacency"]; nodes != nil && nodes.each != nil && nodes.each.each != nil { // of NetworkX, which has an undirected edge twice
		weight := weightOf(nodes.each.each.keys)
		if weight != "" {
			weight = jqKey(weight)
		}
		return `. as $g | range($g.nodes | length) as $i | $g.nodes[$i].id as $u | $g.adjacency[$i][] | ` +
			`select($g.directed or ($u | tostring) <= (.id | tostring)) | ` + jqLine("$u", ".id", weight)
	}
	if columns, data := s.kids["columns"], s.kids["data"]; columns != nil && data != nil && columns.each != nil { // pandas, orient="split"
		place := func(name string) string { return fmt.Sprintf(".[%d]", slices.Index(columns.each.words, name)) }
		if source, target := namesOfEnds(columns.each.words); source != "" {
			weight := weightOf(columns.each.words)
			if weight != "" {
				weight = place(weight)
			}
			return ".data[] | " + jqLine(place(source), place(target), weight)
		}
		return ""
	}
	if source, target := namesOfEnds(s.keys); source != "" && isColumn(s.kids[source]) && isColumn(s.kids[target]) { // of pandas
		weight := weightOf(s.keys)
		if weight != "" {
			weight = "$t" + jqKey(weight) + "[$i]"
		}
		return ". as $t | " + jqKey(source) + " | keys_unsorted[] as $i | " + jqLine("$t"+jqKey(source)+"[$i]", "$t"+jqKey(target)+"[$i]", weight)
	}
	if all := s.values(); all.object && !all.list { // pandas, orient="index"
		if e := all.edge(); e != "" {
			return ".[] | " + e
		}
	}
	for _, key := range s.keys {
		kid := s.kids[key]
		e := kid.edges()
		if rest, is := strings.CutPrefix(e, ".[]"); is && (!kid.member().list || isEdgesName(key)) {
			return jqKey(key) + "[]" + rest
		} else if e != "" && !is {
			return jqKey(key) + " | " + e
		}
	}
	return ""
}

func isEdgesName(key string) bool {
	key = strings.ToLower(key)
	return strings.Contains(key, "edge") || strings.Contains(key, "link") || strings.Contains(key, "arc")
}

// eachOfKeys is how a filter of neighbours by vertex begins.
const eachOfKeys = "to_entries[] | .key as $u | .value"

// neighbours is the filter of an object with the neighbours of each vertex under its id, "" if it has no vertex as a neighbour too.
func (s *jsonShape) neighbours() string {
	all := s.values()
	names := all.keys
	var filter string
	switch {
	case all.list && !all.object && all.each != nil && all.each.scalar():
		names, filter = all.each.words, eachOfKeys+"[] | "+jqLine("$u", ".", "")
	case all.object && !all.list:
		weight, of := "", all.values()
		switch name := weightOf(of.keys); {
		case of.scalar() && of.number:
			weight = ".value"
		case name != "" && !of.list:
			weight = ".value" + jqKey(name)
		}
		filter = eachOfKeys + " | to_entries[] | " + jqLine("$u", ".key", weight)
	default:
		return ""
	}
	isVertex := func(name string) bool { return s.kids[name] != nil }
	isNumber := func(name string) bool { return !isNumber([]byte(name)) }
	if slices.ContainsFunc(names, isVertex) || all.list && all.each.number && !slices.ContainsFunc(s.keys, isNumber) {
		return filter
	}
	return ""
}

// twoKeys is the filter of objects that have two keys beside a weight, whatever their names.
func (s *jsonShape) twoKeys() string {
	weight := weightOf(s.keys)
	if ends := slices.DeleteFunc(slices.Clone(s.keys), func(key string) bool { return key == weight }); len(ends) == 2 && s.only((*jsonShape).scalar) {
		if weight != "" {
			weight = jqKey(weight)
		}
		return jqLine(jqKey(ends[0]), jqKey(ends[1]), weight)
	}
	return ""
}

// unlessRounded ends a command with an error where jq rounds integers of more than 53 bits.
const unlessRounded = `jq -n 'if 9007199254740993 | tojson == "9007199254740993" then empty else "this jq rounds long integers; use version 1.7 or later\n" | halt_error end' && `

// adviceJSON says which command writes the edges of a file, or what is in it.
func adviceJSON(file string, s *jsonShape) string {
	filter := cmp.Or(s.edges(), s.neighbours(), s.twoKeys())
	if s.list && filter == "" {
		filter = s.edge() // a list in each line
		if e := s.member().twoKeys(); e != "" {
			filter = ".[] | " + e
		}
	}
	switch keys := s.keys; {
	case filter == "" && s.kids["nodes"] != nil: // too many of them to see the edges
		filter = "(.edges // .links)[] | [.source, .target, .weight // .value // empty] | @csv"
	case filter == "":
		if s.list {
			keys = s.member().keys
		}
		what := "no edges are to be found in it"
		if len(keys) > 0 {
			what = "which of its keys are source and target cannot be told: they are " + shown([]byte(strings.Join(keys[:min(len(keys), 20)], ", ")))
		}
		return what + "; write each edge as a line of two ids, with a weight behind these if there are any"
	}
	lines := linesOfIDs
	switch {
	case strings.Contains(filter, " // 1]"):
		lines = linesOfWeights
	case s.list && s.member().object, s.object && !strings.Contains(filter, "to_entries"):
		lines = linesNoWeight
	}
	if s.hasVertices() || strings.HasPrefix(filter, eachOfKeys) {
		lines = strings.Replace(lines, "write its edges", "write its edges, without vertices that have none,", 1)
	}
	if s.large {
		lines = strings.TrimSuffix(lines, ": ") + ", with jq 1.7 or later, for earlier ones round its long integers: " + unlessRounded
	}
	then := thenCommas
	if strings.HasPrefix(filter, eachOfKeys) {
		then = thenBothThere
	}
	return lines + "jq -r '" + filter + "' " + file + " > edges.csv" + then
}

// hasVertices reports whether there is a list of vertices, beside the edges or one level deeper.
func (s *jsonShape) hasVertices() bool {
	is := func(s *jsonShape) bool { return s.kids["nodes"] != nil || s.kids["vertices"] != nil }
	return is(s) || slices.ContainsFunc(s.keys, func(key string) bool { return is(s.kids[key]) })
}

// jsonOf is the shape of an input, of which more is read where that can be done.
func jsonOf(h *inputHead, begins []byte) *jsonShape {
	if h.in.openAt != nil {
		if f, err := h.in.openAt(); err == nil {
			defer f.Close()
			at := int64(bytes.Index(h.bytes, begins)) // behind what stands before it
			return shapeOf(io.NewSectionReader(f, at, shapeBytes))
		}
	}
	return shapeOf(bytes.NewReader(begins))
}
