package build_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/ingest"
	"github.com/garaph/garaph/ingest/build"
	"github.com/garaph/garaph/store"
)

// TestTurnToMap checks that an id that is too large for arrays comes when several goroutines have edges
// between small ones, in the middle or at the end, when some of them get no other block.
func TestTurnToMap(t *testing.T) {
	const edges = 120_000 // some blocks of text
	for _, at := range []int{edges / 2, edges - 1} {
		for _, weighted := range []bool{false, true} {
			r := rand.New(rand.NewPCG(1, 2))
			lines, text := make([]line, edges), make([]string, edges)
			for i := range lines {
				l := line{src: strconv.Itoa(1_000_000 + r.IntN(900)), dst: strconv.Itoa(2_000_000 + r.IntN(900)), weight: 1}
				if i == at {
					l.dst = strconv.Itoa(1 << 40)
				}
				lines[i], text[i] = l, fmt.Sprintf("%s %s\n", l.src, l.dst)
				if weighted {
					text[i] = fmt.Sprintf("%s %s 1\n", l.src, l.dst)
				}
			}
			name := filepath.Join(t.TempDir(), "edges.txt")
			if err := os.WriteFile(name, []byte(joined(text)), 0o666); err != nil {
				t.Fatal(err)
			}
			o := ingest.Options{}
			rep, err := importPlanned([]string{name}, name+".graph", o, build.TinyPlan(3, 50))
			if err != nil {
				t.Fatal(err)
			}
			checkStored(t, name+".graph", o, rep, lines, byNumber, weighted)
		}
	}
}

// TestReadBack checks that out edges equal the input where shards have many blocks and many groups
// share each of these, with and without gaps between ids, and with parallel edges dropped.
func TestReadBack(t *testing.T) {
	defer build.SetSizes(4000, 60)()
	for _, gap := range []int{1, 7} {
		for _, dedup := range []bool{false, true} {
			r := rand.New(rand.NewPCG(1, 2))
			lines := make([]line, 30_000)
			text := make([]string, len(lines))
			for i := range lines {
				l := line{src: strconv.Itoa(r.IntN(500) * gap), dst: strconv.Itoa(r.IntN(500) * gap), weight: 1}
				if i%6 == 0 { // a giant
					l.dst = strconv.Itoa(77 * gap)
				}
				lines[i], text[i] = l, fmt.Sprintf("%s %s\n", l.src, l.dst)
			}
			name := filepath.Join(t.TempDir(), "edges.txt")
			if err := os.WriteFile(name, []byte(joined(text)), 0o666); err != nil {
				t.Fatal(err)
			}
			o := ingest.Options{Edges: build.EdgeOptions{
				Parallel: map[bool]build.Parallel{false: build.ParallelKeep, true: build.ParallelMin}[dedup],
			}, Storage: build.StorageOptions{ShardVertices: 100}}
			rep, err := importPlanned([]string{name}, name+".graph", o, build.TinyPlan(2, 12))
			if err != nil {
				t.Fatal(err)
			}
			checkStored(t, name+".graph", o, rep, lines, byNumber, false)
		}
	}
}

// TestNamesMemory imports long names of several times the room that they have in
// memory: they go through the file, and all come back in order.
func TestNamesMemory(t *testing.T) {
	folder := t.TempDir()
	edges, path := filepath.Join(folder, "edges.txt"), filepath.Join(folder, "graph")
	const n = 40_000
	var text strings.Builder
	long := strings.Repeat("/a-rather-long-path", 20)
	order := rand.New(rand.NewPCG(1, 2)).Perm(n)
	for i, v := range order {
		fmt.Fprintf(&text, "https://example.org/%06d%s https://example.org/%06d%s\n", v, long, order[(i+1)%n], long)
	}
	if err := os.WriteFile(edges, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	o := ingest.Options{Storage: build.StorageOptions{Layout: store.CSC}, Memory: 128 << 20, Threads: 2}
	if r, err := ingest.Import(t.Context(), []string{edges}, path, o); err != nil || r.Vertices != n || r.Edges != n {
		t.Fatalf("%+v, error %v", r, err)
	}
	s, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, v := range []uint32{0, 1, 17_000, n - 1} {
		if got, err := s.IDs().Text(v); err != nil || got != fmt.Sprintf("https://example.org/%06d%s", v, long) {
			t.Errorf("vertex %d is %q, error %v", v, got, err)
		}
	}
}

// TestMirrored checks that an import finds whether every edge has its reverse with the same weight, as a
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
		for _, a := range arcs {
			if fmt.Fprintf(&text, "%d %d", a.u, a.v); weighted {
				fmt.Fprintf(&text, " %d", a.w)
			}
			text.WriteByte('\n')
		}
		file, path := filepath.Join(dir, "edges.txt"), filepath.Join(dir, fmt.Sprint(turn, ".graph"))
		if err := os.WriteFile(file, []byte(text.String()), 0o666); err != nil {
			rt.Fatal(err)
		}
		o := ingest.Options{
			Storage: build.StorageOptions{
				ShardVertices: rapid.IntRange(1, 40).Draw(rt, "shard"), Rows: rapid.IntRange(0, 9).Draw(rt, "rows") == 0,
			},
			Threads: rapid.IntRange(1, 3).Draw(rt, "threads"),
		}
		if rapid.IntRange(0, 3).Draw(rt, "dedup") == 0 {
			o.Edges.Parallel = build.ParallelMin
			all := slices.Clone(arcs)
			arcs = slices.DeleteFunc(arcs, func(a arc) bool { // the lightest of parallel ones stay
				return slices.ContainsFunc(all, func(b arc) bool { return a.u == b.u && a.v == b.v && b.w < a.w })
			})
			slices.SortFunc(arcs, func(a, b arc) int { return cmp.Or(a.u-b.u, a.v-b.v) })
			arcs = slices.Compact(arcs)
		}
		want := true
		for _, a := range arcs {
			n := 0
			for _, b := range arcs {
				if a == b {
					n++
				}
				if (arc{b.v, b.u, b.w}) == a {
					n--
				}
			}
			want = want && n == 0
		}
		if rapid.IntRange(0, 9).Draw(rt, "csc") == 0 {
			o.Storage.Layout = store.CSC
		}
		if _, err := ingest.Import(t.Context(), []string{file}, path, o); err != nil {
			rt.Fatal(err)
		}
		_, in, out, cat := stored(rt, path)
		want = want && o.Storage.Layout != store.CSC && !o.Storage.Rows
		if cat.Mirrored != want || cat.Symmetric || len(in) != len(arcs) || len(out) != len(arcs) {
			rt.Fatalf("%d edges, %d and %d stored: mirrored %v, want %v; symmetric %v\n%s",
				len(arcs), len(in), len(out), cat.Mirrored, want, cat.Symmetric, text.String())
		}
		if err := os.RemoveAll(path); err != nil {
			rt.Fatal(err)
		}
	})
}
