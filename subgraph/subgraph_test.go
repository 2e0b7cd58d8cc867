package subgraph

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/ingest"
	"github.com/garaph/garaph/ingest/format/text"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/testgraph"
	_ "github.com/garaph/garaph/internal/testsize"
	"github.com/garaph/garaph/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// kinds are ids of vertices.
var kinds = map[string]func(i int) string{
	"dense":  strconv.Itoa,
	"gaps":   func(i int) string { return strconv.Itoa(7*i - 40) },
	"large":  func(i int) string { return strconv.FormatUint(math.MaxUint64-uint64(7*i), 10) },
	"beyond": func(i int) string { return strconv.Itoa(i + 1<<40) },
	"names":  func(i int) string { return fmt.Sprint("n", i) },
}

// world is a folder of graphs.
type world struct {
	rapid.TB
	folder string
	open   []*store.Store
}

func newWorld(t rapid.TB) *world {
	folder, err := os.MkdirTemp("", "garaph-subgraph-")
	if err != nil {
		t.Fatal(err)
	}
	return &world{TB: t, folder: folder}
}

func (t *world) close() {
	for _, s := range t.open {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	os.RemoveAll(t.folder)
}

func (t *world) path(name string) string { return filepath.Join(t.folder, name) }

func (t *world) opened(name string) *store.Store {
	t.Helper()
	s, err := store.Open(t.path(name))
	if err != nil {
		t.Fatal(err)
	}
	t.open = append(t.open, s)
	return s
}

// imported returns the graph of some vertices and the edges between them.
func (t *world) imported(
	name string, g oracle.Graph, id func(int) string, has func(uint32) bool, weighted bool,
	o ingest.Options,
) *store.Store {
	t.Helper()
	var vertices, edges strings.Builder
	for v := range g.N {
		if has(uint32(v)) {
			fmt.Fprintln(&vertices, id(v))
		}
	}
	for _, e := range g.Edges {
		if !has(e.Src) || !has(e.Dst) {
			continue
		}
		fmt.Fprint(&edges, id(int(e.Src)), " ", id(int(e.Dst)))
		if weighted {
			fmt.Fprint(&edges, " ", e.Weight)
		}
		fmt.Fprintln(&edges)
	}
	for suffix, text := range map[string]string{".v": vertices.String(), ".e": edges.String()} {
		if err := os.WriteFile(t.path(name+suffix), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	o.Threads, o.Memory, o.Format = 2, 512<<20, text.LDBC
	o.Weights = ingest.WeightsNo
	if weighted {
		o.Weights = ingest.WeightsYes
	}
	_, err := ingest.Import(context.Background(), []string{t.path(name + ".e"), t.path(name + ".v")}, t.path(name), o)
	if err != nil {
		t.Fatal(err)
	}
	return t.opened(name)
}

// TestInduced checks that a subgraph is what an import makes of its vertices and of the edges
// between them.
func TestInduced(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g := testgraph.Draw(rt)
		t := newWorld(rt)
		defer t.close()
		weighted := rapid.Bool().Draw(rt, "weighted")
		id := kinds[rapid.SampledFrom([]string{"dense", "gaps", "large", "beyond", "names"}).Draw(rt, "ids")]
		o := ingest.Options{Edges: ingest.EdgeOptions{Undirected: rapid.Bool().Draw(rt, "undirected")}}
		o.Storage.Layout = rapid.SampledFrom([]store.Layout{store.CSC, store.Packed}).Draw(rt, "layout")
		o.Storage.Rows = o.Storage.Layout == store.Packed && rapid.Bool().Draw(rt, "in-rows")
		all := o
		all.Storage.ShardVertices = rapid.IntRange(1, 40).Draw(rt, "shard")
		if len(g.Edges) == 0 {
			weighted = false // an empty file has no weights
		}
		s := t.imported("all", g, id, func(uint32) bool { return true }, weighted, all)
		set, err := NewSet(s)
		if err != nil {
			rt.Fatal(err)
		}
		defer set.Free()
		ofGraph := dense(rt, s, g.N, id)
		chosen := rapid.SliceOfN(rapid.Uint32Range(0, uint32(g.N-1)), 1, 2*g.N).Draw(rt, "chosen")
		has := map[uint32]bool{}
		edges := 0
		for _, v := range chosen {
			set.Add(ofGraph[v])
			has[v] = true
		}
		for _, e := range g.Edges {
			if has[e.Src] && has[e.Dst] {
				edges++
			}
		}
		if weighted && edges == 0 {
			return // the other import could not know of weights
		}
		want := t.imported("some", g, id, func(v uint32) bool { return has[v] }, weighted, o)
		r, err := Make(context.Background(), s, set, t.path("sub"), Options{
			Threads: rapid.IntRange(1, 3).Draw(rt, "threads"),
			Memory:  rapid.SampledFrom([]int64{0, 600 << 20}).Draw(rt, "memory"),
		})
		if err != nil {
			rt.Fatal(err)
		}
		got := t.opened("sub")
		if a, b := got.Catalogue(), want.Catalogue(); a.Fingerprint != b.Fingerprint || r.Edges != b.Edges ||
			r.Vertices != b.Vertices {
			rt.Fatalf("the subgraph is\n%+v, want\n%+v", a, b)
		}
	})
}

// dense returns the engine's numbers of the vertices of a test graph.
func dense(t rapid.TB, s *store.Store, n int, id func(int) string) []uint32 {
	t.Helper()
	var list []uint32
	for v := range n {
		u, err := s.Lookup(id(v))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, u)
	}
	return list
}

