package main

import (
	"debug/buildinfo"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/deb" // is registered
	"github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm" // is registered
)

const (
	summary = "Process graphs that are larger than memory on one machine"
	more    = "PageRank, shortest paths, components and vertex programs of one's own, on all\ncores and on NVIDIA GPUs, " +
		"within a budget of memory."
	home = "https://github.com/garaph/garaph"
)

// product is garaph or garaph-cuda, and the folder with its files.
type product struct{ name, arch, tree string }

func (p product) cuda() bool { return p.name == "garaph-cuda" }

// pack writes every kind of file of a product.
func (r *release) pack(p product) error {
	var paths []string
	err := filepath.WalkDir(p.tree, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			path, err = filepath.Rel(p.tree, path)
			paths = append(paths, path)
		}
		return err
	})
	for _, write := range []func() error{
		func() error { return r.archive(p, paths) },
		func() error { return r.packages(p, paths) },
		func() error { return r.components(p) },
		func() error { return r.image(p) },
	} {
		if err == nil {
			err = write()
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	return nil
}

// tar makes a tar archive, with the same bytes for the same files.
func (r *release) tar(path, dir string, args ...string) error {
	same := []string{"-cf", path, "-C", dir, "--format=gnu", "--sort=name", "--owner=0", "--group=0", "--numeric-owner",
		fmt.Sprintf("--mtime=@%d", r.date.Unix())}
	return command("tar", append(same, args...)...)
}

// archive writes a .tar.gz that is used where it is unpacked.
func (r *release) archive(p product, paths []string) error {
	top := fmt.Sprintf("%s_%s_linux_%s", p.name, r.plain(), p.arch)
	moved := "--transform=s,^usr/bin/,,;s,^usr/share/doc/garaph/,,;s,^usr/share/,share/,;s,^," + top + "/,"
	return r.tar(r.name(p.name, p.arch, ".tar.gz"), p.tree,
		append([]string{"--use-compress-program=gzip -9n", moved}, paths...)...)
}

// ordered returns the version as Debian and RPM order them: a snapshot is before its release.
func (r *release) ordered() string { return strings.ReplaceAll(r.plain(), "-", "~") }

// packages writes packages for Debian and for RPM. That of garaph-cuda is installed beside that of garaph.
func (r *release) packages(p product, paths []string) error {
	var contents files.Contents
	for _, path := range paths {
		if !p.cuda() || path == "usr/bin/garaph-cuda" {
			about := &files.ContentFileInfo{MTime: r.date}
			contents = append(contents,
				&files.Content{Source: filepath.Join(p.tree, path), Destination: "/" + path, FileInfo: about})
		}
	}
	for _, format := range []string{"deb", "rpm"} {
		info := nfpm.Info{
			Name: p.name, Arch: p.arch, Version: r.ordered(), VersionSchema: "none", Section: "science",
			Priority: "optional", Homepage: home,
			Maintainer: "The authors of garaph <garaph@localhost>", License: "Apache-2.0", MTime: r.date, DisableGlobbing: true,
			Description: summary + "\n" + more,
		}
		info.Contents, info.RPM.BuildHost, info.RPM.Summary = contents, "localhost", summary
		if p.cuda() {
			info.Depends = map[string][]string{"deb": {"garaph (= " + r.ordered() + ")", "libc6"},
				"rpm": {"garaph = " + r.ordered()}}[format]
		}
		packager, err := nfpm.Get(format)
		if err != nil {
			return err
		}
		out, err := os.Create(r.name(p.name, p.arch, "."+format))
		if err != nil {
			return err
		}
		if err := errors.Join(packager.Package(nfpm.WithDefaults(&info), out), out.Close()); err != nil {
			return err
		}
	}
	return nil
}

// components writes the modules of a command as CycloneDX, with the checksums that Go
// recorded in it.
func (r *release) components(p product) error {
	info, err := buildinfo.ReadFile(filepath.Join(p.tree, "usr/bin", p.name))
	if err != nil {
		return err
	}
	url := "pkg:golang/github.com/garaph/garaph@" + r.version
	about := cdx.Component{
		Type: cdx.ComponentTypeApplication, BOMRef: "garaph", Name: p.name, Version: r.version, PackageURL: url,
		Licenses: &cdx.Licenses{{License: &cdx.License{ID: "Apache-2.0"}}},
	}
	url = "pkg:golang/std@" + info.GoVersion
	all := []cdx.Component{
		{Type: cdx.ComponentTypeLibrary, BOMRef: "std", Name: "std", Version: info.GoVersion, PackageURL: url},
	}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		url = "pkg:golang/" + m.Path + "@" + m.Version
		all = append(all,
			cdx.Component{Type: cdx.ComponentTypeLibrary, BOMRef: url, Name: m.Path, Version: m.Version, PackageURL: url,
				Properties: &[]cdx.Property{{Name: "go.sum", Value: m.Sum}}})
	}
	bom := cdx.NewBOM()
	bom.Metadata = &cdx.Metadata{Timestamp: r.date.Format("2006-01-02T15:04:05Z"), Component: &about}
	bom.Components = &all
	out, err := os.Create(r.name(p.name, p.arch, ".cdx.json"))
	if err != nil {
		return err
	}
	return errors.Join(cdx.NewBOMEncoder(out, cdx.BOMFileFormatJSON).SetPretty(true).Encode(bom), out.Close())
}

// imageUser is the user and the group of images, by which distroless images have nonroot.
const imageUser = 65532

// image writes a container image that docker and podman load: the commands, and
// nothing but the libraries that they are linked with. NVIDIA's container runtime
// adds the driver's. Commands run as a user other than root; any user may write to
// /data and /tmp.
func (r *release) image(p product) error {
	root, layer := p.tree+"-image", p.tree+".tar"
	users := fmt.Sprintf("root:x:0:0:root:/:/none\ngaraph:x:%d:%[1]d:garaph:/data:/none\n", imageUser)
	err := errors.Join(os.RemoveAll(root), os.CopyFS(root, os.DirFS(p.tree)), os.Mkdir(filepath.Join(root, "etc"), 0o777),
		os.WriteFile(filepath.Join(root, "etc/passwd"), []byte(users), 0o666))
	for _, dir := range []string{"data", "tmp"} {
		err = errors.Join(err, os.Mkdir(filepath.Join(root, dir), 0o777),
			os.Chmod(filepath.Join(root, dir), 0o777|fs.ModeSticky))
	}
	if err == nil && p.cuda() {
		err = addLibraries(root, filepath.Join(root, "usr/bin", p.name))
	}
	if err == nil {
		err = r.tar(layer, root, ".")
	}
	if err != nil {
		return err
	}
	packed, err := tarball.LayerFromFile(layer)
	if err != nil {
		return err
	}
	image, err := mutate.Append(empty.Image,
		mutate.Addendum{Layer: packed, History: v1.History{Created: v1.Time{Time: r.date}, CreatedBy: "garaph's release"}})
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
	config.Config.User = fmt.Sprintf("%d:%[1]d", imageUser)
	config.Config.Env = []string{"PATH=/usr/bin", "HOME=/data"}
	config.Config.Labels = map[string]string{"org.opencontainers.image.version": r.plain(),
		"org.opencontainers.image.source": home, "org.opencontainers.image.licenses": "Apache-2.0"}
	if p.cuda() {
		config.Config.Env = slices.Concat(config.Config.Env,
			[]string{"NVIDIA_VISIBLE_DEVICES=all", "NVIDIA_DRIVER_CAPABILITIES=compute,utility"})
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
