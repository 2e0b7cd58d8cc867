package packedrows

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/rows"
)

// plain lays out rows.
func plain(dir shard.Direction, first uint32, lists [][]uint32) *rows.Side {
	s := &rows.Side{Dir: dir, Index: 7, First: first, Off: make([]uint32, 1)}
	for _, list := range lists {
		s.Nbr = append(s.Nbr, list...)
		s.Off = append(s.Off, uint32(len(s.Nbr)))
	}
	return s
}

// pack packs a side over what must not stay.
func pack(t rapid.TB, s *rows.Side) []byte {
	t.Helper()
	buffer := make([]byte, MostBytes(s.Vertices(), s.Edges()))
	for i := range buffer {
		buffer[i] = 0xff
	}
	side, err := Pack(s, buffer)
	if err != nil {
		t.Fatal(err)
	}
	blob, sum := side.Blob(), side.Header().Checksum
	if sum != binary.LittleEndian.Uint32(blob[60:]) || len(blob)%16 != 0 {
		t.Fatalf("%d bytes with checksum %08x", len(blob), sum)
	}
	return blob
}

func decoded(t rapid.TB, blob []byte, n uint32) *Side {
	t.Helper()
	s, err := Decode(blob)
	if err == nil {
		err = errors.Join(s.CheckValues(n), s.CheckOrder())
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// draw returns rows of a graph of n vertices: degrees and gaps of all lengths.
func draw(t *rapid.T) (s *rows.Side, n uint32) {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	n = rapid.SampledFrom([]uint32{1, 2, 1000, 1 << 20, math.MaxUint32}).Draw(t, "vertices of the graph")
	vertices := min(n, rapid.Uint32Range(1, 40).Draw(t, "vertices"))
	first := rng.Uint32N(n - vertices + 1)
	most := rapid.IntRange(0, 32).Draw(t, "length of a gap")
	lists := make([][]uint32, vertices)
	for v := range lists {
		u := uint64(rng.Uint32N(n))
		if rng.IntN(2) == 0 {
			u = uint64(first) + uint64(v)
		}
		for range rapid.SampledFrom([]int{0, 1, 2, 6, 7, 8, 9, 10, 17, 63, 64, 65, 300}).Draw(t, "degree") {
			lists[v] = append(lists[v], uint32(u))
			u = (u + rng.Uint64N(uint64(1)<<most)) % uint64(n)
			if rng.IntN(50) == 0 {
				u = uint64(rng.Uint32N(n))
			}
		}
		slices.Sort(lists[v])
	}
	return plain(shard.Direction(rng.IntN(2)), first, lists), n
}

// TestRoundTrip checks that rows come back, alone in any order and all at once, with their
// degrees, and the largest neighbour is checked.
func TestRoundTrip(t *testing.T) {
	var b shard.Buffer
	rapid.Check(t, func(t *rapid.T) {
		want, n := draw(t)
		blob := pack(t, want)
		s := decoded(t, blob, n)
		h := want.Header()
		h.Version, h.Flags, h.Checksum = Version, summed|narrow, binary.LittleEndian.Uint32(blob[60:])
		if s.Header() != h {
			t.Fatalf("header %+v, want %+v", s.Header(), h)
		}
		vertices := rapid.SliceOfN(rapid.IntRange(0, want.Vertices()-1), 0, 30).Draw(t, "rows")
		for v := range want.Vertices() {
			vertices = append(vertices, v)
		}
		for _, v := range vertices {
			if got := s.Row(v, &b); !slices.Equal(got, want.Row(v, nil)) {
				t.Fatalf("row %d: got %v, want %v", v, got, want.Row(v, nil))
			}
		}
		room := make([]byte, rows.Size(want.Vertices(), want.Edges(), 0))
		got := rows.Unpack(s, room, 0)
		if !slices.Equal(got.Off, want.Off) || !slices.Equal(got.Nbr, want.Nbr) {
			t.Fatalf("plain: got %v, want %v", got, want)
		}
		rows.Seal(room)
		if _, err := shard.Decode(room); err != nil {
			t.Fatal(err)
		}
		degrees, wanted := make([]uint32, want.Vertices()), make([]uint32, want.Vertices())
		s.Degrees(degrees)
		want.Degrees(wanted)
		if !slices.Equal(degrees, wanted) {
			t.Fatalf("degrees %v, want %v", degrees, wanted)
		}
		if want.Edges() > 0 && s.CheckValues(slices.Max(want.Nbr)) == nil {
			t.Fatal("the largest neighbour is not checked")
		}
	})
}

// TestWidths checks that 8 gaps of every width, the first group and a later one, come back, and
// their sum is checked.
func TestWidths(t *testing.T) {
	for w := range 32 {
		list := []uint32{0}
		for _, n := range []int{7, 8} {
			for i := range n {
				gap := uint32(1) << w >> 1
				if i%3 == 0 && w < 28 {
					gap = 1<<w - 1
				}
				list = append(list, min(list[len(list)-1], math.MaxUint32-1-gap)+gap)
			}
		}
		want := plain(shard.Out, 0, [][]uint32{list})
		top := list[len(list)-1]
		s := decoded(t, pack(t, want), max(top, 1)+1)
		var b shard.Buffer
		if got := s.Row(0, &b); !slices.Equal(got, list) {
			t.Errorf("width %d: got %v, want %v", w, got, list)
		}
		if s.last != uint64(top) {
			t.Errorf("width %d: the largest neighbour is %d, want %d", w, s.last, top)
		}
	}
}

// small has rows of every kind in few bytes.
func small(t rapid.TB) (blob []byte, n uint32) {
	rng := rand.New(rand.NewPCG(1, 1))
	n = 1 << 20
	lists := make([][]uint32, 12)
	for v, degree := range []int{3, 0, 1, 7, 64, 2, 20, 0, 9, 1, 0, 5} {
		for range degree {
			lists[v] = append(lists[v], rng.Uint32N(n>>(v%4*5)))
		}
		slices.Sort(lists[v])
	}
	return pack(t, plain(shard.Out, 100, lists)), n
}

// Every single flipped bit is reported, padding and reserved bytes included.
func TestEveryFlippedBit(t *testing.T) {
	blob, n := small(t)
	for bit := range 8 * len(blob) {
		blob[bit/8] ^= 1 << (bit % 8)
		if _, err := Decode(blob); err == nil {
			t.Fatalf("bit %d of byte %d flipped, and not reported", bit%8, bit/8)
		}
		blob[bit/8] ^= 1 << (bit % 8)
	}
	decoded(t, blob, n)
}

// reseal makes the checksums right again after damage.
func reseal(blob []byte) {
	shard.SealHeader(blob)
	if h, err := layoutOf(blob, int64(len(blob))); err == nil {
		h.seal(blob)
	}
}

// TestHostile checks that what no checksum sees is refused, and every change of a byte of the rows
// is refused or reads within the blob.
func TestHostile(t *testing.T) {
	le := binary.LittleEndian
	sound, n := small(t)
	s := decoded(t, sound, n)
	data := shard.HeaderBytes + 32 // behind an index of three entries
	add := func(at, x int) func([]byte) {
		return func(b []byte) { le.PutUint32(b[at:], le.Uint32(b[at:])+uint32(x)) }
	}
	for _, c := range []struct {
		name   string
		damage func([]byte)
		want   error
		text   string
	}{
		{"another version", func(b []byte) { b[8] = 2 }, shard.ErrFormat, "version 2"},
		{"unknown flags", func(b []byte) { b[10] |= 16 }, shard.ErrInvalid, "flags"},
		{"weights", func(b []byte) { b[10] |= 1 }, shard.ErrInvalid, "with weights: true"},
		{"reserved field", add(52, 1), shard.ErrInvalid, "flags"},
		{"a narrow index without checksums", func(b []byte) { b[10] &^= summed }, shard.ErrInvalid, "flags"},
		{"four vertices more", add(20, 4), shard.ErrInvalid, "begins at"},
		{"a vertex less", add(20, -1), shard.ErrInvalid, "the header says"},
		{"an edge more", add(24, 1), shard.ErrInvalid, "the header says"},
		{"an edge less", add(24, -1), shard.ErrInvalid, "contradicts"},
		{"more bytes", add(28, 16), shard.ErrInvalid, "the header promises"},
		{"a byte less", add(28, -1), shard.ErrInvalid, "rows"},
		{"the place that runs count from", add(shard.HeaderBytes, 1), shard.ErrInvalid, "the index says"},
		{"a run's", add(shard.HeaderBytes+4+3*4+2, 1), shard.ErrInvalid, "the index says"},
	} {
		blob := slices.Clone(sound)
		c.damage(blob)
		reseal(blob)
		side, err := Decode(blob)
		if err == nil {
			err = side.CheckValues(n)
		}
		if !errors.Is(err, c.want) || !strings.Contains(fmt.Sprint(err), c.text) {
			t.Errorf("%s: got %v, want %v with %q", c.name, err, c.want, c.text)
		}
	}
	for at := range s.end {
		for bit := range 8 {
			blob := slices.Clone(sound)
			blob[data+at] ^= 1 << bit
			reseal(blob)
			use(t, blob, n)
		}
	}
	for n := range len(sound) {
		if _, err := Decode(sound[:n]); err == nil {
			t.Fatalf("%d of %d bytes are accepted", n, len(sound))
		}
	}
}

// use reads all that a blob has, if it is accepted, and compares what the ways to read
// it find.
func use(t testing.TB, blob []byte, n uint32) {
	defer useRuns(t, blob, n)
	defer useCursor(t, blob, n)
	s, err := Decode(blob)
	if err != nil || s.CheckValues(n) != nil {
		return
	}
	h := s.Header()
	whole := rows.Unpack(s, make([]byte, rows.Size(h.Vertices, h.Edges, 0)), 0)
	degrees := make([]uint32, h.Vertices)
	s.Degrees(degrees)
	var b shard.Buffer
	for v := h.Vertices - 1; v >= 0; v-- {
		list := s.Row(v, &b)
		if !slices.Equal(list, whole.Row(v, nil)) || len(list) != int(degrees[v]) || !slices.IsSorted(list) {
			t.Fatalf("row %d: %v, %v, degree %d", v, list, whole.Row(v, nil), degrees[v])
		}
		if len(list) > 0 && list[len(list)-1] >= n {
			t.Fatalf("neighbour %d is accepted in a graph of %d", list[len(list)-1], n)
		}
	}
}

// TestIndex checks that the index is narrow but where a run begins too far behind the place that it
// counts from.
func TestIndex(t *testing.T) {
	hub := make([]uint32, 40_000) // in more than 64 KiB
	for i := range hub {
		hub[i] = uint32(i) << 16
	}
	for at, want := range map[int]uint16{0: summed, 3: summed, 4*nearRuns - 5: summed, 4*nearRuns - 1: summed | narrow,
		4 * nearRuns: summed, 999: summed | narrow} {
		lists := make([][]uint32, 1000)
		for v := range lists {
			lists[v] = hub[v : v+v%20]
		}
		lists[at] = hub
		side := plain(shard.Out, 5, lists)
		blob := pack(t, side)
		s := decoded(t, blob, math.MaxUint32)
		if got := s.Header().Flags; got != want {
			t.Errorf("a hub at %d: flags %#x, want %#x", at, got, want)
		}
		head := opened(t, blob)
		copy(head.data, s.data)
		var b shard.Buffer
		for v := range lists {
			if i, _, _ := head.Run(v); head.CheckRun(i, math.MaxUint32) != nil || !slices.Equal(head.Row(v, &b), lists[v]) ||
				!slices.Equal(s.Row(v, &b), lists[v]) {
				t.Fatalf("a hub at %d: row %d is another one", at, v)
			}
		}
	}
}

// TestRefused checks that a side whose neighbours descend, or that has no room, is not packed.
func TestRefused(t *testing.T) {
	s := plain(shard.In, 0, [][]uint32{{1, 2, 3, 4, 5, 6, 7, 8, 9, 8}})
	if _, err := Pack(s, make([]byte, 1000)); !errors.Is(err, shard.ErrInvalid) {
		t.Errorf("descending: %v", err)
	}
	s.Nbr[9] = 9
	if _, err := Pack(s, make([]byte, 80)); !errors.Is(err, shard.ErrInvalid) {
		t.Errorf("without room: %v", err)
	}
}
