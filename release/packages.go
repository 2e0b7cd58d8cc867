package main

import (
	"bytes"
	"crypto/md5"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/blakesmith/ar"
	"github.com/google/rpmpack"
)

const (
	summary = "Process graphs that are larger than memory on one machine"
	more    = "PageRank, shortest paths, components and vertex programs of one's own, on all\ncores and on NVIDIA GPUs, within a budget of memory."
	home    = "https://github.com/garaph/garaph"
)

// ordered is the version as Debian and RPM order them: a snapshot is before its release.
func (r *release) ordered() string { return strings.ReplaceAll(r.plain(), "-", "~") }

// deb writes a Debian package.
func (r *release) deb(p product) error {
	files := p.packaged()
	size := 0
	var sums bytes.Buffer
	for _, f := range files {
		size += len(f.body)
		fmt.Fprintf(&sums, "%x  %s\n", md5.Sum(f.body), f.path)
	}
	depends := ""
	if p.cuda {
		depends = fmt.Sprintf("Depends: garaph (= %s), libc6\n", r.ordered())
	}
	control := fmt.Sprintf("Package: %s\nVersion: %s\nArchitecture: %s\nMaintainer: The authors of garaph <garaph@localhost>\nInstalled-Size: %d\n%sSection: science\nPriority: optional\nHomepage: %s\nDescription: %s\n %s\n",
		p.name, r.ordered(), p.arch, (size+1023)/1024, depends, home, summary, strings.ReplaceAll(more, "\n", "\n "))
	head, err := packed([]file{{"./control", 0o644, []byte(control)}, {"./md5sums", 0o644, sums.Bytes()}}, r.date)
	if err != nil {
		return err
	}
	var dotted []file
	for _, f := range files {
		f.path = "./" + f.path
		dotted = append(dotted, f)
	}
	data, err := packed(dotted, r.date)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	w := ar.NewWriter(&b)
	if err := w.WriteGlobalHeader(); err != nil {
		return err
	}
	for _, part := range []file{{"debian-binary", 0o644, []byte("2.0\n")}, {"control.tar.gz", 0o644, head}, {"data.tar.gz", 0o644, data}} {
		if err := member(w, part, r.date); err != nil {
			return err
		}
	}
	return os.WriteFile(r.name(p.name, p.arch, ".deb"), b.Bytes(), 0o666)
}

func member(w *ar.Writer, f file, date time.Time) error {
	if err := w.WriteHeader(&ar.Header{Name: f.path, ModTime: date, Mode: f.mode, Size: int64(len(f.body))}); err != nil {
		return err
	}
	_, err := w.Write(f.body)
	return err
}

// rpm writes a package for RPM.
func (r *release) rpm(p product) error {
	arch := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[p.arch]
	if arch == "" {
		return fmt.Errorf("no name of %s for RPM", p.arch)
	}
	meta := rpmpack.RPMMetaData{
		Name: p.name, Summary: summary, Description: more, Version: r.ordered(), Release: "1", Arch: arch, OS: "linux",
		URL: home, Licence: "Apache-2.0", Packager: "The authors of garaph", BuildHost: "localhost", Compressor: "gzip", BuildTime: r.date,
	}
	if p.cuda {
		if err := meta.Requires.Set("garaph = " + r.ordered()); err != nil {
			return err
		}
	}
	w, err := rpmpack.NewRPM(meta)
	if err != nil {
		return err
	}
	for _, f := range p.packaged() {
		w.AddFile(rpmpack.RPMFile{Name: "/" + f.path, Body: f.body, Mode: uint(0o100000 | f.mode), Owner: "root", Group: "root", MTime: uint32(r.date.Unix())})
	}
	out, err := os.Create(r.name(p.name, p.arch, ".rpm"))
	if err != nil {
		return err
	}
	if err := w.Write(io.Writer(out)); err != nil {
		return err
	}
	return out.Close()
}
