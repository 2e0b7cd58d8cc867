package garaph_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/ingest"
	"github.com/garaph/garaph/internal/results"
)

// partner gives every vertex another one as its result, without a pattern.
type partner struct {
	of func(v gas.Vertex) gas.VertexID
}

func (partner) Init(gas.Vertex) (uint32, bool)                       { return 0, true }
func (partner) Zero() uint32                                         { return 0 }
func (partner) Gather(uint32, gas.Edge, uint32) uint32               { return 1 }
func (partner) Sum(a, b uint32) uint32                               { return a + b }
func (partner) Apply(_ gas.Vertex, old, _ uint32, _ gas.Step) uint32 { return old }
func (partner) Activate(_ gas.Vertex, old, now uint32) bool          { return old != now }
func (p partner) Result(v gas.Vertex, _ uint32) gas.VertexID         { return p.of(v) }

func scattered(v gas.Vertex) gas.VertexID {
	return gas.VertexID(uint64(v.ID) * 2654435761 >> 7 % uint64(v.N))
}

// ring imports a ring of vertices.
func ring(t *testing.T, ids []string) *garaph.Graph {
	t.Helper()
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	var b strings.Builder
	for i, id := range ids {
		fmt.Fprintf(&b, "%s\t%s\n", id, ids[(i+1)%len(ids)])
	}
	return importedText(t, garaph.ImportOptions{Storage: ingest.StorageOptions{Rows: true}}, b.String())
}

// TestVertexResults compares results that are vertices with the graph's own
// answer for each, for every kind of ids, in memory and starved of it.
func TestVertexResults(t *testing.T) {
	numbered := func(n int, format string, step int) []string {
		ids := make([]string, n)
		for i := range ids {
			ids[i] = fmt.Sprintf(format, (i-n/3)*step)
		}
		return ids
	}
	long := numbered(150, "v%d", 1) // 3 MB of names: no budget is large enough for less
	for i := range long {
		long[i] += strings.Repeat("x", 300*i%40_000)
	}
	huge := numbered(40, "%d", 1<<40)
	for i := range huge {
		huge[i] = fmt.Sprint(uint64(1<<63) + uint64(i)*12345)
	}
	for _, c := range []struct {
		name string
		ids  []string
		kind results.IDKind
	}{
		{"from 1", numbered(9, "%d", 1)[4:], results.IDInt},
		{"integers", numbered(70_000, "%d", 1001), results.IDInt},
		{"unsigned", huge, results.IDUint},
		{"names", numbered(70_000, "v%d", 7), results.IDString},
		{"long names", long, results.IDString},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := ring(t, c.ids)
			for _, memory := range []int64{0, starved} {
				o := garaph.RunOptions{Memory: memory}
				r, err := garaph.Run(context.Background(), g, partner{scattered}, o)
				var need *garaph.MemoryError
				if errors.As(err, &need) && memory == starved {
					o.Memory = need.Least()
					r, err = garaph.Run(context.Background(), g, partner{scattered}, o)
				}
				if err != nil {
					t.Fatal(err)
				}
				checkVertexResults(t, g, r.Table("value"), c.kind)
				if err := r.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

func checkVertexResults(t *testing.T, g *garaph.Graph, table results.Table, kind results.IDKind) {
	t.Helper()
	if table.IDKind() != kind {
		t.Fatalf("ids are of kind %v, want %v", table.IDKind(), kind)
	}
	id := func(c *results.IDs, i int) string {
		switch kind {
		case results.IDString:
			return c.Strings[i]
		case results.IDUint:
			return fmt.Sprint(c.Uints[i])
		default:
			return fmt.Sprint(c.Ints[i])
		}
	}
	n := g.Catalogue().Vertices
	step := max(1, n/1000) // of what is compared: an id at a time is slow
	at := uint32(0)
	var vertices []uint32
	err := table.Batches(func(b *results.Batch) error {
		for i := range len(b.IDs.Ints) + len(b.IDs.Uints) + len(b.IDs.Strings) {
			value := scattered(gas.Vertex{ID: at, N: n})
			if at%step == 0 {
				wantID, _ := g.ID(gas.VertexID(at))
				wantValue, _ := g.ID(value)
				if id(&b.IDs, i) != wantID || id(&b.Columns[0].V, i) != wantValue {
					t.Fatalf("row %d: %.80q with %.80q, want %.80q with %.80q",
						at, id(&b.IDs, i), id(&b.Columns[0].V, i), wantID, wantValue)
				}
			}
			vertices = append(vertices, uint32(value))
			at++
		}
		return nil
	})
	if err != nil || at != n {
		t.Fatalf("%d rows of %d, %v", at, n, err)
	}
	var got []uint32
	err = table.Vertices(0, func(values []uint32) error {
		got = append(got, values...)
		return nil
	})
	if err != nil || !slices.Equal(got, vertices) {
		t.Errorf("the values alone are others, %v", err)
	}
	some := vertices[:min(5000, n)]
	seen := 0
	err = table.IDsOf(len(some), func(i int) uint32 { return some[i] }, func(from int, ids *results.IDs) error {
		for i := range len(ids.Ints) + len(ids.Uints) + len(ids.Strings) {
			if from+i != seen {
				t.Fatalf("the id of row %d, want that of row %d", from+i, seen)
			}
			if v := some[seen]; seen%int(step) == 0 {
				if want, _ := g.ID(gas.VertexID(v)); id(ids, i) != want {
					t.Errorf("the id of %d is %.80q, want %.80q", v, id(ids, i), want)
				}
			}
			seen++
		}
		return nil
	})
	if err != nil || seen != len(some) {
		t.Errorf("%d ids of %d, %v", seen, len(some), err)
	}
}

// TestBadVertexResults checks that a result that is no vertex, or another one when asked
// again, ends as an error.
func TestBadVertexResults(t *testing.T) {
	g := ring(t, []string{"a", "b", "c", "d"})
	calls := 0
	for name, of := range map[string]func(gas.Vertex) gas.VertexID{
		"beyond": func(v gas.Vertex) gas.VertexID { return gas.VertexID(v.N) },
		"another": func(gas.Vertex) gas.VertexID {
			calls++
			return gas.VertexID(calls / 5 % 4)
		},
		"panic": func(gas.Vertex) gas.VertexID { panic("no result") },
	} {
		r, err := garaph.Run(context.Background(), g, partner{of}, garaph.RunOptions{})
		if err != nil {
			t.Fatal(err)
		}
		err = r.WriteFile(filepath.Join(t.TempDir(), "out.tsv"), "")
		if name == "panic" && (err == nil || !strings.Contains(err.Error(), "no result")) ||
			name != "panic" && !errors.Is(err, garaph.ErrNoVertex) {
			t.Errorf("%s: got %v", name, err)
		}
		_ = r.Close()
	}
}
