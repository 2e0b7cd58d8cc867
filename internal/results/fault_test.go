package results

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var errFault = errors.New("fault")

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
