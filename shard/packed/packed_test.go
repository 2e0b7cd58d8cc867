package packed

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/garaph/garaph/internal/testgraph"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/rows"
)

// edge is one of a side.
type edge struct {
	nbr    uint32
	slot   uint16
	weight float32 // 0 without
}

// pack writes the edges, which it sorts, and checks what the header says.
func pack(t rapid.TB, h shard.Header, edges []edge) []byte {
	t.Helper()
	slices.SortStableFunc(edges, func(a, b edge) int {
		return int(int64(a.nbr)<<16|int64(a.slot)) - int(int64(b.nbr)<<16|int64(b.slot))
	})
	var e Edges
	for _, x := range edges {
		e.Nbr, e.Dst = append(e.Nbr, x.nbr), append(e.Dst, x.slot)
		switch h.WeightBytes() {
		case 4:
			e.Weight = append(e.Weight, x.weight)
		case 8:
			e.Wide = append(e.Wide, float64(x.weight))
		}
	}
	var p Packer
	if err := p.Sorted(h, e.Nbr, e.Dst, shard.Plane{Narrow: e.Weight, Wide: e.Wide}); err != nil {
		t.Fatal(err)
	}
	return write(t, &p)
}

// write writes what has been taken, over what must not stay.
func write(t rapid.TB, p *Packer) []byte {
	t.Helper()
	blob := make([]byte, p.Size())
	for i := range blob {
		blob[i] = 0xff
	}
	if sum := p.Write(blob); sum != binary.LittleEndian.Uint32(blob[60:]) {
		t.Fatalf("checksum %08x is not that of the blob", sum)
	}
	if len(blob)%32 != 0 {
		t.Fatalf("%d bytes are no multiple of 32", len(blob))
	}
	return blob
}

// decoded returns the edges of a sound blob.
func decoded(t rapid.TB, blob []byte, n uint32) (*Side, []edge) {
	t.Helper()
	s, err := Decode(blob)
	if err == nil {
		err = s.CheckValues(n)
	}
	if err != nil {
		t.Fatal(err)
	}
	var edges []edge
	for some := range s.All() {
		for i, u := range some.Nbr {
			e := edge{nbr: u, slot: some.Dst[i]}
			if s.Layout.Weighted {
				e.weight = float32(some.At(i))
			}
			edges = append(edges, e)
		}
	}
	checkSlots(t, s, edges)
	return s, edges
}

// checkSlots compares the slots of a side, without dummies, with its edges.
func checkSlots(t rapid.TB, s *Side, edges []edge) {
	t.Helper()
	n := 0
	for nbr, dst := range s.Range(0, s.Layout.Blocks).Slots() {
		for i, slot := range dst {
			if int(slot) == s.Layout.Vertices {
				continue
			}
			if n == len(edges) || edges[n].nbr != nbr[i] || edges[n].slot != slot {
				t.Fatalf("slot %d after %d of %d edges: %d to %d", i, n, len(edges), nbr[i], slot)
			}
			n++
		}
	}
	if n != len(edges) {
		t.Fatalf("%d slots are no dummies, of %d edges", n, len(edges))
	}
}

// draw returns a graph's size and the edges of a shard whose gaps have many lengths.
func draw(t *rapid.T) (h shard.Header, n uint32, edges []edge) {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	h.Dir, h.Index = shard.Direction(rng.IntN(2)), rng.Uint32()
	n = rapid.SampledFrom([]uint32{1, 2, 1000, 1 << 20, math.MaxUint32}).Draw(t, "vertices of the graph")
	h.Vertices = int(min(n, rapid.SampledFrom([]uint32{1, 2, 3, 255, 256, 12288, MaxVertices}).Draw(t, "vertices")))
	h.First = rng.Uint32N(n - uint32(h.Vertices) + 1)
	h.Weighted = rapid.Bool().Draw(t, "weighted")
	h.Wide = h.Weighted && rapid.Bool().Draw(t, "wide")
	distinct := rapid.SampledFrom([]int{1, 3, 256, 257, 3000}).Draw(t, "distinct weights")
	most := rapid.IntRange(0, 33).Draw(t, "length of a gap") // 33: anywhere
	u := uint64(0)
	for range rapid.SampledFrom([]int{0, 1, 255, 256, 257, 2000, 5000}).Draw(t, "edges") {
		switch {
		case most == 33 || rng.IntN(1000) == 0:
			u = uint64(rng.Uint32N(n))
		default:
			u = (u + rng.Uint64N(uint64(1)<<most)) % uint64(n)
		}
		e := edge{nbr: uint32(u), slot: uint16(rng.IntN(h.Vertices))}
		if h.Weighted {
			e.weight = float32(rng.IntN(distinct)) / 7
		}
		edges = append(edges, e)
	}
	return h, n, edges
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h, n, edges := draw(t)
		blob := pack(t, h, edges)
		s, got := decoded(t, blob, n)
		h.Edges, h.Checksum, h.Version, h.Flags = uint32(len(edges)), s.Layout.Checksum, Version, s.Layout.Flags
		if s.Header() != h || s.Layout.Size() != int64(len(blob)) {
			t.Fatalf("decoded %+v, want %+v", s.Header(), h)
		}
		if !slices.Equal(got, edges) {
			t.Fatalf("got %v\nwant %v", got, edges)
		}
		if len(edges) > 0 && s.CheckValues(edges[len(edges)-1].nbr) == nil {
			t.Fatal("the last source is not checked")
		}
	})
}

