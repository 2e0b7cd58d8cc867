package garaph_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/programs"
)

// TestClosed: a graph that was closed is no damaged one.
func TestClosed(t *testing.T) {
	ctx := context.Background()
	g := valuesGraph(t, func(v int) string { return "v" + strconv.Itoa(v) })
	before, err := garaph.NeighborsOf[string](g)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	for what, do := range map[string]func() error{
		"run": func() error { _, err := garaph.Run(ctx, g, programs.WCC{}, garaph.RunOptions{}); return err },
		"algorithm": func() error {
			_, err := garaph.RunAlgorithm(ctx, g, algorithms.Coreness{}, garaph.AlgorithmOptions{})
			return err
		},
		"neighbours": func() error { _, err := garaph.NeighborsOf[string](g); return err },
		"neighbours that were had before": func() error {
			for range before.Out("v1") {
				t.Error("a closed graph has neighbours")
			}
			return before.Err()
		},
		"vertex":  func() error { _, err := g.Vertex("v1"); return err },
		"id":      func() error { _, err := g.ID(0); return err },
		"degrees": func() error { _, err := g.MaxInDegree(); return err },
	} {
		err := do()
		if !errors.Is(err, garaph.ErrClosed) || errors.Is(err, garaph.ErrDamaged) || !strings.Contains(err.Error(), "it is closed") {
			t.Errorf("%s: %v", what, err)
		}
	}
}
