package bench

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/dispatcher"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/programs"
)

var (
	scaleFlag    = flag.Int("scale", 16, "base-2 logarithm of the number of vertices of the graphs of BenchmarkAuto")
	autoTurns    = flag.Int("auto-turns", 3, "how often BenchmarkAuto runs each job, in turn")
	autoWall     = flag.Bool("auto-wall", false, "whether BenchmarkAuto measures seconds on the wall, not of processors")
	autoGraphs   = flag.String("auto-graphs", "", "graphs of BenchmarkAuto, separated by commas; all if empty")
	autoDevice   = flag.String("auto-device", "cpu", "device of BenchmarkAuto")
	autoPrograms = flag.String("auto-programs", "", "programs of BenchmarkAuto, separated by commas; all if empty")
)

// BenchmarkAuto runs programs over graphs by auto, and by each fixed method and mode, and prints a line for each
// program and graph: processor time of auto, and of the best of the others, and their ratio. A job opens the graph;
// the next one, over the same open graph, counts apart. Each figure is the least of some turns.
//
//	go test ./bench -run '^$' -bench Auto -benchtime 1x -args -scale 18 -auto-graphs grid,path
func BenchmarkAuto(b *testing.B) {
	for _, kind := range autoKinds {
		if !named(*autoGraphs, kind.name) {
			continue
		}
		b.Run(kind.name, func(b *testing.B) {
			path := filepath.Join(b.TempDir(), kind.name)
			edges, weights := kind.make(uint64(1) << *scaleFlag)
			g, err := garaph.FromSlice(b.Context(), edges, weights, garaph.GraphOptions{Folder: path,
				Undirected: !kind.directed})
			if err != nil {
				b.Fatal(err)
			}
			jobs, err := autoJobsOf(g)
			if err := errors.Join(err, g.Close()); err != nil {
				b.Fatal(err)
			}
			for _, job := range jobs {
				if !named(*autoPrograms, job.name) {
					continue
				}
				b.Run(job.name, func(b *testing.B) {
					for b.Loop() {
						compareAuto(b, path, job)
					}
				})
			}
		})
	}
}

// named reports whether a list separated by commas has a name, or is empty.
func named(list, name string) bool {
	return list == "" || slices.Contains(strings.Split(list, ","), name)
}

// autoChoices are auto and its alternatives.
var autoChoices = []struct {
	method dispatcher.Method
	mode   dispatcher.Mode
}{
	{dispatcher.Auto, dispatcher.Sync},
	{dispatcher.Frontier, dispatcher.Sync},
	{dispatcher.Pull, dispatcher.Sync},
	{dispatcher.NotifyPull, dispatcher.Sync},
	{dispatcher.Pull, dispatcher.Async},
	{dispatcher.NotifyPull, dispatcher.Async},
}

// stopFactor is after how many times the wall time of the first job by auto others are stopped.
const stopFactor = 2

// compareAuto reports the ratios of the first and of the second job over an open graph.
func compareAuto(b *testing.B, path string, job autoJob) {
	var least [2][]float64 // by choice
	for i := range least {
		least[i] = slices.Repeat([]float64{math.Inf(1)}, len(autoChoices))
	}
	limit := time.Hour
	for turn := range *autoTurns {
		for k := range autoChoices {
			if turn%2 == 1 { // memory that the job before has freed is sooner there
				k = len(autoChoices) - 1 - k
			}
			c := autoChoices[k]
			if turn > 0 && math.IsInf(least[0][k], 1) || c.mode == dispatcher.Async && job.iterations > 0 ||
				c.method == dispatcher.Frontier && !dispatcher.Improves(job.program) ||
				c.method == dispatcher.NotifyPull && *autoDevice == string(dispatcher.GPU) {
				continue
			}
			began, used := time.Now(), autoTime()
			ctx, cancel := context.WithTimeout(b.Context(), limit)
			g, err := garaph.Open(path)
			if err != nil {
				b.Fatal(err)
			}
			for i := range least {
				r, err := job.run(ctx, g, garaph.RunOptions{Method: c.method, Mode: c.mode,
					Device: dispatcher.Device(*autoDevice), Iterations: job.iterations})
				took := (autoTime() - used).Seconds()
				if ctx.Err() != nil {
					break
				}
				if err == nil {
					err = r.Close()
				}
				if err != nil {
					b.Fatalf("%s, %s: %v", c.method, c.mode, err)
				}
				least[i][k] = min(least[i][k], took)
				runtime.GC()
				used = autoTime()
			}
			cancel()
			if err := g.Close(); err != nil {
				b.Fatal(err)
			}
			if k == 0 {
				limit = min(limit, 100*time.Millisecond+stopFactor*time.Since(began))
			}
			runtime.GC()
		}
	}
	text := ""
	for i, name := range []string{"first", "second"} {
		best := 1
		for k := range autoChoices {
			if k > 0 && least[i][k] < least[i][best] {
				best = k
			}
		}
		ratio := least[i][0] / least[i][best]
		b.ReportMetric(ratio, name+"-ratio")
		text += fmt.Sprintf(" | %s %.1f ms, %.2f of %s %s", name, 1e3*least[i][0], ratio, autoChoices[best].method,
			autoChoices[best].mode)
	}
	for k, c := range autoChoices {
		text += fmt.Sprintf(" | %s %s %.1f %.1f", c.method, c.mode, 1e3*least[0][k], 1e3*least[1][k])
	}
	b.Logf("%s%s", job.name, text)
}

