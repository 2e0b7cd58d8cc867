package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/garaph/garaph/cmd/garaph/cli"
)

// command is set in the environment of processes that are to be the command.
const command = "GARAPH_TEST_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(command) != "" {
		cli.Main()
	}
	os.Exit(m.Run())
}

func TestVersion(t *testing.T) {
	for given, want := range map[string]string{"v1.2.3": "1.2.3", "0.10.0": "0.10.0", "v1.2.3-rc.1": "1.2.3rc1",
		"v1.2.3-beta2": "1.2.3b2", "": "0.1.0.dev0"} {
		if got, err := (options{version: given, source: ".."}).pythonVersion(); got != want || err != nil {
			t.Errorf("%q: got %q, %v, want %q", given, got, err, want)
		}
	}
	for _, given := range []string{"1.2", "v1.2.3+x", "latest", "v1.2.3-pre"} {
		if got, err := (options{version: given}).pythonVersion(); err == nil {
			t.Errorf("%q: got %q, want an error", given, got)
		}
	}
}

// TestWheel checks that a wheel has a right hash of each of its files, and is the same each time.
func TestWheel(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "binary")
	if err := os.WriteFile(binary, []byte("not really"), 0o666); err != nil {
		t.Fatal(err)
	}
	o := options{arch: "arm64", version: "v1.2.3", binary: binary, source: "..", output: t.TempDir()}
	path, err := o.make()
	if err != nil {
		t.Fatal(err)
	}
	if want := "garaph-1.2.3-py3-none-manylinux2014_aarch64.whl"; filepath.Base(path) != want {
		t.Errorf("got %s, want %s", path, want)
	}
	first, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	files, modes := unpack(t, first)
	record := files["garaph-1.2.3.dist-info/RECORD"]
	for name, data := range files {
		sum := sha256.Sum256([]byte(data))
		line := fmt.Sprintf("%s,sha256=%s,%d\n", name, base64.RawURLEncoding.EncodeToString(sum[:]), len(data))
		if strings.HasSuffix(name, "/RECORD") {
			line = name + ",,\n"
		}
		if !strings.Contains(record, line) {
			t.Errorf("RECORD lacks %s", line)
		}
	}
	if files["garaph/bin/garaph"] != "not really" || modes["garaph/bin/garaph"] != 0o755 {
		t.Errorf("the command is %q, of mode %o", files["garaph/bin/garaph"], modes["garaph/bin/garaph"])
	}
	for name, want := range map[string]string{
		"garaph/_version.py": `__version__ = "1.2.3"`, "garaph/py.typed": "", "garaph/_graph.py": "class Graph",
		"garaph-1.2.3.dist-info/METADATA": "\nVersion: 1.2.3\n",
		"garaph-1.2.3.dist-info/WHEEL":    "\nTag: py3-none-manylinux2014_aarch64\n",
	} {
		if data, there := files[name]; !there || !strings.Contains(data, want) {
			t.Errorf("%s: %v, want %q in\n%s", name, there, want, data)
		}
	}
	if _, err := o.make(); err != nil {
		t.Fatal(err)
	}
	if second, err := os.ReadFile(path); err != nil || !bytes.Equal(first, second) {
		t.Errorf("another wheel has other bytes, %v", err)
	}
}

func unpack(t *testing.T, wheel []byte) (files map[string]string, modes map[string]os.FileMode) {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(wheel), int64(len(wheel)))
	if err != nil {
		t.Fatal(err)
	}
	files, modes = map[string]string{}, map[string]os.FileMode{}
	for _, f := range r.File {
		data, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(data)
		if err != nil {
			t.Fatal(err)
		}
		files[f.Name], modes[f.Name] = string(text), f.Mode()
	}
	return files, modes
}

func TestRefused(t *testing.T) {
	folder := t.TempDir()
	for _, o := range []options{{arch: "s390x"}, {arch: "amd64", source: "nosuch"},
		{arch: "amd64", version: "v1.0.0", binary: "nosuch", source: "..", output: folder}} {
		if path, err := o.make(); err == nil {
			t.Errorf("%+v: made %s", o, path)
		}
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestInstall checks that pip installs a wheel into an environment that has nothing but NumPy, without a
// network, and it works with the command that it carries.
func TestInstall(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs commands from Python")
	}
	python := ""
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(name, "-c", "import numpy, venv").Run() == nil {
			python = name
			break
		}
	}
	pips, _ := filepath.Glob("/usr/share/python-wheels/pip-*.whl") // the pattern is right
	if python == "" || len(pips) == 0 {
		t.Skip("there is no python3 with NumPy, or no wheel of pip")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	wheel, err := options{arch: runtime.GOARCH, binary: self, source: "..", output: t.TempDir()}.make()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "venv")
	bin := filepath.Join(dir, "bin")
	env := append(os.Environ(), command+"=1", "GARAPH=", "PATH="+bin+":/usr/bin:/bin", "TMPDIR="+t.TempDir())
	for _, args := range [][]string{
		{python, "-m", "venv", "--without-pip", "--system-site-packages", dir},
		{bin + "/python3", pips[0] + "/pip", "install", "--quiet", "--no-index", "--no-deps", wheel},
		{bin + "/python3", "-c", `
import garaph, os
from garaph import Graph, _binary
assert _binary.find().startswith(os.path.dirname(garaph.__file__)), _binary.find()
assert Graph.from_edges([1, 2], [2, 3]).bfs(source=1).tolist() == [0, 1, 2]
`},
		{bin + "/garaph", "version"},
		{bin + "/python3", "-m", "garaph", "programs"},
	} {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Env, cmd.Dir = env, dir[:len(dir)-len("/venv")]
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
}
