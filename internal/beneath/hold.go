package beneath

import (
	"fmt"
	"os"
	"strings"
)

// Held is a folder for a library that takes paths. Its Path leads to this very
// folder as long as it is held, also when it is moved or removed, and another
// has its name.
type Held struct {
	Path   string
	name   string // as the user knows it
	handle *os.File
}

// Hold opens a folder below this one.
func (f *Folder) Hold(name string) (*Held, error) {
	if err := f.checkFolder(name); err != nil {
		return nil, err
	}
	handle, err := f.Root.Open(name)
	if err != nil {
		return nil, err
	}
	h := &Held{fmt.Sprintf("/proc/self/fd/%d", handle.Fd()), f.Path(name), handle}
	if there, err := os.Stat(h.Path); err != nil || !there.IsDir() {
		h.Path = h.name // a system without /proc
	}
	return h, nil
}

// Close releases the folder.
func (h *Held) Close() error { return h.handle.Close() }

// Error puts the name of the folder in an error that has its Path.
func (h *Held) Error(err error) error {
	if err == nil || !strings.Contains(err.Error(), h.Path) {
		return err
	}
	return &heldError{err, strings.ReplaceAll(err.Error(), h.Path, h.name)}
}

type heldError struct {
	error
	text string
}

func (e *heldError) Error() string { return e.text }
func (e *heldError) Unwrap() error { return e.error }