// TestSide checks that from compressed sparse columns come the same bytes as from the sorted
// edges, also from a packer that was used before.
func TestSide(t *testing.T) {
	var p Packer
	rapid.Check(t, func(t *rapid.T) {
		h, _, edges := draw(t)
		if rapid.Bool().Draw(t, "floats") {
			for i := range edges {
				edges[i].weight = float32(i) * 1.25
			}
		}
		slices.SortStableFunc(edges, func(a, b edge) int { return int(a.slot) - int(b.slot) })
		side := rows.Side{Dir: h.Dir, Index: h.Index, First: h.First, Off: make([]uint32, h.Vertices+1)}
		for _, e := range edges {
			side.Off[e.slot+1]++
			side.Nbr = append(side.Nbr, e.nbr)
			switch h.WeightBytes() {
			case 4:
				side.Weight = append(side.Weight, e.weight)
			case 8:
				side.Wide = append(side.Wide, float64(e.weight))
			}
		}
		for v := range h.Vertices {
			side.Off[v+1] += side.Off[v]
		}
		if err := p.Side(&side, h.WeightBytes()); err != nil {
			t.Fatal(err)
		}
		if got, want := write(t, &p), pack(t, h, edges); !slices.Equal(got, want) {
			t.Fatal(cmp.Diff(want, got))
		}
	})
}

// TestTiny checks that the tiny graphs come back, each as one shard with a weight for each
// edge.
func TestTiny(t *testing.T) {
	for _, g := range testgraph.All() {
		t.Run(g.Name, func(t *testing.T) {
			var edges []edge
			for _, e := range g.Graph.Edges {
				edges = append(edges, edge{e.Src, uint16(e.Dst), e.Weight})
			}
			blob := pack(t, shard.Header{Vertices: g.Graph.N, Weighted: true}, edges)
			if _, got := decoded(t, blob, uint32(g.Graph.N)); !slices.Equal(got, edges) {
				t.Fatalf("got %v, want %v", got, edges)
			}
		})
	}
}

// small has a block of every kind of width, and dummies, in few bytes.
func small(t rapid.TB, weighted, wide bool) (blob []byte, n uint32) {
	rng := rand.New(rand.NewPCG(1, 1))
	var edges []edge
	u := uint32(0)
	for _, gap := range []uint32{1, 1 << 3, 1 << 12, 1 << 23} {
		for i := range uint32(300) {
			if i == 150 {
				u += 20 * gap
			}
			u += rng.Uint32N(gap)
			edges = append(edges, edge{u, uint16(rng.IntN(1000)), float32(rng.IntN(20))})
		}
	}
	return pack(t, shard.Header{Vertices: 1000, Weighted: weighted, Wide: wide}, edges), u + 1
}

// Every single flipped bit is reported, padding and reserved bytes included.
func TestEveryFlippedBit(t *testing.T) {
	for weight := range 3 {
		weighted := weight > 0
		blob, n := small(t, weighted, weight == 2)
		for bit := range 8 * len(blob) {
			blob[bit/8] ^= 1 << (bit % 8)
			if _, err := Decode(blob); err == nil {
				t.Fatalf("weighted %v: bit %d of byte %d flipped, and not reported", weighted, bit%8, bit/8)
			}
			blob[bit/8] ^= 1 << (bit % 8)
		}
		decoded(t, blob, n)
	}
}

// Reseal makes the checksums right again after damage.
func Reseal(blob []byte) {
	shard.SealHeader(blob)
	if h, err := layout(blob); err == nil && h.Size() == int64(len(blob)) {
		h.seal(blob)
	}
}

