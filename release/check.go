package main

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/sassoftware/go-rpmutils"
)

// checkAll tries what a release wrote: checksums, the archive and the package and the
// image of this machine's architecture, each with a job.
func checkAll(out string) error {
	if err := checkSums(out); err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "garaph-release-check-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	for _, c := range []struct {
		pattern string
		try     func(path, scratch string) error
	}{
		{"garaph_*_linux_" + runtime.GOARCH + ".tar.gz", tryArchive},
		{"garaph_*_linux_" + runtime.GOARCH + ".deb", tryDeb},
		{"garaph_*_linux_" + runtime.GOARCH + ".rpm", tryRPM},
		{"garaph-cuda_*_linux_" + runtime.GOARCH + ".tar.gz", tryArchive},
		{"garaph_*_linux_" + runtime.GOARCH + ".image.tar", tryImage},
		{"garaph-cuda_*_linux_" + runtime.GOARCH + ".image.tar", tryImage},
	} {
		found, err := filepath.Glob(filepath.Join(out, c.pattern))
		if err != nil {
			return err
		}
		if len(found) == 0 && !strings.HasPrefix(c.pattern, "garaph-cuda") {
			return fmt.Errorf("there is no %s", c.pattern)
		}
		for i, path := range found {
			dir := filepath.Join(scratch, fmt.Sprintf("%s-%d", filepath.Base(path), i))
			if err := c.try(path, dir); err != nil {
				return fmt.Errorf("%s: %w", filepath.Base(path), err)
			}
			say("%s is sound", filepath.Base(path))
		}
	}
	return nil
}

func checkSums(out string) error {
	f, err := os.Open(filepath.Join(out, marker))
	if err != nil {
		return err
	}
	defer f.Close()
	files := 0
	lines := bufio.NewScanner(f)
	for ; lines.Scan(); files++ {
		want, name, _ := strings.Cut(lines.Text(), "  ")
		got, err := sumOf(filepath.Join(out, name))
		if err != nil {
			return err
		}
		if got != want {
			return fmt.Errorf("%s is not what was built: its checksum is another", name)
		}
	}
	if files == 0 {
		return fmt.Errorf("%s has no checksum", f.Name())
	}
	say("%d files have the checksums that they should have", files)
	return lines.Err()
}

func tryArchive(path, scratch string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	plain, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	if err := unpack(plain, scratch); err != nil {
		return err
	}
	found, err := filepath.Glob(filepath.Join(scratch, "*", "garaph"))
	if err != nil || len(found) != 1 {
		return fmt.Errorf("%d commands in it: %w", len(found), err)
	}
	top := filepath.Dir(found[0])
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md", "share/man/man1/garaph-run.1.gz", "share/bash-completion/completions/garaph", "share/zsh/vendor-completions/_garaph", "share/fish/vendor_completions.d/garaph.fish"} {
		if _, err := os.Stat(filepath.Join(top, name)); err != nil {
			return err
		}
	}
	if with := filepath.Join(top, "garaph-cuda"); strings.HasPrefix(filepath.Base(path), "garaph-cuda") {
		if err := loadsDriver(with); err != nil {
			return err
		}
		if err := job(with, ""); err != nil {
			return err
		}
		for _, made := range []string{"g", "m"} { // by its job
			if err := os.RemoveAll(filepath.Join(top, made)); err != nil {
				return err
			}
		}
	}
	return job(found[0], "")
}

// loadsDriver: the command with CUDA starts without a driver, which it loads itself.
func loadsDriver(path string) error {
	f, err := elf.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	needed, err := f.ImportedLibraries()
	if err != nil {
		return err
	}
	if slices.Contains(needed, "libcuda.so.1") {
		return errors.New("garaph-cuda is linked with libcuda.so.1 and does not start without: gpuengine/device/driver_functions.h lacks a function of this cuda.h")
	}
	return nil
}

// tryDeb has Debian's own tool unpack the package, where it is there.
func tryDeb(path, scratch string) error {
	if _, err := exec.LookPath("dpkg-deb"); err != nil {
		say("without dpkg-deb, %s is not unpacked", filepath.Base(path))
		return nil
	}
	for _, args := range [][]string{{"--info", path}, {"--extract", path, scratch}} {
		if out, err := exec.Command("dpkg-deb", args...).CombinedOutput(); err != nil {
			return fmt.Errorf("dpkg-deb %s: %w\n%s", args[0], err, out)
		}
	}
	return job(filepath.Join(scratch, "usr/bin/garaph"), "")
}

// tryRPM unpacks a package as rpm does, and compares the files with its table.
func tryRPM(path, scratch string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	p, err := rpmutils.ReadRpm(f)
	if err != nil {
		return err
	}
	name, err := p.Header.GetNEVRA()
	if err != nil {
		return err
	}
	listed, err := p.Header.GetFiles()
	if err != nil {
		return err
	}
	if name.Name != "garaph" || len(listed) == 0 {
		return fmt.Errorf("it says of itself: %v, %d files", name, len(listed))
	}
	if err := p.ExpandPayload(scratch); err != nil {
		return err
	}
	for _, l := range listed {
		s, err := os.Stat(filepath.Join(scratch, l.Name()))
		if err != nil {
			return err
		}
		if s.Size() != l.Size() {
			return fmt.Errorf("%s has %d bytes, and %d in the table", l.Name(), s.Size(), l.Size())
		}
		if err := os.Chmod(filepath.Join(scratch, l.Name()), os.FileMode(l.Mode()&0o777)); err != nil { // as rpm does
			return err
		}
	}
	return job(filepath.Join(scratch, "usr/bin/garaph"), "")
}

// unpack writes the files and folders of a tar archive; names that lead out of dir
// are refused.
func unpack(r io.Reader, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for t := tar.NewReader(r); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		name := strings.TrimPrefix(filepath.Clean(h.Name), "/")
		if h.Typeflag == tar.TypeDir {
			if err := root.MkdirAll(name, 0o755); err != nil {
				return err
			}
			continue
		}
		if err := writeFile(root, name, h, t); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
}

func writeFile(root *os.Root, name string, h *tar.Header, r io.Reader) error {
	if h.Typeflag != tar.TypeReg {
		return fmt.Errorf("it is neither a file nor a folder (%c)", h.Typeflag)
	}
	if h.ModTime.After(time.Now()) {
		return errors.New("it is from the future")
	}
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	f, err := root.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, h.FileInfo().Mode().Perm())
	if err != nil {
		return err
	}
	if _, err := io.Copy(f, r); err != nil {
		return errors.Join(err, f.Close())
	}
	return f.Close()
}
