package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/pflag"
	"golang.org/x/sys/unix"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/ingest"
	"github.com/garaph/garaph/store"
)

// soundGraph is a graph with jobs, before anything happens to it.
type soundGraph struct {
	name    string
	folder  string            // where it lies, to be copied
	vertex  func(int) string  // the name of a vertex, by number
	results map[string][]byte // by command line: see expected
	peaks   map[string]int64  // by command: of the process that ran it
}

// soundGraphs makes the graphs: each has jobs that are done, that were
// interrupted, with checkpoints and an output, and that were killed.
func (h *hostile) soundGraphs() (list []*soundGraph) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, g := range []struct {
		name    string
		options garaph.ImportOptions
		edges   int
		vertex  func(int) string
	}{
		{"named and weighted", garaph.ImportOptions{Storage: ingest.StorageOptions{ShardVertices: 64, Layout: store.CSC}},
			6000, func(v int) string { return fmt.Sprintf("vertex-%03d", v) }},
		{"undirected, with sparse ids", garaph.ImportOptions{
			Storage: ingest.StorageOptions{ShardVertices: 100},
			Edges:   garaph.EdgeOptions{Undirected: true},
		}, 3000, func(v int) string { return strconv.Itoa(v * 1_000_003) }},
		{"packed, named and weighted",
			garaph.ImportOptions{Storage: ingest.StorageOptions{ShardVertices: 64, Layout: store.Packed, Rows: true}}, 6000,
			func(v int) string { return fmt.Sprintf("vertex-%03d", v) }},
		{"small and dense", garaph.ImportOptions{Storage: ingest.StorageOptions{Layout: store.CSC}}, 60, strconv.Itoa},
	} {
		n := min(400, g.edges/4)
		var text strings.Builder
		for i := range n {
			fmt.Fprintf(&text, "%s %s", g.vertex(i), g.vertex((i+1)%n))
			if g.options.Storage.ShardVertices == 64 {
				fmt.Fprintf(&text, " %d", 1+i%9)
			}
			text.WriteByte('\n')
		}
		for range g.edges - n {
			fmt.Fprintf(&text, "%s %s", g.vertex(r.IntN(n)), g.vertex(int(float64(n)*r.Float64()*r.Float64())))
			if g.options.Storage.ShardVertices == 64 {
				fmt.Fprintf(&text, " %d", 1+r.IntN(9))
			}
			text.WriteByte('\n')
		}
		s := &soundGraph{name: g.name, vertex: g.vertex, results: map[string][]byte{}, peaks: map[string]int64{}}
		h.make(s, text.String(), g.options)
		list = append(list, s)
	}
	return list
}

// make imports a graph and runs jobs over it, where cases find it, and puts it
// aside.
func (h *hostile) make(s *soundGraph, edges string, o garaph.ImportOptions) {
	h.emptyCase()
	name, graph := h.in("work", "edges.txt"), h.in("work", "g.graph")
	h.must(os.WriteFile(name, []byte(edges), 0o666))
	_, err := garaph.Import(h.t.Context(), []string{name}, graph, o)
	h.must(err)
	h.interruptedJob(graph, 3, "done", "--iterations", "3")
	h.interruptedJob(graph, 3, "two", "--checkpoint-every", "1", "--iterations", "9", "--precision", "64")
	h.interruptedJob(graph, 4, "three", "--checkpoint-every", "2", "--iterations", "9", "--report",
		h.in("work", "out", "report.html"), "--trace", h.in("work", "out", "trace.json"))
	h.interruptedJob(graph, 5, "four", "--checkpoint-every", "1", "--iterations", "9", "--device", "hybrid",
		"--gpu", "emulated")
	h.killedJob(filepath.Join(graph, "jobs", "4"))
	s.folder = filepath.Join(h.dir, s.name)
	h.must(os.Rename(h.in("work"), s.folder))
}

// interruptedJob runs PageRank until an iteration, or to its end where there is
// none after it, with its results in a file.
func (h *hostile) interruptedJob(graph string, until int, out string, flags ...string) {
	interrupt(h.t, graph, until, append(flags, "--output", h.in("work", "out", out+".tsv"))...)
}

// interrupt runs PageRank in this process and interrupts it after an iteration.
func interrupt(t *testing.T, graph string, until int, flags ...string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	own := builtinPrograms()[0] // PageRank
	setup := own.Setup
	own.Setup = func(fs *pflag.FlagSet) Runner {
		run := setup(fs)
		return func(ctx context.Context, e Env) (*garaph.Result, error) {
			e.Options.Progress = func(it garaph.Iteration) {
				if it.Iteration == until {
					cancel()
				}
			}
			return run(ctx, e)
		}
	}
	var stderr bytes.Buffer
	code := Run(ctx, append([]string{"run", "pagerank", graph, "-q"}, flags...), nil, io.Discard, &stderr, own)
	if code != exitDone && code != exitInterrupted {
		t.Fatalf("%v: exit code %d\n%s", flags, code, stderr.String())
	}
}

