package dispatcher_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/dispatcher"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/testgraph"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/programs"
	"github.com/garaph/garaph/store"
)

// everyEngine lists ways to run a job: every processor and loop, sync and async.
func everyEngine() (list []dispatcher.Options) {
	for _, mode := range []dispatcher.Mode{dispatcher.Sync, dispatcher.Async} {
		for _, method := range []dispatcher.Method{dispatcher.Pull, dispatcher.NotifyPull} {
			for _, generic := range []bool{false, true} {
				o := dispatcher.Options{Device: dispatcher.CPU, Mode: mode, Method: method}
				if generic {
					o.Generically()
				}
				list = append(list, o)
			}
		}
		for _, on := range []dispatcher.Device{dispatcher.GPU, dispatcher.Hybrid} {
			list = append(list, dispatcher.Options{Device: on, GPU: dispatcher.GPUOptions{Name: device.EmulatedName},
				Mode: mode})
		}
	}
	return list
}

// overflows runs a program and compares the values that it reports as overflowed,
// and the error, with want; check sees the others.
func overflows[V, A any](t rapid.TB, s *store.Store, p gas.Program[V, A], o dispatcher.Options, want []bool,
	check func(v int, value V) error) {
	t.Helper()
	way := fmt.Sprintf("%T, %+v", p, o)
	j, err := dispatcher.New(s, p, o)
	if err != nil {
		t.Fatalf("%s: %v", way, err)
	}
	defer j.Close()
	_, err = j.Run(context.Background())
	first, n := -1, int64(0)
	for v, x := range want {
		if x && n == 0 {
			first = v
		}
		if x {
			n++
		}
	}
	var overflow *dispatcher.OverflowError
	switch {
	case err != nil && !errors.As(err, &overflow), (n > 0) != (err != nil):
		t.Fatalf("%s: got error %v, and %d values overflow", way, err, n)
	case n > 0 && (overflow.Values != n || overflow.First != strconv.Itoa(first) || int(overflow.Vertices) != len(want)):
		t.Fatalf("%s: got %+v, want %d values from vertex %d", way, overflow, n, first)
	}
	v := 0
	err = j.Values(func(_ []gas.Vertex, values []V) error {
		for _, x := range values {
			switch program := any(p).(gas.Overflowable[V]); {
			case program.Overflowed(x) != want[v]:
				return fmt.Errorf("%s: vertex %d is %v: overflowed is %v", way, v, x, !want[v])
			case !want[v]:
				if err := check(v, x); err != nil {
					return fmt.Errorf("%s: vertex %d: %w", way, v, err)
				}
			}
			v++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// equals compares values with want, up to the rounding of sums in double precision.
func equals[F float32 | float64](want []float64) func(int, F) error {
	return func(v int, got F) error {
		if x := float64(got); x != want[v] && math.Abs(x-want[v]) > 1e-12*want[v] {
			return fmt.Errorf("got %v, want %v", got, want[v])
		}
		return nil
	}
}

// TestOverflow checks that of lengths and numbers of walks that leave float32 exactly those are
// reported that do, by every engine, and unreached vertices are not among them.
func TestOverflow(t *testing.T) {
	seen := map[string]int{}
	check := func(rt rapid.TB, g oracle.Graph, source uint32, o dispatcher.Options) {
		rt.Helper()
		for i := range g.Edges {
			if w := &g.Edges[i].Weight; *w > 0 {
				*w = 0x1p126 + *w*0x1p122 // up to 2^127; sums have few bits, so that they are exact
			}
		}
		s := teststore.Build(t, g, teststore.Options{Weighted: true})
		distance, walks := oracle.SSSP(g, source), oracle.Katz(g, 1, 0x1p120, 10)
		tooFar, tooMany, none := make([]bool, g.N), make([]bool, g.N), make([]bool, g.N)
		for v, d := range distance {
			tooFar[v] = d > math.MaxFloat32 && !math.IsInf(d, 1)
			tooMany[v] = walks[v] > math.MaxFloat32
			reached := !math.IsInf(d, 1)
			for what, is := range map[string]bool{"too far": tooFar[v], "near": reached && !tooFar[v], "unreached": !reached,
				"too many": tooMany[v], "few": !tooMany[v]} {
				if is {
					seen[what]++
				}
			}
		}
		if o.Device == dispatcher.Hybrid {
			o.ShareEvenly()
		}
		overflows(rt, s, gas.Program[float32, float32](programs.SSSP[float32]{Source: source}), o, tooFar,
			equals[float32](distance))
		overflows(rt, s, gas.Program[float64, float64](programs.SSSP[float64]{Source: source}), o, none,
			equals[float64](distance))
		o.Mode, o.Iterations = dispatcher.Sync, 10
		overflows(rt, s, gas.Program[float32, float64](programs.Katz[float32]{Alpha: 1, Beta: 0x1p120}), o, tooMany,
			equals[float32](walks))
		overflows(rt, s, gas.Program[float64, float64](programs.Katz[float64]{Alpha: 1, Beta: 0x1p120}), o, none,
			equals[float64](walks))
	}
	every := oracle.Graph{N: 12} // which has vertices of all kinds
	for v := range uint32(10) {
		every.Edges = append(every.Edges, oracle.Edge{Src: v, Dst: v + 1, Weight: 1}, oracle.Edge{Src: v, Dst: v, Weight: 1},
			oracle.Edge{Src: v, Dst: v, Weight: 1})
	}
	check(t, every, 0, everyEngine()[0])
	rapid.Check(t, func(rt *rapid.T) {
		g := testgraph.Draw(rt)
		check(rt, g, rapid.Uint32Range(0, uint32(g.N-1)).Draw(rt, "source"),
			rapid.SampledFrom(everyEngine()).Draw(rt, "engine"))
	})
	for _, what := range []string{"too far", "near", "unreached", "too many", "few"} {
		if seen[what] == 0 {
			t.Errorf("no vertex was %s: %v", what, seen)
		}
	}
}
