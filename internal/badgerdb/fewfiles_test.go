package badgerdb

import (
	"errors"
	"testing"

	"github.com/dgraph-io/badger/v4"
	"golang.org/x/sys/unix"

	"github.com/garaph/garaph/internal/fewfiles"
)

// TestFewFiles: a database for which there are too few files to open is an error, and
// never the end of the process.
func TestFewFiles(t *testing.T) {
	for more := range 60 {
		dir := t.TempDir()
		var err error
		fewfiles.Do(t, more, func() {
			var w *Writer
			if w, err = Create(badger.DefaultOptions(dir)); err == nil {
				err = errors.Join(w.Put([]byte("a"), []byte("b")), w.Close())
			}
		})
		if err == nil {
			return
		}
		if !errors.Is(err, unix.EMFILE) {
			t.Errorf("with %d files: %v", more, err)
		}
	}
	t.Error("60 more files are too few")
}