var startTime = time.Now()

// autoTime is the clock of BenchmarkAuto.
func autoTime() time.Duration {
	if *autoWall {
		return time.Since(startTime)
	}
	return processorTime()
}

// autoJob is a program for BenchmarkAuto.
type autoJob struct {
	name       string
	program    any
	iterations int
	run        func(context.Context, *garaph.Graph, garaph.RunOptions) (*garaph.Result, error)
}

func newAutoJob[V, A any](name string, p gas.Program[V, A], iterations int) autoJob {
	return autoJob{name, p, iterations, func(ctx context.Context, g *garaph.Graph,
		o garaph.RunOptions) (*garaph.Result, error) {
		return garaph.Run(ctx, g, p, o)
	}}
}

// autoJobsOf returns the programs to run over a graph.
func autoJobsOf(g *garaph.Graph) ([]autoJob, error) {
	source, err := sourceOf(g, "")
	if err != nil {
		return nil, err
	}
	most, err := g.MaxInDegree()
	if err != nil {
		return nil, err
	}
	mean := uint32(g.Catalogue().Edges / uint64(g.Catalogue().Vertices))
	return []autoJob{
		newAutoJob("bfs", programs.BFS{Source: source}, 0),
		newAutoJob("sssp", programs.SSSP[float32]{Source: source}, 0),
		newAutoJob("sswp", programs.SSWP[float32]{Source: source}, 0),
		newAutoJob("wcc", programs.WCC{}, 0),
		newAutoJob("kcore", programs.KCore{K: max(2, mean/2+1)}, 0),
		newAutoJob("pagerank", programs.PageRank[float32]{Damping: 0.85}, 20),
		newAutoJob("heat", programs.Heat{Source: source, Step: 0.1}, 50),
		newAutoJob("nearesthub", nearestHub{most/2 + 1}, 0),
	}, nil
}

// nearestHub is the program of examples/nearesthub with loops that are not compiled.
type nearestHub struct{ edges uint32 }

// place is the position of a vertex.
type place struct {
	distance float32
	hub      uint32
}

func (p nearestHub) Init(v gas.Vertex) (place, bool) {
	if v.In >= p.edges {
		return place{0, v.ID}, true
	}
	return p.Zero(), false
}

func (nearestHub) Zero() place { return place{float32(math.Inf(1)), math.MaxUint32} }

func (nearestHub) Gather(src place, e gas.Edge, _ place) place {
	return place{src.distance + float32(e.Weight), src.hub}
}

func (nearestHub) Sum(a, b place) place {
	if b.distance < a.distance || b.distance == a.distance && b.hub < a.hub {
		return b
	}
	return a
}

func (p nearestHub) Apply(_ gas.Vertex, old, acc place, _ gas.Step) place { return p.Sum(old, acc) }
func (nearestHub) Activate(_ gas.Vertex, old, new place) bool             { return old != new }
func (nearestHub) Idempotent() bool                                       { return true }
func (nearestHub) Monotone() bool                                         { return true }
func (nearestHub) Priority(p place) float64                               { return float64(p.distance) }
func (nearestHub) Result(_ gas.Vertex, p place) float32                   { return p.distance }