// TestHostile checks that what no checksum sees is refused by Decode, or by Check.
func TestHostile(t *testing.T) {
	le := binary.LittleEndian
	sound, n := small(t, true, false)
	s, _ := decoded(t, sound, n)
	heads, data, dictionary, _ := s.Layout.sections()
	atData, atDictionary := shard.HeaderBytes+heads, shard.HeaderBytes+heads+data
	add := func(at int64, x int) func([]byte) {
		return func(b []byte) { le.PutUint32(b[at:], le.Uint32(b[at:])+uint32(x)) }
	}
	last := shard.HeaderBytes + 8*int64(s.Layout.Blocks-1)
	dst := atData + int64(s.Heads[0].Width()) // the first destination, of 14 bits
	wide := slices.MaxFunc(s.Heads, func(a, b Head) int { return a.Width() - b.Width() })
	for _, c := range []struct {
		name   string
		damage func([]byte)
		want   error
		text   string
	}{
		{"another version", func(b []byte) { b[8] = 1 }, shard.ErrFormat, "version 1"},
		{"unknown flags", func(b []byte) { b[10] |= 16 }, shard.ErrInvalid, "flags"},
		{"unknown coding", func(b []byte) { b[10] |= 3 << 2 }, shard.ErrInvalid, "flags"},
		{"a coding without weights", func(b []byte) { b[10] &^= 1 }, shard.ErrInvalid, "flags"},
		{"reserved field", add(56, 1), shard.ErrInvalid, "flags"},
		{"no vertices", add(20, -1000), shard.ErrInvalid, "0 vertices"},
		{"too many vertices", add(20, 1<<16-1000), shard.ErrInvalid, "65536 vertices"},
		{"interval beyond the graph", add(16, 1<<31), shard.ErrInvalid, "the graph has"},
		{"interval beyond 2³²", add(16, -1), shard.ErrInvalid, "from 4294967295"},
		{"an edge more", add(24, 1), shard.ErrInvalid, "the header says"},
		{"edges without end", add(24, -2000), shard.ErrInvalid, "edges in"},
		{"no edges", add(24, -1200), shard.ErrInvalid, "0 edges"},
		{"a block more", add(28, 1), shard.ErrInvalid, "bytes, the header promises"},
		{"blocks without end", add(28, -100), shard.ErrInvalid, "bytes, the header promises"},
		{"entries without end", add(44, 1<<20), shard.ErrInvalid, "entries"},
		{"an entry less", add(44, -1), shard.ErrInvalid, "not in the dictionary"},
		{"no entries", add(44, -s.Layout.Entries), shard.ErrInvalid, "entries"},
		{"units without end", add(48, 1<<30), shard.ErrInvalid, "units"},
		{"a unit less", add(48, -1), shard.ErrInvalid, "bytes, the header promises"},
		{"bits of a destination", add(52, 2), shard.ErrInvalid, "bits of a destination"},
		{"width without code", func(b []byte) { b[shard.HeaderBytes+4] = b[shard.HeaderBytes+4]&^63 | 17 },
			shard.ErrInvalid, "width 17"},
		{"a width more", add(shard.HeaderBytes+4, 1), shard.ErrInvalid, "block 1"},
		{"a place more", add(shard.HeaderBytes+4, 1<<6), shard.ErrInvalid, "block 0"},
		{"a place beyond the data", add(last+4, 1<<20), shard.ErrInvalid, "begins at unit"},
		{"a source beyond the graph", add(last, 1<<30), shard.ErrInvalid, "the graph has"},
		{"a block before the one before", func(b []byte) { clear(b[last:][:4]) }, shard.ErrInvalid, "begins with source"},
		{"gaps beyond the graph", func(b []byte) {
			at := atData + align*int64(wide.unit())
			for i := range int64(wide.Width()) {
				b[at+i] = 0xff
			}
		}, shard.ErrInvalid, "source"},
		{"gaps beyond 2³² in all", func(b []byte) {
			for i := range int64(wide.Width()) {
				for g := range int64(Groups) {
					b[atData+align*int64(wide.unit())+g*int64(wide.Width()+s.Layout.Bits)+i] = 0xff
				}
			}
		}, shard.ErrInvalid, "has source"},
		{"a destination beyond the dummies'", func(b []byte) { le.PutUint16(b[dst:], le.Uint16(b[dst:])&^(1<<14-1)|1001) },
			shard.ErrInvalid, "destination above"},
		{"a destination for a dummy's", func(b []byte) { le.PutUint16(b[dst:], le.Uint16(b[dst:])&^(1<<14-1)|1000) },
			shard.ErrInvalid, "the header says"},
		{"a code beyond the dictionary", func(b []byte) { b[atDictionary+dictionary+5] = byte(s.Layout.Entries) },
			shard.ErrInvalid, "not in the dictionary"},
		{"a negative weight", add(atDictionary+4, 1<<31), shard.ErrInvalid, "weight"},
		{"an infinite weight", func(b []byte) { le.PutUint32(b[atDictionary:], math.Float32bits(float32(math.Inf(1)))) },
			shard.ErrInvalid, "weight"},
	} {
		blob := slices.Clone(sound)
		c.damage(blob)
		Reseal(blob)
		side, err := Decode(blob)
		if err == nil {
			err = side.CheckValues(n)
		}
		if !errors.Is(err, c.want) || !strings.Contains(fmt.Sprint(err), c.text) {
			t.Errorf("%s: got %v, want %v with %q", c.name, err, c.want, c.text)
		}
	}
	if s.Layout.Bits != 14 {
		t.Errorf("a destination has %d bits", s.Layout.Bits)
	}
	for n := range len(sound) {
		if _, err := Decode(sound[:n]); err == nil {
			t.Fatalf("%d of %d bytes are accepted", n, len(sound))
		}
	}
}