// killedJob makes of an interrupted job one that looks as if its process was
// killed while it wrote an epoch.
func (h *hostile) killedJob(folder string) {
	h.changeJob(folder, func(x map[string]any) { x["status"] = "running" })
	epochs, err := filepath.Glob(filepath.Join(folder, "epoch-*"))
	h.must(err)
	h.must(os.CopyFS(filepath.Join(folder, ".epoch-00000099.writing"), os.DirFS(epochs[0])))
}

// changeJob changes the record of a job.
func (h *hostile) changeJob(folder string, change func(x map[string]any)) {
	name := filepath.Join(folder, "JOB")
	b, err := os.ReadFile(name)
	h.must(err)
	head, line := splitSealed(b)
	h.must(os.WriteFile(name, sealText("JOB", head, changeJSON(line, change)), 0o666))
}

// moveIn makes the jobs of a copied graph look as if they were begun where it is.
func (h *hostile) moveIn(graph string) {
	folders, err := filepath.Glob(filepath.Join(graph, "jobs", "*"))
	h.must(err)
	for _, folder := range folders {
		var st, record unix.Statx_t
		h.must(unix.Statx(unix.AT_FDCWD, folder, 0, unix.STATX_INO|unix.STATX_BTIME, &st))
		h.must(unix.Statx(unix.AT_FDCWD, filepath.Join(folder, "JOB"), 0, unix.STATX_INO, &record))
		h.changeJob(folder, func(x map[string]any) {
			x["from"] = filepath.Dir(graph)
			x["place"] = map[string]any{"inode": st.Ino, "born": st.Btime.Sec*1e9 + int64(st.Btime.Nsec)}
			x["file"] = record.Ino
		})
	}
}

// setUp makes the folders of a case with a copy of the graph.
func (h *hostile) setUp(g *soundGraph) {
	h.emptyCase()
	h.must(os.Remove(h.in("work", "out")))
	h.must(os.Remove(h.in("work")))
	h.must(copyTree(g.folder, h.in("work")))
	h.moveIn(h.in("work", "g.graph"))
}

func (h *hostile) emptyCase() {
	h.must(os.RemoveAll(h.root()))
	for _, name := range []string{"work/out", "tmp", "user/folder/deeper"} {
		h.must(os.MkdirAll(h.in(name), 0o777))
	}
	for _, name := range userFiles {
		h.must(os.WriteFile(h.in("user", name), []byte("the user's "+name+"\n"), 0o666))
	}
	// a graph of the user's own, with a job, and one that looks like an epoch
	for _, name := range []string{"folder/1/JOB", "folder/1/epoch-00000001/EPOCH", "folder/.epoch-00000001.writing/x",
		"folder/.job-letters/x", "folder/db/000001.vlog"} {
		h.must(os.MkdirAll(filepath.Dir(h.in("user", name)), 0o777))
		h.must(os.WriteFile(h.in("user", name), []byte("the user's "+name+"\n"), 0o666))
		h.must(os.Chtimes(filepath.Dir(h.in("user", name)), longAgo, longAgo))
	}
}

var (
	longAgo   = time.Now().Add(-48 * time.Hour)
	userFiles = []string{"notes.txt", "ranks.tsv", "folder/letter.txt", "folder/deeper/JOB"}
)

// copyTree copies files and folders, with their modes and holes.
func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(from, path)
		info, err := e.Info()
		if err != nil {
			return err
		}
		if e.IsDir() {
			return os.Mkdir(filepath.Join(to, rel), info.Mode().Perm())
		}
		b, err := readSmall(path)
		if err != nil {
			return err
		}
		name := filepath.Join(to, rel)
		if err := os.WriteFile(name, bytes.TrimRight(b, "\x00"), info.Mode().Perm()); err != nil {
			return err
		}
		return os.Truncate(name, info.Size())
	})
}

func (h *hostile) must(err error) {
	if err != nil {
		h.t.Helper()
		h.t.Fatal(err)
	}
}

// fileState is what reports whether somebody touched a file.
type fileState struct {
	mode    os.FileMode
	size    int64
	changed time.Time
	inode   uint64
	text    string // of a file, or where a link leads to
}

// snapshot is the state of all in the case's folder but the graph, its output and
// the folder for temporary files.
func (h *hostile) snapshot() map[string]fileState {
	all := map[string]fileState{}
	skip := map[string]bool{h.in("work", "g.graph"): true, h.in("work", "out"): true, h.in("work"): true, h.root(): true}
	h.must(filepath.WalkDir(h.root(), func(path string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if skip[path] {
			if filepath.Dir(path) == h.in("work") && e.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		s := fileState{mode: info.Mode(), size: info.Size(), inode: info.Sys().(*syscall.Stat_t).Ino}
		if path != h.in("tmp") {
			s.changed = info.ModTime()
		}
		switch {
		case info.Mode().IsRegular():
			b, _ := readSmall(path) // a huge one has a hole
			s.text = string(b)
		case info.Mode()&os.ModeSymlink != 0:
			s.text, _ = os.Readlink(path)
		}
		all[path] = s
		return nil
	}))
	return all
}
