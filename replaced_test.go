package garaph_test

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/programs"
)

// TestBeginWhileReplaced: graphs take each other's place at one path as fast as
// they can, while jobs with checkpoints begin there. A job keeps its record to its
// end, in the graph that it reads, or it has not begun.
func TestBeginWhileReplaced(t *testing.T) {
	path, edges := filepath.Join(memoryDir(t), "g"), filepath.Join(t.TempDir(), "edges.txt")
	if err := os.WriteFile(edges, []byte("1 2\n2 3\n3 4\n4 5\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	replace := func(shard int) error {
		_, err := garaph.Import(t.Context(), []string{edges}, path, garaph.ImportOptions{Force: true, Storage: garaph.StorageOptions{ShardVertices: shard}})
		if errors.Is(err, garaph.ErrRunning) {
			return nil
		}
		return err
	}
	if err := replace(1); err != nil {
		t.Fatal(err)
	}
	end := time.Now().Add(3 * time.Second)
	var work sync.WaitGroup
	replaced, began, refused := 0, 0, 0
	work.Go(func() {
		for ; time.Now().Before(end) && !t.Failed(); replaced++ {
			if err := replace(1 + replaced%3); err != nil {
				t.Error(err)
			}
		}
	})
	work.Go(func() {
		for time.Now().Before(end) && !t.Failed() {
			g, err := garaph.Open(path)
			if err != nil {
				t.Error(err)
				return
			}
			time.Sleep(time.Duration(began%5) * time.Millisecond) // the time for an import
			r, err := garaph.Run(t.Context(), g, programs.BFS{}, garaph.RunOptions{Threads: 1, Checkpoints: garaph.Checkpoints{Every: 1}})
			switch {
			case errors.Is(err, garaph.ErrReplaced):
				refused++
			case err != nil:
				t.Error(err)
			default:
				began++
				if err := r.Close(); err != nil {
					t.Error(err)
				}
			}
			if err := g.Close(); err != nil {
				t.Error(err)
			}
		}
	})
	work.Wait()
	if replaced < 3 || began < 3 {
		t.Errorf("%d imports, %d jobs began, %d did not", replaced, began, refused)
	}
	t.Logf("%d imports, %d jobs began, %d did not", replaced, began, refused)
}