// TestNoCodes checks that a side without edges may say any coding of weights.
func TestNoCodes(t *testing.T) {
	for _, coding := range []Coding{Floats, Bytes, Words} {
		blob := pack(t, shard.Header{Vertices: 5, Weighted: true}, nil)
		blob[10] = blob[10]&^(3<<2) | byte(coding)<<2
		Reseal(blob)
		decoded(t, blob, 5)
	}
}

// TestCheckGaps checks that one gap too far is seen in every width and place, and what is
// just within the graph passes.
func TestCheckGaps(t *testing.T) {
	for w := range MaxWidth + 1 {
		if !allowed(w) {
			continue
		}
		for _, full := range []bool{false, true} {
			var p Packer
			slots := slots{}
			sum := uint64(0)
			for i := 1; i < BlockSlots; i++ {
				if full || i%5 == 0 {
					slots.delta[i] = uint32(uint64(1)<<w - 1)
				}
				sum += uint64(slots.delta[i])
			}
			data := make([]byte, Groups*(w+14)+align)
			slots.put(data, uint(w), 14)
			p.header = Layout{Header: shard.Header{Vertices: 2, Edges: BlockSlots}, Bits: 14, Blocks: 1, Units: w + 14}
			s := Side{Layout: p.header, Heads: []Head{{Source: 3, place: uint32(w)}}, data: data}
			if last := sum + 3; last < math.MaxUint32 {
				if err := s.CheckValues(uint32(last + 1)); err != nil {
					t.Errorf("width %d: %v", w, err)
				}
				if s.CheckValues(uint32(last)) == nil {
					t.Errorf("width %d: source %d is accepted", w, last)
				}
			} else if s.CheckValues(math.MaxUint32) == nil {
				t.Errorf("width %d: source %d is accepted", w, last)
			}
		}
	}
}

