package cli

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/internal/testsize"
)

// interruptedSearch makes a graph with a community search that was interrupted while it searched
// for the second query.
func interruptedSearch(t *testing.T, dir string) (graph string) {
	t.Helper()
	r := rand.New(rand.NewPCG(7, 7))
	var text strings.Builder
	for v := range 300 {
		for range 12 {
			fmt.Fprintf(&text, "%d %d\n", v, r.IntN(300))
		}
	}
	edges, graph := filepath.Join(dir, "edges.txt"), filepath.Join(dir, "g")
	if err := os.WriteFile(edges, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := garaph.Import(t.Context(), []string{edges}, graph, garaph.ImportOptions{}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stderr := cancellingAt{text: "wrote checkpoint [0-9]+, after [1-9] answer", cancel: cancel}
	args := []string{"community", graph, "--queries", "-", "--min-size", "2", "--max-size", "30", "--device", "cpu", "--time-limit", "100ms", "--checkpoint-interval", "20ms", "-v"}
	if code := Run(ctx, args, strings.NewReader("1\n2\n3\n4\n5\n6\n7\n8\n9\n"), io.Discard, &stderr); code != exitInterrupted {
		t.Fatalf("exit code %d\n%s", code, stderr.String())
	}
	return graph
}

// cancellingAt is standard error that cancels when a text is written to it.
type cancellingAt struct {
	lockedBuffer
	text   string // a pattern
	cancel context.CancelFunc
}

func (c *cancellingAt) Write(p []byte) (int, error) {
	n, err := c.lockedBuffer.Write(p)
	if regexp.MustCompile(c.text).MatchString(c.String()) {
		c.cancel()
	}
	return n, err
}

// TestHostileSearch changes what the checkpoint of a search says, under its right checksums: resume
// refuses it, or ends with some answers.
func TestHostileSearch(t *testing.T) {
	sound := interruptedSearch(t, memoryDir(t))
	dir, codes := memoryDir(t), map[int]int{}
	cases := 25
	if testsize.Long {
		cases = 200
	}
	for n := range cases {
		r := rand.New(rand.NewPCG(uint64(n), 12))
		graph := filepath.Join(dir, "g")
		if err := os.RemoveAll(graph); err != nil {
			t.Fatal(err)
		}
		if err := copyTree(sound, graph); err != nil {
			t.Fatal(err)
		}
		what := changeSearch(t, graph, r)
		var stderr bytes.Buffer
		begin := time.Now()
		code := Run(t.Context(), []string{"resume", graph, "--memory", "100MiB", "--time-limit", "10ms"}, nil, io.Discard, &stderr)
		if codes[code]++; code != exitDone && code != exitFailed || strings.Contains(stderr.String(), "panic") || time.Since(begin) > tooLong {
			t.Errorf("case %d, %s: exit code %d after %v\n%s", n, what, code, time.Since(begin), stderr.String())
		}
	}
	t.Logf("exit codes %v", codes)
}

// changeSearch changes a word of the checkpoint of a search, or a number of its closing record.
func changeSearch(t *testing.T, graph string, r *rand.Rand) (what string) {
	t.Helper()
	folders, err := filepath.Glob(filepath.Join(graph, "jobs", "1", "epoch-*"))
	if err != nil || len(folders) == 0 {
		t.Fatalf("no checkpoint: %v", err)
	}
	folder := folders[len(folders)-1]
	values := valuesOf(filepath.Join(folder, "db"))
	name := filepath.Join(folder, "VALUES")
	state, err := readSmall(name)
	if err != nil || len(values) != 2 {
		t.Fatalf("%d keys, %v", len(values), err)
	}
	key := keysOf(values, "chunk/")[0]
	x := anyOf(r, []uint64{0, 1, math.MaxUint32, 1 << 32, 1 << 40, math.MaxInt64, 1 << 63, math.MaxUint64, r.Uint64()})
	if r.IntN(4) == 0 {
		field := anyOf(r, []string{"vertices", "value_bytes", "iteration", "chunk_vertices"})
		values["commit"] = sealChunk("commit", nil, changeJSON(values["commit"][:len(values["commit"])-4], func(m map[string]any) { m[field] = x }))
		what = fmt.Sprintf("%s = %d", field, x)
	} else {
		i := min(r.IntN(len(state)/8), r.IntN(len(state)/8), r.IntN(len(state)/8)) // most of them are in the bits of nodes
		binary.LittleEndian.PutUint64(state[8*i:], x)
		values[key] = sealChunk(key, state, values[key][:len(values[key])-4])
		what = fmt.Sprintf("word %d of %d = %#x", i, len(state)/8, x)
	}
	if err := os.WriteFile(name, state, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := writeBadger(filepath.Join(folder, "db"), values, 0, nil); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(folder, "db", "DISCARD")); err != nil {
		t.Fatal(err)
	}
	if err := sumEpoch(folder); err != nil {
		t.Fatal(err)
	}
	return what
}
