package algorithms_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
	"pgregory.net/rapid"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/testgraph"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/store"
)

// coreness are both ways to compute core numbers.
var coreness = []algorithms.Algorithm[int64]{algorithms.Coreness{}, algorithms.CorenessInPasses{}}

// sameCores compares core numbers with the wanted ones, with different numbers of threads, of rows
// in memory, and in passes with all memory and the least.
func sameCores(t testing.TB, s *store.Store, want []int64) {
	t.Helper()
	for _, way := range coreness {
		for _, threads := range []int{1, 4} {
			for _, memory := range []int64{0, starved} {
				got, report := run(t, s, way, algorithms.Options{Threads: threads, Memory: memory})
				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatalf("%T, %d threads, memory %d: %s", way, threads, memory, diff)
				}
				if diff := cmp.Diff([]algorithms.Total{{Name: "largest core number", Value: slices.Max(want)}}, report.Totals); diff != "" {
					t.Fatal(diff)
				}
			}
		}
	}
}

// TestCorenessMemory: rows of the whole graph are read once where they fit, and where they do not, in
// each pass.
func TestCorenessMemory(t *testing.T) {
	g := oracle.Graph{N: 30_000}
	random := rand.New(rand.NewPCG(1, 2))
	for range 12 * g.N {
		g.Edges = append(g.Edges, oracle.Edge{Src: random.Uint32N(uint32(g.N)), Dst: random.Uint32N(uint32(g.N))})
	}
	s := teststore.Build(t, g, teststore.Options{})
	want := oracle.Coreness(g)
	read := func(memory int64) int64 {
		got, report := run(t, s, algorithms.Coreness{}, algorithms.Options{Threads: 2, Memory: memory})
		if !slices.Equal(got, want) {
			t.Fatalf("with memory %d, core numbers differ", memory)
		}
		return report.BytesRead
	}
	if once, often := read(0), read(starved); often < 3*once {
		t.Errorf("%d bytes were read in memory, %d with the least memory", once, often)
	}
	checkPasses(t, s)
}

// checkPasses: each pass is a stage of its own, what was read so far grows to what the report says, and the log
// says which budget has room for the rows.
func checkPasses(t *testing.T, s *store.Store) {
	core, logs := observer.New(zap.InfoLevel)
	var stages []string
	var read int64
	_, report := run(t, s, algorithms.Coreness{}, algorithms.Options{Threads: 1, Memory: starved, Log: zap.New(core), Progress: func(p algorithms.Progress) {
		if !slices.Contains(stages, p.Stage) {
			stages = append(stages, p.Stage)
		} else if p.Stage != stages[len(stages)-1] {
			t.Errorf("%s comes again after %s", p.Stage, stages[len(stages)-1])
		}
		if p.BytesRead < read {
			t.Errorf("%d bytes were read, and then %d", read, p.BytesRead)
		}
		read = p.BytesRead
	}})
	if len(stages) < 4 || stages[0] != "degrees" || stages[1] != "core numbers, pass 1" || stages[3] != "core numbers, pass 3" {
		t.Errorf("stages: %q", stages)
	}
	if read == 0 || read != report.BytesRead {
		t.Errorf("%d bytes were read at the end, %d in the report", read, report.BytesRead)
	}
	all := logs.FilterMessageSnippet("; --memory ").All()
	if len(all) != 1 {
		t.Fatalf("logged: %v", logs.All())
	}
	_, text, _ := strings.Cut(all[0].Message, "--memory ")
	mebibytes, err := strconv.ParseInt(strings.TrimSuffix(text, "MiB has room for them"), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	for budget, want := range map[int64]bool{mebibytes: true, mebibytes - 1: false} {
		if _, report := run(t, s, algorithms.Coreness{}, algorithms.Options{Threads: 1, Memory: budget << 20}); report.InMemory != want {
			t.Errorf("with %d MiB, in memory: %v", budget, !want)
		}
	}
}

func TestCoreness(t *testing.T) {
	for _, x := range testgraph.All() {
		for _, symmetric := range []bool{false, true} {
			for _, layout := range []store.Layout{store.CSC, store.Packed} {
				t.Run(fmt.Sprintf("%s, %s, symmetric %v", x.Name, layout, symmetric), func(t *testing.T) {
					s := teststore.Build(t, x.Graph, teststore.Options{Symmetric: symmetric, Layout: layout})
					sameCores(t, s, oracle.Coreness(x.Graph))
				})
			}
		}
	}
}

func TestCorenessRandom(t *testing.T) {
	folder := t.TempDir()
	rapid.Check(t, func(r *rapid.T) {
		g := testgraph.Draw(r)
		s, err := teststore.BuildIn(folder, g, teststore.Draw(r))
		if err != nil {
			r.Fatal(err)
		}
		defer s.Close()
		way := rapid.SampledFrom(coreness).Draw(r, "way")
		out, err := algorithms.Run(t.Context(), s, way, algorithms.Options{Threads: rapid.IntRange(1, 8).Draw(r, "threads")})
		if err != nil {
			r.Fatal(err)
		}
		defer out.Close()
		if diff := cmp.Diff(oracle.Coreness(g), out.Values); diff != "" {
			r.Fatal(diff)
		}
	})
}

// TestCorenessReal: what NetworkX finds, on many threads that lower bounds at once.
func TestCorenessReal(t *testing.T) {
	for _, c := range []struct {
		name       string
		undirected bool
	}{{"ego-Facebook", true}, {"as-Caida20071105", true}, {"soc-Slashdot0902", false}} {
		t.Run(c.name, func(t *testing.T) {
			ids, g := testgraph.LoadEdges(t, c.name, c.undirected)
			expected := testgraph.LoadExpected(t, c.name+"-kcore")
			s := teststore.Build(t, g, teststore.Options{ShardVertices: 1000})
			for _, way := range coreness {
				got, _ := run(t, s, way, algorithms.Options{Threads: 8})
				for v, id := range ids {
					if float64(got[v]) != expected[id] {
						t.Fatalf("%T: vertex %d: core number %d, want %v", way, id, got[v], expected[id])
					}
				}
			}
		})
	}
}

// TestCorenessPath: bounds fall one vertex after another along a path, on which no pass may be
// the last one too early.
func TestCorenessPath(t *testing.T) {
	s, want := path(t, 3000)
	sameCores(t, s, want)
}

// TestCorenessLongPath: a path that is longer than what a task peels.
func TestCorenessLongPath(t *testing.T) {
	s, want := path(t, 40_000)
	got, _ := run(t, s, algorithms.Coreness{}, algorithms.Options{Threads: 3})
	if !slices.Equal(want, got) {
		t.Error("a core number on a path is not 1")
	}
}

// path stores a path of n vertices, whose ids are not in order, and gives its core numbers.
func path(t *testing.T, n int) (*store.Store, []int64) {
	g, want := oracle.Graph{N: n}, make([]int64, n)
	for v := range n {
		want[v] = 1
		if v > 0 {
			g.Edges = append(g.Edges, oracle.Edge{Src: uint32(v * 1009 % n), Dst: uint32((v - 1) * 1009 % n)})
		}
	}
	return teststore.Build(t, g, teststore.Options{ShardVertices: 500}), want
}
