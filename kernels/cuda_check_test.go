//go:build cuda

package kernels

import (
	"testing"

	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/shard/packed"
)

// TestCUDACheckPacked compares the kernel with the host's check, and prints its speed on an RMAT
// graph, whose sides lie one behind the other.
func TestCUDACheckPacked(t *testing.T) {
	g := openGPU(t)
	compareChecks(t, g)
	k, err := LoadCheckPacked(g.Device)
	g.must(err)
	graph := rmat(*scaleFlag, 16)
	for _, name := range everyWeighting() {
		graph.weight = weightings[name]
		p := newPage(g, graph, 12288)
		results := upload(g, make([]CheckPackedResult, len(p.blobs)))
		var list []CheckPackedArgs
		bytes := 0
		for i, b := range p.blobs {
			s, err := packed.Decode(b)
			g.must(err)
			if s.Blocks > 0 {
				list = append(list, checkArgs(s, p.at[i], results+device.Pointer(8*i), uint32(graph.vertices())))
				bytes += len(b)
			}
		}
		seconds := g.seconds(4, func() {
			for i := range list {
				g.must(k.Launch(g.s, &list[i]))
			}
		})
		t.Logf("%-10s %d sides, %.1f MB: %.3f ms, %.1f GB/s", name, len(list), float64(bytes)/1e6, seconds*1e3, float64(bytes)/seconds/1e9)
		edges := uint64(0)
		for _, r := range download[CheckPackedResult](g, results, len(p.blobs)) {
			edges += uint64(r.Edges)
			if r.Wrong != 0 {
				t.Error("a sound side is refused")
			}
		}
		if want := 5 * uint64(len(graph.nbr)); edges != want { // of five runs
			t.Errorf("%d edges, want %d", edges, want)
		}
		g.must(g.Free(results))
		g.must(g.Free(p.memory))
	}
}
