package cli

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/checkpoint"
)

// TestManySources checks that sources that are too many for the record of a job stay in their
// file, and the job is resumed with them.
func TestManySources(t *testing.T) {
	dir := memoryDir(t)
	file := func(name string) string { return filepath.Join(dir, name) }
	h := &hostile{t: t}
	const sources = 30_000
	r := rand.New(rand.NewPCG(1, 2))
	var edges, ids bytes.Buffer
	for v := range sources + 1000 {
		name := fmt.Sprintf("a vertex with a rather long name, %d", v)
		fmt.Fprintf(&edges, "%s\ta vertex with a rather long name, %d\n", name, r.IntN(sources))
		if v < sources {
			fmt.Fprintln(&ids, name)
		}
	}
	if ids.Len() <= mostRecorded {
		t.Fatalf("%d bytes of sources are recorded", ids.Len())
	}
	h.must(os.WriteFile(file("edges.tsv"), edges.Bytes(), 0o666))
	h.must(os.WriteFile(file("ids.txt"), ids.Bytes(), 0o666))
	graph := file("g")
	if _, err := garaph.Import(t.Context(), []string{file("edges.tsv")}, graph, garaph.ImportOptions{}); err != nil {
		t.Fatal(err)
	}
	garaphs := func(args ...string) {
		t.Helper()
		var stderr bytes.Buffer
		if code := Run(t.Context(), args, nil, io.Discard, &stderr, builtinPrograms()...); code != exitDone {
			t.Fatalf("%v: exit code %d\n%s", args, code, stderr.String())
		}
	}
	garaphs("run", "pagerank", graph, "--sources", file("ids.txt"), "--iterations", "20", "--output",
		file("whole.tsv"), "-q")
	interrupt(t, graph, 4, "--sources", file("ids.txt"), "--iterations", "20", "--checkpoint-every", "2", "--output",
		file("resumed.tsv"))
	jobs, err := checkpoint.List(filepath.Join(graph, "jobs"))
	h.must(err)
	last := jobs[len(jobs)-1]
	if last.Status != checkpoint.Interrupted || last.Flags["sources"] != file("ids.txt") || last.Flags["source"] != "" {
		t.Fatalf("job %d is %s, and has sources %.100q in %q",
			last.ID, last.Status, last.Flags["source"], last.Flags["sources"])
	}
	fails := func(code int, want string, args ...string) {
		t.Helper()
		var stderr bytes.Buffer
		if got := Run(t.Context(), args, nil, io.Discard, &stderr, builtinPrograms()...); got != code ||
			!strings.Contains(stderr.String(), want) {
			t.Errorf("%v: exit code %d\n%s", args, got, stderr.String())
		}
	}
	h.must(os.WriteFile(file("ids.txt"), ids.Bytes()[:ids.Len()/2], 0o666)) // to the middle of a name that is one too
	fails(exitFailed, "", "resume", graph, "--output", file("resumed.tsv"), "-q")
	h.must(os.WriteFile(file("ids.txt"), ids.Bytes(), 0o666))
	garaphs("resume", graph, "--output", file("resumed.tsv"), "-q")
	whole, err := os.ReadFile(file("whole.tsv"))
	h.must(err)
	if resumed, err := os.ReadFile(file("resumed.tsv")); err != nil || !bytes.Equal(whole, resumed) {
		t.Errorf("%d bytes of the resumed run differ from the %d of the whole one: %v", len(resumed), len(whole), err)
	}
}
