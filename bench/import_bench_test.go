package bench

import (
	"bytes"
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/garaph/garaph"
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
	keep("integers.parquet", parquetEdges(b, raw.Bytes(), parquet.Int(64), func(v uint32) parquet.Value { return parquet.Int64Value(int64(v)) }))
	name := func(v uint32) parquet.Value {
		return parquet.ByteArrayValue(strconv.AppendUint([]byte("vertex-"), uint64(v), 36))
	}
	keep("names.parquet", parquetEdges(b, raw.Bytes(), parquet.String(), name))
	for _, name := range []string{"rmat20.txt", "rmat20.bin", "integers.parquet", "names.parquet"} {
		b.Run(name, func(b *testing.B) {
			cpu := processorTime()
			for b.Loop() {
				if _, err := garaph.Import(context.Background(), []string{files[name]}, filepath.Join(dir, "graph"), garaph.ImportOptions{Force: true}); err != nil {
					b.Fatal(err)
				}
			}
			total := float64(edges) * float64(b.N)
			b.ReportMetric(total/1e6/b.Elapsed().Seconds(), "Medges/s")
			b.ReportMetric(float64(processorTime()-cpu)/total, "cpu-ns/edge")
		})
	}
}

// parquetEdges writes raw pairs as two columns, as parquet-go does by default: in pages of version 2, dictionaries
// where they pay, compressed with Snappy.
func parquetEdges(b *testing.B, raw []byte, id parquet.Node, value func(uint32) parquet.Value) []byte {
	var out bytes.Buffer
	schema := parquet.NewSchema("edges", parquet.Group{"src": id, "dst": id})
	w := parquet.NewGenericWriter[any](&out, schema, parquet.Compression(&parquet.Snappy), parquet.MaxRowsPerRowGroup(1<<20))
	rows := make([]parquet.Row, 0, 1024)
	for at := 0; at < len(raw); at += 8 {
		u, v := binary.LittleEndian.Uint32(raw[at:]), binary.LittleEndian.Uint32(raw[at+4:])
		rows = append(rows, parquet.Row{value(v).Level(0, 0, 0), value(u).Level(0, 0, 1)})
		if len(rows) == cap(rows) || at+8 == len(raw) {
			if _, err := w.WriteRows(rows); err != nil {
				b.Fatal(err)
			}
			rows = rows[:0]
		}
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	return out.Bytes()
}
