package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra/doc"

	"github.com/garaph/garaph/cmd/garaph/cli"
)

// stage makes a folder with the files of garaph as they are installed: the command, texts,
// man pages and completions.
func (r *release) stage(tree, arch string) error {
	share := filepath.Join(tree, "usr/share")
	man := filepath.Join(share, "man/man1")
	for _, dir := range []string{"../bin", "bash-completion/completions", "doc/garaph", "fish/vendor_completions.d",
		"man/man1", "zsh/vendor-completions"} {
		if err := os.MkdirAll(filepath.Join(share, dir), 0o777); err != nil {
			return err
		}
	}
	for _, name := range []string{"CHANGELOG.md", "LICENSE", "README.md"} {
		if err := install(filepath.Join(r.root, name), filepath.Join(share, "doc/garaph", name), 0o666); err != nil {
			return err
		}
	}
	root := cli.Command()
	root.DisableAutoGenTag = true
	header := &doc.GenManHeader{Section: "1", Date: &r.date, Source: "garaph " + r.plain(), Manual: "garaph"}
	err := errors.Join(doc.GenManTree(root, header, man), command("gzip", "-9", "-n", "-r", man),
		root.GenBashCompletionFileV2(filepath.Join(share, "bash-completion/completions/garaph"), true),
		root.GenFishCompletionFile(filepath.Join(share, "fish/vendor_completions.d/garaph.fish"), true),
		root.GenZshCompletionFile(filepath.Join(share, "zsh/vendor-completions/_garaph")))
	if err != nil {
		return err
	}
	return r.compile(tree, "garaph", arch)
}

// install copies a file, and makes the folders above it.
func install(from, to string, mode os.FileMode) error {
	body, err := os.ReadFile(from)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(to), 0o777)
	}
	if err != nil {
		return err
	}
	return os.WriteFile(to, body, mode)
}

func command(name string, args ...string) error {
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", name, err, out)
	}
	return nil
}

// compile builds a command into usr/bin. garaph-cuda is linked beside a stub of the driver's
// library, in a folder that CGO_LDFLAGS names, and loads the library itself.
func (r *release) compile(tree, name, arch string) error {
	ldflags := "-s -w -X github.com/garaph/garaph/cmd/garaph/cli.version=" + r.version
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", ldflags, "-o",
		filepath.Join(tree, "usr/bin", name), "./cmd/garaph")
	cmd.Dir, cmd.Stderr = r.root, os.Stderr
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH="+arch, "GOFLAGS=", "CGO_ENABLED=0")
	if name == "garaph-cuda" {
		cmd.Env = append(cmd.Env, "CGO_ENABLED=1", "GOFLAGS=-tags=cuda,netgo,osusergo")
		if os.Getenv("CGO_LDFLAGS") == "" {
			cmd.Env = append(cmd.Env,
				"CGO_LDFLAGS=-L/usr/lib/x86_64-linux-gnu/stubs -L/usr/lib/aarch64-linux-gnu/stubs -L/usr/local/cuda/lib64/stubs")
		}
	}
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("build %s: %w", name, err)
	}
	return nil
}

// addLibraries copies the libraries that a command is linked with, and its loader, but for
// the driver's: the command starts without.
func addLibraries(tree, path string) error {
	out, err := exec.Command("ldd", path).Output()
	if err != nil {
		return fmt.Errorf("ldd: %w", err)
	}
	if strings.Contains(string(out), "libcuda.so.1") {
		return errors.New("garaph-cuda is linked with libcuda.so.1: gpuengine/device/driver_functions.h lacks a function " +
			"of this cuda.h")
	}
	for _, word := range strings.Fields(string(out)) {
		if strings.HasPrefix(word, "/") {
			err = errors.Join(err, install(word, filepath.Join(tree, word), 0o777))
		}
	}
	return err
}
