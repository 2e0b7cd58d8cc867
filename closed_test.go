package garaph_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/internal/results"
	"github.com/garaph/garaph/programs"
)

// TestClosed: a graph that was closed is no damaged one.
func TestClosed(t *testing.T) {
	t.Run("names", func(t *testing.T) { testClosed(t, func(v int) string { return "v" + strconv.Itoa(v) }, "v1") })
	t.Run("integers", func(t *testing.T) { testClosed[int64](t, strconv.Itoa, 1) })
}

func testClosed[I garaph.ID](t *testing.T, id func(int) string, one I) {
	ctx := context.Background()
	g := valuesGraph(t, id)
	before, err := garaph.NeighborsOf[I](g)
	if err != nil {
		t.Fatal(err)
	}
	r, err := garaph.Run(ctx, g, programs.WCC{}, garaph.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	for what, do := range map[string]func() error{
		"run": func() error { _, err := garaph.Run(ctx, g, programs.WCC{}, garaph.RunOptions{}); return err },
		"algorithm": func() error {
			_, err := garaph.RunAlgorithm(ctx, g, algorithms.Coreness{}, garaph.AlgorithmOptions{})
			return err
		},
		"neighbours": func() error { _, err := garaph.NeighborsOf[I](g); return err },
		"neighbours that were had before": func() error {
			for range before.Out(one) {
				t.Error("a closed graph has neighbours")
			}
			return before.Err()
		},
		"vertex":  func() error { _, err := g.Vertex(fmt.Sprint(one)); return err },
		"id":      func() error { _, err := g.ID(0); return err },
		"degrees": func() error { _, err := g.MaxInDegree(); return err },
		"ids":     func() error { _, err := garaph.IDsOf[I](g); return err },
		"export":  func() error { _, err := g.Export(ctx, io.Discard, garaph.ExportOptions{}); return err },
		"names":   func() error { return g.ExportIDs(ctx, io.Discard) },
		"results": func() error { return r.Write(io.Discard, "csv") },
		"rows":    func() error { return r.Table("").Batches(func(*results.Batch) error { return nil }) },
		"sums":    func() error { _, err := g.Strengths(ctx, garaph.AlgorithmOptions{}); return err },
		"verify":  func() error { return g.Verify(ctx, func(int64) {}, func(error) {}) },
		"resume": func() error {
			_, err := garaph.Resume(ctx, g, programs.WCC{}, 0, garaph.RunOptions{})
			return err
		},
		"communities": func() error {
			_, err := garaph.FindCommunities(ctx, g, nil, garaph.CommunityOptions{}, nil)
			return err
		},
	} {
		err := do()
		if !errors.Is(err, garaph.ErrClosed) || errors.Is(err, garaph.ErrDamaged) || !strings.Contains(err.Error(), "it is closed") {
			t.Errorf("%s: %v", what, err)
		}
	}
}
