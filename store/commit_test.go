package store_test

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/garaph/garaph/checkpoint"
	"github.com/garaph/garaph/internal/testgraph"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/rows"
	"github.com/garaph/garaph/store"
)

// entries returns the names in a folder, hidden ones too.
func entries(t *testing.T, dir string) []string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

// begin creates a graph and stores all of it but the catalogue: one vertex.
func begin(t *testing.T, path string, force bool) (*store.Writer, *store.Catalogue) {
	t.Helper()
	w, err := store.Create(path, force)
	if err != nil {
		t.Fatal(err)
	}
	blob := aligned(int(rows.Size(1, 0, 0)))
	side := rows.Layout(blob, shard.In, 0, 0, 1, 0, 0)
	info := store.ShardInfo{Vertices: 1, InSum: rows.Seal(blob)}
	if err := w.PutShard(0, side); err != nil {
		t.Fatal(err)
	}
	if err := w.IDs(store.IDBase, 7).Finish(); err != nil {
		t.Fatal(err)
	}
	return w, &store.Catalogue{Vertices: 1, Symmetric: true, Shards: []store.ShardInfo{info}, Source: []string{"a", "b"}}
}

// TestCommit checks that a graph appears at once, whole, at Commit; what it was built in
// is gone.
func TestCommit(t *testing.T) {
	dir := memoryDir(t)
	path := filepath.Join(dir, "g")
	w, cat := begin(t, path, false)
	if filepath.Dir(w.Dir()) != dir || !strings.HasPrefix(filepath.Base(w.Dir()), ".g.importing-") {
		t.Errorf("it is built in %s", w.Dir())
	}
	if _, err := store.Open(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("before Commit: %v", err)
	}
	if _, err := store.Open(w.Dir()); !errors.Is(err, store.ErrNotGraph) {
		t.Errorf("the folder in which it is built: %v", err)
	}
	if err := w.Commit(cat); err != nil {
		t.Fatal(err)
	}
	if names := entries(t, dir); !slices.Equal(names, []string{"g"}) {
		t.Errorf("after Commit: %v", names)
	}
	if err := w.Abort(); err != nil {
		t.Errorf("Abort after Commit: %v", err)
	}
	c := open(t, path).Catalogue()
	if c.Vertices != 1 || !slices.Equal(c.Source, []string{"a", "b"}) || c.Created.IsZero() || c.IDs.Base != 7 {
		t.Errorf("catalogue %+v", c)
	}
	if _, err := store.Create(path, false); !errors.Is(err, store.ErrGraphExists) || !errors.Is(err, store.ErrExists) {
		t.Errorf("a second graph at the path: %v", err)
	}
	if names := entries(t, dir); !slices.Equal(names, []string{"g"}) {
		t.Errorf("after a refused Create: %v", names)
	}
}

func TestAbort(t *testing.T) {
	dir := memoryDir(t)
	path := filepath.Join(dir, "g")
	w, _ := begin(t, path, false)
	for range 2 {
		if err := w.Abort(); err != nil {
			t.Fatal(err)
		}
	}
	if names := entries(t, dir); len(names) != 0 {
		t.Errorf("after Abort: %v", names)
	}
	w, cat := begin(t, path, false) // the lock is free
	if err := w.Commit(cat); err != nil {
		t.Fatal(err)
	}
}

// TestForce checks that the old graph can be read until Commit, by who has it open even
// afterwards; an aborted import leaves it as it was.
func TestForce(t *testing.T) {
	dir := memoryDir(t)
	path := filepath.Join(dir, "g")
	write(t, path, testgraph.Path(), teststore.Options{})
	old := open(t, path)
	fingerprint := old.Catalogue().Fingerprint

	w, _ := begin(t, path, true)
	if err := w.Abort(); err != nil {
		t.Fatal(err)
	}
	if got := open(t, path).Catalogue().Fingerprint; got != fingerprint {
		t.Error("Abort changed the graph")
	}

	w, cat := begin(t, path, true)
	if got := open(t, path).Catalogue().Fingerprint; got != fingerprint {
		t.Error("the graph changed before Commit")
	}
	if err := w.Commit(cat); err != nil {
		t.Fatal(err)
	}
	if got := open(t, path).Catalogue().Vertices; got != 1 {
		t.Errorf("after Commit: %d vertices", got)
	}
	if got, want := neighbours(t, old, shard.In), lists(testgraph.Path(), false); got != want {
		t.Errorf("the old graph, still open:\n%swant\n%s", got, want)
	}
	if names := entries(t, dir); !slices.Equal(names, []string{"g"}) {
		t.Errorf("after Commit: %v", names)
	}
}

