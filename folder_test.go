package garaph_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/programs"
)

// TestFolderNames checks that a graph in a folder whose name would be a pattern, or a wrong
// one, is like any other: its files have checksums, and its jobs checkpoints.
func TestFolderNames(t *testing.T) {
	for _, name := range []string{"a[b]c", "a[b", "a*b", `a\b`} {
		t.Run(name, func(t *testing.T) {
			folder := filepath.Join(memoryDir(t), name)
			if err := os.Mkdir(folder, 0o777); err != nil {
				t.Fatal(err)
			}
			g := manyShardsIn(t, folder, 7)
			defer g.Close()
			damaged := func(err error) { t.Error(err) }
			if err := g.Verify(t.Context(), func(int64) {}, damaged); err != nil {
				t.Error(err)
			}
			p := programs.PageRank[float32]{Damping: 0.85, Tolerance: 1e-6}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			_, err := garaph.Run[float32, int64](ctx, g, p, garaph.RunOptions{
				Checkpoints: garaph.Checkpoints{Every: 1},
				Progress: func(it garaph.Iteration) {
					if it.Iteration == 3 {
						cancel()
					}
				},
			})
			if !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			r, err := garaph.Resume[float32, int64](t.Context(), g, p, 0, garaph.RunOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if r.Report.Before < 3 {
				t.Errorf("resumed after %d iterations", r.Report.Before)
			}
			if err := r.Close(); err != nil {
				t.Error(err)
			}
			if _, err := g.RemoveJobs(1); err != nil {
				t.Error(err)
			}
			if list, err := g.Jobs(); err != nil || len(list) > 0 {
				t.Errorf("jobs that are left: %v, %v", list, err)
			}
		})
	}
}
