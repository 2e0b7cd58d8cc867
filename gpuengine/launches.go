package gpuengine

import (
	"errors"
	"sort"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/kernels"
)

// Launches launches the kernels of a started engine one by one, so that each can be
// timed alone on the device.
type Launches struct {
	arrays    *arrays
	residency *residency
	lane      lane
}

// ShardPull is the pull of one shard.
type ShardPull struct {
	Edges  uint64
	Copies float64 // of an accumulator, the mean over edges
	work   work
}

// Launches are those of an engine in sync mode all of whose edges stay on the device and are
// loaded, in a stream. The engine does not iterate after them: accumulators are not at zero.
func (e *Engine[V, A]) Launches(s device.Stream) (*Launches, error) {
	if e.plan.async || e.plan.kept.shards < len(e.plan.cat.Shards) || len(e.residency.pieces) == 0 || !e.residency.loaded {
		return nil, errors.New("kernels are launched one by one in sync mode, where all edges stay on the GPU and are loaded")
	}
	return &Launches{arrays: &e.arrays, residency: &e.residency, lane: lane{slot: &slot{stream: s}}}, nil
}

// all is the work of an iteration.
func (l *Launches) all() work { return l.residency.join(0, len(l.residency.pieces)) }

// Expand expands the destinations of all pages once more, where they are.
func (l *Launches) Expand() error {
	for i := range l.residency.pieces {
		w := &l.residency.pieces[i]
		n := w.rows()
		l.lane.args.expand = kernels.ExpandArgs{Chunks: w.placed, Ranges: w.placed + device.Pointer(int64(n)*chunkBytes)}
		if err := l.arrays.expand(&l.lane, n); err != nil {
			return err
		}
	}
	return nil
}

// Pull gathers along all edges.
func (l *Launches) Pull() error {
	l.lane.work = l.all()
	return l.arrays.pull(&l.lane)
}

// GatherPacked decodes the packed edges and gathers values of their sources, of so many
// bytes each, from an array.
func (l *Launches) GatherPacked(k kernels.GatherPacked, from device.Pointer, width uint64) error {
	all := l.all()
	for key := rowKeys; key < keys; key++ {
		if all.counts[key] == 0 {
			continue
		}
		if err := k.Launch(l.lane.stream, all.counts[key], &kernels.GatherPackedArgs{Chunks: all.lists[key], Values: from, Sink: from, Width: width}); err != nil {
			return err
		}
	}
	return nil
}

// Apply applies all vertices.
func (l *Launches) Apply() error {
	l.lane.work = l.all()
	return l.arrays.apply(&l.lane, gas.Step{})
}

// PullShard gathers along the edges of a shard.
func (l *Launches) PullShard(s *ShardPull) error {
	l.lane.work = s.work
	return l.arrays.pull(&l.lane)
}

// Shards are the pulls of the shards that have edges.
func (l *Launches) Shards() (list []ShardPull, err error) {
	all := l.all()
	var chunks [keys][]described
	for k, n := range all.counts {
		if k < rowKeys {
			chunks[k], err = fetch(l, all.lists[k], n, l.rows)
		} else {
			chunks[k], err = fetch(l, all.lists[k], n, l.packed)
		}
		if err != nil {
			return nil, err
		}
	}
	plan := l.arrays.plan
	for i, s := range plan.cat.Shards {
		p, gathers := ShardPull{}, 0.0
		for k, list := range chunks {
			from := sort.Search(len(list), func(c int) bool { return list[c].first >= s.First })
			to := sort.Search(len(list), func(c int) bool { return list[c].first >= s.First+uint32(s.Vertices) })
			p.work.lists[k], p.work.counts[k] = all.lists[k]+device.Pointer(int64(from)*listBytes(k)), to-from
			for _, c := range list[from:to] {
				p.work.shared[k] = max(p.work.shared[k], c.shared)
				p.Copies += float64(c.gathers) * float64(uint(1)<<c.copies)
				gathers += float64(c.gathers)
			}
		}
		for _, dir := range plan.sides {
			p.Edges += uint64(plan.cat.SideEdges(dir, i))
		}
		if p.Edges > 0 {
			p.Copies /= gathers
			list = append(list, p)
		}
	}
	return list, nil
}

// described is what is to be known of a chunk.
type described struct {
	first   uint32 // vertex
	shared  int
	gathers uint32 // edges, or slots
	copies  uint32
}

func (l *Launches) rows(c *kernels.Chunk) described {
	return described{c.First, int(c.Count) * l.arrays.plan.accumulator << c.Copies, c.Edges, c.Copies}
}

func (l *Launches) packed(c *kernels.PackedChunk) described {
	return described{c.First, kernels.WindowBytes(l.arrays.plan.fragments.Accumulator, c.Count, c.Copies), c.Blocks * kernels.BlockSlots, c.Copies}
}

// fetch describes n chunks that lie at a place of the device.
func fetch[T any](l *Launches, at device.Pointer, n int, describe func(*T) described) ([]described, error) {
	chunks, list := make([]T, n), make([]described, n)
	err := l.arrays.staging.toHost(l.arrays.main, hostmem.AsBytes(chunks), at)
	for i := range chunks {
		list[i] = describe(&chunks[i])
	}
	return list, err
}
