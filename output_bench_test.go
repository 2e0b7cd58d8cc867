package garaph_test

import (
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/programs"
)

// outputVertices are as many as the rows of BenchmarkOutput.
const outputVertices = 10_000_000

// BenchmarkOutput writes ten million rows with dense ids: ranks that all differ, hops, components
// and core numbers. Files lie in the folder that OUTPUT_FOLDER names, or in the usual temporary one.
func BenchmarkOutput(b *testing.B) {
	g := manyVertices(b)
	ctx := context.Background()
	for _, c := range []struct {
		name string
		run  func() (*garaph.Result, error)
	}{
		{"pagerank", func() (*garaph.Result, error) {
			return garaph.Run(ctx, g, programs.PageRank[float32]{Damping: 0.85}, garaph.RunOptions{Iterations: 3})
		}},
		{"sssp", func() (*garaph.Result, error) {
			return garaph.Run(ctx, g, programs.SSSP[float32]{Source: 1}, garaph.RunOptions{})
		}},
		{"bfs", func() (*garaph.Result, error) {
			return garaph.Run(ctx, g, programs.BFS{Source: 1}, garaph.RunOptions{})
		}},
		{"components", func() (*garaph.Result, error) {
			return garaph.RunAlgorithm(ctx, g, algorithms.Components{}, garaph.AlgorithmOptions{})
		}},
	} {
		r, err := c.run()
		if err != nil {
			b.Fatal(err)
		}
		for _, format := range []string{"npy", "tsv", "csv", "parquet", "arrow"} {
			for _, path := range []string{os.DevNull, filepath.Join(outputFolder(b), "out")} {
				b.Run(c.name+"/"+format+"/"+filepath.Base(path), func(b *testing.B) {
					for b.Loop() {
						begin := time.Now()
						if err := r.WriteFile(path, format); err != nil {
							b.Fatal(err)
						}
						b.ReportMetric(time.Since(begin).Seconds(), "s/op")
					}
					b.ReportMetric(0, "ns/op")
				})
			}
		}
		_ = r.Close()
	}
}

func outputFolder(b *testing.B) string {
	if folder := os.Getenv("OUTPUT_FOLDER"); folder != "" {
		return folder
	}
	return b.TempDir()
}

// manyVertices is a graph with an edge from each vertex to two others.
func manyVertices(b *testing.B) *garaph.Graph {
	file := filepath.Join(b.TempDir(), "edges.bin")
	edges := make([]byte, 0, 16*outputVertices)
	for v := range uint32(outputVertices) {
		for _, to := range []uint32{v * 2654435761 % outputVertices, (v*40503 + 7) % outputVertices} {
			edges = binary.LittleEndian.AppendUint32(edges, v)
			edges = binary.LittleEndian.AppendUint32(edges, to)
		}
	}
	if err := os.WriteFile(file, edges, 0o666); err != nil {
		b.Fatal(err)
	}
	path := filepath.Join(b.TempDir(), "graph")
	if _, err := garaph.Import(context.Background(), []string{file}, path, garaph.ImportOptions{IDs: "dense"}); err != nil {
		b.Fatal(err)
	}
	g, err := garaph.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = g.Close() })
	return g
}