// TestRefused checks that edges that are no side are not packed.
func TestRefused(t *testing.T) {
	var p Packer
	for _, c := range []struct {
		name     string
		vertices int
		nbr      []uint32
		slot     []uint16
	}{
		{"too many vertices", MaxVertices + 1, nil, nil},
		{"no vertices", 0, nil, nil},
		{"sources descend", 5, []uint32{1, 0}, []uint16{0, 0}},
		{"destinations descend", 5, []uint32{1, 1, 1}, []uint16{0, 2, 1}},
		{"a destination outside", 5, []uint32{0, 1, 2}, []uint16{4, 0, 5}},
	} {
		if err := p.Sorted(shard.Header{Vertices: c.vertices}, c.nbr, c.slot, shard.Plane{}); !errors.Is(err,
			shard.ErrInvalid) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestCodings checks that the coding is the smallest one.
func TestCodings(t *testing.T) {
	for distinct, want := range map[int]Coding{1: Bytes, 256: Bytes, 257: Words, 4000: Words, 10000: Floats} {
		var edges []edge
		for i := range 10000 {
			edges = append(edges, edge{uint32(i), 0, float32(i % distinct)})
		}
		s, got := decoded(t, pack(t, shard.Header{Vertices: 1, Weighted: true}, edges), 10000)
		if s.Layout.Coding != want || !slices.Equal(got, edges) {
			t.Errorf("%d distinct weights: coding %d, want %d", distinct, s.Layout.Coding, want)
		}
	}
}

// TestActive checks that runs have the blocks that have an active source in one of the words of
// their own sources or of the next block's first one, and no others; likewise blocks
// with a destination.
func TestActive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h, n, edges := draw(t)
		n = min(n, 1<<20)
		h.First, h.Vertices = 0, min(h.Vertices, int(n))
		for i := range edges {
			edges[i].nbr %= n
			edges[i].slot %= uint16(h.Vertices)
		}
		s, _ := decoded(t, pack(t, h, edges), n)
		set := make([]uint64, n/64+1)
		for range rapid.IntRange(0, 5).Draw(t, "active") {
			u := rapid.Uint32Range(0, n-1).Draw(t, "source")
			set[u>>6] |= 1 << (u & 63)
		}
		got, want := make([]bool, s.Layout.Blocks), make([]bool, s.Layout.Blocks)
		for i := range want {
			var last uint32
			for e := range s.Range(i, i+1).All() {
				last = e.Nbr[len(e.Nbr)-1]
			}
			if i+1 < s.Layout.Blocks {
				last = s.Heads[i+1].Source
			}
			for w := s.Heads[i].Source >> 6; w <= last>>6; w++ {
				want[i] = want[i] || set[w] != 0
			}
		}
		blocks := s.Layout.Blocks
		for from, to := s.Active(0, blocks, set); from < blocks; from, to = s.Active(to, blocks, set) {
			for i := from; i < to; i++ {
				got[i] = true
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
		var to [1 << 16]bool
		to[rapid.IntRange(0, h.Vertices-1).Draw(t, "destination")] = true
		for i := range want {
			leads := false
			for e := range s.Range(i, i+1).All() {
				leads = leads || slices.ContainsFunc(e.Dst, func(v uint16) bool { return to[v] })
			}
			if s.leadsTo(i, &to) != leads {
				t.Fatalf("block %d: %v, want %v", i, !leads, leads)
			}
		}
	})
}

// TestWindows checks that runs have every block once, those of a side in order, and the runs of
// two sides do not depend on a third.
func TestWindows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var sides []*Side
		for range 3 {
			h, n, edges := draw(t)
			s, _ := decoded(t, pack(t, h, edges), n)
			sides = append(sides, s)
		}
		var alone []Run
		for run := range Windows(sides[:2]) {
			alone = append(alone, run)
		}
		next := make([]int, len(sides))
		for run := range Windows(sides) {
			if run.From != next[run.Side] || run.To <= run.From {
				t.Fatalf("side %d continues with %+v at block %d", run.Side, run, next[run.Side])
			}
			next[run.Side] = run.To
			if run.Side < 2 {
				if len(alone) == 0 || alone[0] != run {
					t.Fatalf("%+v, with two sides %+v", run, alone)
				}
				alone = alone[1:]
			}
		}
		for k, s := range sides {
			if next[k] != s.Layout.Blocks {
				t.Fatalf("side %d ends at block %d of %d", k, next[k], s.Layout.Blocks)
			}
		}
	})
}

// TestUnpackers checks that there is code for every width of the format and for no other, and it
// unpacks random blocks as slot after slot does.
func TestUnpackers(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for wide, d := range []uint{14, 16} {
		for w := range uint(MaxWidth + 1) {
			f := unpackers[wide][w]
			if (f != nil) != allowed(int(w)) {
				t.Errorf("width %d: code %v, in the format %v", w, f != nil, allowed(int(w)))
			}
			if f == nil {
				continue
			}
			data := make([]uint64, (BlockSlots*(w+d)/8+16)/8)
			for i := range data {
				data[i] = rng.Uint64()
			}
			var got unpacked
			most := f(Group{unsafe.Pointer(&data[0])}, 7, &got)
			g, u, largest := Group{unsafe.Pointer(&data[0])}, uint32(7), uint16(0)
			for k := range uint(BlockSlots) {
				u += g.Delta(w, k%GroupSlots)
				slot := g.Slot(w, d, k%GroupSlots)
				if got.nbr[k] != u || got.dst[k] != slot {
					t.Fatalf("widths %d and %d, slot %d: %d to %d, want %d to %d", w, d, k, got.nbr[k], got.dst[k], u, slot)
				}
				if largest = max(largest, slot); k%GroupSlots == GroupSlots-1 {
					g = g.Next(w, d)
				}
			}
			if most != largest {
				t.Errorf("widths %d and %d: largest %d, want %d", w, d, most, largest)
			}
		}
	}
}
