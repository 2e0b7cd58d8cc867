package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A wheel is a zip archive: the package, and a folder garaph-VERSION.dist-info with what pip
// wants to know, with a hash of each file (https://packaging.python.org, binary distribution format).

// archive is a wheel while it is written.
type archive struct {
	zip    *zip.Writer
	record strings.Builder
}

// earliest is the time of all files: zip has none before.
var earliest = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// add adds a file.
func (a *archive) add(name string, mode fs.FileMode, r io.Reader) error {
	h := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: earliest}
	h.SetMode(mode)
	w, err := a.zip.CreateHeader(h)
	if err != nil {
		return err
	}
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(w, sum), r)
	fmt.Fprintf(&a.record, "%s,sha256=%s,%d\n", name, base64.RawURLEncoding.EncodeToString(sum.Sum(nil)), n)
	return err
}

func (a *archive) addText(name, text string) error {
	return a.add(name, 0o644, strings.NewReader(text))
}

func (a *archive) addFile(name, path string, mode fs.FileMode) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return a.add(name, mode, f)
}

// write writes the wheel, whole or not at all.
func (o options) write(path, version, tag string) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".wheel-")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name()) // the error is that of the wheel
		}
	}()
	a := &archive{zip: zip.NewWriter(f)}
	err = o.addPackage(a, version)
	if err == nil {
		err = o.addAbout(a, version, tag)
	}
	if closeErr := a.zip.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = f.Chmod(0o644)
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	return err
}

// addPackage adds the modules, and the command.
func (o options) addPackage(a *archive, version string) error {
	modules, err := filepath.Glob(filepath.Join(o.source, "garaph", "*.py"))
	if err != nil {
		return err
	}
	if len(modules) == 0 {
		return fmt.Errorf("%s has no garaph/*.py: run this in the root folder of the repository, or give --source", o.source)
	}
	modules = append(modules, filepath.Join(o.source, "garaph", "py.typed"))
	slices.Sort(modules)
	for _, path := range modules {
		name := "garaph/" + filepath.Base(path)
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if name == "garaph/_version.py" {
			text = literal.ReplaceAll(text, fmt.Appendf(nil, "__version__ = %q", version))
		}
		if err := a.add(name, 0o644, bytes.NewReader(text)); err != nil {
			return err
		}
	}
	return a.addFile("garaph/bin/garaph", o.binary, 0o755)
}

// addAbout adds what pip reads.
func (o options) addAbout(a *archive, version, tag string) error {
	folder := "garaph-" + version + ".dist-info/"
	readme, err := os.ReadFile(filepath.Join(o.source, "README.md"))
	if err != nil {
		return err
	}
	metadata := fmt.Sprintf(`Metadata-Version: 2.1
Name: garaph
Version: %s
Summary: Graph algorithms on one machine, on graphs larger than memory
License: Apache-2.0
License-File: LICENSE
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: Python :: 3
Classifier: Typing :: Typed
Requires-Python: >=3.9
Requires-Dist: numpy>=1.20
Provides-Extra: all
Requires-Dist: pandas; extra == "all"
Requires-Dist: scipy; extra == "all"
Requires-Dist: networkx; extra == "all"
Description-Content-Type: text/markdown

%s`, version, readme)
	if err := a.addText(folder+"METADATA", metadata); err != nil {
		return err
	}
	if err := a.addText(folder+"WHEEL", "Wheel-Version: 1.0\nGenerator: garaph\nRoot-Is-Purelib: false\nTag: "+tag+"\n"); err != nil {
		return err
	}
	if err := a.addText(folder+"entry_points.txt", "[console_scripts]\ngaraph = garaph.__main__:main\n"); err != nil {
		return err
	}
	if err := a.addFile(folder+"LICENSE", filepath.Join(o.source, "..", "LICENSE"), 0o644); err != nil {
		return err
	}
	w, err := a.zip.CreateHeader(&zip.FileHeader{Name: folder + "RECORD", Method: zip.Deflate, Modified: earliest})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s%sRECORD,,\n", &a.record, folder)
	return err
}
