package build_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/ingest"
	"github.com/garaph/garaph/ingest/build"
	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packed"
	"github.com/garaph/garaph/shard/rows"
	"github.com/garaph/garaph/shard/rowweights"
	"github.com/garaph/garaph/store"
)

// line is an edge as the user wrote it.
type line struct {
	src, dst string
	weight   float32
}

// edge is a stored edge under the user's ids.
type edge = line

// importPlanned imports files with a plan.
func importPlanned(inputs []string, path string, o ingest.Options, plan build.MemoryPlan) (build.Report, error) {
	defer build.SetPlan(plan)()
	return ingest.Import(context.Background(), inputs, path, o)
}

// stored reads a graph back, from both sides.
func stored(t require, path string) (ids []string, in, out []edge, cat *store.Catalogue) {
	s, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	cat = s.Catalogue()
	names := s.IDs()
	for v := range cat.Vertices {
		id, err := names.Text(v)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := s.Lookup(id); err != nil || back != v {
			t.Fatalf("vertex %d has id %q, which leads to %d, %v", v, id, back, err)
		}
		ids = append(ids, id)
	}
	for i := range cat.Shards {
		for _, dir := range []shard.Direction{shard.In, shard.Out} {
			blob, err := hostmem.Bytes(cat.Bytes(dir, i))
			if err != nil {
				t.Fatal(err)
			}
			x, err := s.ReadShard(dir, i, blob)
			if err != nil {
				t.Fatal(err)
			}
			if err := x.CheckOrder(); err != nil {
				t.Fatal(err)
			}
			each(x, weightsOf(t, s, dir, i), func(nbr, v uint32, weight float32) {
				e := edge{src: ids[nbr], dst: ids[v], weight: weight}
				if dir == shard.In {
					in = append(in, e)
				} else {
					e.src, e.dst = e.dst, e.src
					out = append(out, e)
				}
			})
		}
	}
	return ids, in, out, cat
}

// weightsOf reads the weights of packed rows, or returns nil if a side has none beside it.
func weightsOf(t require, s *store.Store, dir shard.Direction, i int) []float32 {
	dir, ok := s.Catalogue().WeightsOf(dir)
	if !ok {
		return nil
	}
	x, err := s.ReadShard(dir, i, make([]byte, s.Catalogue().Bytes(dir, i)))
	if err != nil {
		t.Fatal(err)
	}
	weights := make([]float32, x.Header().Edges)
	x.(*rowweights.Side).Weights(weights, 0)
	return weights
}

// each calls f for the edges of a side, in whatever encoding, with weights that are stored
// beside it, of a packed one in the order of their destinations too.
func each(x shard.Side, weights []float32, f func(nbr, v uint32, weight float32)) {
	if side, ok := x.(*packed.Side); ok {
		type in struct {
			nbr    uint32
			weight float32
		}
		lists := make([][]in, side.Layout.Vertices)
		for e := range side.All() {
			for i, v := range e.Dst {
				lists[v] = append(lists[v], in{e.Nbr[i], e.Weight[i]})
			}
		}
		for v, list := range lists {
			for _, e := range list {
				f(e.nbr, side.Layout.First+uint32(v), e.weight)
			}
		}
		return
	}
	side, ok := x.(*rows.Side)
	if p, packed := x.(rows.Unpacker); packed {
		h := p.Header()
		side, ok = rows.Unpack(p, make([]byte, rows.Size(h.Vertices, h.Edges, 0)), 0), true
	}
	if !ok {
		panic(fmt.Sprintf("a side of type %T", x))
	}
	for v := range side.Vertices() {
		for k := side.Off[v]; k < side.Off[v+1]; k++ {
			w := float32(1)
			if side.Weight != nil {
				w = side.Weight[k]
			} else if weights != nil {
				w = weights[k]
			}
			f(side.Nbr[k], side.First+uint32(v), w)
		}
	}
}

type require interface {
	Fatal(...any)
	Fatalf(string, ...any)
}

// model returns the ids and edges of a graph of lines.
func model(lines []line, o ingest.Options, less func(a, b string) int) (ids []string, edges []edge) {
	known := map[string]bool{}
	for _, l := range lines {
		known[l.src], known[l.dst] = true, true
		if o.Edges.DropSelfLoops && l.src == l.dst {
			continue
		}
		edges = append(edges, l)
		if o.Edges.Undirected && l.src != l.dst {
			edges = append(edges, edge{l.dst, l.src, l.weight})
		}
	}
	for id := range known {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, less)
	sortStored(edges)
	if p := cmp.Or(o.Edges.Parallel, build.ParallelKeep); p != build.ParallelKeep {
		edges = joinedEdges(p, edges)
	}
	return ids, edges
}

