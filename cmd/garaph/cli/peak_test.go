package cli

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/garaph/garaph/cmd/garaph/cli/output"
	"github.com/garaph/garaph/internal/testsize"
)

// peakMain runs a command and writes the peak of its resident memory, in KiB, to
// a file. It is a small process of its own: a child's peak is at least the
// memory of the process that started it.
func peakMain() {
	c := exec.Command(os.Args[2], os.Args[3:]...)
	c.Stdin, c.Stderr = os.Stdin, os.Stderr
	err := c.Run()
	if c.ProcessState == nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(125)
	}
	peak := c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss
	if err := os.WriteFile(os.Args[1], strconv.AppendInt(nil, peak, 10), 0o666); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(125)
	}
	os.Exit(c.ProcessState.ExitCode())
}

// mostOfBudget is how much of its budget a process may take.
const mostOfBudget = 1.1

// idKind is a graph with ids of a kind.
type idKind struct {
	name, file string
	vertices   int
	weighted   bool
	flags      string // of the import
	id         func(v int) string
}

func idKinds() []idKind {
	long := strings.Repeat("/a-rather-long-path", 450)
	spread := func(v int) uint64 { return uint64(v) * 0x9e3779b97f4a7c15 }
	return []idKind{
		{"sparse", "edges.txt", 300_000, true, "", func(v int) string { return strconv.FormatUint(spread(v)>>24, 10) }},
		{"long names", "edges.txt", 12_000, false, "--undirected",
			func(v int) string { return fmt.Sprintf("v%d%s", v, long) }},
		{"dense", "edges.el", 2_000_000, false, "", strconv.Itoa},
		{"small integers", "edges.txt", 2_000_000, true, "", func(v int) string { return strconv.Itoa(v + 7) }},
		{"64 bits", "edges.txt", 600_000, false, "--undirected",
			func(v int) string { return strconv.FormatUint(spread(v)|1<<63, 10) }},
		{"negative", "edges.txt", 600_000, false, "", func(v int) string { return strconv.FormatInt(int64(spread(v)), 10) }},
		{"names", "edges.txt", 600_000, true, "", func(v int) string { return "user-" + strconv.Itoa(v) }},
		{"ldbc", "graph.e", 600_000, true, "--undirected", func(v int) string { return strconv.Itoa(3 * v) }},
	}
}

