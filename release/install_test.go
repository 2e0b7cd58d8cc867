package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/module"
	modzip "golang.org/x/mod/zip"
)

// TestInstall checks that go install …@latest works, from a proxy that has the last commit.
func TestInstall(t *testing.T) {
	if os.Getenv("GARAPH_LONG") == "" {
		t.Skip("it builds the command, which GARAPH_LONG=1 does")
	}
	const version = "v0.1.0"
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	proxy, gobin, cache := t.TempDir(), t.TempDir(), t.TempDir()
	at := filepath.Join(proxy, "github.com/garaph/garaph/@v")
	if err := os.MkdirAll(at, 0o777); err != nil {
		t.Fatal(err)
	}
	var zipped bytes.Buffer
	if err := modzip.CreateFromVCS(&zipped, module.Version{Path: "github.com/garaph/garaph", Version: version}, root,
		"HEAD", ""); err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	for name, body := range map[string][]byte{"list": []byte(version + "\n"),
		version + ".info": []byte(`{"Version":"` + version + `"}`), version + ".mod": mod,
		version + ".zip": zipped.Bytes()} {
		if err := os.WriteFile(filepath.Join(at, name), body, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	known, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	// Nothing but what this module was built with.
	from := "file://" + proxy + ",file://" + strings.TrimSpace(string(known)) + "/cache/download,off"
	install := exec.Command("go", "install", "github.com/garaph/garaph/cmd/garaph@latest")
	install.Dir = t.TempDir()
	install.Env = append(os.Environ(), "GOPROXY="+from, "GOSUMDB=off", "GOFLAGS=-modcacherw -trimpath",
		"GOMODCACHE="+cache, "GOBIN="+gobin, "GOWORK=off")
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command(filepath.Join(gobin, "garaph"), "version").Output()
	if err != nil || !strings.HasPrefix(string(out), "garaph "+version+" ") {
		t.Errorf("garaph version: %v, %q", err, out)
	}
}
