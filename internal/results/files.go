package results

import (
	"context"
	"fmt"
	"io"

	"github.com/garaph/garaph/internal/wholefile"
)

// Files are some that appear together, when all are whole, see [wholefile.Set]. The zero Files is none.
type Files struct {
	set wholefile.Set
}

// Write lets write fill one more file at path, as
// [WriteFile] does. A pipe or a descriptor is written straight. Errors call it what.
func (f *Files) Write(ctx context.Context, path, what string, write func(io.Writer) error) error {
	fill := func(w io.Writer) error { return Compressed(w, path, write) }
	target, err := inspect(what, path)
	if err != nil {
		return err
	}
	if target.stream {
		err = writeStream(ctx, path, fill)
	} else {
		err = f.set.Write(wholefile.Through(path), target.mode, fill)
	}
	if err != nil {
		return fmt.Errorf("cannot write %s to %s: %w", what, path, err)
	}
	return nil
}

// Place puts the files at their paths.
func (f *Files) Place() error {
	if err := f.set.Place(); err != nil {
		return fmt.Errorf("cannot put what was written in its place: %w", err)
	}
	return nil
}

// End removes the files that have no place.
func (f *Files) End() { f.set.End() }
