// Package teststore stores small graphs with small shards, so that tests meet
// many shards and pages on graphs that fit on a page of paper.
package teststore

import (
	"cmp"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packed"
	"github.com/garaph/garaph/shard/packedrows"
	"github.com/garaph/garaph/shard/rows"
	"github.com/garaph/garaph/shard/rowweights"
	"github.com/garaph/garaph/store"
)

// Options of a stored test graph.
type Options struct {
	ShardVertices int  // if 0, 3
	Weighted      bool // store the weights
	Symmetric     bool // store each edge in both directions, self-loops once
	Base          int64
	Wide          bool         // store weights as float64, if there are any
	Layout        store.Layout // if "", store.CSC
	InRows        bool         // store rows of in-edges beside packed ones
	// Out has the edges of the out sides, of a graph that is forged; if nil, they are those of
	// the in sides.
	Out []oracle.Edge
	// Forge changes the packed in side of shard i before it is stored, under right checksums.
	Forge func(i int, s *packed.Side)
}

// Build stores g in a temporary folder and opens it for the time of the test.
func Build(t testing.TB, g oracle.Graph, o Options) *store.Store {
	t.Helper()
	path := filepath.Join(t.TempDir(), "test.graph")
	if err := Write(path, g, o); err != nil {
		t.Fatal(err)
	}
	return Open(t, path)
}

// Open opens a graph for the time of the test.
func Open(t testing.TB, path string) *store.Store {
	t.Helper()
	s, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// Draw draws options: any layout and shards of at most 40 vertices. Rows of in-edges may be
// there or not.
func Draw(r *rapid.T) Options {
	o := Options{
		Layout:        rapid.SampledFrom([]store.Layout{store.CSC, store.Packed}).Draw(r, "layout"),
		Symmetric:     rapid.Bool().Draw(r, "symmetric"),
		Weighted:      rapid.Bool().Draw(r, "weighted"),
		ShardVertices: rapid.IntRange(1, 40).Draw(r, "shard"),
	}
	o.Wide = o.Weighted && rapid.Bool().Draw(r, "wide")
	o.InRows = o.Layout == store.Packed && !o.Symmetric && rapid.Bool().Draw(r, "in-rows")
	return o
}

// BuildIn stores g under a name of its own in folder and opens it. The caller closes it.
func BuildIn(folder string, g oracle.Graph, o Options) (*store.Store, error) {
	dir, err := os.MkdirTemp(folder, "")
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "test.graph")
	if err := Write(path, g, o); err != nil {
		return nil, err
	}
	return store.Open(path)
}

// Mirrored is g with the reverse of every edge but self-loops.
func Mirrored(g oracle.Graph) oracle.Graph {
	m := oracle.Graph{N: g.N, Edges: slices.Clone(g.Edges)}
	for _, e := range g.Edges {
		if e.Src != e.Dst {
			m.Edges = append(m.Edges, oracle.Edge{Src: e.Dst, Dst: e.Src, Weight: e.Weight})
		}
	}
	return m
}

// Write stores g at path.
func Write(path string, g oracle.Graph, o Options) error {
	w, err := store.Create(path, false)
	if err != nil {
		return err
	}
	return Fill(w, g, o)
}

// Fill writes g and commits it.
func Fill(w *store.Writer, g oracle.Graph, o Options) (err error) {
	if o.ShardVertices == 0 {
		o.ShardVertices = 3
	}
	o.Layout = cmp.Or(o.Layout, store.CSC)
	if o.Symmetric {
		g = Mirrored(g)
	}
	cat := &store.Catalogue{
		Vertices: uint32(g.N), Edges: uint64(len(g.Edges)), Weighted: o.Weighted, Wide: o.Wide, Symmetric: o.Symmetric,
		Layout: o.Layout, InRows: o.InRows,
	}
	for first := 0; first < g.N; first += o.ShardVertices {
		cat.Shards = append(cat.Shards, store.ShardInfo{First: uint32(first), Vertices: min(o.ShardVertices, g.N-first)})
	}
	in := byShard(g, o.ShardVertices, len(cat.Shards), func(e oracle.Edge) oracle.Edge { return e })
	out := in
	if !o.Symmetric {
		other := g
		if o.Out != nil {
			other.Edges = o.Out
		}
		out = byShard(other, o.ShardVertices,
			len(cat.Shards), func(e oracle.Edge) oracle.Edge { return oracle.Edge{Src: e.Dst, Dst: e.Src, Weight: e.Weight} })
	}
	for i := range cat.Shards {
		if err := o.putShard(w, cat, i, in[i], out[i]); err != nil {
			return err
		}
	}
	if err := w.IDs(store.IDBase, o.Base).Finish(); err != nil {
		return err
	}
	return w.Commit(cat)
}