// joinedEdges has one of parallel edges, which are sorted.
func joinedEdges(p build.Parallel, edges []edge) (list []edge) {
	number := 0
	for _, e := range edges {
		if n := len(list); n == 0 || list[n-1].src != e.src || list[n-1].dst != e.dst {
			list, number = append(list, e), 0
		}
		number++
		last := &list[len(list)-1]
		switch p {
		case build.ParallelMax:
			last.weight = e.weight
		case build.ParallelSum:
			if number > 1 {
				last.weight += e.weight
			}
		case build.ParallelCount:
			last.weight = float32(number)
		}
	}
	return list
}

func sortStored(list []edge) {
	slices.SortFunc(list, func(a, b edge) int {
		return cmp.Or(cmp.Compare(a.dst, b.dst), cmp.Compare(a.src, b.src), cmp.Compare(a.weight, b.weight))
	})
}

func byNumber(a, b string) int {
	x, errX := strconv.ParseInt(a, 10, 64)
	y, errY := strconv.ParseInt(b, 10, 64)
	if errX != nil || errY != nil {
		u, _ := strconv.ParseUint(a, 10, 64)
		w, _ := strconv.ParseUint(b, 10, 64)
		return cmp.Compare(u, w)
	}
	return cmp.Compare(x, y)
}

// TestImport holds imports of random edge lists, with every option and kind of
// id and with next to no memory, against the model.
func TestImport(t *testing.T) {
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		less := byNumber
		var id *rapid.Generator[string]
		switch rapid.SampledFrom([]string{"compact", "gaps", "sparse", "turning", "unsigned", "strings"}).Draw(rt, "ids") {
		case "compact":
			id = rapid.Map(rapid.IntRange(0, 20), strconv.Itoa)
		case "gaps":
			id = rapid.Map(rapid.IntRange(5, 3_000_000), strconv.Itoa)
		case "sparse":
			id = rapid.Map(rapid.Int64(), func(x int64) string { return strconv.FormatInt(x, 10) })
		case "turning": // small ones first as a rule, then one that is too large for arrays
			id = rapid.Custom(func(t *rapid.T) string {
				if rapid.IntRange(0, 60).Draw(t, "large") == 0 {
					return strconv.Itoa(rapid.IntRange(1<<40, 1<<40+3).Draw(t, "id"))
				}
				return strconv.Itoa(rapid.IntRange(0, 300).Draw(t, "id"))
			})
		case "unsigned":
			id = rapid.Map(rapid.Uint64Range(1<<63-5, 1<<63+5), func(x uint64) string { return strconv.FormatUint(x, 10) })
		case "strings":
			id, less = rapid.StringMatching(`[a-z]{1,3}\.[a-z/]{0,9}`), cmp.Compare[string]
		}
		weighted := rapid.Bool().Draw(rt, "weighted")
		defer build.SetSizes(rapid.Uint64Range(1, 60).Draw(rt, "edges of a shard"),
			rapid.Uint64Range(1, 200).Draw(rt, "edges of a group"))()
		lines := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) line {
			l := line{src: id.Draw(t, "src"), dst: id.Draw(t, "dst"), weight: 1}
			if weighted {
				l.weight = float32(rapid.IntRange(0, 40).Draw(t, "weight")) / 4
			}
			return l
		}), 1, rapid.SampledFrom([]int{5, 200, 4000}).Draw(rt, "at most")).Draw(rt, "lines")
		o := ingest.Options{
			Storage: build.StorageOptions{
				Layout: rapid.SampledFrom([]store.Layout{store.CSC, store.Packed}).Draw(rt, "layout"),
				Rows:   rapid.Bool().Draw(rt, "rows"), ShardVertices: rapid.IntRange(1, 40).Draw(rt, "shard"),
			},
			Edges: build.EdgeOptions{
				Undirected: rapid.Bool().Draw(rt,
					"undirected"), Parallel: rapid.SampledFrom(build.Parallels()).Draw(rt, "parallel"),
				DropSelfLoops: rapid.Bool().Draw(rt, "drop self-loops"),
			},
		}
		var text bytes.Buffer
		for _, l := range lines {
			fmt.Fprintf(&text, "%s\t%s", l.src, l.dst)
			if weighted {
				fmt.Fprintf(&text, "\t%v", l.weight)
			}
			text.WriteByte('\n')
		}
		name := filepath.Join(dir, fmt.Sprintf("%d.txt", n))
		if err := os.WriteFile(name, text.Bytes(), 0o666); err != nil {
			rt.Fatal(err)
		}
		checkImport(rt, name, o,
			build.TinyPlan(rapid.IntRange(1, 3).Draw(rt, "threads"), rapid.IntRange(0, 12).Draw(rt, "blocks")), lines, less,
			weighted)
		os.Remove(name)
	})
}