// TestBusy checks that there is one import at a time to one path, any number to others.
func TestBusy(t *testing.T) {
	dir := memoryDir(t)
	w, cat := begin(t, filepath.Join(dir, "g"), false)
	if _, err := store.Create(filepath.Join(dir, "g"), true); !errors.Is(err, store.ErrBusy) {
		t.Errorf("a second import to the path: %v", err)
	}
	other, otherCat := begin(t, filepath.Join(dir, "g2"), false)
	for w, cat := range map[*store.Writer]*store.Catalogue{w: cat, other: otherCat} {
		if err := w.Commit(cat); err != nil {
			t.Error(err)
		}
	}
	if names := entries(t, dir); !slices.Equal(names, []string{"g", "g2"}) {
		t.Errorf("after both: %v", names)
	}
}

// TestLeftovers checks that what a killed import left goes with the next one to the same
// path, and nothing else does: not what belongs to an import of a graph that is
// called g.importing-1, no folder that only looks like one of an import, and no
// file that someone put into one.
func TestLeftovers(t *testing.T) {
	dir := memoryDir(t)
	for _, name := range []string{".g.importing-123/db", ".g.importing-4", ".g.importing-2024/db", ".g.importing-2025",
		".g.importing-77/db", ".g.importing-old", ".g2.importing-1", "g.importing-1", ".g.importing-1.importing-5",
		".g.importing-x"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{
		".g.importing-4/GARAPH": "", ".g.importing-123/GARAPH": "garaph graph, being imported\n",
		".g.importing-123/GARAPH.new": "", ".g.importing-123/names-17": "",
		".g.importing-123/db/000001.vlog": "half", ".g.importing-2024/db/000001.vlog": "mine",
		".g.importing-2025/GARAPH": "mine", ".g.importing-old/notes": "mine",
		".g.importing-77/GARAPH":         "garaph graph, store version 1\n",
		".g.importing-77/db/000001.vlog": "", ".g.importing-77/notes": "mine",
		".g.lock": "", ".g.importing-1.lock": "", ".g.importing-9": "", "a": "mine"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var warned string
	w, cat := begin(t, filepath.Join(dir, "g"), false)
	w.Warn = func(msg string) { warned += msg }
	if err := w.Commit(cat); err != nil {
		t.Fatal(err)
	}
	for _, says := range []string{".g.importing-2024 was not made by garaph", ".g.importing-2025 was not made by garaph",
		".g.importing-77/notes is not garaph's", ".g.importing-old was"} {
		if !strings.Contains(warned, says) {
			t.Errorf("warned %q, want %q", warned, says)
		}
	}
	if left := entries(t, filepath.Join(dir, ".g.importing-77")); !slices.Equal(left, []string{"GARAPH", "notes"}) {
		t.Errorf("left %v", left)
	}
	if got, want := entries(t, dir), []string{
		".g.importing-1.importing-5", ".g.importing-1.lock", ".g.importing-2024", ".g.importing-2025", ".g.importing-77",
		".g.importing-9", ".g.importing-old", ".g.importing-x", ".g2.importing-1", "a", "g", "g.importing-1",
	}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestTarget checks what may stand at the path of a new graph, and what the error
// says otherwise.
func TestTarget(t *testing.T) {
	for _, c := range []struct {
		name  string
		make  func(path string) error
		force bool
		want  error // if nil, it is replaced
	}{
		{"nothing", func(string) error { return nil }, false, nil},
		{"an empty folder", func(p string) error { return os.Mkdir(p, 0o777) }, false, nil},
		{"a file", func(p string) error { return os.WriteFile(p, nil, 0o666) }, true, store.ErrExists},
		{"a link to nowhere", func(p string) error { return os.Symlink("nowhere", p) }, true, store.ErrExists},
		{"a folder of another program", func(p string) error { return os.MkdirAll(filepath.Join(p, "photos"), 0o777) },
			true, store.ErrExists},
		{"a graph", func(p string) error { return teststore.Write(p, testgraph.Path(), teststore.Options{}) }, false,
			store.ErrExists},
		{"a graph, with force", func(p string) error { return teststore.Write(p, testgraph.Path(), teststore.Options{}) },
			true, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := memoryDir(t)
			path := filepath.Join(dir, "g")
			if err := c.make(path); err != nil {
				t.Fatal(err)
			}
			before := entries(t, dir)
			w, err := store.Create(path, c.force)
			if !errors.Is(err, c.want) || err != nil && !strings.Contains(err.Error(), path) {
				t.Fatalf("%v, want %v", err, c.want)
			}
			if err != nil {
				if after := entries(t, dir); !slices.Equal(before, after) {
					t.Errorf("refused, but the folder now has %v", after)
				}
				return
			}
			if err := w.Abort(); err != nil {
				t.Fatal(err)
			}
			if after := entries(t, dir); !slices.Equal(before, after) {
				t.Errorf("aborted, but the folder now has %v", after)
			}
			w, cat := begin(t, path, c.force)
			if err := w.Commit(cat); err != nil {
				t.Fatal(err)
			}
			open(t, path)
		})
	}
}

// TestForceForeign checks that a graph in whose folder someone keeps files is not
// replaced, however much --force says so.
func TestForceForeign(t *testing.T) {
	for _, foreign := range []string{"notes.txt", "more/GARAPH", "names-2024", "spill-7"} {
		t.Run(foreign, func(t *testing.T) {
			path := filepath.Join(memoryDir(t), "g")
			write(t, path, testgraph.Path(), teststore.Options{})
			file := filepath.Join(path, foreign)
			if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte("mine"), 0o666); err != nil {
				t.Fatal(err)
			}
			_, err := store.Create(path, true)
			if !errors.Is(err, store.ErrExists) || !strings.Contains(err.Error(), "which is no part of a graph") ||
				!strings.Contains(err.Error(), "move it away") {
				t.Errorf("got %v", err)
			}
			if _, err := os.Stat(file); err != nil {
				t.Error(err)
			}
			open(t, path)
		})
	}
}

// TestBuildNames checks that a graph cannot take a name under which another is built.
func TestBuildNames(t *testing.T) {
	dir := memoryDir(t)
	if _, err := store.Create(filepath.Join(dir, ".g.importing-17"), true); err == nil ||
		!strings.Contains(err.Error(), "choose another name") {
		t.Errorf("got %v", err)
	}
	for _, name := range []string{"g.importing-17", ".g.importing-", ".g.importing-a1", ".17"} {
		w, cat := begin(t, filepath.Join(dir, name), false)
		if err := w.Commit(cat); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNoParent(t *testing.T) {
	path := filepath.Join(memoryDir(t), "no", "such", "g")
	if _, err := store.Create(path, false); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), path) {
		t.Errorf("got %v", err)
	}
}

// TestForeignMeanwhile checks that what came to the path during an import is kept.
func TestForeignMeanwhile(t *testing.T) {
	dir := memoryDir(t)
	path := filepath.Join(dir, "g")
	w, cat := begin(t, path, false)
	if err := os.MkdirAll(filepath.Join(path, "photos"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(cat); !errors.Is(err, store.ErrExists) {
		t.Errorf("Commit: %v", err)
	}
	if got := entries(t, path); !slices.Equal(got, []string{"photos"}) {
		t.Errorf("the folder at the path now has %v", got)
	}
	if got := entries(t, dir); !slices.Equal(got, []string{"g"}) {
		t.Errorf("left behind: %v", got)
	}
}

// TestUnsoundCatalogue checks that a graph that contradicts itself is not committed, and
// the graph at the path stays.
func TestUnsoundCatalogue(t *testing.T) {
	dir := memoryDir(t)
	path := filepath.Join(dir, "g")
	write(t, path, testgraph.Path(), teststore.Options{})
	w, cat := begin(t, path, true)
	cat.Edges++
	if err := w.Commit(cat); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("Commit: %v", err)
	}
	if got := entries(t, dir); !slices.Equal(got, []string{"g"}) {
		t.Errorf("left behind: %v", got)
	}
	if got := open(t, path).Catalogue().Vertices; got != 5 {
		t.Errorf("%d vertices at the path", got)
	}
	w, cat = begin(t, path, true) // the lock is free
	if err := w.Commit(cat); err != nil {
		t.Error(err)
	}
}

func TestCheckSpace(t *testing.T) {
	w, _ := begin(t, filepath.Join(memoryDir(t), "g"), false)
	defer w.Abort()
	if err := w.CheckSpace(1); err != nil {
		t.Error(err)
	}
	if err := w.CheckSpace(math.MaxInt64 / 2); !errors.Is(err, store.ErrNoSpace) || !strings.Contains(err.Error(), "MiB") {
		t.Errorf("got %v", err)
	}
}

// TestOpenErrors checks that what is not a graph is distinguished from what is none of this
// version, and from nothing.
func TestOpenErrors(t *testing.T) {
	dir := memoryDir(t)
	for name, text := range map[string]string{
		"foreign/notes": "", "file": "", "newer/GARAPH": "garaph graph, store version 2\n", "empty/GARAPH": "",
		"other/GARAPH": strings.Repeat("x", 1000),
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name string
		want error
		says string
	}{
		{"missing", fs.ErrNotExist, "nothing is there; check the path, or make a graph with `garaph import"},
		{"foreign/notes", store.ErrNotGraph, "it is a file; make a graph of edge files with `garaph import"},
		{"foreign", store.ErrNotGraph, "garaph import"},
		{"file", store.ErrNotGraph, "it is a file"},
		{"newer", store.ErrNotGraph, "version 2"},
		{"empty", store.ErrNotGraph, "store version 1"},
		{"other", store.ErrNotGraph, "store version 1"},
	} {
		_, err := store.Open(filepath.Join(dir, c.name))
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) ||
			!strings.Contains(err.Error(), filepath.Join(dir, c.name)) || len(err.Error()) > 400 {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestForceJobs checks that the jobs of a graph go with it.
func TestForceJobs(t *testing.T) {
	path := filepath.Join(memoryDir(t), "g")
	write(t, path, testgraph.Path(), teststore.Options{})
	if err := os.MkdirAll(filepath.Join(path, store.JobsDir, "1"), 0o777); err != nil {
		t.Fatal(err)
	}
	w, cat := begin(t, path, true)
	if err := w.Commit(cat); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(path, store.JobsDir)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("jobs of the old graph: %v", err)
	}
}

// TestForceRunning checks that a graph of which a job is running is not replaced, nor one
// of which a job begins before Commit; it is when the job has ended.
func TestForceRunning(t *testing.T) {
	path := filepath.Join(memoryDir(t), "g")
	write(t, path, testgraph.Path(), teststore.Options{})
	run := func() *checkpoint.Job {
		j := checkpoint.NewJob(filepath.Join(path, store.JobsDir), checkpoint.Spec{}, checkpoint.Policy{})
		if err := j.Begin(checkpoint.Identity{}, checkpoint.Policy{}); err != nil {
			t.Fatal(err)
		}
		return j
	}
	refused := func(when string, err error) {
		t.Helper()
		if !errors.Is(err, checkpoint.ErrRunning) || !strings.Contains(err.Error(), path) ||
			!strings.Contains(err.Error(), "job ") {
			t.Errorf("%s: %v", when, err)
		}
		if _, err := os.Stat(filepath.Join(path, store.JobsDir, "1")); err != nil {
			t.Errorf("%s: %v", when, err)
		}
	}
	j := run()
	_, err := store.Create(path, true)
	refused("a job is running", err)
	if err := j.End(checkpoint.Interrupted, nil); err != nil {
		t.Fatal(err)
	}
	w, cat := begin(t, path, true)
	j = run()
	refused("a job began meanwhile", w.Commit(cat))
	if err := j.End(checkpoint.Interrupted, nil); err != nil {
		t.Fatal(err)
	}
	w, cat = begin(t, path, true)
	if err := w.Commit(cat); err != nil {
		t.Fatal(err)
	}
}
