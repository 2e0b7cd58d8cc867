package all_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/garaph/garaph/ingest"
	"github.com/garaph/garaph/ingest/read"
	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packed"
	"github.com/garaph/garaph/store"
)

// TestWideColumns checks which weights of columns of integers and floats are exact, in each mode.
func TestWideColumns(t *testing.T) {
	ends := []cells{int64s("a", int64(1), int64(2), int64(3)), int64s("b", int64(2), int64(3), int64(1))}
	const big, tenth = 1<<24 + 1, 0.1
	single := float64(float32(tenth))
	unsigned := integers("w", 64, false, uint64(1<<53-1), uint64(7), uint64(big))
	signed := int64s("w", int64(1<<53-1), int64(7), int64(big))
	for _, c := range []struct {
		name   string
		weight cells
		mode   read.WeightMode
		want   []float64
	}{
		{"int64", signed, read.WeightsAuto, []float64{7, big, 1<<53 - 1}},
		{"int64 as float32", signed, read.WeightsFloat32, []float64{7, 1 << 24, 1 << 53}},
		{"uint64", unsigned, read.WeightsAuto, []float64{7, big, 1<<53 - 1}},
		{"int32", integers("w", 32, true, int32(1<<31-1), int32(7), int32(big)),
			read.WeightsAuto, []float64{7, big, 1<<31 - 1}},
		{"double", doubles("w", tenth, 7., float64(big)), read.WeightsAuto, []float64{single, 7, big}},
		{"double as float32", doubles("w", tenth, 7., float64(big)), read.WeightsFloat32, []float64{single, 7, 1 << 24}},
		{"double as float64", doubles("w", tenth, 7., float64(big)), read.WeightsFloat64, []float64{tenth, 7, big}},
	} {
		t.Run(c.name, func(t *testing.T) {
			checkWide(t, "g.parquet", parquetFile(t, 2, append(slices.Clone(ends), c.weight)...), c.mode, c.want)
		})
	}
	t.Run("arrow", func(t *testing.T) {
		checkWide(t, "g.arrow", arrowInts(t, big, 1<<53-1), read.WeightsAuto, []float64{big, 1<<53 - 1})
	})
}

// arrowInts returns a file of edges with integers as weights.
func arrowInts(t *testing.T, weights ...int64) []byte {
	s := arrow.NewSchema([]arrow.Field{
		{Name: "source", Type: arrow.PrimitiveTypes.Int64}, {Name: "target", Type: arrow.PrimitiveTypes.Int64},
		{Name: "weight", Type: arrow.PrimitiveTypes.Int64},
	}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, s)
	for i, w := range weights {
		for k, x := range []int64{int64(i), int64(i + 1), w} {
			b.Field(k).(*array.Int64Builder).Append(x)
		}
	}
	path := filepath.Join(t.TempDir(), "edges")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := ipc.NewWriter(f, ipc.WithSchema(s))
	if err := w.Write(b.NewRecordBatch()); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// checkWide imports a file, and compares the weights of its in-edges.
func checkWide(t *testing.T, name string, file []byte, mode read.WeightMode, want []float64) {
	t.Helper()
	dir := t.TempDir()
	input := filepath.Join(dir, name)
	if err := os.WriteFile(input, file, 0o666); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "graph")
	if _, err := ingest.Import(t.Context(), []string{input}, path, ingest.Options{Weights: mode}); err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	blob, err := hostmem.Bytes(s.Catalogue().Bytes(shard.In, 0))
	if err != nil {
		t.Fatal(err)
	}
	side, err := s.ReadShard(shard.In, 0, blob)
	if err != nil {
		t.Fatal(err)
	}
	var got []float64
	for e := range side.(*packed.Side).All() {
		for i := range e.Nbr {
			got = append(got, e.At(i))
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("weights %v, want %v", got, want)
	}
}
