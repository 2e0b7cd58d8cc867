package results

import (
	"io"
	"strconv"
	"testing"
)

// BenchmarkWrite is the time per row, of rows that no disk takes.
func BenchmarkWrite(b *testing.B) {
	f32 := make([]float32, 4096)
	for i := range f32 {
		f32[i] = 1e-6 / float32(i+1)
	}
	values := Values{F32: f32, F64: make([]float64, len(f32)), I64: make([]int64, len(f32))}
	batch := &Batch{Columns: []Values{values}}
	for i := range f32 {
		batch.IDs.Ints = append(batch.IDs.Ints, int64(i)*1237)
		batch.IDs.Strings = append(batch.IDs.Strings, "user"+strconv.Itoa(i*1237))
		values.F64[i] = float64(f32[i]) * 1.000001
		values.I64[i] = int64(i & 15)
	}
	for _, c := range []struct {
		name  string
		ids   IDKind
		value ValueKind
	}{
		{"int-float32", IDInt, Float32}, {"int-float64", IDInt, Float64}, {"int-int64", IDInt, Int64}, {"string-float32", IDString, Float32},
	} {
		for _, f := range []Format{TSV, Parquet, NPY} {
			b.Run(c.name+"/"+string(f), func(b *testing.B) {
				const batches = 256
				t := &memory{ids: c.ids, values: c.value, name: "value", rows: int64(batches * len(f32)), width: 20}
				for range batches {
					t.batches = append(t.batches, batch)
				}
				var w countWriter
				for b.Loop() {
					if err := Write(&w, f, t); err != nil {
						b.Fatal(err)
					}
				}
				rows := float64(t.rows) * float64(b.N)
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/rows, "ns/row")
				b.ReportMetric(float64(w)/rows, "bytes/row")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

type countWriter int64

func (w *countWriter) Write(p []byte) (int, error) { *w += countWriter(len(p)); return len(p), nil }

var _ io.Writer = (*countWriter)(nil)
