package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/garaph/garaph/internal/testsize"
)

// TestLeastMemory: the smallest budget that an error names is one, whatever has to be in memory at once
// or one after another, and it is named at the first attempt.
func TestLeastMemory(t *testing.T) {
	dir := t.TempDir()
	edges := filepath.Join(dir, "edges.txt")
	var text bytes.Buffer
	for v := range 300_000 {
		fmt.Fprintf(&text, "v%d v%d %d\n", v, (v*7+1)%300_000, v%9)
	}
	if err := os.WriteFile(edges, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	graph := filepath.Join(dir, "g.graph")
	run := func(line string, more ...string) (code int, stderr string) {
		var b bytes.Buffer
		code = Run(t.Context(), append(strings.Fields(line), more...), nil, io.Discard, &b)
		return code, b.String()
	}
	if code, stderr := run("import -q --columns 1,2,3", edges, graph); code != exitDone {
		t.Fatal(stderr)
	}
	named := regexp.MustCompile(`(?:the smallest budget for it is|a budget of) ([0-9]+MiB)`)
	out := filepath.Join(dir, "out.csv")
	for _, line := range testsize.Some([]string{
		"run pagerank --weighted", "run pagerank --weighted --precision 64 --source v0", "run pagerank", "run coreness",
		"run sssp --source v0 --parents", "export --format ligra", "export --format sg --no-weights", "export --format wsg", "export --format parquet", "community --query v0 --max-size 5", "community --query v0 --min-size 90000 --max-size 300000", "export --format csv",
	}, 3, 0) {
		first := named.FindStringSubmatch(second(run(line, graph, "-q", "-o", out, "--memory", "1MiB")))
		if first == nil {
			t.Errorf("%s: no budget is named: %s", line, second(run(line, graph, "-q", "-o", out, "--memory", "1MiB")))
			continue
		}
		if code, stderr := run(line, graph, "-q", "-o", out, "--memory", first[1]); code != exitDone {
			t.Errorf("%s with %s: %s", line, first[1], stderr)
		}
	}
}

func second[A, B any](_ A, b B) B { return b }
