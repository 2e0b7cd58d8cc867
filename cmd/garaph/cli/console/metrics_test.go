package console

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
)

// TestMetricsKept checks that the file is written again and again, and that a folder that goes is a warning, once.
func TestMetricsKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dir")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	core, logs := observer.New(zap.WarnLevel)
	m := newMetrics("")
	m.every = time.Millisecond
	path := filepath.Join(dir, "x.prom")
	if err := m.keep(path, zap.New(core)); err != nil {
		t.Fatal(err)
	}
	m.Count("garaph_iterations_total", 7)
	wait := func(done func() bool) {
		t.Helper()
		for begun := time.Now(); !done(); time.Sleep(time.Millisecond) {
			if time.Since(begun) > 10*time.Second {
				t.Fatal("it did not happen")
			}
		}
	}
	wait(func() bool {
		text, _ := os.ReadFile(path)
		return bytes.Contains(text, []byte(`garaph_iterations_total{run="x"} 7`))
	})
	if err := os.Rename(dir, dir+"-gone"); err != nil {
		t.Fatal(err)
	}
	wait(func() bool { return logs.Len() > 0 })
	time.Sleep(20 * time.Millisecond)
	if logs.Len() != 1 {
		t.Errorf("warned %d times", logs.Len())
	}
	m.Finish(0, zap.NewNop())
}
