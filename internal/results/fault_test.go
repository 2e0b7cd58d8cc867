package results

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// faultyDisk records the steps on a disk and makes one of them fail.
type faultyDisk struct {
	osDisk
	fail  string
	steps []string
}

var errFault = errors.New("fault")

func (d *faultyDisk) step(name string) error {
	if n := len(d.steps); n == 0 || d.steps[n-1] != name {
		d.steps = append(d.steps, name)
	}
	if name == d.fail {
		return errFault
	}
	return nil
}

func (d *faultyDisk) create(path string, mode fs.FileMode) (file, error) {
	if err := d.step("create"); err != nil {
		return nil, err
	}
	f, err := d.osDisk.create(path, mode)
	return &faultyFile{f, d}, err
}

func (d *faultyDisk) rename(from, to string) error {
	return errors.Join(d.step("rename"), d.unless("rename", func() error { return d.osDisk.rename(from, to) }))
}

func (d *faultyDisk) unless(name string, run func() error) error {
	if d.fail == name {
		return nil
	}
	return run()
}

func (d *faultyDisk) remove(path string) error {
	return errors.Join(d.step("remove"), d.osDisk.remove(path))
}

func (d *faultyDisk) syncFolder(path string) error {
	return errors.Join(d.step("sync folder"), d.osDisk.syncFolder(path))
}

type faultyFile struct {
	file
	disk *faultyDisk
}

func (f *faultyFile) Write(p []byte) (int, error) {
	if err := f.disk.step("write"); err != nil {
		return 0, err
	}
	return f.file.Write(p)
}

func (f *faultyFile) Sync() error  { return errors.Join(f.disk.step("sync"), f.file.Sync()) }
func (f *faultyFile) Close() error { return errors.Join(f.disk.step("close"), f.file.Close()) }

// TestOrderOfSteps: data must be on the disk before its name, or a power
// failure leaves an empty file.
func TestOrderOfSteps(t *testing.T) {
	d := &faultyDisk{}
	if err := writeFile(d, filepath.Join(t.TempDir(), "a.tsv"), TSV, small()); err != nil {
		t.Fatal(err)
	}
	want := []string{"create", "write", "sync", "close", "rename", "sync folder"}
	if diff := cmp.Diff(want, d.steps); diff != "" {
		t.Error(diff)
	}
}

// TestFaults: whatever fails, the old file stays and nothing is left over.
func TestFaults(t *testing.T) {
	for _, f := range []Format{TSV, Parquet, "csv.zst"} {
		for _, fail := range []string{"create", "write", "sync", "close", "rename"} {
			folder := t.TempDir()
			path := filepath.Join(folder, "a.tsv")
			put(t, path, "old", 0o644)
			err := writeFile(&faultyDisk{fail: fail}, path, f, small())
			if !errors.Is(err, errFault) || !strings.HasPrefix(err.Error(), "cannot write the results to "+path) {
				t.Errorf("%s, %s: got %v", f, fail, err)
			}
			if diff := cmp.Diff([]string{"a.tsv"}, listing(t, folder)); diff != "" || content(t, path) != "old" {
				t.Errorf("%s, %s: %s", f, fail, diff)
			}
		}
	}
}

func TestFaultAfterRename(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "a.tsv")
	if err := writeFile(&faultyDisk{fail: "sync folder"}, path, TSV, small()); !errors.Is(err, errFault) {
		t.Errorf("got %v", err)
	}
	if diff := cmp.Diff([]string{"a.tsv"}, listing(t, folder)); diff != "" || content(t, path) != smallTSV {
		t.Error(diff)
	}
}

func TestFaultsOfTheTable(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "a.tsv")
	put(t, path, "old", 0o644)
	broken := small()
	broken.err = errFault
	if err := WriteFile(path, TSV, broken); !errors.Is(err, errFault) {
		t.Errorf("got %v", err)
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic of the table vanished")
			}
		}()
		_ = WriteFile(path, TSV, panicking{small()})
	}()
	if diff := cmp.Diff([]string{"a.tsv"}, listing(t, folder)); diff != "" || content(t, path) != "old" {
		t.Error(diff)
	}
}

type panicking struct{ *memory }

func (p panicking) Batches(func(*Batch) error) error { panic("out of range") }
