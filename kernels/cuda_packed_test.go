//go:build cuda

package kernels

import (
	"math/rand/v2"
	"testing"

	"github.com/garaph/garaph/examples/influence"
	"github.com/garaph/garaph/programs"
)

// TestCUDAPullPacked compares packed pulls with the host's, and prints their speed
// on an RMAT graph.
func TestCUDAPullPacked(t *testing.T) {
	g := openGPU(t)
	most := g.Info().SharedBlock
	checkEvery(g, rmat(12, 16), 3000, []cut{{3000, 1000, most}, {1000, 2, most / 2}}, everyWeighting())
	checkEvery(g, sparse(1<<21, 300), 65535, []cut{{65535, 1000, most / 2}}, everyWeighting())
}

// TestCUDAPackedSpeed prints the speed of packed pulls on an RMAT graph.
func TestCUDAPackedSpeed(t *testing.T) {
	g := openGPU(t)
	graph := rmat(*scaleFlag, 16)
	edges, n := float64(len(graph.nbr)), float64(graph.vertices())
	t.Logf("%s, %d MiB, %.0f edges", g.Info().Name, g.Info().Memory>>20, edges)
	p := newPage(g, graph, 12288)
	defer func() { g.must(g.Free(p.memory)) }()
	v := -1
	rank := func(*rand.Rand) float64 {
		v = (v + 1) % graph.vertices()
		return (0.15/n + 0.85*float64(graph.off[v+1]-graph.off[v])/edges) / float64(max(graph.out[v], 1))
	}
	speed(p, "", programs.WCC{}, (*rand.Rand).Uint32)
	speed(p, "", programs.PageRank[float32]{}, func(r *rand.Rand) float32 { return float32(rank(r)) })
	speed(p, "", programs.PageRank[float64]{}, rank)
	speed(p, "", programs.Katz[float32]{}, (*rand.Rand).Float32)
	speed(p, "", programs.KCore{}, (*rand.Rand).Uint32)
	speed(p, "", single{}, (*rand.Rand).Float32)
	for _, name := range []string{"words", "floats", "bytes"} {
		graph.weight = weightings[name]
		q := newPage(g, graph, 12288)
		speed(q, name, programs.SSSP[float32]{}, (*rand.Rand).Float32)
		if name == "bytes" {
			speed(q, name, programs.SSSP[float64]{}, (*rand.Rand).Float64)
			speed(q, name, programs.LPA{}, func(r *rand.Rand) programs.Ballot { return programs.Ballot{Label: r.Uint32()} })
			speed(q, name, programs.Heat{}, (*rand.Rand).Float32)
			speed(q, name, influence.Influence{}, person)
		}
		g.must(g.Free(q.memory))
	}
}

func speed[V, A any](p *page, weights string, program portable[V, A], value func(*rand.Rand) V) {
	r := rand.New(rand.NewPCG(1, 2))
	values := make([]V, p.graph.vertices())
	for v := range values {
		values[v] = value(r)
	}
	f := program.Fragments()
	slot := SlotBytes(f.Accumulator)
	ways := []string{"pull_packed"}
	if lines(f) > unrolledLines/2 { // where the other kernel may be as fast
		ways = append(ways, "pull_packed_rolled")
	}
	for _, way := range ways {
		for _, shared := range []int{min(slot*12289, p.Info().SharedBlock), min(2*slot*12289, p.Info().SharedBlock)} {
			x := newPulling(p, program, values, cut{12288, 768, shared})
			packed, err := load(p.Device, way, f, nil)
			p.must(err)
			for _, threads := range []int{128, 256, 512, 1024} {
				s := p.seconds(4, func() {
					p.must(PullPacked{packed}.launch(p.s, len(x.chunks), threads, x.shared, &x.args))
				})
				p.t.Logf("%-18s %-6s %s, %d instructions, %4d threads, %6d bytes of shared memory, %d chunks: %.3f ms, %.1f G edges/s",
					f.Program, weights, way, lines(f), threads, x.shared, len(x.chunks), s*1e3, float64(len(p.graph.nbr))/s/1e9)
			}
			x.free()
		}
	}
}
