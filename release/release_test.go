package main

import (
	"archive/tar"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// TestClean checks that a folder of something else stays.
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

// TestVersions checks that a build that is no release comes before it, for packages too.
func TestVersions(t *testing.T) {
	for version, want := range map[string]string{"v1.2.3": "1.2.3",
		"v0.0.0-20260101000000-abc": "0.0.0~20260101000000~abc"} {
		if got := (&release{version: version}).ordered(); got != want {
			t.Errorf("%s: got %s, want %s", version, got, want)
		}
	}
	for name, want := range map[string]bool{"v1.2.3": true, "v1.2.3-rc.1": true, "1.2.3": false, "v1.2": false,
		"v1.2.3+x": false} {
		if tag.MatchString(name) != want {
			t.Errorf("%s", name)
		}
	}
}

// TestSums checks that a file that is not what was built is found.
func TestSums(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.tar.gz")
	if err := os.WriteFile(path, []byte("x"), 0o666); err != nil {
		t.Fatal(err)
	}
	text, err := sums(dir)
	for _, err := range []error{err, os.WriteFile(filepath.Join(dir, marker), []byte(text), 0o666),
		os.WriteFile(path, []byte("y"), 0o666)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := checkAll(dir); err == nil || !strings.Contains(err.Error(), "do not match") {
		t.Errorf("another file: %v", err)
	}
}

// TestTar checks that the same files give the same bytes, below the folder of their release.
func TestTar(t *testing.T) {
	tree := t.TempDir()
	r := &release{version: "v1.2.3", date: time.Unix(1_700_000_000, 0)}
	p := product{"garaph", "amd64", tree}
	for _, path := range []string{"usr/bin/garaph", "usr/share/doc/garaph/LICENSE", "usr/share/man/man1/garaph.1.gz"} {
		if err := install("release_test.go", filepath.Join(tree, path), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var texts []string
	for range 2 {
		r.out = t.TempDir()
		err := r.archive(p, []string{"usr/share/man/man1/garaph.1.gz", "usr/bin/garaph", "usr/share/doc/garaph/LICENSE"})
		if err != nil {
			t.Fatal(err)
		}
		text, err := sums(r.out)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, text)
	}
	if texts[0] != texts[1] {
		t.Errorf("the same files gave other bytes: %q", texts)
	}
	out, err := exec.Command("tar", "-tzf", r.name("garaph", "amd64", ".tar.gz")).CombinedOutput()
	const top = "garaph_1.2.3_linux_amd64/"
	if want := top + "share/man/man1/garaph.1.gz\n" + top + "garaph\n" + top + "LICENSE\n"; err != nil ||
		string(out) != want {
		t.Errorf("in it are\n%s, %v", out, err)
	}
}

// TestImage checks that an image has a user other than root, who may write to the folders that are
// there for that.
func TestImage(t *testing.T) {
	tree := filepath.Join(t.TempDir(), "amd64")
	r := &release{version: "v1.2.3", date: time.Unix(1_700_000_000, 0), out: t.TempDir()}
	if err := install("release_test.go", filepath.Join(tree, "usr/bin/garaph"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := r.image(product{"garaph", "amd64", tree}); err != nil {
		t.Fatal(err)
	}
	image, err := tarball.ImageFromPath(r.name("garaph", "amd64", ".image.tar"), nil)
	if err != nil {
		t.Fatal(err)
	}
	config, err := image.ConfigFile()
	if err != nil || config.Config.User != "65532:65532" || config.Config.WorkingDir != "/data" ||
		!slices.Contains(config.Config.Env, "HOME=/data") {
		t.Errorf("got %+v, %v", config.Config, err)
	}
	flat := mutate.Extract(image)
	defer flat.Close()
	modes := map[string]int64{}
	files := tar.NewReader(flat)
	for h, err := files.Next(); err != io.EOF; h, err = files.Next() {
		if err != nil {
			t.Fatal(err)
		}
		name := strings.Trim(h.Name, "./")
		modes[name] = h.Mode
		if name == "etc/passwd" {
			if text, err := io.ReadAll(files); err != nil || !strings.Contains(string(text), "\ngaraph:x:65532:65532:") {
				t.Errorf("the users are %q, %v", text, err)
			}
		}
		if h.Uid != 0 {
			t.Errorf("%s is of user %d", h.Name, h.Uid)
		}
	}
	if _, there := modes["etc/passwd"]; !there || modes["data"] != 0o1777 || modes["tmp"] != 0o1777 ||
		modes["usr/bin/garaph"] != 0o755 {
		t.Errorf("modes are %v", modes)
	}
}
