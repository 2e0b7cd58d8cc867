package bench_test

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/garaph/garaph/cpuengine"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gas/compiled"
	"github.com/garaph/garaph/programs"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packed"
)

// BenchmarkLoops compares ways through all edges of the graph, on one thread and in
// turn: in destination order (csc), packed
// (fold), packed but through a method a call (generic), and what is left of the
// first without accumulators (gather) and of the second without a program (decode).
// It reports the median of thread CPU time.
func BenchmarkLoops(b *testing.B) {
	g := whole()
	compare(b, g, "pagerank32", gas.Program[float32, int64](programs.PageRank[float32]{Damping: 0.85}), func(i int) float32 { return float32(i%1000) / 1e6 })
	compare(b, g, "pagerank64", gas.Program[float64, int64](programs.PageRank[float64]{Damping: 0.85}), func(i int) float64 { return float64(i%1000) / 1e6 })
	compare(b, g, "wcc", gas.Program[uint32, uint32](programs.WCC{}), func(i int) uint32 { return uint32(i) / 4 * 3 % 100000 })
	compare(b, g, "sssp", gas.Program[float32, float32](programs.SSSP[float32]{}), func(i int) float32 { return float32(i % 5000) })
}

func compare[V number, A any](b *testing.B, g *graph, name string, p gas.Program[V, A], value func(i int) V) {
	b.Run(name, func(b *testing.B) {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		sides, _ := g.packs(b, name == "sssp")
		cur := make([]V, g.n)
		for i := range cur {
			cur[i] = value(i)
		}
		inactive := make([]uint64, g.n/64+1)
		loops, own := cpuengine.LoopsOf(p)
		if !own {
			b.Fatal("the program is not compiled")
		}
		generic := cpuengine.GenericLoops(p).Fold
		var acc [1 << 16]A
		list := make([]uint16, 1<<16)
		for v := range list {
			list[v] = uint16(v)
		}
		ways := []way{
			{"csc", func(i int) {
				s := &g.sides[i]
				block := compiled.Block{First: s.First, N: g.n, Off: s.Off, Nbr: s.Nbr}
				if name == "sssp" {
					block.Weight = s.Weight
				}
				loops.Gather(acc[:s.Vertices()], list[:s.Vertices()], &block, cur)
			}},
			{"fold", func(i int) {
				loops.Fold(&acc, sides[i].Range(0, sides[i].Blocks), cur)
			}},
			{"gather", func(i int) { sink += int(gatherOnly(g.sides[i].Nbr, cur)) }},
			{"decode", func(i int) {
				sink += int(decodeOnly(sides[i].Range(0, sides[i].Blocks)))
			}},
			{"skip", func(i int) { // with no active source
				from, _ := sides[i].Active(0, sides[i].Blocks, inactive)
				sink += from
			}},
			{"check", func(i int) {
				if err := sides[i].CheckValues(g.n); err != nil {
					b.Fatal(err)
				}
			}},
			{"all", func(i int) {
				for e := range sides[i].All() {
					sink += len(e.Nbr)
				}
			}},
			{"generic", func(i int) {
				generic(&acc, sides[i].Range(0, sides[i].Blocks), cur)
			}},
		}
		zero := func() {
			for i := range acc {
				acc[i] = p.Zero()
			}
		}
		times := make([][]float64, len(ways))
		for b.Loop() {
			for k, w := range ways {
				var spent time.Duration
				for i := range sides {
					zero()
					from := threadTime()
					w.over(i)
					spent += threadTime() - from
				}
				times[k] = append(times[k], float64(spent)/float64(g.edges))
			}
		}
		for k, w := range ways {
			slices.Sort(times[k])
			b.ReportMetric(times[k][len(times[k])/2], w.name+"-ns")
		}
	})
}

// way is one through the edges of a shard.
type way struct {
	name string
	over func(shard int)
}

var sink int

func threadTime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		panic(fmt.Sprint("no clock of the thread: ", err))
	}
	return time.Duration(t.Nano())
}

type number interface{ uint32 | float32 | float64 }

// gatherOnly reads the values of all sources.
func gatherOnly[V number](nbr []uint32, cur []V) (sum V) {
	for _, u := range nbr {
		sum += cur[u]
	}
	return sum
}

// decodeBlock reads the slots of a block.
func decodeBlock[W packed.Width](b *packed.Blocks) (sum uint32) {
	w, d := packed.Bits[W](), packed.Bits[packed.D14]()
	slots, u := b.Block()
	for range packed.Groups {
		u += slots.Delta(w, 0)
		sum ^= u + uint32(slots.Slot(w, d, 0))
		u += slots.Delta(w, 1)
		sum ^= u + uint32(slots.Slot(w, d, 1))
		u += slots.Delta(w, 2)
		sum ^= u + uint32(slots.Slot(w, d, 2))
		u += slots.Delta(w, 3)
		sum ^= u + uint32(slots.Slot(w, d, 3))
		u += slots.Delta(w, 4)
		sum ^= u + uint32(slots.Slot(w, d, 4))
		u += slots.Delta(w, 5)
		sum ^= u + uint32(slots.Slot(w, d, 5))
		u += slots.Delta(w, 6)
		sum ^= u + uint32(slots.Slot(w, d, 6))
		u += slots.Delta(w, 7)
		sum ^= u + uint32(slots.Slot(w, d, 7))
		slots = slots.Next(w, d)
	}
	return sum
}

// decodeOnly reads all slots of some blocks.
func decodeOnly(b *packed.Blocks) (sum uint32) {
	blocks := [packed.MaxWidth + 1]func(*packed.Blocks) uint32{
		0: decodeBlock[packed.W0], decodeBlock[packed.W1], decodeBlock[packed.W2], decodeBlock[packed.W3], decodeBlock[packed.W4],
		decodeBlock[packed.W5], decodeBlock[packed.W6], decodeBlock[packed.W7], decodeBlock[packed.W8], decodeBlock[packed.W9],
		decodeBlock[packed.W10], 12: decodeBlock[packed.W12], 14: decodeBlock[packed.W14], 16: decodeBlock[packed.W16],
		20: decodeBlock[packed.W20], 24: decodeBlock[packed.W24], 32: decodeBlock[packed.W32],
	}
	for b.Next() {
		sum ^= blocks[b.Width()](b)
	}
	return sum
}

// BenchmarkTogether folds one shard after the other, and several together. It reports
// the least thread CPU time of an edge.
func BenchmarkTogether(b *testing.B) {
	g := whole()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	sides, _ := g.packs(b, false)
	loops, _ := cpuengine.LoopsOf(gas.Program[float32, int64](programs.PageRank[float32]{Damping: 0.85}))
	cur := make([]float32, g.n)
	const stride = shard.DefaultVertices + 1
	counts := []int{1, 2, 4, 8, 16}
	acc := make([]int64, 16*stride+1<<16)
	least := make([]time.Duration, len(counts))
	var blocks packed.Blocks
	for b.Loop() {
		for i, n := range counts {
			from := threadTime()
			for some := range slices.Chunk(sides, n) {
				clear(acc[:n*stride])
				for run := range packed.Windows(some) {
					blocks.Reset(some[run.Side], run.From, run.To)
					loops.Fold((*[1 << 16]int64)(acc[run.Side*stride:]), &blocks, cur)
				}
			}
			if took := threadTime() - from; least[i] == 0 || took < least[i] {
				least[i] = took
			}
		}
	}
	for i, n := range counts {
		b.ReportMetric(float64(least[i])/float64(g.edges), fmt.Sprintf("%d-together-ns", n))
	}
}
