package bench

import (
	"bytes"
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/internal/columns"
)

// BenchmarkImport imports RMAT 20 from text, raw pairs and Parquet, with integers and with names
// as ids, on all processors:
//
//	go test ./bench -run '^$' -bench BenchmarkImport -benchtime 3x -cpu 2
func BenchmarkImport(b *testing.B) {
	dir := b.TempDir()
	var raw, text bytes.Buffer
	o := GenOptions{Kind: RMAT, Scale: 20, Degree: 16, A: 0.57, B: 0.19, C: 0.19, Seed: 1}
	for format, out := range map[string]*bytes.Buffer{Raw: &raw, Text: &text} {
		o.Format = format
		if err := Generate(context.Background(), out, o, func(uint64) {}); err != nil {
			b.Fatal(err)
		}
	}
	files := map[string]string{}
	keep := func(name string, content []byte) {
		files[name] = filepath.Join(dir, name)
		if err := os.WriteFile(files[name], content, 0o600); err != nil {
			b.Fatal(err)
		}
	}
	keep("rmat20.bin", raw.Bytes())
	keep("rmat20.txt", text.Bytes())
	edges := raw.Len() / 8
	keep("integers.parquet", parquetEdges(b, raw.Bytes(), false))
	keep("names.parquet", parquetEdges(b, raw.Bytes(), true))
	for _, name := range []string{"rmat20.txt", "rmat20.bin", "integers.parquet", "names.parquet"} {
		b.Run(name, func(b *testing.B) {
			cpu := processorTime()
			for b.Loop() {
				if _, err := garaph.Import(context.Background(), []string{files[name]}, filepath.Join(dir, "graph"),
					garaph.ImportOptions{Force: true}); err != nil {
					b.Fatal(err)
				}
			}
			total := float64(edges) * float64(b.N)
			b.ReportMetric(total/1e6/b.Elapsed().Seconds(), "Medges/s")
			b.ReportMetric(float64(processorTime()-cpu)/total, "cpu-ns/edge")
		})
	}
}

// parquetEdges writes raw pairs as two columns, of integers or of names.
func parquetEdges(b *testing.B, raw []byte, names bool) []byte {
	var out bytes.Buffer
	kind := columns.Int64
	if names {
		kind = columns.Utf8
	}
	w, err := columns.NewParquet(&out, []columns.Field{{Name: "src", Type: kind}, {Name: "dst", Type: kind}})
	if err != nil {
		b.Fatal(err)
	}
	for at := 0; at < len(raw); {
		var data [2]columns.Data
		rows := min(1024, (len(raw)-at)/8)
		for range rows {
			for end := range data {
				v := binary.LittleEndian.Uint32(raw[at:])
				at += 4
				if names {
					data[end].Text = append(data[end].Text, "vertex-"+strconv.FormatUint(uint64(v), 36))
				} else {
					data[end].I64 = append(data[end].I64, int64(v))
				}
			}
		}
		if err := w.Write(rows, data[:]); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	return out.Bytes()
}
