package all_test

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/garaph/garaph/ingest/format"
	"github.com/garaph/garaph/ingest/read"
)

// nullSink takes everything and does nothing.
type nullSink struct{}

func (nullSink) Begin(read.Schema) error                     { return nil }
func (nullSink) Worker() read.Worker                         { return nullSink{} }
func (nullSink) AddInts(_, _ []uint64, _ []float64) error    { return nil }
func (nullSink) AddStrings(_, _ [][]byte, _ []float64) error { return nil }
func (nullSink) AddVertices([]uint64) error                  { return nil }
func (nullSink) AddVertexNames([][]byte) error               { return nil }
func (nullSink) Close() error                                { return nil }

// benchEdges is the number of edges of the files that benchmarks read: enough
// for 100 blocks.
const benchEdges = 8_000_000

// skewedID returns an id with many small ones, as graphs have them.
func skewedID(r *rand.Rand, n uint64) uint64 {
	return uint64(r.Float64() * r.Float64() * float64(n))
}

// BenchmarkReadText reads an edge list from page cache into a sink that does
// nothing: "u\tv\n" unless the name says otherwise.
func BenchmarkReadText(b *testing.B) {
	id := func(n uint64) func([]byte, *rand.Rand) []byte {
		return func(out []byte, r *rand.Rand) []byte {
			out = append(strconv.AppendUint(out, skewedID(r, n), 10), '\t')
			return append(strconv.AppendUint(out, skewedID(r, n), 10), '\n')
		}
	}
	weighted := func(weight func([]byte, *rand.Rand) []byte) func([]byte, *rand.Rand) []byte {
		return func(out []byte, r *rand.Rand) []byte {
			out = id(4<<20)(out, r)
			out[len(out)-1] = '\t'
			return append(weight(out, r), '\n')
		}
	}
	integer := func(out []byte, r *rand.Rand) []byte { return strconv.AppendInt(out, int64(1+r.IntN(255)), 10) }
	float := func(prec int) func([]byte, *rand.Rand) []byte {
		return func(out []byte, r *rand.Rand) []byte { return strconv.AppendFloat(out, r.Float64(), 'f', prec, 64) }
	}
	for _, c := range []struct {
		name string
		line func([]byte, *rand.Rand) []byte
		o    read.Options
	}{
		{"ids=4M", id(4 << 20), read.Options{}},
		{"ids=60M", id(60e6), read.Options{}},
		{"ids=2^62", id(1 << 62), read.Options{}},
		{"ids=4M/dense", id(4 << 20), read.Options{IDs: read.IDsDense}},
		{"ids=4M/string", id(4 << 20), read.Options{IDs: read.IDsString}},
		{"ids=4M/crlf", func(out []byte, r *rand.Rand) []byte {
			out = id(4<<20)(out, r)
			return append(out[:len(out)-1], "\r\n"...)
		}, read.Options{}},
		{"ids=4M/negative", func(out []byte, r *rand.Rand) []byte { return id(4<<20)(append(out, '-'), r) }, read.Options{}},
		{"weight=1..255", weighted(integer), read.Options{}},
		{"weight=0.123456", weighted(float(6)), read.Options{}},
		{"weight=17digits", weighted(float(17)), read.Options{}},
		{"weight=ignored", weighted(integer), read.Options{Weights: read.WeightsNo}},
	} {
		b.Run(c.name, func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 2))
			var out []byte
			for range benchEdges {
				out = c.line(out, r)
			}
			benchmarkRead(b, "graph.txt", out, c.o)
		})
	}
}

func benchmarkRead(b *testing.B, name string, content []byte, o read.Options) {
	path := filepath.Join(b.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(content)))
	entries := int64(0)
	b.ResetTimer()
	for b.Loop() {
		_, stats, err := format.Read(context.Background(), []string{path}, o, nullSink{})
		if err != nil {
			b.Fatal(err)
		}
		entries += stats.Entries
	}
	b.ReportMetric(float64(entries)/1e6/b.Elapsed().Seconds(), "Medges/s")
}
