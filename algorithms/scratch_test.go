package algorithms_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/internal/tinydisk"
	"github.com/garaph/garaph/store"
)

// scratching writes numbers to a temporary file and reads them.
type scratching struct {
	name string
	run  func(s *algorithms.Scratch) error
}

func (scratching) Plan(*store.Catalogue, int) algorithms.Plan {
	return algorithms.Plan{
		Arrays: []algorithms.Array{{Name: "the values", Bytes: 8 * 20_000}}, Spare: 1000,
		Scratch: []algorithms.Array{{Name: "numbers", Bytes: 1 << 20}},
	}
}

func (a scratching) Run(_ context.Context, e *algorithms.Env) ([]int64, error) {
	s, err := e.Scratch(a.name)
	if err == nil {
		err = a.run(s)
	}
	if err != nil {
		return nil, err
	}
	return algorithms.Make[int64](e, int(e.Graph.Vertices))
}

// TestScratch checks the content of a temporary file, the report, and errors.
func TestScratch(t *testing.T) {
	s := teststore.Build(t, manyTriangles(), teststore.Options{})
	numbers := []uint32{7, 1 << 31, 9}
	a := scratching{"numbers", func(s *algorithms.Scratch) error {
		got := make([]uint32, 5)
		err := errors.Join(s.Write(numbers, 2), s.Write([]uint32{1, 2}, 0), s.Read(got, 0))
		if want := []uint32{1, 2, 7, 1 << 31, 9}; err == nil && !slices.Equal(want, got) {
			t.Errorf("got %v, want %v", got, want)
		}
		return err
	}}
	if _, report := run(t, s, a, algorithms.Options{}); report.Scratch != 20 {
		t.Errorf("%d bytes were written, want 20", report.Scratch)
	}
	fails := func(a scratching, o algorithms.Options, want string) {
		t.Helper()
		if _, err := algorithms.Run(t.Context(), s, a, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	fails(scratching{"other", a.run}, algorithms.Options{}, "that its plan does not include")
	fails(a, algorithms.Options{Scratch: "/nowhere"}, "make a temporary file for numbers (see --scratch): ")
	fails(scratching{"numbers", func(s *algorithms.Scratch) error { return s.Read(numbers, 0) }}, algorithms.Options{},
		"read numbers from a temporary file: ")
}

// TestScratchFull checks the error of a disk that is full from the beginning, and of one that fills up.
func TestScratchFull(t *testing.T) {
	s := teststore.Build(t, manyTriangles(), teststore.Options{})
	small, filling := tinydisk.Mount(t, 1<<19), tinydisk.Mount(t, 4<<20)
	for dir, want := range map[string]string{small: "1.0 MiB needed", filling: "no space left on device"} {
		a := scratching{"numbers", func(s *algorithms.Scratch) error {
			tinydisk.Fill(t, filling, 1<<16)
			return s.Write(make([]uint32, 1<<17), 0)
		}}
		_, err := algorithms.Run(t.Context(), s, a, algorithms.Options{Scratch: dir})
		if !errors.Is(err, store.ErrNoSpace) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), dir) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestSpans checks that triangles are counted in several spans where memory is short, through a file without a name,
// and that such a run is cancelled.
func TestSpans(t *testing.T) {
	const n, near = 10_000, 20
	g := oracle.Graph{N: n}
	for v := range uint32(n) {
		for k := uint32(1); k <= near; k++ {
			g.Edges = append(g.Edges, oracle.Edge{Src: v, Dst: (v + k) % n})
		}
	}
	s := teststore.Build(t, g, teststore.Options{ShardVertices: 100, Layout: store.Packed})
	_, err := algorithms.Run(t.Context(), s, algorithms.Triangles{}, algorithms.Options{Threads: 2, Memory: starved})
	var need *algorithms.MemoryError
	if !errors.As(err, &need) {
		t.Fatal(err)
	}
	for _, cancelled := range []bool{false, true} {
		ctx, cancel := context.WithCancel(t.Context())
		var mu sync.Mutex
		stages := map[string]bool{}
		o := algorithms.Options{Threads: 2, Memory: need.Least(), Scratch: t.TempDir()}
		o.Progress = func(p algorithms.Progress) {
			mu.Lock()
			defer mu.Unlock()
			if strings.HasPrefix(p.Stage, "intersecting rows, to ") {
				stages[p.Stage] = true
			}
			if cancelled && len(stages) == 2 {
				cancel()
			}
			if files, err := os.ReadDir(o.Scratch); err != nil || len(files) > 0 {
				t.Errorf("%s: %v, %v", p.Stage, files, err)
			}
		}
		out, err := algorithms.Run(ctx, s, algorithms.Triangles{}, o)
		cancel()
		if cancelled {
			if !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if out.Report.Scratch != 4*n*near || len(stages) < 3 {
			t.Errorf("%d bytes, %v", out.Report.Scratch, stages)
		}
		out.Close()
	}
}

// TestMapped checks that a mapped file keeps its bytes when its pages leave memory, and that little of it
// is resident.
func TestMapped(t *testing.T) {
	s := teststore.Build(t, manyTriangles(), teststore.Options{})
	const n = 1 << 22
	resident := func() int64 {
		return hostmem.ProcBytes("/proc/self/status", "RssFile:") + hostmem.ProcBytes("/proc/self/status", "RssShmem:")
	}
	a := scratching{"numbers", func(s *algorithms.Scratch) error {
		before := resident()
		numbers, err := algorithms.Map[uint32](s, n)
		if err != nil {
			return err
		}
		for round := range uint32(20) {
			for i := range numbers {
				if numbers[i] != round*uint32(i) {
					t.Fatalf("round %d: number %d is %d", round, i, numbers[i])
				}
				numbers[i] += uint32(i)
			}
			time.Sleep(2 * time.Millisecond)
		}
		for i := range numbers {
			numbers[i]++
		}
		for wait := time.Millisecond; wait < 10*time.Second; wait *= 2 {
			time.Sleep(wait)
			if resident() < before+2*n {
				return nil
			}
		}
		t.Error("a mapped file stays resident")
		return nil
	}}
	if _, report := run(t, s, a, algorithms.Options{}); report.Scratch != 4*n {
		t.Errorf("%d bytes were written", report.Scratch)
	}
}