func checkImport(
	t *rapid.T, name string, o ingest.Options, plan build.MemoryPlan, lines []line, less func(a, b string) int,
	weighted bool,
) {
	path := name + ".graph"
	defer os.RemoveAll(path)
	r, err := importPlanned([]string{name}, path, o, plan)
	if err != nil {
		t.Fatal(err)
	}
	if int(r.Entries) != len(lines) {
		t.Fatalf("report %+v of %d lines", r, len(lines))
	}
	checkStored(t, path, o, r, lines, less, weighted)
}

// checkStored compares a graph with the model.
func checkStored(
	t require, path string, o ingest.Options, r build.Report, lines []line, less func(a, b string) int, weighted bool,
) {
	o.Storage.Layout = cmp.Or(o.Storage.Layout, store.Packed)
	o.Storage.ShardVertices = cmp.Or(o.Storage.ShardVertices, shard.DefaultVertices)
	ids, in, out, cat := stored(t, path)
	wantIDs, want := model(lines, o, less)
	if !slices.Equal(ids, wantIDs) {
		t.Fatalf("ids %q, want %q", ids, wantIDs)
	}
	sortStored(in)
	if !slices.Equal(in, want) {
		t.Fatalf("in-edges %v, want %v", in, want)
	}
	if !cat.RowWeights() && !o.Edges.Undirected { // else both sides are one
		for i := range want {
			want[i].weight = 1
		}
	}
	sortStored(out)
	sortStored(want)
	if !slices.Equal(out, want) {
		t.Fatalf("out-edges %v, want %v", out, want)
	}
	if rows := inRows(t, path, ids); cat.InRows != (o.Storage.Rows && o.Storage.Layout == store.Packed &&
		!o.Edges.Undirected) || cat.InRows && !slices.Equal(rows, want) {
		t.Fatalf("in-rows %v, want %v", rows, want)
	}
	if int(r.Edges) != len(want) || cat.Edges != r.Edges || cat.Weighted != (weighted || o.Edges.Parallel.Adds()) ||
		cat.Symmetric != o.Edges.Undirected {
		t.Fatalf("report %+v, catalogue %+v; want %d edges", r, cat, len(want))
	}
	var last uint32
	for _, s := range cat.Shards {
		if s.First != last || s.Vertices > o.Storage.ShardVertices {
			t.Fatalf("shards %+v with at most %d vertices", cat.Shards, o.Storage.ShardVertices)
		}
		last += uint32(s.Vertices)
	}
}

// inRows reads the in-rows of a graph, and gives their edges.
func inRows(t require, path string, ids []string) (edges []edge) {
	s, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for i := range s.Catalogue().Shards {
		if !s.Catalogue().InRows {
			break
		}
		x, err := s.ReadShard(shard.InRows, i, make([]byte, s.Catalogue().Bytes(shard.InRows, i)))
		if err != nil {
			t.Fatal(err)
		}
		each(x, weightsOf(t, s, shard.InRows, i), func(nbr, v uint32, weight float32) {
			edges = append(edges, edge{src: ids[nbr], dst: ids[v], weight: weight})
		})
	}
	sortStored(edges)
	return edges
}

// TestSameGraph checks that the order of the input, the number of threads and the memory
// do not matter to what is stored.
func TestSameGraph(t *testing.T) {
	dir := t.TempDir()
	var lines []string
	for i := range 3000 {
		lines = append(lines, fmt.Sprintf("%d %d %d\n", i*i%997, i*7%499, i%5))
	}
	var want string
	for k := range 6 {
		slices.Reverse(lines[k*100:])
		name := filepath.Join(dir, "edges.txt")
		if err := os.WriteFile(name, []byte(joined(lines)), 0o666); err != nil {
			t.Fatal(err)
		}
		o := ingest.Options{Force: true, Storage: build.StorageOptions{ShardVertices: 10}}
		path := filepath.Join(dir, "g")
		if _, err := importPlanned([]string{name}, path, o, build.TinyPlan(k%3+1, 3*k)); err != nil {
			t.Fatal(err)
		}
		_, _, _, cat := stored(t, path)
		if want == "" {
			want = cat.Fingerprint
		}
		if cat.Fingerprint != want {
			t.Errorf("import %d has fingerprint %s, want %s", k, cat.Fingerprint, want)
		}
	}
}

func joined(lines []string) string {
	var b bytes.Buffer
	for _, l := range lines {
		b.WriteString(l)
	}
	return b.String()
}