// autoKinds are the graphs of BenchmarkAuto, with about n vertices.
var autoKinds = []struct {
	name     string
	directed bool
	make     func(n uint64) ([][2]uint32, []float64)
}{
	{"kron", false, func(n uint64) ([][2]uint32, []float64) { return byteWeights(kronEdges(n, 16)) }},
	{"uniform3", false, func(n uint64) ([][2]uint32, []float64) { return byteWeights(uniformEdges(n, 3*n/2)) }},
	{"uniform16", false, func(n uint64) ([][2]uint32, []float64) { return byteWeights(uniformEdges(n, 8*n)) }},
	{"grid", false, func(n uint64) ([][2]uint32, []float64) {
		side := uint64(math.Sqrt(float64(n)))
		return byteWeights(filled(grid{side, side}, 2*side*(side-1)))
	}},
	{"path", false, func(n uint64) ([][2]uint32, []float64) { return byteWeights(filled(grid{1, n}, n-1)) }},
	{"star", false, func(n uint64) ([][2]uint32, []float64) {
		return byteWeights(edgesBy(n-1, func(i uint64, _ *rand.Rand) (uint64, uint64) { return 0, i + 1 }))
	}},
	{"components", false, func(n uint64) ([][2]uint32, []float64) { // of 16 vertices
		return byteWeights(edgesBy(2*n, func(i uint64, r *rand.Rand) (uint64, uint64) {
			return i/2&^15 + r.Uint64N(16), i / 2
		}))
	}},
	{"ring", false, func(n uint64) ([][2]uint32, []float64) { // with a shortcut for 16 vertices
		return byteWeights(edgesBy(n+n/16, func(i uint64, r *rand.Rand) (uint64, uint64) {
			if i < n {
				return i, (i + 1) % n
			}
			return r.Uint64N(n), r.Uint64N(n)
		}))
	}},
	{"rmat", true, func(n uint64) ([][2]uint32, []float64) { return byteWeights(kronEdges(n, 16)) }},
	{"web", true, func(n uint64) ([][2]uint32, []float64) { // links to near pages, and an eighth to popular ones
		return byteWeights(edgesBy(8*n, func(i uint64, r *rand.Rand) (uint64, uint64) {
			if r.Uint64N(8) == 0 {
				return i / 8, uint64(float64(n) * math.Pow(r.Float64(), 8))
			}
			return i / 8, (i/8 + uint64(math.Exp(6*r.Float64()))) % n
		}))
	}},
	{"kron-million", false, func(n uint64) ([][2]uint32, []float64) {
		return weighted(kronEdges(n, 16), func(r *rand.Rand) float64 { return float64(1 + r.Uint64N(1e6)) })
	}},
	{"kron-exponential", false, func(n uint64) ([][2]uint32, []float64) {
		return weighted(kronEdges(n, 16), (*rand.Rand).ExpFloat64)
	}},
}

// filled returns the edges of a maker.
func filled(m edgeMaker, edges uint64) [][2]uint32 {
	src, dst := make([]uint64, edges), make([]uint64, edges)
	m.fill(0, src, dst)
	return edgesBy(edges, func(i uint64, _ *rand.Rand) (uint64, uint64) { return src[i], dst[i] })
}

func kronEdges(n, degree uint64) [][2]uint32 {
	o := GenOptions{Kind: RMAT, Scale: int(math.Log2(float64(n))), Degree: int(degree), Permute: true}
	return filled(newRMAT(o.withDefaults()), degree*n)
}

func uniformEdges(n, edges uint64) [][2]uint32 {
	return filled(uniform{newStream(1, forEdges), n}, edges)
}

// edgesBy returns edges that edge makes, one after another.
func edgesBy(n uint64, edge func(i uint64, r *rand.Rand) (src, dst uint64)) [][2]uint32 {
	list, r := make([][2]uint32, n), rand.New(rand.NewPCG(1, 2))
	for i := range list {
		src, dst := edge(uint64(i), r)
		list[i] = [2]uint32{uint32(src), uint32(dst)}
	}
	return list
}

// weighted gives edges random weights.
func weighted(edges [][2]uint32, weight func(*rand.Rand) float64) ([][2]uint32, []float64) {
	weights, r := make([]float64, len(edges)), rand.New(rand.NewPCG(3, 4))
	for i := range weights {
		weights[i] = weight(r)
	}
	return edges, weights
}

// byteWeights gives edges weights of 1 to 255.
func byteWeights(edges [][2]uint32) ([][2]uint32, []float64) {
	return weighted(edges, func(r *rand.Rand) float64 { return float64(1 + r.Uint64N(255)) })
}
