package gpuengine

import (
	"context"
	"iter"
	"path/filepath"
	"testing"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/internal/vertices"
	"github.com/garaph/garaph/page"
	"github.com/garaph/garaph/programs"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

// still is a device that does nothing, and makes no objects.
type still struct {
	at    device.Pointer
	calls int // that take memory
}

type (
	stillEvent    struct{}
	stillFunction struct{}
)

func (d *still) Info() device.Info {
	return device.Info{Name: "still", Memory: 1 << 30, Free: 1 << 30, Processors: 1, SharedBlock: defaultShared,
		Capability: 70}
}

func (d *still) Alloc(n int64) (device.Pointer, error) {
	d.calls++
	d.at += device.Pointer(aligned(n) + device.Alignment)
	return d.at, nil
}

func (d *still) Pin(n int64) ([]byte, error) {
	d.calls++
	return make([]byte, n), nil
}

func (d *still) Free(device.Pointer) error             { return nil }
func (d *still) Unpin([]byte) error                    { return nil }
func (d *still) Register([]byte) error                 { return nil }
func (d *still) Unregister([]byte) error               { return nil }
func (d *still) Mapped([]byte) (device.Pointer, error) { return 1 << 60, nil }
func (stillFunction) Together(int, int) (int, error)   { return 1, nil }
func (f stillFunction) LaunchTogether(s device.Stream, blocks, threads, shared int, args []byte) error {
	return f.Launch(s, blocks, threads, shared, args)
}
func (d *still) NewStream(device.Priority) (device.Stream, error)                  { return d, nil }
func (d *still) NewEvent() (device.Event, error)                                   { return stillEvent{}, nil }
func (d *still) Load(device.Kernel) (device.Function, error)                       { return stillFunction{}, nil }
func (stillFunction) Launch(device.Stream, int, int, int, []byte) error            { return nil }
func (d *still) Close() error                                                      { return nil }
func (d *still) ToDevice(device.Pointer, []byte) error                             { return nil }
func (d *still) ToHost([]byte, device.Pointer) error                               { return nil }
func (d *still) Copy(device.Pointer, device.Pointer, int64) error                  { return nil }
func (d *still) Reach(device.Device) (bool, error)                                 { return true, nil }
func (d *still) ToPeer(device.Device, device.Pointer, device.Pointer, int64) error { return nil }
func (d *still) Fill(device.Pointer, byte, int64) error                            { return nil }
func (d *still) Record(device.Event) error                                         { return nil }
func (d *still) Wait(device.Event) error                                           { return nil }
func (d *still) Sync() error                                                       { return nil }
func (stillEvent) Sync() error                                                     { return nil }
func (stillEvent) Done() bool                                                      { return true }
func (stillEvent) Since(device.Event) (float64, error)                             { return 1, nil }
func (stillEvent) Close() error                                                    { return nil }

// loaded are the pages of a graph, in memory for good.
type loaded []*page.Page

func (l loaded) Spans() (spans []page.Span) {
	for i := range l {
		spans = append(spans, page.Span{From: i, To: i + 1})
	}
	return spans
}

func (loaded) Stays(int) bool { return true }

func (l loaded) Get(r page.Request) (*page.Page, error) { return l[r.Page], nil }

func (l loaded) Stream(_ context.Context, requests []page.Request) iter.Seq2[*page.Page, error] {
	return func(yield func(*page.Page, error) bool) {
		for _, r := range requests {
			if !yield(l[r.Page], nil) {
				return
			}
		}
	}
}

func (l loaded) Once(ctx context.Context, requests []page.Request, _ store.Check) iter.Seq2[*page.Page, error] {
	return l.Stream(ctx, requests)
}

func (l loaded) Recheck(shard.Direction, int) error { return nil }

// TestIterateAllocations checks that an iteration takes no memory of the device, and of the
// host a context and no more, whether edges stay on the device or are streamed.
func TestIterateAllocations(t *testing.T) {
	g := oracle.Graph{N: 3000}
	for v := range uint32(g.N) {
		for k := range uint32(20) {
			g.Edges = append(g.Edges, oracle.Edge{Src: v, Dst: (v*7 + k*k) % uint32(g.N)})
		}
	}
	path := filepath.Join(t.TempDir(), "graph")
	if err := teststore.Write(path, g, teststore.Options{ShardVertices: 300}); err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	pages := loaded{}
	for i := range s.Catalogue().Shards {
		side, err := s.ReadShard(shard.In, i, make([]byte, s.Catalogue().Bytes(shard.In, i)))
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, &page.Page{Index: i, Shards: []page.Shard{{Index: i, Sides: []shard.Side{side}}}})
	}
	for _, memory := range []int64{0, 160 << 10} {
		a, err := vertices.New[uint32](s.Catalogue().Vertices, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Free()
		d := &still{}
		e, err := New(d, gas.Program[uint32, uint32](programs.BFS{}), a, s.Catalogue(), Options{Memory: memory})
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		if err := e.Start(pages); err != nil {
			t.Fatal(err)
		}
		var stats Stats
		iterate := func() {
			if stats, err = e.Iterate(t.Context(), Work{}); err == nil {
				_, err = e.Commit()
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		for range 20 { // buffers grow to their size
			iterate()
		}
		before := d.calls
		objects := testing.AllocsPerRun(50, iterate)
		t.Logf("%d bytes streamed in %d batches, %v objects", stats.Bytes, stats.Pages, objects)
		if (stats.Bytes > 0) != (memory > 0) {
			t.Errorf("%d bytes streamed with a budget of %d", stats.Bytes, memory)
		}
		if d.calls != before || objects > 10 {
			t.Errorf("an iteration takes memory of the device %d times in 51, and makes %v objects", d.calls-before, objects)
		}
	}
}
