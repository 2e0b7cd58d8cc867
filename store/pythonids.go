package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/garaph/garaph/internal/beneath"
)

// PythonIDs is the file inside a graph's folder for the ids of a graph that the Python
// package made of names: to the graph its vertices are numbers. It goes with the graph,
// so that this is not opened with numbers in place of names.
const PythonIDs = "python-ids.npz"

// CopyPythonIDs copies the file of that name, if there is one, into the folder of the graph
// that is to take this one's place, with vertices of the same numbers.
func (s *Store) CopyPythonIDs(to *Writer) error {
	err := func() (err error) {
		f, err := beneath.Open(s.folder.dir)
		if err != nil {
			return err
		}
		defer f.Close()
		in, err := f.Open(PythonIDs)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		defer in.Close()
		info, err := in.Stat()
		if err == nil {
			err = to.CheckSpace(info.Size())
		}
		if err != nil {
			return err
		}
		out, err := os.OpenFile(filepath.Join(to.Dir(), PythonIDs), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, out.Close()) }()
		if _, err := io.Copy(out, in); err != nil {
			return err
		}
		return out.Sync()
	}()
	if err != nil {
		return fmt.Errorf("copy %s of graph %s: %w", PythonIDs, s.name, err)
	}
	return nil
}
