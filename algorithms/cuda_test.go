//go:build cuda

package algorithms_test

import (
	"slices"
	"testing"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/store"
)

// TestCUDAComponents compares components of a GPU with the oracle's.
func TestCUDAComponents(t *testing.T) {
	g := tangled(300_000, 3)
	want, _ := components(g)
	for _, layout := range []store.Layout{store.CSC, store.Packed} {
		for _, symmetric := range []bool{false, true} {
			s := teststore.Build(t, g, teststore.Options{Layout: layout, Symmetric: symmetric, ShardVertices: 12288})
			got, report := run(t, s, algorithms.Components{}, algorithms.Options{Device: algorithms.GPU})
			if !slices.Equal(got, want) {
				t.Errorf("%v, symmetric %v: other values", layout, symmetric)
			}
			t.Logf("%s: %v of %v", report.GPU, report.Kernels, report.Duration)
		}
	}
}