// TestGrow checks that hops are those of a breadth-first search.
func TestGrow(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g := testgraph.Draw(rt)
		t := newWorld(rt)
		defer t.close()
		o := ingest.Options{Storage: ingest.StorageOptions{ShardVertices: rapid.IntRange(1, 40).Draw(rt, "shard")}}
		s := t.imported("all", g, strconv.Itoa, func(uint32) bool { return true }, false, o)
		source := rapid.Uint32Range(0, uint32(g.N-1)).Draw(rt, "source")
		hops := rapid.IntRange(0, 5).Draw(rt, "hops")
		for along, of := range map[Along]oracle.Graph{
			Out: g, In: turned(g), Both: {N: g.N, Edges: append(turned(g).Edges, g.Edges...)},
		} {
			set, err := NewSet(s)
			if err != nil {
				rt.Fatal(err)
			}
			set.Add(source)
			err = Grow(context.Background(), s, set, hops, along, algorithms.Options{Threads: 2})
			if err != nil {
				rt.Fatal(err)
			}
			for v, d := range oracle.BFS(of, source) {
				if want := d <= int64(hops); set.Has(uint32(v)) != want {
					rt.Errorf("along %s, %d hops from %d: vertex %d at %d is in it: %v", along, hops, source, v, d, !want)
				}
			}
			set.Free()
		}
	})
}

func turned(g oracle.Graph) oracle.Graph {
	t := oracle.Graph{N: g.N}
	for _, e := range g.Edges {
		t.Edges = append(t.Edges, oracle.Edge{Src: e.Dst, Dst: e.Src, Weight: e.Weight})
	}
	return t
}

// TestFails checks that an empty set, too little memory, the end of the context and a graph that is there
// leave nothing behind.
func TestFails(t *testing.T) {
	w := newWorld(t)
	defer w.close()
	g := oracle.Graph{N: 3, Edges: []oracle.Edge{{Src: 0, Dst: 1}, {Src: 1, Dst: 2}}}
	s := w.imported("all", g, strconv.Itoa, func(uint32) bool { return true }, false, ingest.Options{})
	set, err := NewSet(s)
	if err != nil {
		t.Fatal(err)
	}
	defer set.Free()
	if _, err := Make(context.Background(), s, set, w.path("sub"), Options{}); !errors.Is(err, ErrEmpty) {
		t.Error(err)
	}
	set.Add(0, 1)
	if _, err := Make(context.Background(), s, set, w.path("sub"), Options{Memory: 100 << 20}); !errors.Is(err,
		ingest.ErrMemory) || !strings.Contains(err.Error(), "a budget of 100 MiB is below the least one of 1") {
		t.Error(err)
	}
	make := func(memory int64) error {
		_, err := Make(context.Background(), s, set, w.path("least"), Options{Memory: memory})
		return err
	}
	err = make(40 << 20)
	var least int64
	if _, err := fmt.Sscanf(err.Error()[strings.LastIndex(err.Error(), " ")+1:], "%dMiB", &least); err != nil {
		t.Fatal(err)
	}
	if err := make((least - 1) << 20); !errors.Is(err, ingest.ErrLeast) {
		t.Errorf("%d MiB: %v", least-1, err)
	}
	if err := make(least << 20); err != nil {
		t.Errorf("%d MiB: %v", least, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Make(ctx, s, set, w.path("sub"), Options{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := os.Stat(w.path("sub")); !errors.Is(err, os.ErrNotExist) {
		t.Error("a graph is left:", err)
	}
	if _, err := Make(context.Background(), s, set, w.path("least"), Options{}); !errors.Is(err, store.ErrGraphExists) {
		t.Error(err)
	}
	// Never in the place of the graph itself, whatever that is called.
	if err := os.Symlink("all", w.path("link")); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{w.path("all"), w.path("all") + "/.", w.path("link")} {
		for _, force := range []bool{false, true} {
			if _, err := Make(context.Background(), s, set, path, Options{Force: force}); !errors.Is(err, ErrItself) ||
				!strings.Contains(err.Error(), path) {
				t.Errorf("%s, %v: %v", path, force, err)
			}
		}
	}
	if again, err := store.Open(w.path("all")); err != nil || again.Catalogue().Vertices != 3 {
		t.Error("the graph is another one:", err)
	} else if err := again.Close(); err != nil {
		t.Error(err)
	}
}
