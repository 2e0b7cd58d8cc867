// Command wheel makes a wheel of the Python package, with a static binary of the command in
// it. It needs neither Python nor a network, and writes the same bytes each time.
//
//	go run ./python/wheel --arch arm64 --version v1.2.3 --output dist
package main

import (
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("wheel: ")
	o := options{}
	flag.StringVar(&o.arch, "arch", "amd64", "processors that the wheel is for: amd64 or arm64")
	flag.StringVar(&o.version, "version", "", "version of the package, such as v1.2.3 (default that of garaph/_version.py)")
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
		if err := o.build(); err != nil {
			return "", fmt.Errorf("build the command for %s: %w", o.arch, err)
		}
	}
	if err := os.MkdirAll(o.output, 0o777); err != nil {
		return "", err
	}
	path = filepath.Join(o.output, fmt.Sprintf("garaph-%s-py3-none-%s.whl", version, platform))
	return path, o.write(path, version, "py3-none-"+platform)
}

// build builds the command.
func (o options) build() error {
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", o.binary, "github.com/garaph/garaph/cmd/garaph")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+o.arch)
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	return cmd.Run()
}

var (
	literal  = regexp.MustCompile(`(?m)^__version__ = "(.*)"$`)
	semantic = regexp.MustCompile(`^v?([0-9]+\.[0-9]+\.[0-9]+)(?:-(alpha|beta|rc)\.?([0-9]+))?$`)
)

// pythonVersion is the version as Python writes it: 1.2.3rc1 for v1.2.3-rc.1.
func (o options) pythonVersion() (string, error) {
	if o.version == "" {
		text, err := os.ReadFile(filepath.Join(o.source, "garaph", "_version.py"))
		if err != nil {
			return "", err
		}
		if m := literal.FindSubmatch(text); m != nil {
			return string(m[1]), nil
		}
		return "", fmt.Errorf("%s/garaph/_version.py has no __version__", o.source)
	}
	m := semantic.FindStringSubmatch(o.version)
	if m == nil {
		return "", fmt.Errorf("--version %s: expected one such as v1.2.3 or v1.2.3-rc.1", o.version)
	}
	return m[1] + strings.NewReplacer("alpha", "a", "beta", "b").Replace(m[2]) + m[3], nil
}
