package store_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"unsafe"

	"go.uber.org/goleak"

	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/rows"
	"github.com/garaph/garaph/store"
)

// TestMain leaves out two goroutines that Badger 4.9.6 does not end where its Open
// fails, as over a damaged database.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		goleak.IgnoreAnyFunction("github.com/dgraph-io/badger/v4.(*DB).monitorCache"),
		goleak.IgnoreAnyFunction("github.com/dgraph-io/ristretto/v2/z.(*AllocatorPool).freeupAllocators"))
}

// memoryDir returns an empty folder, in memory where the system has such a file
// system, so that tests that store many graphs need not wait for a disk.
func memoryDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "garaph-test-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// random has so many edges between n vertices, the same for the same seed.
func random(seed uint64, n uint32, edges int) oracle.Graph {
	rng := rand.New(rand.NewPCG(seed, 0))
	g := oracle.Graph{N: int(n)}
	for range edges {
		g.Edges = append(g.Edges, oracle.Edge{Src: rng.Uint32N(n), Dst: rng.Uint32N(n), Weight: float32(rng.IntN(16)) / 4})
	}
	return g
}

func write(t testing.TB, path string, g oracle.Graph, o teststore.Options) {
	t.Helper()
	if err := teststore.Write(path, g, o); err != nil {
		t.Fatal(err)
	}
}

func open(t testing.TB, path string) *store.Store {
	t.Helper()
	s, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// edgeless stores n vertices without edges under ids that fill appends, and
// opens the graph.
func edgeless(t testing.TB, path string, n int, kind store.IDKind, base int64,
	fill func(*store.IDWriter) error) *store.Store {
	t.Helper()
	w, err := store.Create(path, false)
	if err != nil {
		t.Fatal(err)
	}
	cat := &store.Catalogue{Vertices: uint32(n), Symmetric: true}
	for first := 0; first < n; first += shard.MaxVertices {
		size := min(shard.MaxVertices, n-first)
		blob := aligned(int(rows.Size(size, 0, 0)))
		side := rows.Layout(blob, shard.In, uint32(len(cat.Shards)), uint32(first), size, 0, 0)
		info := store.ShardInfo{First: uint32(first), Vertices: size, InSum: rows.Seal(blob)}
		if err := w.PutShard(len(cat.Shards), side); err != nil {
			t.Fatal(err)
		}
		cat.Shards = append(cat.Shards, info)
	}
	ids := w.IDs(kind, base)
	if err := fill(ids); err != nil {
		t.Fatal(err)
	}
	if err := ids.Finish(); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(cat); err != nil {
		t.Fatal(err)
	}
	return open(t, path)
}

// texts appends ids of kind [store.IDString].
func texts(ids []string) func(*store.IDWriter) error {
	return func(w *store.IDWriter) error {
		for _, id := range ids {
			if err := w.AppendString([]byte(id)); err != nil {
				return err
			}
		}
		return nil
	}
}

// aligned returns bytes at a multiple of 16.
func aligned(n int) []byte {
	b := make([]byte, n+16)
	skip := -int(uintptr(unsafe.Pointer(&b[0]))) & 15
	return b[skip : skip+n : skip+n]
}

// sides returns all shards of a graph on all sides that it stores.
func sides(c *store.Catalogue) []place {
	var list []place
	for i := range c.Shards {
		list = append(list, place{shard.In, i})
		if !c.Symmetric {
			list = append(list, place{shard.Out, i})
		}
	}
	return list
}

type place struct {
	dir shard.Direction
	i   int
}

func (p place) String() string { return fmt.Sprintf("shard %d (%s side)", p.i, p.dir) }

// blobs reads every stored shard.
func blobs(t testing.TB, s *store.Store) map[place][]byte {
	t.Helper()
	m := map[place][]byte{}
	for _, p := range sides(s.Catalogue()) {
		m[p] = aligned(int(s.Catalogue().Bytes(p.dir, p.i)))
		if _, err := s.ReadShard(p.dir, p.i, m[p]); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// neighbours returns what the shards of one side say: the neighbours and the
// weights of every vertex, in order.
func neighbours(t testing.TB, s *store.Store, dir shard.Direction) string {
	t.Helper()
	var b bytes.Buffer
	for i, info := range s.Catalogue().Shards {
		x, err := s.ReadShard(dir, i, aligned(int(s.Catalogue().Bytes(dir, i))))
		if err != nil {
			t.Fatal(err)
		}
		side := rows.Of(x)
		for v := range side.Vertices() {
			from, to := side.Off[v], side.Off[v+1]
			fmt.Fprint(&b, int(info.First)+v, side.Nbr[from:to])
			if side.Weight != nil && from < to {
				fmt.Fprint(&b, side.Weight[from:to])
			}
			fmt.Fprintln(&b)
		}
	}
	return b.String()
}

// payload returns the file of a graph with all its blobs.
func payload(path string) string { return filepath.Join(path, "payload") }

// streaming is how shards are read that don't stay in memory.
var streaming = store.Reading{Direct: true, Check: shard.Side.CheckValues}
