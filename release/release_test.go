package main

import (
	"archive/tar"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestTarred: the same files give the same bytes, below folders that are there.
func TestTarred(t *testing.T) {
	files := []file{{"usr/bin/garaph", 0o755, []byte("x")}, {"tmp/", 0o1777, nil}, {"usr/share/doc/a", 0o644, nil}}
	date := time.Unix(1_700_000_000, 0)
	first, err := packed(files, date)
	if err != nil {
		t.Fatal(err)
	}
	if second, err := packed(files, date); err != nil || !bytes.Equal(first, second) {
		t.Errorf("the same files gave other bytes: %v", err)
	}
	plain, err := tarred(files, date)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := unpack(bytes.NewReader(plain), dir); err != nil {
		t.Fatal(err)
	}
	for name, mode := range map[string]os.FileMode{"usr/bin/garaph": 0o755, "tmp": os.ModeDir, "usr/share/doc/a": 0o644} {
		s, err := os.Stat(filepath.Join(dir, name))
		if err != nil || s.Mode().IsDir() != mode.IsDir() || !mode.IsDir() && s.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v", name, s, err)
		}
	}
}

// TestUnpackOutside: an archive writes nothing outside of its folder.
func TestUnpackOutside(t *testing.T) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: "../outside", Size: 1}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "in")
	if err := unpack(&b, dir); err == nil {
		t.Error("it was unpacked")
	}
	if _, err := os.Stat(filepath.Join(dir, "..", "outside")); err == nil {
		t.Error("a file outside")
	}
}

// TestClean: a folder of something else stays.
func TestClean(t *testing.T) {
	dir := t.TempDir()
	if err := clean(dir); err != nil {
		t.Fatal(err)
	}
	if err := clean(dir); err != nil {
		t.Errorf("that of a release: %v", err)
	}
	if err := os.Rename(filepath.Join(dir, marker), filepath.Join(dir, "thesis.txt")); err != nil {
		t.Fatal(err)
	}
	if err := clean(dir); err == nil || !strings.Contains(err.Error(), "name another folder") {
		t.Errorf("got %v", err)
	}
}

// TestVersions: what is no release comes before it, for packages too.
func TestVersions(t *testing.T) {
	for version, want := range map[string]string{"v1.2.3": "1.2.3", "v0.0.0-20260101000000-abc": "0.0.0~20260101000000~abc"} {
		if got := (&release{version: version}).ordered(); got != want {
			t.Errorf("%s: got %s, want %s", version, got, want)
		}
	}
	for name, want := range map[string]bool{"v1.2.3": true, "v1.2.3-rc.1": true, "1.2.3": false, "v1.2": false, "v1.2.3+x": false} {
		if tag.MatchString(name) != want {
			t.Errorf("%s", name)
		}
	}
}

// TestInContainer: an image is loaded, and run by its name, with a container tool.
func TestInContainer(t *testing.T) {
	dir := t.TempDir()
	r := &release{out: dir, version: "v1.2.3", date: time.Unix(1_700_000_000, 0)}
	if err := r.image(product{name: "garaph", arch: "amd64", files: []file{{"usr/bin/garaph", 0o755, []byte("x")}}}, nil); err != nil {
		t.Fatal(err)
	}
	path := r.name("garaph", "amd64", ".image.tar")
	const script = `#!/bin/sh
case "$*" in
info) ;;
"load -i "*) test -s "$3" ;;
"run --rm -i --network none index.docker.io/garaph/garaph:1.2.3 version" | "run --rm -i --network none garaph/garaph:1.2.3 version") echo garaph v1.2.3 ;;
*" run bfs - "*) cat >/dev/null; printf 'rank  id  hops (nearest to a first, of those reached)\n1     a   0\n2     b   %s\n' "$SECOND" ;;
*" run pagerank - "*) cat >/dev/null; echo 'rank  id  rank' ;;
*) echo "unexpected: $*" >&2; exit 1 ;;
esac
`
	if err := os.WriteFile(filepath.Join(dir, "docker"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	t.Setenv("SECOND", "1")
	if err := tryImage(path, t.TempDir()); err != nil {
		t.Error(err)
	}
	t.Setenv("SECOND", "7")
	if err := tryImage(path, t.TempDir()); err == nil || !strings.Contains(err.Error(), "docker: garaph run bfs") {
		t.Errorf("another answer: %v", err)
	}
}

// TestSums: a file that is not what was built is found.
func TestSums(t *testing.T) {
	r := &release{out: t.TempDir()}
	path := filepath.Join(r.out, "a.tar.gz")
	if err := os.WriteFile(path, []byte("x"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := r.checksums(); err != nil {
		t.Fatal(err)
	}
	if err := checkSums(r.out); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("y"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := checkSums(r.out); err == nil {
		t.Error("another file has the checksum")
	}
}
