package bench_test

import (
	"runtime"
	"testing"

	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packedrows"
	"github.com/garaph/garaph/shard/rows"
)

// Packed rows of the same graph: package packedrows.

// packRows packs the rows of all sides.
func (g *graph) packRows(b *testing.B) (blobs [][]byte, size int64) {
	for i := range g.sides {
		blob := packRow(b, &g.sides[i], make([]byte, rowsRoom(&g.sides[i])))
		blobs = append(blobs, append([]byte(nil), blob...))
		size += int64(len(blob))
	}
	return blobs, size
}

func rowsRoom(s *rows.Side) int64 { return packedrows.MostBytes(s.Vertices(), s.Edges()) }

func packRow(b *testing.B, s *rows.Side, buffer []byte) []byte {
	side, err := packedrows.Pack(s, buffer)
	if err != nil {
		b.Fatal(err)
	}
	return side.Blob()
}

// BenchmarkRowsSize reports the bytes of an edge with all headers.
func BenchmarkRowsSize(b *testing.B) {
	g := whole()
	for b.Loop() {
		_, size := g.packRows(b)
		b.ReportMetric(float64(size)/float64(g.edges), "B/edge")
	}
}

// BenchmarkRows packs, checks and reads rows: all, and every tenth alone. It reports
// thread CPU time.
func BenchmarkRows(b *testing.B) {
	g := whole()
	blobs, _ := g.packRows(b)
	sides := make([]*packedrows.Side, len(blobs))
	for i, blob := range blobs {
		var err error
		if sides[i], err = packedrows.Decode(blob); err != nil {
			b.Fatal(err)
		}
	}
	room, plain := int64(0), int64(0)
	for i := range g.sides {
		room = max(room, rowsRoom(&g.sides[i]))
		plain = max(plain, rows.Size(g.sides[i].Vertices(), g.sides[i].Edges(), false))
	}
	buffer, blob := make([]byte, room), make([]byte, plain)
	var row shard.Buffer
	var sum uint32
	read := func(of func(int) shard.Rows, every int) func(i int) int {
		return func(i int) (edges int) {
			s := of(i)
			for v := 0; v < s.Header().Vertices; v += every {
				list := s.Row(v, &row)
				for _, u := range list {
					sum += u
				}
				edges += len(list)
			}
			return edges
		}
	}
	ofPacked, ofPlain := func(i int) shard.Rows { return sides[i] }, func(i int) shard.Rows { return &g.sides[i] }
	for _, c := range []struct {
		name string
		do   func(i int) int
	}{
		{"pack", func(i int) int { packRow(b, &g.sides[i], buffer); return len(g.sides[i].Nbr) }},
		{"decode", func(i int) int { _, _ = packedrows.Decode(blobs[i]); return len(g.sides[i].Nbr) }},
		{"plain", func(i int) int {
			n := rows.Size(g.sides[i].Vertices(), g.sides[i].Edges(), false)
			return len(rows.Unpack(sides[i], blob[:n], false).Nbr)
		}},
		{"read", read(ofPacked, 1)},
		{"read10", read(ofPacked, 10)},
		{"read100", read(ofPacked, 100)},
		{"rows", read(ofPlain, 1)},
		{"rows10", read(ofPlain, 10)},
		{"rows100", read(ofPlain, 100)},
	} {
		b.Run(c.name, func(b *testing.B) {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			edges, from := 0, threadTime()
			for i := 0; b.Loop(); i++ {
				edges += c.do(i % len(blobs))
			}
			b.ReportMetric(float64(threadTime()-from)/float64(edges), "ns/edge")
		})
	}
	_ = sum
}