// putShard stores the sides of shard i.
func (o *Options) putShard(w *store.Writer, cat *store.Catalogue, i int, in, out []oracle.Edge) (err error) {
	info := &cat.Shards[i]
	side := encode(in, shard.In, i, info, cat.WeightBytes())
	if o.Layout == store.Packed {
		info.InSum, err = o.putPacked(w, i, side)
	} else {
		info.InSum, err = put(w, i, side)
	}
	if o.Symmetric {
		info.Out = info.In
	}
	if !cat.OneSide() && err == nil {
		rows := encode(out, shard.Out, i, info, 0)
		if o.Layout == store.Packed {
			info.OutSum, err = putPackedRows(w.PutShard, i, rows)
		} else {
			info.OutSum, err = put(w, i, rows)
		}
	}
	if cat.RowWeights() && err == nil {
		err = putWeights(w, shard.OutWeights, i, encode(out, shard.Out, i, info, cat.WeightBytes()))
	}
	if o.InRows && err == nil {
		_, err = putPackedRows(func(i int, x shard.Side) error { return w.PutBeside(shard.InRows, i, x) }, i, side)
		if cat.RowWeights() && err == nil {
			err = putWeights(w, shard.InWeights, i, side)
		}
	}
	return err
}

// byShard returns the edges of each shard, as seen from its vertices: those are
// Dst.
func byShard(g oracle.Graph, vertices, shards int, direct func(oracle.Edge) oracle.Edge) [][]oracle.Edge {
	lists := make([][]oracle.Edge, shards)
	for _, e := range g.Edges {
		e = direct(e)
		i := int(e.Dst) / vertices
		lists[i] = append(lists[i], e)
	}
	return lists
}

// put stores a side as rows.
func put(w *store.Writer, i int, side *rows.Side) (sum uint32, err error) {
	return rows.Seal(side.Blob()), w.PutShard(i, side)
}

// putPacked stores an in side packed.
func (o *Options) putPacked(w *store.Writer, i int, side *rows.Side) (sum uint32, err error) {
	var p packed.Packer
	if err := p.Side(side, side.Header().WeightBytes()); err != nil {
		return 0, err
	}
	blob, err := hostmem.Bytes(p.Size())
	if err != nil {
		return 0, err
	}
	sum = p.Write(blob)
	x, err := packed.Decode(blob)
	if err != nil {
		return 0, err
	}
	if o.Forge == nil {
		return sum, w.PutShard(i, x)
	}
	degrees := make([]uint32, x.Layout.Vertices)
	x.Degrees(degrees)
	o.Forge(i, x)
	sum = Reseal(x)
	if x, err = packed.Decode(blob); err != nil {
		return 0, err
	}
	return sum, w.PutShard(i, forged{x, degrees})
}

// forged is a side whose edges are not to be counted.
type forged struct {
	*packed.Side
	degrees []uint32
}

func (f forged) Degrees(degrees []uint32) { copy(degrees, f.degrees) }

// Reseal makes the checksums of a side right again, after a change of its blob, and returns
// that of its header.
func Reseal(s *packed.Side) uint32 {
	blob, p := s.Blob(), s.Layout.Places()
	for i, section := range [][]byte{blob[p.Heads:p.Data], blob[p.Data:p.Dictionary], blob[p.Dictionary:]} {
		binary.LittleEndian.PutUint32(blob[32+4*i:], shard.Checksum(section))
	}
	return shard.SealHeader(blob)
}

// putPackedRows stores a side as packed rows.
func putPackedRows(put func(int, shard.Side) error, i int, side *rows.Side) (sum uint32, err error) {
	buffer, err := hostmem.Bytes(packedrows.MostBytes(side.Vertices(), side.Edges()))
	if err != nil {
		return 0, err
	}
	x, err := packedrows.Pack(side, buffer)
	if err != nil {
		return 0, err
	}
	return x.Header().Checksum, put(i, x)
}

// putWeights stores the weights of rows.
func putWeights(w *store.Writer, dir shard.Direction, i int, side *rows.Side) error {
	buffer, err := hostmem.Bytes(rowweights.MostBytes(side.Vertices(), side.Edges(), side.Header().WeightBytes()))
	if err != nil {
		return err
	}
	return w.PutBeside(dir, i,
		new(rowweights.Packer).Side(side.Header(), side.Off, side.Plane(), side.Header().WeightBytes(), buffer))
}

// encode returns a shard's side, made in a plain way.
func encode(edges []oracle.Edge, dir shard.Direction, i int, info *store.ShardInfo, weight int) *rows.Side {
	lists := make([][]oracle.Edge, info.Vertices) // Src is the neighbour
	for _, e := range edges {
		lists[e.Dst-info.First] = append(lists[e.Dst-info.First], e)
	}
	n := uint32(len(edges))
	if dir == shard.In {
		info.In = n
	} else {
		info.Out = n
	}
	blob, err := hostmem.Bytes(rows.Size(info.Vertices, n, weight))
	if err != nil {
		panic(err) // a test cannot go on
	}
	side := rows.Layout(blob, dir, uint32(i), info.First, info.Vertices, n, weight)
	k := uint32(0)
	for v, list := range lists {
		slices.SortFunc(list, func(a, b oracle.Edge) int {
			return cmp.Or(cmp.Compare(a.Src, b.Src), cmp.Compare(a.Weight, b.Weight))
		})
		side.Off[v] = k
		for _, e := range list {
			side.Nbr[k] = e.Src
			switch weight {
			case 4:
				side.Weight[k] = e.Weight
			case 8:
				side.Wide[k] = float64(e.Weight)
			}
			k++
		}
	}
	side.Off[len(lists)] = k
	return side
}
