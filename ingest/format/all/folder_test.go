package all_test

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/garaph/garaph/ingest/read"
)

// packedEdges is "1 2\n2 3\n" of bzip2.
const packedEdges = "QlpoOTFBWSZTWTsX+fAAAAJYAAAQQAA4ACAAIh6NBmgVKhhdyRThQkDsX+fA"

func bzipped(t testing.TB) []byte {
	t.Helper()
	b, err := base64.StdEncoding.DecodeString(packedEdges)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// edgesOf returns the edges of a reading, as "u-v".
func edgesOf(r readOutcome) []string {
	var got []string
	for _, e := range r.sink.sorted() {
		got = append(got, e.U+"-"+e.V)
	}
	return got
}

func TestReadBzip2(t *testing.T) {
	b := bzipped(t)
	if r := readBytes(t, "g.txt.bz2", b, read.Options{}); r.err != nil ||
		!slices.Equal(edgesOf(r), []string{"1-2", "2-3"}) {
		t.Fatal(r.err, edgesOf(r))
	}
	if r := readBytes(t, "g.txt.bz2", slices.Concat(b, b), read.Options{}); r.err != nil || len(r.sink.edges) != 4 {
		t.Fatal(r.err, edgesOf(r))
	}
	for n := 7; n < len(b); n++ {
		if r := readBytes(t, "g.txt.bz2", b[:n], read.Options{}); r.err == nil ||
			!strings.Contains(r.err.Error(), "bzip2 stream") {
			t.Fatalf("of %d bytes: %v", n, r.err)
		}
	}
	for i := 10; i < len(b)-1; i++ { // the last byte has padding
		damaged := slices.Clone(b)
		damaged[i] ^= 0x10
		// some bits have no say
		if r := readBytes(t, "g.txt.bz2", damaged, read.Options{}); r.err == nil &&
			!slices.Equal(edgesOf(r), []string{"1-2", "2-3"}) {
			t.Fatalf("damage of byte %d was not seen: %q", i, edgesOf(r))
		}
	}
}

// writeFolder makes files, named with slashes, below a folder of the test.
func writeFolder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestReadFolder(t *testing.T) {
	dir := writeFolder(t, map[string]string{
		"part-00000.csv.gz": string(gzipped(t, []byte("1,2\n"))), "part-00001.csv": "2,3\n", "year=2024/part-0.csv": "3,4\n",
		"_SUCCESS": "", ".part-00001.csv.crc": "no edges", "_temporary/0/part.csv": "x", ".hidden/a.csv": "x",
	})
	r := readNames(t, read.Options{}, []string{dir})
	if r.err != nil || !slices.Equal(edgesOf(r), []string{"1-2", "2-3", "3-4"}) || len(r.warns) > 0 {
		t.Fatal(r.err, edgesOf(r), r.stats, r.warns)
	}
	if err := read.CheckInputs([]string{dir}, nil); err != nil {
		t.Fatal(err)
	}
	graph := writeFolder(t, map[string]string{"GARAPH": "x", "payload": "y"})
	if r := readNames(t, read.Options{}, []string{graph}); r.err == nil ||
		!strings.Contains(r.err.Error(), "is a graph, not a folder of edge files") {
		t.Fatal(r.err)
	}
}

// TestReadProperties checks that the description of an LDBC graph is passed over, in a folder and by name.
func TestReadProperties(t *testing.T) {
	dir := writeFolder(t, map[string]string{
		"x.v": "1\n2\n7\n", "x.e": "1 2\n", "x.properties": "graph.x.vertex-file = x.v\ngraph.x.directed = false\n",
	})
	for _, inputs := range [][]string{{dir}, {dir + "/x.e", dir + "/x.properties", dir + "/x.v"}} {
		r := readNames(t, read.Options{}, inputs)
		if r.err != nil || !slices.Equal(edgesOf(r), []string{"1-2"}) || len(r.sink.vertices) != 3 {
			t.Fatal(r.err, edgesOf(r), r.sink.vertices)
		}
		if len(r.warns) != 1 || !strings.Contains(r.warns[0], "x.properties: describes the graph beside it") {
			t.Fatal(r.warns)
		}
	}
}
