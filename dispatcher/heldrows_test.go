package dispatcher

import (
	"testing"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/programs"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

// TestHeldChosen checks that rows are held as they are stored where a program seeks and the graph
// has packed rows. If it has them in both directions, nothing of the other sides is read.
func TestHeldChosen(t *testing.T) {
	g := skewed(14, 16)
	bfs := gas.Program[uint32, uint32](programs.BFS{Source: 77})
	for _, c := range []struct {
		name string
		o    teststore.Options
		p    gas.Program[uint32, uint32]
		held bool
		all  bool // iterations are frontiers
	}{
		{"symmetric", teststore.Options{Layout: store.Packed, Symmetric: true}, bfs, true, true},
		{"with rows of in-edges", teststore.Options{Layout: store.Packed, InRows: true}, bfs, true, true},
		{"directed", teststore.Options{Layout: store.Packed}, bfs, true, false},
		{"csc", teststore.Options{Layout: store.CSC, Symmetric: true}, bfs, false, false},
		{"does not seek", teststore.Options{Layout: store.Packed, Symmetric: true}, programs.WCC{}, false, false},
	} {
		c.o.ShardVertices = 128
		s := teststore.Build(t, g, c.o)
		j, err := New(s, c.p, Options{Threads: 2, Memory: plenty})
		if err != nil {
			t.Fatal(err)
		}
		if got := j.plan.front.held != nil; got != c.held {
			t.Errorf("%s: rows are held: %v", c.name, got)
		}
		j.Close()
		want, _ := run(t, s, c.p, setting{opt: Options{Method: Pull}})
		got, r := run(t, s, c.p, setting{opt: Options{Threads: 2, Memory: plenty}})
		if i := differs(got, want); i >= 0 {
			t.Errorf("%s: vertex %d: got %v, want %v", c.name, i, got[i], want[i])
		}
		if !c.all {
			continue
		}
		read, rows := int64(0), int64(0)
		for _, it := range r.Iterations {
			if read += it.Traffic.Requested; it.Method != Frontier {
				t.Errorf("%s: iteration %d is a %s", c.name, it.Iteration, it.Method)
			}
		}
		for i := range s.Catalogue().Shards {
			rows += s.Catalogue().Bytes(shard.Out, i)
		}
		if c.o.InRows {
			rows *= 2
		}
		if read == 0 || read > rows+rows/8 {
			t.Errorf("%s: %d bytes are read, the rows have %d", c.name, read, rows)
		}
	}
}

// TestRowsStay checks that a job without a limit of memory leaves its plain rows to later ones over
// the open graph, that a search takes them when earlier ones have looked at many edges along held ones, and that
// rows of jobs with a limit go with these.
func TestRowsStay(t *testing.T) {
	g := skewed(14, 16)
	o := teststore.Options{Layout: store.Packed, Symmetric: true, Weighted: true, ShardVertices: 128}
	s := teststore.Build(t, g, o)
	sssp := gas.Program[float32, float32](programs.SSSP[float32]{Source: 77})
	want, _ := run(t, s, sssp, setting{opt: Options{Method: Pull, Memory: plenty}})
	for i, c := range []struct {
		memory int64
		loads  bool
	}{{plenty, true}, {0, true}, {0, false}, {plenty, true}, {0, true}} {
		got, r := run(t, s, sssp, setting{opt: Options{Threads: 2, Memory: c.memory}})
		if k := differs(got, want); k >= 0 {
			t.Errorf("job %d: vertex %d: got %v, want %v", i, k, got[k], want[k])
		}
		if loads := r.Preparation.Reads.Requested > 0; loads != c.loads {
			t.Errorf("job %d loads rows: %v", i, loads)
		}
	}
	plain := 0
	for source := range uint32(100) {
		bfs := gas.Program[uint32, uint32](programs.BFS{Source: source})
		want, _ := run(t, s, bfs, setting{opt: Options{Method: Pull, Memory: plenty}})
		j, err := New(s, bfs, Options{Threads: 2})
		if err != nil {
			t.Fatal(err)
		}
		if held := j.plan.front.held != nil; !held {
			plain++
		} else if plain > 0 || source == 99 {
			t.Errorf("search %d: held after %d along plain rows", source, plain)
		}
		j.Close()
		got, _ := run(t, s, bfs, setting{opt: Options{Threads: 2}})
		if plain > 3 {
			break
		}
		if k := differs(got, want); k >= 0 {
			t.Errorf("from %d: vertex %d: got %v, want %v", source, k, got[k], want[k])
		}
	}
	if plain == 100 {
		t.Error("the first search has plain rows")
	}
}
