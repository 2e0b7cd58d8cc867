package dispatcher

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/testprograms"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/programs"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

// TestUnreadBeside: a page that cannot be read while the GPU takes another one from
// memory ends the job, with an error.
func TestUnreadBeside(t *testing.T) {
	g := oracle.Graph{N: 2000}
	for v := range uint32(g.N) {
		for k := range uint32(200) {
			g.Edges = append(g.Edges, oracle.Edge{Src: v, Dst: (v*7 + k*k) % (uint32(g.N) - v/4), Weight: 1})
		}
	}
	path := filepath.Join(t.TempDir(), "graph")
	if err := teststore.Write(path, g, teststore.Options{ShardVertices: 50}); err != nil {
		t.Fatal(err)
	}
	logs, err := filepath.Glob(filepath.Join(path, "payload"))
	if err != nil || len(logs) == 0 {
		t.Fatal(logs, err)
	}
	s, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	cat := s.Catalogue()
	p := testprograms.PageRank[float64]{PageRank: programs.PageRank[float64]{Damping: 0.85}}
	o := Options{GPU: GPUOptions{Name: "emulated"}, Threads: 2, hooks: hooks{speeds: evenly, pageBytes: 1}, Iterations: 1, Method: Pull}
	o.Device = GPU
	o.GPU.Memory = leastGPU(t, s, gas.Program[float64, int64](p), o)
	o.Memory = 1
	var need *MemoryError
	if _, err := New(s, gas.Program[float64, int64](p), o); !errors.As(err, &need) {
		t.Fatal(err)
	}
	var total int64
	for i := range cat.Shards {
		total += cat.Bytes(shard.In, i)
	}
	o.Memory = need.Least() + total/2
	// The first page that does not stay is damaged.
	j, err := New(s, gas.Program[float64, int64](p), o)
	if err != nil {
		t.Fatal(err)
	}
	damaged := -1
	for k := range j.pages.Spans() {
		if damaged < 0 && !j.pages.Stays(k) {
			damaged = j.pages.Spans()[k].From
		}
	}
	j.Close()
	buf := make([]byte, cat.Bytes(shard.In, damaged))
	if _, err := s.ReadShard(shard.In, damaged, buf); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(logs[0])
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(text, buf[:200])
	text[at+len(buf)/2] ^= 0xff
	if err := os.WriteFile(logs[0], text, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, device := range []Device{GPU, Hybrid} {
		o.Device = device
		for range 30 {
			if _, _, err := runJob[float64, int64](s, p, o); err == nil {
				t.Fatalf("%s: a job ended as if all had been read", device)
			}
		}
	}
}
