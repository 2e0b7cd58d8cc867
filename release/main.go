// Command release builds the files of a release of garaph, except those that
// need an account at a registry: archives, packages, container images, man pages,
// completions, lists of components and checksums. The same commit gives the same
// files with the same Go and the same C compiler.
//
//	go -C release run .                                         # into out/release
//	go -C release run . -arch amd64 -cuda=false
//	go -C release test . -run TestFiles -files ../out/release   # checks these files
//
// A clean checkout of a tag v1.2.3 is that version; anything else is a snapshot.
package main

import (
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"time"
)

func main() {
	out := flag.String("out", "../out/release", "`FOLDER` for the files, which is replaced")
	arch := flag.String("arch", "amd64,arm64", "`ARCHITECTURES`, separated by commas")
	cuda := flag.Bool("cuda", true,
		"garaph-cuda for the architecture of this machine, which needs a C compiler and cuda.h")
	flag.Parse()
	log.SetFlags(0)
	if err := build(*out, strings.Split(*arch, ","), *cuda); err != nil {
		log.Fatalf("release: %v", err)
	}
}

// release is one release that is being built.
type release struct {
	root    string // of the repository
	out     string
	scratch string
	version string // v1.2.3
	date    time.Time
}

func build(out string, archs []string, cuda bool) (err error) {
	r := &release{root: ".."}
	if r.out, err = filepath.Abs(out); err != nil {
		return err
	}
	if err := r.identify(); err != nil {
		return err
	}
	if r.scratch, err = os.MkdirTemp("", "garaph-release-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(r.scratch)) }()
	if err := clean(r.out); err != nil {
		return err
	}
	syscall.Umask(0o022) // files have the same permissions everywhere
	for _, arch := range archs {
		if err := r.forArch(arch, cuda); err != nil {
			return fmt.Errorf("%s: %w", arch, err)
		}
	}
	text, err := sums(r.out)
	if err == nil {
		err = os.WriteFile(filepath.Join(r.out, marker), []byte(text), 0o666)
	}
	fmt.Printf("garaph %s is in %s\n", r.version, r.out)
	return err
}

// forArch builds all files of an architecture.
func (r *release) forArch(arch string, cuda bool) error {
	p := product{name: "garaph", arch: arch, tree: filepath.Join(r.scratch, arch)}
	if err := r.stage(p.tree, arch); err != nil {
		return err
	}
	if err := r.pack(p); err != nil || !cuda {
		return err
	}
	if arch != runtime.GOARCH {
		fmt.Println(arch + ": no garaph-cuda, which is built on a machine of its architecture")
		return nil
	}
	p.name = "garaph-cuda" // the archive and the image have both commands
	if err := r.compile(p.tree, p.name, arch); err != nil {
		return err
	}
	return r.pack(p)
}

// marker has the checksums of a release, and stands in a folder that may be removed.
const marker = "SHA256SUMS"

// clean makes an empty folder, in the place of a release or of nothing.
func clean(dir string) error {
	path := filepath.Join(dir, marker)
	if _, err := os.Stat(path); err == nil {
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	_ = os.Remove(dir) // an empty folder
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o777); err != nil {
		return fmt.Errorf("%w, and has no %s: name another folder", err, marker)
	}
	return os.WriteFile(path, nil, 0o666) // filled in at the end
}

// sums returns the checksums of all files in a folder, as sha256sum -c reads them.
func sums(dir string) (text string, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		body, readErr := os.ReadFile(filepath.Join(dir, e.Name()))
		if err = errors.Join(err, readErr); e.Name() != marker {
			text += fmt.Sprintf("%x  %s\n", sha256.Sum256(body), e.Name())
		}
	}
	return text, err
}

var tag = regexp.MustCompile(`^v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$`)

// identify finds the version and its date, which all files get.
func (r *release) identify() error {
	git := func(args ...string) (string, error) {
		out, err := exec.Command("git", append([]string{"-C", r.root}, args...)...).Output()
		return strings.TrimSpace(string(out)), err
	}
	var seconds int64
	var commit string
	shown, err := git("show", "-s", "--format=%ct %H", "HEAD")
	if err == nil {
		_, err = fmt.Sscan(shown, &seconds, &commit)
	}
	changes, statusErr := git("status", "--porcelain")
	if err = errors.Join(err, statusErr); err != nil {
		return fmt.Errorf("git in %s: %w", r.root, err)
	}
	r.date = time.Unix(seconds, 0).UTC()
	name, err := git("describe", "--tags", "--exact-match", "--match", "v*")
	if err == nil && changes == "" && tag.MatchString(name) {
		r.version = name
		return nil
	}
	r.version = fmt.Sprintf("v0.0.0-%s-%s", r.date.Format("20060102150405"), commit[:12])
	if changes != "" {
		r.version += ".changed"
	}
	return nil
}

// plain returns the version without its v, as packages have it.
func (r *release) plain() string { return strings.TrimPrefix(r.version, "v") }

// name returns the path of a file of the release.
func (r *release) name(of, arch, suffix string) string {
	return filepath.Join(r.out, fmt.Sprintf("%s_%s_linux_%s%s", of, r.plain(), arch, suffix))
}
