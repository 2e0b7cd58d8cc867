package gpuengine

import (
	"context"
	"errors"
	"math"
	"testing"
	"unsafe"

	"go.uber.org/goleak"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gas/compiled"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/vertices"
	"github.com/garaph/garaph/page"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

// value and sum are structs, as a program may have them.
type value struct {
	Hash uint64
	Kind uint8
	Pair [2]int16
}

type sum struct {
	Hash  uint32
	Least uint16
	Count uint8
}

// mix is a program whose values depend on everything that a program may see,
// and whose sums are exact in any order.
type mix struct {
	Salt      uint64
	direction gas.Direction
}

func stir(x ...uint64) uint64 {
	h := uint64(0x9e3779b97f4a7c15)
	for _, v := range x {
		h = (h ^ v) * 0xff51afd7ed558ccd
		h ^= h >> 32
	}
	return h
}

func (p mix) Init(v gas.Vertex) (value, bool) { return value{Hash: stir(uint64(v.ID))}, true }
func (p mix) Zero() sum                       { return sum{Least: math.MaxUint16} }

func (p mix) Gather(src value, e gas.Edge, dst value) sum {
	h := stir(src.Hash, uint64(src.Pair[1]), uint64(math.Float32bits(float32(e.Weight))), dst.Hash)
	return sum{uint32(h), uint16(h >> 32), 1}
}

func (p mix) Sum(a, b sum) sum { return sum{a.Hash + b.Hash, min(a.Least, b.Least), a.Count + b.Count} }

func (p mix) Apply(v gas.Vertex, old value, acc sum, s gas.Step) value {
	h := stir(p.Salt, uint64(v.ID), uint64(v.N), uint64(v.In), uint64(v.Out), old.Hash, uint64(acc.Hash),
		uint64(acc.Least), uint64(acc.Count), uint64(s.Iteration), math.Float64bits(s.Aggregate))
	return value{h, uint8(h), [2]int16{int16(h >> 16), int16(h >> 48)}}
}

func (p mix) Activate(_ gas.Vertex, old, now value) bool { return (old.Kind^now.Kind)&1 != 0 }
func (p mix) Direction() gas.Direction                   { return p.direction }
func (p mix) Settled(v value, _ gas.Step) bool           { return v.Kind%5 == 1 }
func (p mix) Aggregate(v gas.Vertex, x value) float64    { return float64(x.Kind) + float64(v.Out) }

// Fragments has what an engine reads beside the text.
func (p mix) Fragments() compiled.Fragments {
	return compiled.Fragments{
		Program: "mix", Value: compiled.Layout{Size: 16}, Accumulator: compiled.Layout{Size: 8},
		Parameters: compiled.Layout{Size: 16, Leaves: []compiled.Leaf{{Name: "Salt", Kind: compiled.Uint64}}},
		Apply:      compiled.Fragment{Text: "{}", Inputs: []string{"v.in", "v.out"}},
		Settled:    compiled.Fragment{Text: "{}"}, Aggregate: compiled.Fragment{Text: "{}"},
	}
}

// rig is an engine over a stored graph on an emulated device.
type rig[V, A any] struct {
	*Engine[V, A]
	device *device.Emulated
	arrays *vertices.Arrays[V]
	pages  *page.Cache
}

// newRig makes one, its vertices initialised. A budget for pages that is too small gives
// way to the least one.
func newRig[V, A any](t testing.TB, s *store.Store, p gas.Program[V, A], o Options, po page.Options) *rig[V, A] {
	t.Helper()
	r := &rig[V, A]{device: device.NewEmulated(device.EmulatedOptions{})}
	cat := s.Catalogue()
	var err error
	po.Gather, po.Memory, po.Encodings = sidesOf(cat, gas.DirectionOf(p)), r.device, Encodings[A]()
	var least *page.NeedError
	if r.pages, err = page.New(s, po); errors.As(err, &least) {
		po.Budget = least.Need
		r.pages, err = page.New(s, po)
	}
	if err != nil {
		t.Fatal(err)
	}
	if r.arrays, err = vertices.New[V](cat.Vertices, r.device); err != nil {
		t.Fatal(err)
	}
	if err := r.arrays.AddDegrees(true, true); err != nil {
		t.Fatal(err)
	}
	if r.Engine, err = New(r.device, p, r.arrays, cat, o); err != nil {
		t.Fatal(err)
	}
	for _, v := range everyVertex(t, s) {
		r.arrays.Cur[v.ID], _ = p.Init(v)
		r.arrays.Degree[v.ID] = notifies(v, gas.DirectionOf(p), cat.Symmetric)
		for _, x := range [...]struct {
			to   []uint32
			what uint32
		}{{r.arrays.In, v.In}, {r.arrays.Out, v.Out}} {
			if x.to != nil {
				x.to[v.ID] = x.what
			}
		}
	}
	if err := r.Start(r.pages); err != nil {
		t.Fatal(err)
	}
	return r
}

// aggregate returns the sum of the aggregates of all shards after an iteration.
func (r *rig[V, A]) aggregate() (sum float64) {
	sums := make([]float64, len(r.plan.cat.Shards))
	r.Sums(sums)
	for _, x := range sums {
		sum += x
	}
	return sum
}

// step does an iteration over everything.
func (r *rig[V, A]) step(s gas.Step) (Stats, error) {
	stats, err := r.Iterate(context.Background(), Work{Step: s})
	if err == nil {
		_, err = r.Commit()
	}
	return stats, err
}

// fetch brings the host's Cur and Active up to date.
func (r *rig[V, A]) fetch() error {
	err := errors.Join(r.Download(0, r.arrays.N), r.Active())
	r.arrays.Swap()
	copy(r.arrays.Active, r.arrays.Rising)
	clear(r.arrays.Rising)
	return err
}

// close returns everything, and checks that the device has it back.
func (r *rig[V, A]) close(t testing.TB) {
	t.Helper()
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if err := r.pages.Close(); err != nil {
		t.Error(err)
	}
	r.arrays.Free()
	if left := r.device.InUse(); left != (device.InUse{}) {
		t.Errorf("left on the device: %+v", left)
	}
	if err := r.device.Close(); err != nil {
		t.Error(err)
	}
}

func notifies(v gas.Vertex, d gas.Direction, symmetric bool) uint32 {
	switch {
	case symmetric, d == gas.Out:
		return v.In
	case d == gas.Both:
		return v.In + v.Out
	default:
		return v.Out
	}
}

// everyVertex reads the degrees of a stored graph.
func everyVertex(t testing.TB, s *store.Store) (list []gas.Vertex) {
	t.Helper()
	for i := range s.Catalogue().Shards {
		in, err := s.Degrees(shard.In, i)
		if err != nil {
			t.Fatal(err)
		}
		out := in
		if !s.Catalogue().Symmetric {
			if out, err = s.Degrees(shard.Out, i); err != nil {
				t.Fatal(err)
			}
		}
		for v := range in {
			list = append(list, gas.Vertex{ID: s.Catalogue().Shards[i].First + uint32(v), N: s.Catalogue().Vertices, In: in[v],
				Out: out[v]})
		}
	}
	return list
}

var _ = [1]bool{}[unsafe.Sizeof(value{})-16] // as mix's fragments say