// write makes the edge file, with a .v file beside it in format LDBC.
func (k *idKind) write(t *testing.T, folder string) string {
	t.Helper()
	path := filepath.Join(folder, k.file)
	rng := rand.New(rand.NewPCG(1, 2))
	edges := func(w io.Writer) error {
		b := bufio.NewWriter(w)
		for v := range 3 * k.vertices {
			fmt.Fprintf(b, "%s %s", k.id(v%k.vertices), k.id(rng.IntN(k.vertices)))
			if k.weighted {
				fmt.Fprintf(b, " %d", 1+rng.IntN(9))
			}
			_ = b.WriteByte('\n')
		}
		return b.Flush()
	}
	err := output.WriteWhole(path, false, edges)
	if name, ok := strings.CutSuffix(path, ".e"); ok && err == nil {
		err = output.WriteWhole(name+".v", false, func(w io.Writer) error {
			b := bufio.NewWriter(w)
			for v := range k.vertices + 1000 {
				fmt.Fprintln(b, k.id(v))
			}
			return b.Flush()
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// writeIDs makes a file with the ids of most vertices.
func (k *idKind) writeIDs(t *testing.T, folder string) string {
	t.Helper()
	path := filepath.Join(folder, "ids.txt")
	err := output.WriteWhole(path, false, func(w io.Writer) error {
		b := bufio.NewWriter(w)
		for v := range k.vertices / 10 * 9 {
			fmt.Fprintln(b, k.id(v))
		}
		return b.Flush()
	})
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// raceDetector is set in builds with -race.
var raceDetector bool

var namedBudget = regexp.MustCompile(
	`(?:the smallest budget for it is |--memory |below the least one of |a budget of )(\d+)MiB`,
)

// peakOf runs garaph within a budget and returns its peak in bytes. A budget that
// is refused gives the one that is said to be enough, in MiB.
func peakOf(t *testing.T, mib int, args ...string) (peak int64, enough int) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "peak")
	p := newProcess(t, args...)
	p.Cmd = exec.Command("peak",
		append(append([]string{out, "garaph"}, args...), "--memory", fmt.Sprintf("%dMiB", mib), "-q")...)
	p.Stderr = &p.stderr
	p.Env = append(os.Environ(), "TMPDIR="+p.tmp)
	err := p.Run()
	if found := namedBudget.FindStringSubmatch(p.stderr.String()); err != nil && found != nil {
		enough, _ = strconv.Atoi(found[1])
		if enough <= mib {
			t.Fatalf("%v: with %d MiB: %s", args, mib, p.stderr.String())
		}
		return 0, enough
	}
	b, errFile := os.ReadFile(out)
	if err := errors.Join(err, errFile); err != nil {
		t.Fatalf("%.300v: %v\n%.1000s", args, err, p.stderr.String())
	}
	kib, err := strconv.ParseInt(string(bytes.TrimSpace(b)), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return kib << 10, 0
}

// atLeast runs garaph within the least budget that it accepts, to within a
// hundredth, and compares its peak with that.
func atLeast(t *testing.T, what string, args ...string) {
	t.Helper()
	refused, mib := 0, 1
	var peak int64
	for {
		p, enough := peakOf(t, mib, args...)
		if enough == 0 {
			peak = p
			break
		}
		refused, mib = mib, enough
	}
	if args[0] == "import" { // what is enough need not be the least
		for mib-refused > max(1, mib/100) {
			middle := (refused + mib) / 2
			if p, enough := peakOf(t, middle, args...); enough == 0 {
				peak, mib = p, middle
			} else {
				refused = middle
			}
		}
	}
	share := float64(peak) / float64(int64(mib)<<20)
	t.Logf("%-50s budget %4d MiB, peak %6.1f MiB, %.2f", what, mib, float64(peak)/(1<<20), share)
	if share > mostOfBudget {
		t.Errorf("%s: with --memory %dMiB the peak is %.1f MiB, %.2f of it", what, mib, float64(peak)/(1<<20), share)
	}
}

// TestBudget compares the peak of memory with the least budget that a command
// accepts. GARAPH_BUDGETS=all is for every kind of ids, program and format.
func TestBudget(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector takes several times the memory; .ci/run runs this test without it")
	}
	if testing.Short() {
		t.Skip("it imports graphs of many vertices")
	}
	all := os.Getenv("GARAPH_BUDGETS") == "all"
	formats := []string{"parquet", "tsv", "csv", "ndjson", "tsv.gz", "csv.zst", "npy"}
	kinds, programs := idKinds(), killed
	if !all {
		formats, kinds = formats[:1], kinds[:2]
		if !testsize.Long {
			kinds = kinds[:1]
		}
	}
	for i, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			calls := 0
			other := func(what string, args ...string) { // than what makes the graph
				t.Helper()
				if calls++; testsize.Long || calls%3 == 1 {
					atLeast(t, what, args...)
				}
			}
			folder := t.TempDir()
			graph := filepath.Join(folder, "graph")
			edges := k.write(t, folder)
			if testsize.Long {
				atLeast(t, k.name+": import as csc",
					append([]string{"import", "--force", "--layout", "csc", edges, graph}, strings.Fields(k.flags)...)...)
			}
			atLeast(t, k.name+": import",
				append([]string{"import", "--force", "--rows", edges, graph}, strings.Fields(k.flags)...)...)
			other(k.name+": export", "export", graph, "--output", filepath.Join(folder, "out.txt"))
			other(k.name+": export as Parquet", "export", graph, "--output", filepath.Join(folder, "out.parquet"))
			other(k.name+": export as Arrow", "export", graph, "--output", filepath.Join(folder, "out.arrow"))
			ids := k.writeIDs(t, folder)
			other(k.name+": many sources", "run", "bfs", graph, "--device", "cpu", "--sources", ids, "--output",
				filepath.Join(folder, "out.csv"))
			other(k.name+": parents of many sources", "run", "bfs", graph, "--device", "cpu", "--sources", ids, "--parents",
				"--output", filepath.Join(folder, "out.csv"))
			other(k.name+": ranks of many sources", "run", "pagerank", graph, "--device", "cpu", "--sources", ids, "--weighted",
				"--output", filepath.Join(folder, "out.csv"))
			other(k.name+": subgraph of ids", "subgraph", graph, "--ids", ids, "--output",
				filepath.Join(folder, "most"), "--force")
			other(k.name+": subgraph", "subgraph", graph, "--source", k.id(0), "--hops", "4", "--output",
				filepath.Join(folder, "near"), "--force")
			other(k.name+": parents", "run", "bfs", graph, "--device", "cpu", "--source", k.id(0), "--parents", "--output",
				filepath.Join(folder, "out.csv"))
			other(k.name+": path", "path", graph, k.id(0), k.id(1))
			other(k.name+": neighbors", "neighbors", graph, k.id(0))
			other(k.name+": triangles --top", "run", "triangles", graph, "--top", "10")
			other(k.name+": triangles", "run", "triangles", graph, "--output", filepath.Join(folder, "triangles.parquet"))
			other(k.name+": truss", "run", "truss", graph, "--output", filepath.Join(folder, "truss.parquet"))
			lines := []string{"forest", "cdlp", "lcc", "scc", "betweenness --samples 2", "hits", "eigenvector", "harmonic"}
			for _, line := range lines {
				if name := strings.Fields(line); all || i == 0 || line == "forest" {
					args := append([]string{"run", name[0], graph}, name[1:]...)
					other(k.name+": "+line, append(args, "--output", filepath.Join(folder, name[0]+".parquet"))...)
				}
			}
			for j, p := range programs {
				if !all && p.program != []string{"sssp", "wcc"}[i] {
					continue
				}
				args := []string{"run", p.program, graph, "--device", "cpu"}
				for _, arg := range strings.Fields(p.args) {
					switch args[len(args)-1] {
					case "--source":
						arg = k.id(0)
					case "--ground":
						arg = k.id(1)
					}
					args = append(args, arg)
				}
				args = append(args, "--iterations", "3")
				for f, format := range formats {
					if format == "npy" && len(k.id(0)) > 4096 || i > 1 && (f+j)%3 != 0 {
						continue // refused; or seen with other programs
					}
					other(fmt.Sprintf("%s: %s as %s", k.name, p.program, format),
						append(args, "--output", filepath.Join(folder, "out."+format))...)
				}
				other(fmt.Sprintf("%s: %s --top", k.name, p.program), append(args, "--top", "10", "--json")...)
			}
		})
	}
}

