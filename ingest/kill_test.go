package ingest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/garaph/garaph/store"
)

// TestKilledImportChild is the process that TestKilledImport kills.
func TestKilledImportChild(t *testing.T) {
	args := strings.Fields(os.Getenv("GARAPH_KILLED_IMPORT"))
	if len(args) != 3 {
		t.Skip("runs as a child of TestKilledImport only")
	}
	if _, err := Import(context.Background(), args[:1], args[1],
		Options{Storage: StorageOptions{ShardVertices: 100, Order: store.Order(args[2])}, Force: true}); err != nil {
		t.Fatal(err)
	}
}

// TestKilledImport kills imports at random moments: no half graph stands there
// afterwards, an older graph is as it was, and the next import succeeds and
// leaves nothing else behind.
func TestKilledImport(t *testing.T) {
	for _, order := range []store.Order{store.ByInput, store.ByDegree} {
		t.Run(string(order), func(t *testing.T) { testKilledImport(t, order) })
	}
}

func testKilledImport(t *testing.T, order store.Order) {
	dir := t.TempDir()
	input, path := filepath.Join(dir, "edges.txt"), filepath.Join(dir, "graph")
	var text strings.Builder
	for i := range 300_000 {
		fmt.Fprintf(&text, "%d %d\n", i*7919%20011, i*i%10007)
	}
	if err := os.WriteFile(input, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	child := func() *exec.Cmd {
		c := exec.Command(os.Args[0], "-test.run=^TestKilledImportChild$")
		c.Env = append(os.Environ(), "GARAPH_KILLED_IMPORT="+input+" "+path+" "+string(order))
		return c
	}
	start := time.Now()
	if out, err := child().CombinedOutput(); err != nil {
		t.Fatalf("an undisturbed import: %v\n%s", err, out)
	}
	took := time.Since(start)
	want := fingerprint(t, path)
	rng := rand.New(rand.NewPCG(1, 2))
	killed, rounds := 0, 20
	// an import may take less time than the first one
	for round := 0; round < rounds || killed < 5 && round < 20*rounds; round++ {
		if round%2 == 0 { // no older graph
			if err := os.RemoveAll(path); err != nil {
				t.Fatal(err)
			}
		} else if out, err := child().CombinedOutput(); err != nil {
			t.Fatalf("round %d: %v\n%s", round, err, out)
		}
		c := child()
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(rng.Int64N(int64(took))))
		_ = c.Process.Kill() // may have ended
		if c.Wait() != nil {
			killed++
		}
		switch _, err := os.Stat(path); {
		case errors.Is(err, os.ErrNotExist) && round%2 == 0:
		case err != nil:
			t.Fatalf("round %d: the older graph is gone: %v", round, err)
		default:
			if got := fingerprint(t, path); got != want {
				t.Fatalf("round %d: a graph with fingerprint %s, want %s", round, got, want)
			}
		}
	}
	if killed < 5 {
		t.Errorf("only %d imports were killed before their end", killed)
	}
	if out, err := child().CombinedOutput(); err != nil {
		t.Fatalf("the import after the killed ones: %v\n%s", err, out)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != "edges.txt" && e.Name() != "graph" {
			t.Errorf("%s was left behind", e.Name())
		}
	}
}

// fingerprint verifies a graph and returns its fingerprint.
func fingerprint(t *testing.T, path string) string {
	t.Helper()
	s, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	err = s.Verify(context.Background(), 1, func(int64) {}, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	return s.Catalogue().Fingerprint
}
