package algorithms_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

// looksTwice goes over all edges, and again when the disk has lost the payload.
type looksTwice struct{ lose func() error }

func (looksTwice) Plan(*store.Catalogue, int) algorithms.Plan {
	return algorithms.Plan{Edges: true, Arrays: []algorithms.Array{{Name: "the values", Bytes: 1 << 20}}}
}

func (a looksTwice) Visit(ctx context.Context, e *algorithms.Env) error {
	look := func() error { return e.Edges().Each(ctx, func(int, algorithms.Arcs) {}) }
	return errors.Join(look(), a.lose(), look())
}

func (a looksTwice) Run(ctx context.Context, e *algorithms.Env) ([]int64, error) {
	if err := a.Visit(ctx, e); err != nil {
		return nil, err
	}
	return algorithms.Make[int64](e, int(e.Graph.Vertices))
}

// TestLostPayload checks that a disk that fails under the mapped payload is an error of the reader, not a
// signal and not a wrong result.
func TestLostPayload(t *testing.T) {
	for _, layout := range []store.Layout{store.CSC, store.Packed} {
		for what, visit := range map[string]bool{"an algorithm": false, "a visitor": true} {
			s := teststore.Build(t, tangled(30_000, 2), teststore.Options{Layout: layout, ShardVertices: 1000})
			a := looksTwice{func() error { return os.Truncate(filepath.Join(s.Path(), "payload"), 0) }}
			var err error
			if visit {
				err = algorithms.Visit(t.Context(), s, a, algorithms.Options{Threads: 2})
			} else {
				_, err = algorithms.Run(t.Context(), s, a, algorithms.Options{Threads: 2})
			}
			if !errors.Is(err, store.ErrDamaged) {
				t.Errorf("%s, %s: %v", layout, what, err)
			}
		}
	}
}

// TestDamagedPayload checks that a byte that was flipped on the disk is found when it is looked at first.
func TestDamagedPayload(t *testing.T) {
	s := teststore.Build(t, tangled(30_000, 2), teststore.Options{Layout: store.Packed, ShardVertices: 1000})
	name := filepath.Join(s.Path(), "payload")
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	b[s.Catalogue().Blob(shard.In, 1).Off+300] ^= 1
	if err := os.WriteFile(name, b, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := algorithms.Run(t.Context(), s, algorithms.Components{}, algorithms.Options{Threads: 2}); !errors.Is(err,
		store.ErrDamaged) {
		t.Errorf("got %v", err)
	}
}
