package cli

import (
	"bytes"
	"encoding"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/bench"
)

// jsonPages are the sections of docs/json.md, with what is printed there.
var jsonPages = map[string]reflect.Type{
	"every run":           reflect.TypeFor[jobReport](),
	"run of a program":    reflect.TypeFor[runReport](),
	"run of an algorithm": reflect.TypeFor[algorithmReport](),
	"iteration":           reflect.TypeFor[garaph.Iteration](),
	"flag":                reflect.TypeFor[flagReport](),
	"top":                 reflect.TypeFor[topRow](),
	"import":              reflect.TypeFor[importReport](),
	"info":                reflect.TypeFor[graphInfo](),
	"verify":              reflect.TypeFor[verified](),
	"jobs":                reflect.TypeFor[jobsReport](),
	"devices":             reflect.TypeFor[devicesReport](),
	"programs":            reflect.TypeFor[programsReport](),
	"version":             reflect.TypeFor[versionReport](),
	"community":           reflect.TypeFor[communityAnswer](),
	"progress":            reflect.TypeFor[update](),
	"last error":          reflect.TypeFor[complaint](),
	"export":              reflect.TypeFor[exportReport](),
	"subgraph":            reflect.TypeFor[subgraphReport](),
	"path":                reflect.TypeFor[foundPath](),
	"neighbors":           reflect.TypeFor[neighborsReport](),
	"generate":            reflect.TypeFor[generateReport](),
	"bench community":     reflect.TypeFor[bench.CommunityReport](),
	"bench":               reflect.TypeFor[bench.Report](),
	"figure":              reflect.TypeFor[bench.Spread](),
}

// communityAnswer is what community prints: members are written as they are read.
type communityAnswer struct {
	communityReport
	Members []json.RawMessage `json:"members"`
}

// neighborsReport is what neighbors prints: its edges are written as they are read.
type neighborsReport struct {
	Graph      string               `json:"graph"`
	ID         string               `json:"id"`
	Directions []neighborsDirection `json:"directions"`
}

type neighborsDirection struct {
	Direction string     `json:"direction"`
	Degree    int        `json:"degree"`
	Edges     []neighbor `json:"edges"`
}

// TestNeighborsJSON: what neighbors prints is such an object.
func TestNeighborsJSON(t *testing.T) {
	dir := t.TempDir()
	edges, graph := filepath.Join(dir, "edges.txt"), filepath.Join(dir, "graph")
	if err := os.WriteFile(edges, []byte("a b 2\nb c 3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	for _, args := range [][]string{{"import", edges, graph}, {"neighbors", graph, "b", "--json"}} {
		out.Reset()
		if code := Run(t.Context(), args, nil, &out, &errs); code != 0 {
			t.Fatalf("%v: exit code %d\n%s", args, code, errs.String())
		}
	}
	var got neighborsReport
	r := json.NewDecoder(&out)
	r.DisallowUnknownFields()
	if err := r.Decode(&got); err != nil {
		t.Fatal(err)
	}
	want := neighborsReport{graph, "b", []neighborsDirection{
		{"in", 1, []neighbor{{"a", new(float32(2))}}}, {"out", 1, []neighbor{{"c", new(float32(3))}}},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// jsonFields adds the fields of a type below a prefix. What is in each element of a list or of a map is below
// [] or NAME. What has a section of its own is not gone into.
func jsonFields(to map[string]bool, prefix string, t reflect.Type) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	_, text := reflect.New(t).Interface().(encoding.TextMarshaler)
	_, own := reflect.New(t).Interface().(json.Marshaler)
	switch {
	case text || own || prefix != "" && hasPage(t):
		to[prefix] = true
	case t.Kind() == reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			switch {
			case f.Anonymous && hasPage(f.Type):
			case f.Anonymous && name == "":
				jsonFields(to, prefix, f.Type)
			case f.IsExported() && name != "-":
				jsonFields(to, strings.TrimPrefix(prefix+"."+name, "."), f.Type)
			}
		}
	case t.Kind() == reflect.Slice && holds(t.Elem()):
		jsonFields(to, prefix+"[]", t.Elem())
	case t.Kind() == reflect.Map && holds(t.Elem()):
		jsonFields(to, prefix+".NAME", t.Elem())
	default:
		to[prefix] = true
	}
}

// hasPage reports whether a type has a section of its own.
func hasPage(t reflect.Type) bool { return slices.Contains(slices.Collect(maps.Values(jsonPages)), t) }

// holds reports whether a type has fields.
func holds(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	fields := map[string]bool{}
	if t.Kind() == reflect.Struct && !hasPage(t) {
		jsonFields(fields, "", t)
	}
	return len(fields) > 1
}

// TestJSONPage: docs/json.md has every field of every command's JSON, and no other.
func TestJSONPage(t *testing.T) {
	page, err := os.ReadFile("../../../docs/json.md")
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string]string{}
	for _, s := range strings.Split(string(page), "\n## ")[1:] {
		name, text, _ := strings.Cut(s, "\n")
		sections[strings.Trim(name, "`")] = text
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(jsonPages)), slices.Sorted(maps.Keys(sections))); diff != "" {
		t.Errorf("sections:\n%s", diff)
	}
	row, word := regexp.MustCompile("(?m)^\\| (`.*?) \\| .*\\|$"), regexp.MustCompile("`([^`]+)`")
	for name, kind := range jsonPages {
		want, got := map[string]bool{}, map[string]bool{}
		jsonFields(want, "", kind)
		for _, line := range row.FindAllStringSubmatch(sections[name], -1) {
			for _, field := range word.FindAllStringSubmatch(line[1], -1) {
				if got[field[1]] {
					t.Errorf("%s: %s is there twice", name, field[1])
				}
				got[field[1]] = true
			}
		}
		if diff := cmp.Diff(slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got))); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}
