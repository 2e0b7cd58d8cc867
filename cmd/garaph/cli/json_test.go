package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

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

// TestNeighborsJSON checks the JSON that neighbors prints.
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
		{"in", 1, []neighbor{{"a", "2"}}}, {"out", 1, []neighbor{{"c", "3"}}},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
