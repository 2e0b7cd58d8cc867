package garaph_test

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/ingest"
	"github.com/garaph/garaph/internal/testsize"
	"github.com/garaph/garaph/programs"
)

// TestBeginWhileReplaced checks that graphs take each other's place at one path as fast as
// they can, while jobs with checkpoints begin there. A job keeps its record to its
// end, in the graph that it reads, or it has not begun.
func TestBeginWhileReplaced(t *testing.T) {
	path, edges := filepath.Join(memoryDir(t), "g"), filepath.Join(t.TempDir(), "edges.txt")
	if err := os.WriteFile(edges, []byte("1 2\n2 3\n3 4\n4 5\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	replace := func(shard int) error {
		_, err := garaph.Import(t.Context(), []string{edges}, path, garaph.ImportOptions{Force: true, Storage: ingest.StorageOptions{ShardVertices: shard}})
		if errors.Is(err, garaph.ErrRunning) {
			return nil
		}
		return err
	}
	if err := replace(1); err != nil {
		t.Fatal(err)
	}
	least := int64(10)
	if testsize.Long {
		least = 100
	}
	var work sync.WaitGroup
	var replaced, began, refused atomic.Int64
	goes := func() bool { return min(replaced.Load(), began.Load()) < least && !t.Failed() }
	work.Go(func() {
		for ; goes(); replaced.Add(1) {
			if err := replace(1 + int(replaced.Load()%3)); err != nil {
				t.Error(err)
			}
		}
	})
	work.Go(func() {
		for goes() {
			g, err := garaph.Open(path)
			if err != nil {
				t.Error(err)
				return
			}
			time.Sleep(time.Duration((began.Load()+refused.Load())%5) * time.Millisecond) // the time for an import
			r, err := garaph.Run(t.Context(), g, programs.BFS{}, garaph.RunOptions{Threads: 1, Checkpoints: garaph.Checkpoints{Every: 1}})
			switch {
			case errors.Is(err, garaph.ErrReplaced):
				refused.Add(1)
			case err != nil:
				t.Error(err)
			default:
				began.Add(1)
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
	t.Logf("%d imports, %d jobs began, %d did not", replaced.Load(), began.Load(), refused.Load())
}
