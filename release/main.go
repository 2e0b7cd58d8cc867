// Command release builds everything that a release of garaph is made of, but what
// needs an account at a registry: archives, packages, container images, man pages,
// completions, lists of components and checksums. The same commit gives the same
// files with the same Go and the same C compiler.
//
//	go -C release run .                    # into out/release
//	go -C release run . -arch amd64 -cuda=false
//	go -C release run . -check             # what lies there is tried
//
// A clean checkout of a tag v1.2.3 is that version; anything else is a snapshot.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

func main() {
	out := flag.String("out", "../out/release", "`FOLDER` for the files, which is made anew")
	arch := flag.String("arch", "amd64,arm64", "`ARCHITECTURES`, separated by commas")
	cuda := flag.Bool("cuda", true, "garaph-cuda for the architecture of this machine, which needs a C compiler and cuda.h")
	check := flag.Bool("check", false, "build nothing, and try what lies in the folder")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "release: expected flags only, got", flag.Arg(0))
		os.Exit(2)
	}
	run := func() error { return build(*out, strings.Split(*arch, ","), *cuda) }
	if *check {
		run = func() error { return checkAll(*out) }
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// release is one release that is being built.
type release struct {
	root    string // of the repository
	out     string
	scratch string
	version string // v1.2.3
	date    time.Time
	shared  []file // what every archive and package has
}

// file is a file of archives, packages and images.
type file struct {
	path string // in the installed system, without the / in front
	mode int64
	body []byte
}

func build(out string, archs []string, cuda bool) (err error) {
	r := &release{}
	if r.root, err = filepath.Abs(".."); err != nil {
		return err
	}
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
	if err := r.sharedFiles(); err != nil {
		return err
	}
	for _, arch := range archs {
		if err := r.forArch(arch, cuda); err != nil {
			return fmt.Errorf("%s: %w", arch, err)
		}
	}
	if err := r.checksums(); err != nil {
		return err
	}
	fmt.Printf("garaph %s is in %s\n", r.version, r.out)
	return nil
}

// marker lies in a folder that a release was written to, and may be removed with it.
const marker = "SHA256SUMS"

// clean makes an empty folder. One of something else stays.
func clean(dir string) error {
	entries, err := os.ReadDir(dir)
	if err == nil && len(entries) > 0 {
		if _, err := os.Stat(filepath.Join(dir, marker)); err != nil {
			return fmt.Errorf("%s has files of something else, for there is no %s: name another folder", dir, marker)
		}
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	} else if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, marker), nil, 0o666) // until it is filled in
}

var tag = regexp.MustCompile(`^v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$`)

// identify finds the version and its date, which all files get.
func (r *release) identify() error {
	commit, err := r.git("rev-parse", "HEAD")
	if err != nil {
		return err
	}
	stamp, err := r.git("show", "-s", "--format=%ct", "HEAD")
	if err != nil {
		return err
	}
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil {
		return fmt.Errorf("date of %s: %w", commit, err)
	}
	r.date = time.Unix(seconds, 0).UTC()
	changes, err := r.git("status", "--porcelain")
	if err != nil {
		return err
	}
	name, err := r.git("describe", "--tags", "--exact-match", "--match", "v*")
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

func (r *release) git(args ...string) (string, error) {
	cmd := exec.Command("git", append([]string{"-C", r.root}, args...)...)
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}

// plain is the version without its v, as packages have it.
func (r *release) plain() string { return strings.TrimPrefix(r.version, "v") }

// name is that of a file of the release.
func (r *release) name(of, arch, suffix string) string {
	return filepath.Join(r.out, fmt.Sprintf("%s_%s_linux_%s%s", of, r.plain(), arch, suffix))
}

func say(format string, args ...any) { fmt.Printf(format+"\n", args...) }
