package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// archive writes a .tar.gz that is used where it is unpacked.
func (r *release) archive(p product) error {
	top := fmt.Sprintf("%s_%s_linux_%s/", p.name, r.plain(), p.arch)
	var files []file
	for _, f := range p.files {
		f.path = top + strings.NewReplacer("usr/bin/", "", "usr/share/doc/garaph/", "", "usr/share/", "share/").Replace(f.path)
		files = append(files, f)
	}
	packed, err := packed(files, r.date)
	if err != nil {
		return err
	}
	return os.WriteFile(r.name(p.name, p.arch, ".tar.gz"), packed, 0o666)
}

// packed is a .tar.gz of files and the folders that they need, owned by root.
func packed(files []file, date time.Time) ([]byte, error) {
	plain, err := tarred(files, date)
	if err != nil {
		return nil, err
	}
	return compressed(plain)
}

func tarred(files []file, date time.Time) ([]byte, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, dir := range foldersOf(files) {
		if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: dir + "/", Mode: 0o755, ModTime: date, Format: tar.FormatGNU}); err != nil {
			return nil, err
		}
	}
	for _, f := range files {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: f.path, Mode: f.mode, Size: int64(len(f.body)), ModTime: date, Format: tar.FormatGNU}
		if strings.HasSuffix(f.path, "/") {
			h.Typeflag = tar.TypeDir
		}
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.body); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// foldersOf are those above files, in order.
func foldersOf(files []file) []string {
	var all []string
	for _, f := range files {
		for dir := path.Dir(strings.TrimSuffix(f.path, "/")); dir != "." && dir != "/"; dir = path.Dir(dir) {
			all = append(all, dir)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// compressed is gzip without a name and a date.
func compressed(plain []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(plain); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// checksums writes those of all files, as sha256sum -c reads them.
func (r *release) checksums() error {
	entries, err := os.ReadDir(r.out)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	for _, e := range entries {
		if e.Name() == marker {
			continue
		}
		sum, err := sumOf(filepath.Join(r.out, e.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s  %s\n", sum, e.Name())
	}
	return os.WriteFile(filepath.Join(r.out, marker), b.Bytes(), 0o666)
}

func sumOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	return fmt.Sprintf("%x", h.Sum(nil)), err
}
