//go:build cuda

package garaph_test

import (
	"fmt"
	"testing"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/ingest"
	"github.com/garaph/garaph/programs"
	"github.com/garaph/garaph/store"
)

// TestCUDAWide compares distances over integer weights up to 2^40, of an RMAT graph of scale 20, with integers.
func TestCUDAWide(t *testing.T) {
	scale := 20
	if testing.Short() {
		scale = 14
	}
	edges, text := wideEdges(scale)
	source := edges[0].src
	want := integerDistances(edges, source, false)
	for _, layout := range []store.Layout{store.Packed, store.CSC} {
		t.Run(string(layout), func(t *testing.T) {
			g := importedText(t, garaph.ImportOptions{Storage: ingest.StorageOptions{Layout: layout}}, text)
			id, err := g.Vertex(fmt.Sprint(source))
			if err != nil {
				t.Fatal(err)
			}
			testWideGPU(t, g, programs.SSSP[float64]{Source: id}, want, "0")
		})
	}
}
