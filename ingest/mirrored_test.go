package ingest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/store"
)

// TestMirrored: an import finds whether every edge has its reverse with the same weight, as a
// comparison of sorted lists does.
func TestMirrored(t *testing.T) {
	dir := t.TempDir()
	turn := 0
	rapid.Check(t, func(rt *rapid.T) {
		turn++
		weighted := rapid.Bool().Draw(rt, "weighted")
		n := rapid.IntRange(1, 60).Draw(rt, "vertices")
		type arc struct{ u, v, w int }
		var arcs []arc
		for range rapid.IntRange(1, 150).Draw(rt, "edges") {
			a := arc{rapid.IntRange(0, n-1).Draw(rt, "u"), rapid.IntRange(0, n-1).Draw(rt, "v"), 1}
			if weighted {
				a.w = rapid.IntRange(1, 3).Draw(rt, "w")
			}
			if arcs = append(arcs, a); a.u != a.v {
				arcs = append(arcs, arc{a.v, a.u, a.w})
			}
		}
		switch rapid.SampledFrom([]string{"mirrored", "one less", "turned", "weight"}).Draw(rt, "fault") {
		case "one less":
			if len(arcs) > 1 {
				i := rapid.IntRange(0, len(arcs)-1).Draw(rt, "at")
				arcs = slices.Delete(arcs, i, i+1)
			}
		case "turned": // a cycle: as many edges on each side of every vertex
			for i := range n {
				arcs = append(arcs, arc{i, (i + 1) % n, 1})
			}
		case "weight":
			if weighted {
				arcs[rapid.IntRange(0, len(arcs)-1).Draw(rt, "at")].w++
			}
		}
		var text strings.Builder
		seen, turned := map[arc]int{}, map[arc]int{}
		for _, a := range arcs {
			seen[a]++
			turned[arc{a.v, a.u, a.w}]++
			if fmt.Fprintf(&text, "%d %d", a.u, a.v); weighted {
				fmt.Fprintf(&text, " %d", a.w)
			}
			text.WriteByte('\n')
		}
		want := true
		for a, k := range seen {
			want = want && turned[a] == k
		}
		file, path := filepath.Join(dir, "edges.txt"), filepath.Join(dir, fmt.Sprint(turn, ".graph"))
		if err := os.WriteFile(file, []byte(text.String()), 0o666); err != nil {
			rt.Fatal(err)
		}
		o := Options{
			Storage: StorageOptions{ShardVertices: rapid.IntRange(1, 40).Draw(rt, "shard"), Rows: rapid.IntRange(0, 9).Draw(rt, "rows") == 0},
			Threads: rapid.IntRange(1, 3).Draw(rt, "threads"),
		}
		if rapid.IntRange(0, 9).Draw(rt, "csc") == 0 {
			o.Storage.Layout = store.CSC
		}
		if _, err := Import(t.Context(), []string{file}, path, o); err != nil {
			rt.Fatal(err)
		}
		_, in, out, cat := stored(rt, path)
		want = want && o.Storage.Layout != store.CSC && !o.Storage.Rows
		if cat.Mirrored != want || cat.Symmetric || len(in) != len(arcs) || len(out) != len(arcs) {
			rt.Fatalf("%d edges, %d and %d stored: mirrored %v, want %v; symmetric %v\n%s", len(arcs), len(in), len(out), cat.Mirrored, want, cat.Symmetric, text.String())
		}
		if err := os.RemoveAll(path); err != nil {
			rt.Fatal(err)
		}
	})
}
