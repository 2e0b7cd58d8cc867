package community

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/gpuengine/device"
)

// closed opens an emulated device that must be given back with nothing in use.
func closed(t testing.TB, o device.EmulatedOptions) *device.Emulated {
	d := device.NewEmulated(o)
	t.Cleanup(func() {
		if u := d.InUse(); u != (device.InUse{}) {
			t.Errorf("left in use: %+v", u)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// rooted is a query that has its root alone.
func rooted(p *Problem) *DeviceQuery {
	return &DeviceQuery{Open: []Open{{p, Root(p)}}, Best: &Best{}, Stats: &Stats{}}
}

// eachBatch calls f with all problems of a random graph, one query each, and what is best.
func eachBatch(t *testing.T, graphs int, search func(t *testing.T, queries []*DeviceQuery)) {
	t.Helper()
	for seed := range graphs {
		g := randomGraph(rand.New(rand.NewPCG(uint64(seed), 18)))
		best := g.optima()
		var queries []*DeviceQuery
		var problems []*Problem
		var wants []int
		for q := range g.n {
			for low := 1; low <= g.n; low++ {
				want := -1
				for high := low; high <= g.n; high++ {
					want = max(want, best[q][high])
					p, err := NewProblem(g.n, g.edges, uint32(q), low, high)
					if err != nil {
						t.Fatal(err)
					}
					queries, problems, wants = append(queries, rooted(p)), append(problems, p), append(wants, want)
				}
			}
		}
		search(t, queries)
		for i, q := range queries {
			if len(q.Open) > 0 {
				t.Errorf("%d nodes are open", len(q.Open))
			}
			if checkCommunity(t, g, problems[i], q.Best, wants[i]); t.Failed() {
				t.Fatalf("graph %d: %d vertices, edges %v, query %d, sizes %d to %d", seed, g.n, g.edges, problems[i].Query, problems[i].Low, problems[i].High)
			}
		}
	}
}

// TestDeviceIsExact: with all room that there is, and with as good as none.
func TestDeviceIsExact(t *testing.T) {
	for _, o := range []DeviceOptions{{}, {most: 1}, {most: 3, capacity: 1}, {most: 2, capacity: 5}, {most: 1, capacity: 2, Host: 1}} {
		t.Run(fmt.Sprintf("%+v", o), func(t *testing.T) {
			d := closed(t, device.EmulatedOptions{})
			eachBatch(t, graphs(t, 4, 24), func(t *testing.T, queries []*DeviceQuery) {
				if err := SearchDevice(t.Context(), d, queries, o); err != nil {
					t.Fatal(err)
				}
			})
		})
	}
}

// TestDeviceFindsWhatCPUFinds on graphs that take renumbering, several words and rounds.
func TestDeviceFindsWhatCPUFinds(t *testing.T) {
	d := closed(t, device.EmulatedOptions{})
	rapid.Check(t, func(r *rapid.T) { compareWithCPU(r, d) })
}

// compareWithCPU searches a random batch on a device and on the CPU.
func compareWithCPU(r *rapid.T, d device.Device) {
	n := rapid.IntRange(20, 400).Draw(r, "vertices")
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(r, "seed"), 1))
	var edges [][2]uint32
	group := rapid.IntRange(2, 40).Draw(r, "group")
	for range n * rapid.IntRange(1, 8).Draw(r, "degree") {
		u := random.IntN(n)
		v := random.IntN(n)
		if random.IntN(4) > 0 {
			v = min(n-1, u/group*group+random.IntN(group))
		}
		edges = append(edges, [2]uint32{uint32(u), uint32(v)})
	}
	low := rapid.IntRange(1, 8).Draw(r, "low")
	high := low + rapid.IntRange(0, 4).Draw(r, "more")
	var queries []*DeviceQuery
	var want []int
	for range rapid.IntRange(1, 5).Draw(r, "queries") {
		p, err := NewProblem(n, edges, uint32(random.IntN(n)), low, high)
		if err != nil {
			r.Fatal(err)
		}
		var b Best
		Search(context.Background(), []Open{{p, Root(p)}}, AllRules, &b, &Stats{})
		queries, want = append(queries, rooted(p)), append(want, b.K())
	}
	o := DeviceOptions{most: uint32(rapid.IntRange(1, 100).Draw(r, "most")), capacity: int64(rapid.IntRange(0, 50).Draw(r, "capacity"))}
	if err := SearchDevice(context.Background(), d, queries, o); err != nil {
		r.Fatal(err)
	}
	for i, q := range queries {
		if q.Best.K() != want[i] || len(q.Open) > 0 {
			r.Fatalf("minimum degree %d, want %d; %d nodes are open", q.Best.K(), want[i], len(q.Open))
		}
	}
}

// TestDeviceStops: what is open when the context ends is searched later, on either processor.
func TestDeviceStops(t *testing.T) {
	d := closed(t, device.EmulatedOptions{})
	eachBatch(t, graphs(t, 8, 40), func(t *testing.T, queries []*DeviceQuery) {
		stopped := 0
		for i := 0; ; i++ {
			ctx, cancel := context.WithCancel(t.Context())
			o := DeviceOptions{most: 1, Keep: true, Progress: func(int64, int64) { cancel() }}
			if err := SearchDevice(ctx, d, queries, o); err != nil {
				t.Fatal(err)
			}
			cancel()
			open := 0
			for _, q := range queries {
				open += len(q.Open)
				if i%2 == 1 {
					q.Open = Search(t.Context(), q.Open, AllRules, q.Best, q.Stats)
				}
			}
			if open == 0 {
				break
			}
			stopped++
		}
		if len(queries) > 1000 && stopped == 0 {
			t.Error("never stopped")
		}
	})
}

// TestDeviceTimeLimit: a query that is not proved when its time is up keeps what it had, and the
// search ends soon.
func TestDeviceTimeLimit(t *testing.T) {
	p := sparse(t, rand.New(rand.NewPCG(5, 6)), 2000, 24)
	d := closed(t, device.EmulatedOptions{})
	hard, easy := rooted(p), rooted(&Problem{N: 1, Low: 1, High: 1, Offsets: []uint32{0, 0}, IDs: []uint32{7}})
	begin := time.Now()
	if err := SearchDevice(t.Context(), d, []*DeviceQuery{hard, easy}, DeviceOptions{TimeLimit: time.Millisecond}); err != nil {
		t.Fatal(err)
	}
	if len(hard.Open) != 1 || hard.Open[0].Problem != p || !hard.Searched {
		t.Errorf("%d nodes are open", len(hard.Open))
	}
	if len(easy.Open) > 0 || easy.Best.K() != 0 || !slices.Equal(easy.Best.Members(), []uint32{7}) {
		t.Errorf("one vertex: %d nodes are open, minimum degree %d of %v", len(easy.Open), easy.Best.K(), easy.Best.Members())
	}
	if d := time.Since(begin); d > time.Minute {
		t.Errorf("a millisecond took %v", d)
	}
}

// TestDeviceShared: a query whose sets are too large for a block is left to the CPU, and those beside it are searched.
func TestDeviceShared(t *testing.T) {
	p := sparse(t, rand.New(rand.NewPCG(5, 6)), 600, 24)
	p.Low, p.High = 500, 550
	d := closed(t, device.EmulatedOptions{})
	large, easy := rooted(p), rooted(&Problem{N: 1, Low: 1, High: 1, Offsets: []uint32{0, 0}, IDs: []uint32{7}})
	if err := SearchDevice(t.Context(), d, []*DeviceQuery{large, easy}, DeviceOptions{}); err != nil {
		t.Fatal(err)
	}
	if large.Searched || len(large.Open) != 1 || !easy.Searched || easy.Best.K() != 0 {
		t.Errorf("the large one was searched: %t, %d nodes are open; the easy one: %t, minimum degree %d", large.Searched, len(large.Open), easy.Searched, easy.Best.K())
	}
}

// TestDeviceFails: whatever fails on a device, the CPU finds the same from what is open.
func TestDeviceFails(t *testing.T) {
	g := randomGraph(rand.New(rand.NewPCG(5, 18)))
	best := g.optima()
	for op := range device.FaultRun + 1 {
		fired := 0
		for n := 1; n == fired+1; n++ {
			d := closed(t, device.EmulatedOptions{Faults: []device.EmulatedFault{{Op: op, N: n, Lost: n%2 == 0}}})
			var queries []*DeviceQuery
			for q := range g.n {
				p, err := NewProblem(g.n, g.edges, uint32(q), 3, 6)
				if err != nil {
					t.Fatal(err)
				}
				queries = append(queries, rooted(p))
			}
			err := SearchDevice(t.Context(), d, queries, DeviceOptions{most: 1, capacity: 3})
			if err == nil {
				break // there is no such call
			}
			fired++
			if !errors.Is(err, device.ErrInjected) && !errors.Is(err, device.ErrLost) {
				t.Errorf("%s %d: %v", op, n, err)
			}
			for q, query := range queries {
				p := query.Open
				if len(p) == 0 {
					t.Fatalf("%s %d: query %d was given up", op, n, q)
				}
				Search(t.Context(), query.Open, AllRules, query.Best, query.Stats)
				want := max(best[q][3], best[q][4], best[q][5], best[q][6])
				checkCommunity(t, g, p[0].Problem, query.Best, want)
			}
		}
		if fired == 0 && op != device.FaultEvent {
			t.Errorf("no %s failed", op)
		}
	}
}
