package dispatcher

import (
	"errors"
	"fmt"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/testprograms"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/programs"
)

// TestHintFrontier: a job with --method pull, from one vertex of a long chain to the next, names the method that is
// made for it, once; one that chose itself, or that is short, says nothing.
func TestHintFrontier(t *testing.T) {
	chain := func(n uint32) oracle.Graph {
		g := oracle.Graph{N: int(n)}
		for v := range n - 1 {
			g.Edges = append(g.Edges, oracle.Edge{Src: v, Dst: v + 1, Weight: 1})
		}
		return g
	}
	for _, test := range []struct {
		name   string
		length uint32
		method Method
		want   int
	}{{"pull", 300, Pull, 1}, {"auto", 300, Auto, 0}, {"frontier", 300, Frontier, 0}, {"short", 50, Pull, 0}} {
		t.Run(test.name, func(t *testing.T) {
			s := teststore.Build(t, chain(test.length), teststore.Options{ShardVertices: 20})
			core, logs := observer.New(zap.InfoLevel)
			if _, _, err := runJob[uint32, uint32](s, programs.BFS{}, Options{Device: CPU, Method: test.method, Log: zap.New(core)}); err != nil {
				t.Fatal(err)
			}
			hints := logs.FilterMessageSnippet("method auto goes along")
			if hints.Len() != test.want {
				t.Errorf("%d hints, want %d: %v", hints.Len(), test.want, logs.All())
			}
		})
	}
}

// TestHintMemory: a job with little memory, from one vertex of a long chain to the next, names once how much has room for
// the rows, and with that says nothing.
func TestHintMemory(t *testing.T) {
	g := oracle.Graph{N: 60_000}
	for v := range uint32(g.N) - 1 {
		g.Edges = append(g.Edges, oracle.Edge{Src: v, Dst: (v + 1) % 400, Weight: 1})
	}
	s := teststore.Build(t, g, teststore.Options{})
	run := func(memory int64) (*observer.ObservedLogs, error) {
		core, logs := observer.New(zap.InfoLevel)
		_, _, err := runJob[uint32, uint32](s, programs.BFS{}, Options{Device: CPU, Memory: memory, Log: zap.New(core)})
		return logs.FilterMessageSnippet("has no room for the rows"), err
	}
	_, err := run(1)
	var least *MemoryError
	if !errors.As(err, &least) {
		t.Fatal(err)
	}
	hints, err := run(least.Least())
	if err != nil || hints.Len() != 1 {
		t.Fatalf("%d hints, error %v", hints.Len(), err)
	}
	var enough int64
	if _, err := fmt.Sscanf(hints.All()[0].Message, "--memory has no room for the rows of the whole graph beside its pages: %dMiB is enough", &enough); err != nil {
		t.Fatal(err)
	}
	if hints, err := run(enough << 20); err != nil || hints.Len() != 0 {
		t.Errorf("%d hints with %d MiB, error %v", hints.Len(), enough, err)
	}
}

// TestHintFrontierUnfit: a program that cannot advance frontiers gets no such hint.
func TestHintFrontierUnfit(t *testing.T) {
	s := teststore.Build(t, dangling(), teststore.Options{ShardVertices: 20})
	core, logs := observer.New(zap.InfoLevel)
	p := testprograms.PageRank[float64]{PageRank: programs.PageRank[float64]{Damping: 0.85}}
	if _, _, err := runJob[float64, int64](s, gas.Program[float64, int64](p), Options{Device: CPU, Method: Pull, Iterations: 150, Log: zap.New(core)}); err != nil {
		t.Fatal(err)
	}
	if n := logs.FilterMessageSnippet("method auto goes along").Len(); n != 0 {
		t.Errorf("%d hints", n)
	}
}
