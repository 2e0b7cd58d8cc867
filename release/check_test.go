package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/sassoftware/go-rpmutils"
)

var folder = flag.String("files", "", "the folder of a release to check")

// TestFiles checks the files of a release.
func TestFiles(t *testing.T) {
	if *folder == "" {
		t.Skip("-files names the folder of a release to check")
	}
	if err := checkAll(*folder); err != nil {
		t.Fatal(err)
	}
}

// checkAll compares checksums, and runs a job with the archives, packages and images of
// this machine's architecture.
func checkAll(out string) error {
	want, err := os.ReadFile(filepath.Join(out, marker))
	if err != nil {
		return err
	}
	if is, err := sums(out); err != nil || is == "" || is != string(want) {
		return errors.Join(err, fmt.Errorf("the files in %s do not match their %s", out, marker))
	}
	for _, c := range []struct {
		product, suffix string
		unpack          func(path, dir string) error
		name            string // of the command in the folder, or, with / in front, where the folder is /
	}{
		{"garaph", ".tar.gz", unpackArchive, "garaph"},
		{"garaph", ".deb", unpackDeb, "usr/bin/garaph"},
		{"garaph", ".rpm", unpackRPM, "usr/bin/garaph"},
		{"garaph", ".image.tar", unpackImage, "/usr/bin/garaph"},
		{"garaph-cuda", ".tar.gz", unpackArchive, "garaph-cuda"},
		{"garaph-cuda", ".image.tar", unpackImage, "/usr/bin/garaph"},
	} {
		found, err := filepath.Glob(filepath.Join(out, c.product+"_*_linux_"+runtime.GOARCH+c.suffix))
		if err == nil && len(found) == 0 && c.product == "garaph" {
			err = fmt.Errorf("there is no %s%s", c.product, c.suffix)
		}
		if err != nil {
			return err
		}
		for _, path := range found {
			if err := try(path, c.unpack, c.name); err != nil {
				return fmt.Errorf("%s: %w", filepath.Base(path), err)
			}
			fmt.Println(filepath.Base(path) + " is sound")
		}
	}
	return nil
}

// try unpacks a file into a temporary folder, and runs a job with the command in it. A command
// with / in front sees that folder as /.
func try(path string, unpack func(path, dir string) error, name string) (err error) {
	dir, err := os.MkdirTemp("", "garaph-release-check-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := unpack(path, dir); err != nil {
		return err
	}
	if !filepath.IsAbs(name) {
		return job(filepath.Join(dir, name), dir, "")
	}
	if err := job(name, "/data", dir); !errors.Is(err, syscall.EPERM) {
		return err
	}
	fmt.Println(filepath.Base(path) + ": its job is not run, which takes root")
	return nil
}

func unpackArchive(path, dir string) error {
	return command("tar", "-xzf", path, "-C", dir, "--strip-components=1")
}

func unpackDeb(path, dir string) error { return command("dpkg-deb", "--extract", path, dir) }

func unpackRPM(path, dir string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	p, err := rpmutils.ReadRpm(f)
	if err != nil {
		return err
	}
	if err := p.ExpandPayload(dir); err != nil {
		return err
	}
	listed, err := p.Header.GetFiles()
	for _, l := range listed {
		err = errors.Join(err, os.Chmod(filepath.Join(dir, l.Name()), os.FileMode(l.Mode()&0o777))) // as rpm does
	}
	return err
}

func unpackImage(path, dir string) error {
	image, err := tarball.ImageFromPath(path, nil)
	if err != nil {
		return err
	}
	flat := mutate.Extract(image)
	defer flat.Close()
	tar := exec.Command("tar", "-x", "-C", dir)
	tar.Stdin, tar.Stderr = flat, os.Stderr
	return tar.Run()
}

const edges = "a b\nb c\nc b\nc d\n"

// steps are the commands of a job, and how their output begins.
var steps = []struct{ line, want string }{
	{"version", "garaph v"},
	{"import edges.txt g -q", ""},
	{"run bfs g --source a --top 2 -q",
		"rank  id  hops (nearest to a first, of those reached)\n1     a   0\n2     b   1\n"},
	{"run pagerank g --output ranks.parquet -q", ""},
	{"verify g -q", ""},
}

// job runs a command as a user would, in a folder. Unless root is "", that is /, and the user that of images.
func job(path, dir, root string) error {
	if err := os.WriteFile(filepath.Join(root, dir, "edges.txt"), []byte(edges), 0o666); err != nil {
		return err
	}
	for _, s := range steps {
		cmd := exec.Command(path, strings.Fields(s.line)...)
		cmd.Dir, cmd.Env = dir, []string{"PATH=/usr/bin"}
		if root != "" {
			cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: imageUser, Gid: imageUser}}
		}
		var problems bytes.Buffer
		cmd.Stderr = &problems
		if out, err := cmd.Output(); err != nil || !strings.HasPrefix(string(out), s.want) {
			return fmt.Errorf("garaph %s: %w, expected output that begins with %q\n%s%s", s.line, err, s.want, out, &problems)
		}
	}
	return nil
}
