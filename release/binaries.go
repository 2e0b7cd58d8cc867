package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
)

// forArch builds all files of an architecture.
func (r *release) forArch(arch string, cuda bool) error {
	command, err := r.compile("garaph", arch, nil)
	if err != nil {
		return err
	}
	p := product{name: "garaph", arch: arch, files: append([]file{command}, r.shared...)}
	if err := r.all(p, nil); err != nil {
		return err
	}
	if !cuda || arch != runtime.GOARCH {
		say("%s: no garaph-cuda, which is built on a machine of its architecture", arch)
		return nil
	}
	with, err := r.compile("garaph-cuda", arch, []string{"-tags", "cuda,netgo,osusergo"}) // but for CUDA without C
	if err != nil {
		return err
	}
	libraries, err := librariesOf(filepath.Join(r.scratch, "garaph-cuda_"+arch))
	if err != nil {
		return err
	}
	// The archive has both; the package is one more beside that of garaph.
	archive := product{name: "garaph-cuda", arch: arch, files: append([]file{command, with}, r.shared...), cuda: true}
	return r.all(archive, libraries)
}

// compile builds one of the commands. That with CUDA is linked beside a stub of the
// driver's library, where CGO_LDFLAGS names its folder, and needs none of it to start.
func (r *release) compile(name, arch string, flags []string) (file, error) {
	path := filepath.Join(r.scratch, name+"_"+arch)
	ldflags := "-s -w -X github.com/garaph/garaph/cmd/garaph/cli.version=" + r.version
	args := slices.Concat([]string{"build", "-trimpath", "-buildvcs=false", "-ldflags", ldflags, "-o", path}, flags, []string{"./cmd/garaph"})
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Stderr = r.root, os.Stderr
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH="+arch, "GOFLAGS=", "CGO_ENABLED=0")
	if len(flags) > 0 {
		cmd.Env = append(cmd.Env, "CGO_ENABLED=1")
		if os.Getenv("CGO_LDFLAGS") == "" {
			cmd.Env = append(cmd.Env, "CGO_LDFLAGS=-L/usr/lib/x86_64-linux-gnu/stubs -L/usr/lib/aarch64-linux-gnu/stubs -L/usr/local/cuda/lib64/stubs")
		}
	}
	if err := cmd.Run(); err != nil {
		return file{}, fmt.Errorf("build %s: %w", name, err)
	}
	body, err := os.ReadFile(path)
	if err == nil {
		say("%s: %s has %.1f MB", arch, name, float64(len(body))/1e6)
	}
	return file{"usr/bin/" + name, 0o755, body}, err
}

// product is what an archive, a package and an image are made of.
type product struct {
	name, arch string
	files      []file
	cuda       bool
}

// all writes every kind of file of a product.
func (r *release) all(p product, libraries []file) error {
	for _, write := range []func(product) error{r.archive, r.deb, r.rpm, r.components} {
		if err := write(p); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return r.image(p, libraries)
}

// packaged are the files of the package: that with CUDA has the second command only.
func (p *product) packaged() []file {
	if !p.cuda {
		return p.files
	}
	return slices.DeleteFunc(slices.Clone(p.files), func(f file) bool { return f.path != "usr/bin/garaph-cuda" })
}
