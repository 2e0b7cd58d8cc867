package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// The job that every kind of delivery has to do.
const (
	edges = "a b\nb c\nc b\nc d\n"
	first = "rank  id  hops (nearest to a first, of those reached)\n1     a   0\n2     b   1\n"
)

// step is a command line and how its output begins.
type step struct{ line, want string }

var steps = []step{
	{"version", "garaph v"},
	{"import edges.txt g -q", ""},
	{"run bfs g --source a --top 2 -q", first},
	{"run pagerank g --output ranks.parquet -q", ""},
	{"verify g -q", ""},
}

// realSteps are over the modules that garaph depends on.
var realSteps = []step{
	{"import modules.txt m -q", ""},
	{"run pagerank m --top 3 -q", "rank  id "},
}

// job runs a command as a user would. root is a folder that it sees as /, or "".
func job(command, root string) error {
	dir := filepath.Join(root, "data")
	if root == "" {
		dir = filepath.Dir(command)
	}
	if err := os.WriteFile(filepath.Join(dir, "edges.txt"), []byte(edges), 0o666); err != nil {
		return err
	}
	all := steps
	list := exec.Command("go", "mod", "graph")
	list.Dir = ".."
	if modules, err := list.Output(); err == nil && len(modules) > 0 {
		if err := os.WriteFile(filepath.Join(dir, "modules.txt"), modules, 0o666); err != nil {
			return err
		}
		all = append(all[:len(all):len(all)], realSteps...)
	} else {
		say("without go mod graph, the real input is left out")
	}
	run := func(line string) (stdout, stderr []byte, err error) {
		cmd := exec.Command(command, strings.Fields(line)...)
		cmd.Dir, cmd.Env = dir, []string{"PATH=/usr/bin"}
		if root != "" {
			cmd.Dir, cmd.SysProcAttr = "/data", &syscall.SysProcAttr{Chroot: root}
		}
		var problems bytes.Buffer
		cmd.Stderr = &problems
		stdout, err = cmd.Output()
		return stdout, problems.Bytes(), err
	}
	for _, s := range all {
		got, problems, err := run(s.line)
		if err := expect(s, got, problems, err); err != nil {
			return err
		}
	}
	if drivers, _ := filepath.Glob("/dev/nvidia[0-9]*"); len(drivers) > 0 {
		return nil
	}
	// Without a driver, or one that finds no GPU, a GPU is refused in words.
	if _, problems, err := run("run pagerank g --device gpu -q"); err == nil || !strings.Contains(string(problems), "no GPU: ") || !strings.Contains(string(problems), "NVIDIA driver") {
		return fmt.Errorf("garaph run --device gpu without a driver: %v\n%s", err, problems)
	}
	return nil
}

func expect(s step, stdout, stderr []byte, err error) error {
	switch {
	case err != nil:
		return fmt.Errorf("garaph %s: %w\n%s%s", s.line, err, stdout, stderr)
	case !strings.HasPrefix(string(stdout), s.want):
		return fmt.Errorf("garaph %s: expected output that begins with %q\n%s%s", s.line, s.want, stdout, stderr)
	}
	return nil
}

// tryImage runs an image where there is a container tool, and else its command in its
// root file system.
func tryImage(path, scratch string) error {
	for _, tool := range []string{"docker", "podman"} {
		if exec.Command(tool, "info").Run() == nil {
			return inContainer(tool, path)
		}
	}
	image, err := tarball.ImageFromPath(path, nil)
	if err != nil {
		return err
	}
	flat := mutate.Extract(image)
	defer flat.Close()
	if err := unpack(flat, scratch); err != nil {
		return err
	}
	config, err := image.ConfigFile()
	if err != nil {
		return err
	}
	if os.Geteuid() != 0 {
		say("%s: its job is not run, which takes root or a container tool", filepath.Base(path))
		return nil
	}
	if err := job(config.Config.Entrypoint[0], scratch); !errors.Is(err, syscall.EPERM) {
		return err
	}
	say("%s: its job is not run: this machine lets root change no root folder", filepath.Base(path))
	return nil
}

// inContainer imports and runs in a container without network or folders of ours.
func inContainer(tool, path string) error {
	manifest, err := tarball.LoadManifest(func() (io.ReadCloser, error) { return os.Open(path) })
	if err != nil {
		return err
	}
	if len(manifest) != 1 || len(manifest[0].RepoTags) != 1 {
		return fmt.Errorf("%d images in it, expected one with one name", len(manifest))
	}
	if out, err := exec.Command(tool, "load", "-i", path).CombinedOutput(); err != nil {
		return fmt.Errorf("%s load: %w\n%s", tool, err, out)
	}
	for _, s := range []step{steps[0], {"run bfs - --source a --top 2 -q", first}, {"run pagerank - --top 2 -q", "rank  id"}} {
		cmd := exec.Command(tool, append([]string{"run", "--rm", "-i", "--network", "none", manifest[0].RepoTags[0]}, strings.Fields(s.line)...)...)
		cmd.Stdin = strings.NewReader(edges)
		var problems bytes.Buffer
		cmd.Stderr = &problems
		got, err := cmd.Output()
		if err := expect(s, got, problems.Bytes(), err); err != nil {
			return fmt.Errorf("%s: %w", tool, err)
		}
	}
	return nil
}
