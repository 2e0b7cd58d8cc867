// Command wheel makes a wheel of the Python package, with a static binary of the command in
// it. It needs neither Python nor a network, and writes the same bytes each time.
//
//	go run ./python/wheel --arch arm64 --version v1.2.3 --output dist
package main

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/garaph/garaph/internal/wholefile"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("wheel: ")
	o := options{}
	flag.StringVar(&o.arch, "arch", "amd64", "processors that the wheel is for: amd64 or arm64")
	flag.StringVar(&o.version, "version", "",
		"version of the package, such as v1.2.3 (default that of garaph/_version.py)")
	flag.StringVar(&o.binary, "binary", "", "a static binary of the command for it (default one is built)")
	flag.StringVar(&o.source, "source", "python", "the `folder` with the package, its README.md and pyproject.toml")
	flag.StringVar(&o.output, "output", "out", "the `folder` to write the wheel to")
	flag.Parse()
	if flag.NArg() > 0 {
		log.Printf("unexpected argument %q", flag.Arg(0))
		flag.Usage()
		os.Exit(2)
	}
	path, err := o.make()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(path)
}

type options struct{ arch, version, binary, source, output string }

// platforms are the tags of processors. A static binary runs wherever the kernel does.
var platforms = map[string]string{"amd64": "manylinux2014_x86_64", "arm64": "manylinux2014_aarch64"}

// make makes the wheel and returns its path.
func (o options) make() (path string, err error) {
	platform, ok := platforms[o.arch]
	if !ok {
		return "", fmt.Errorf("--arch %s: expected amd64 or arm64", o.arch)
	}
	version, err := o.pythonVersion()
	if err != nil {
		return "", err
	}
	if o.binary == "" {
		folder, err := os.MkdirTemp("", "garaph-wheel-")
		if err != nil {
			return "", err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
		o.binary = filepath.Join(folder, "garaph")
		cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", o.binary,
			"github.com/garaph/garaph/cmd/garaph")
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+o.arch)
		cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
		if err := cmd.Run(); err != nil {
			return "", fmt.Errorf("build the command for %s: %w", o.arch, err)
		}
	}
	if err := os.MkdirAll(o.output, 0o777); err != nil {
		return "", err
	}
	path = filepath.Join(o.output, fmt.Sprintf("garaph-%s-py3-none-%s.whl", version, platform))
	return path, wholefile.Write(path, 0o644, func(w io.Writer) error { return o.write(w, version, platform) })
}

var (
	literal  = regexp.MustCompile(`(?m)^__version__ = "(.*)"$`)
	semantic = regexp.MustCompile(`^v?([0-9]+\.[0-9]+\.[0-9]+)(?:-(alpha|beta|rc)\.?([0-9]+))?$`)
)

// pythonVersion returns the version as Python writes it: 1.2.3rc1 for v1.2.3-rc.1.
func (o options) pythonVersion() (string, error) {
	if o.version == "" {
		text, err := os.ReadFile(filepath.Join(o.source, "garaph", "_version.py"))
		if m := literal.FindSubmatch(text); m != nil {
			return string(m[1]), nil
		}
		return "", errors.Join(err, fmt.Errorf("%s/garaph/_version.py has no __version__", o.source))
	}
	m := semantic.FindStringSubmatch(o.version)
	if m == nil {
		return "", fmt.Errorf("--version %s: expected one such as v1.2.3 or v1.2.3-rc.1", o.version)
	}
	return m[1] + strings.NewReplacer("alpha", "a", "beta", "b").Replace(m[2]) + m[3], nil
}

const metadata = `Metadata-Version: 2.1
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

%s`

// write writes the wheel, a zip archive: the package, and a folder garaph-VERSION.dist-info with
// what pip reads, with a hash of each file (https://packaging.python.org, binary distribution format).
func (o options) write(to io.Writer, version, platform string) error {
	z := zip.NewWriter(to)
	record := ""
	var failed error
	add := func(name string, mode fs.FileMode, body []byte, err error) {
		// zip's first
		h := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)}
		h.SetMode(mode)
		if err == nil && failed == nil {
			var w io.Writer
			if w, err = z.CreateHeader(h); err == nil {
				_, err = w.Write(body)
			}
		}
		sum := sha256.Sum256(body)
		record += fmt.Sprintf("%s,sha256=%s,%d\n", name, base64.RawURLEncoding.EncodeToString(sum[:]), len(body))
		failed = errors.Join(failed, err)
	}
	paths, err := filepath.Glob(filepath.Join(o.source, "garaph", "*.py"))
	if err == nil && len(paths) == 0 {
		err = fmt.Errorf("%s has no garaph/*.py: run this in the root folder of the repository, or give --source", o.source)
	}
	if err != nil {
		return err
	}
	for _, path := range append(paths, filepath.Join(o.source, "garaph", "py.typed")) {
		text, err := os.ReadFile(path)
		if filepath.Base(path) == "_version.py" {
			text = literal.ReplaceAll(text, fmt.Appendf(nil, "__version__ = %q", version))
		}
		add("garaph/"+filepath.Base(path), 0o644, text, err)
	}
	command, err := os.ReadFile(o.binary)
	add("garaph/bin/garaph", 0o755, command, err)
	about := "garaph-" + version + ".dist-info/"
	readme, err := os.ReadFile(filepath.Join(o.source, "README.md"))
	add(about+"METADATA", 0o644, fmt.Appendf(nil, metadata, version, readme), err)
	add(about+"WHEEL", 0o644,
		[]byte("Wheel-Version: 1.0\nGenerator: garaph\nRoot-Is-Purelib: false\nTag: py3-none-"+platform+"\n"), nil)
	add(about+"entry_points.txt", 0o644, []byte("[console_scripts]\ngaraph = garaph.__main__:main\n"), nil)
	license, err := os.ReadFile(filepath.Join(o.source, "..", "LICENSE"))
	add(about+"LICENSE", 0o644, license, err)
	add(about+"RECORD", 0o644, []byte(record+about+"RECORD,,\n"), nil)
	return errors.Join(failed, z.Close())
}
