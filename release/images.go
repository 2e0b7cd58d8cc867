package main

import (
	"bytes"
	"debug/elf"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// image writes a container image that docker and podman load: the commands, and
// nothing but the libraries that they are linked with. NVIDIA's container runtime
// adds the driver's.
func (r *release) image(p product, libraries []file) error {
	files := slices.Concat(p.files, libraries, []file{{"tmp/", 0o1777, nil}, {"data/", 0o755, nil}, {"etc/passwd", 0o644, []byte("root:x:0:0:root:/:/none\n")}})
	layer, err := tarred(files, r.date)
	if err != nil {
		return err
	}
	packed, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(layer)), nil })
	if err != nil {
		return err
	}
	image, err := mutate.Append(empty.Image, mutate.Addendum{Layer: packed, History: v1.History{Created: v1.Time{Time: r.date}, CreatedBy: "garaph's release"}})
	if err != nil {
		return err
	}
	config, err := image.ConfigFile()
	if err != nil {
		return err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Created = "linux", p.arch, v1.Time{Time: r.date}
	config.Config.Entrypoint, config.Config.WorkingDir = []string{"/usr/bin/garaph"}, "/data"
	config.Config.Env = []string{"PATH=/usr/bin"}
	config.Config.Labels = map[string]string{"org.opencontainers.image.version": r.plain(), "org.opencontainers.image.source": home, "org.opencontainers.image.licenses": "Apache-2.0"}
	if p.cuda {
		config.Config.Env = append(config.Config.Env, "NVIDIA_VISIBLE_DEVICES=all", "NVIDIA_DRIVER_CAPABILITIES=compute,utility")
	}
	if image, err = mutate.ConfigFile(image, config); err != nil {
		return err
	}
	ref, err := name.NewTag(fmt.Sprintf("garaph/%s:%s", p.name, strings.ReplaceAll(r.plain(), "+", "_")))
	if err != nil {
		return err
	}
	return tarball.WriteToFile(r.name(p.name, p.arch, ".image.tar"), ref, image)
}

// where libraries are.
var libraryFolders = []string{"/lib64", "/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/lib"}

// librariesOf are those that a command is linked with, and its loader, but for the
// driver's, which belongs to the machine that runs it.
func librariesOf(path string) ([]file, error) {
	var all []file
	seen := map[string]bool{"libcuda.so.1": true}
	var add func(path string) error
	add = func(path string) error {
		f, err := elf.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		needed, err := f.ImportedLibraries()
		if err != nil {
			return err
		}
		for _, p := range f.Progs {
			if p.Type == elf.PT_INTERP {
				loader, err := io.ReadAll(p.Open())
				if err != nil {
					return err
				}
				name := strings.TrimRight(string(loader), "\x00")
				seen[filepath.Base(name)] = true
				body, err := os.ReadFile(name)
				if err != nil {
					return err
				}
				all = append(all, file{strings.TrimPrefix(name, "/"), 0o755, body})
			}
		}
		for _, name := range needed {
			if seen[name] {
				continue
			}
			seen[name] = true
			found, err := findLibrary(name)
			if err != nil {
				return fmt.Errorf("%s needs %w", path, err)
			}
			body, err := os.ReadFile(found)
			if err != nil {
				return err
			}
			all = append(all, file{strings.TrimPrefix(found, "/"), 0o755, body})
			if err := add(found); err != nil {
				return err
			}
		}
		return nil
	}
	return all, add(path)
}

func findLibrary(name string) (string, error) {
	for _, dir := range libraryFolders {
		path := filepath.Join(dir, name)
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s, which is in none of %s", name, strings.Join(libraryFolders, ", "))
}
