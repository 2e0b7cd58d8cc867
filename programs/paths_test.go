package programs_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/programs"
)

// TestSSWP checks that widths are weights, so that nothing is rounded.
func TestSSWP(t *testing.T) {
	everyGraph(t, func(t rapid.TB, g oracle.Graph, source uint32) {
		want := oracle.SSWP(g, source)
		for _, groups := range []int{1, 4} {
			x := newInterpreter[float32, float32](g, programs.SSWP[float32]{Source: source})
			x.groups = groups
			x.run(0)
			for v := range want {
				if float64(x.values[v]) != want[v] {
					t.Fatalf("%d groups, vertex %d: got %v, want %v", groups, v, x.values[v], want[v])
				}
			}
		}
	})
}

// TestKCore compares the core with that found by taking away one vertex after another, for
// every k that has one, and the first that has none.
func TestKCore(t *testing.T) {
	everyGraph(t, func(t rapid.TB, g oracle.Graph, _ uint32) {
		for k, some := 0, true; some; k++ {
			want := oracle.KCore(g, k, false)
			some = false
			for _, groups := range []int{1, 4} {
				x := newInterpreter[uint32, uint32](g, programs.KCore{K: uint32(k)})
				x.groups = groups
				x.run(0)
				for v := range want {
					some = some || want[v]
					if (x.values[v] == 1) != want[v] {
						t.Fatalf("k = %d, %d groups, vertex %d: got %v, want %v", k, groups, v, x.values[v], want[v])
					}
				}
			}
		}
	})
}