// TestCommunityBudget checks that core numbers and community search keep within the least budget that they accept,
// and the search within roomy ones, of a vertex with a large problem.
func TestCommunityBudget(t *testing.T) {
	testsize.OnlyLong(t, "it searches for tens of seconds")
	if raceDetector {
		t.Skip("the race detector takes several times the memory; .ci/run runs this test without it")
	}
	if testing.Short() {
		t.Skip("it imports a graph of many edges")
	}
	graph := filepath.Join(t.TempDir(), "graph")
	edges := filepath.Join(t.TempDir(), "edges.raw")
	for _, args := range [][]string{
		{"generate", "rmat", "--scale", "17", "--format", "raw", "--output", edges, "-q"},
		{"import", "--undirected", "--dedup", "--format", "raw", edges, graph, "-q"},
	} {
		if p := newProcess(t, args...); p.Run() != nil {
			t.Fatal(p.stderr.String())
		}
	}
	atLeast(t, "coreness", "run", "coreness", graph, "--top", "10")
	for _, threads := range []string{"1", "4"} {
		args := []string{"community", graph, "--query", "60000", "--min-size", "9", "--max-size", "15", "--time-limit", "3s",
			"--device", "cpu", "--threads", threads}
		atLeast(t, threads+" threads", args...)
		for _, mib := range []int{256, 1024} {
			peak, enough := peakOf(t, mib, args...)
			share := float64(peak) / float64(int64(mib)<<20)
			t.Logf("%s threads, budget %d MiB, peak %.1f MiB, %.2f", threads, mib, float64(peak)/(1<<20), share)
			if enough > 0 || share > mostOfBudget {
				t.Errorf("%s threads: with --memory %dMiB the peak is %.1f MiB; %d MiB were asked for",
					threads, mib, float64(peak)/(1<<20), enough)
			}
		}
	}
}
