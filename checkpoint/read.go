package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/dgraph-io/badger/v4"
	"golang.org/x/sync/errgroup"
)

// Restored says which epoch a job goes on from. Number is 0 when the job has
// none.
type Restored struct {
	Number int
	State  State
	Passed []error // why newer epochs were passed over
}

// Restore hands the newest sound epoch to the sink. A damaged one is passed over
// for the one before it; when none is left, the error is [ErrDamaged]. It is
// [ErrDiffers] when the epoch is of another graph, program or parameter.
func (f *Folder) Restore(ctx context.Context, sink Sink) (Restored, error) {
	var r Restored
	numbers, err := f.Numbers()
	if err != nil {
		return r, err
	}
	for _, n := range slices.Backward(numbers) {
		state, err := f.read(ctx, n, sink)
		if !errors.Is(err, ErrDamaged) {
			r.Number, r.State = n, state
			return r, err
		}
		r.Passed = append(r.Passed, err)
		f.passed = append(f.passed, n)
	}
	if len(r.Passed) > 0 {
		return r, fmt.Errorf("no epoch is left to go on from: %w", errors.Join(r.Passed...))
	}
	return r, nil
}

// read reads epoch n. All errors that another epoch may help against are
// ErrDamaged.
func (f *Folder) read(ctx context.Context, n int, sink Sink) (s State, err error) {
	folder := f.epochPath(n)
	defer func() {
		if err != nil {
			err = fmt.Errorf("epoch %d: %w", n, err)
		}
	}()
	if err := checkSeal(folder); err != nil {
		return s, err
	}
	db, err := openBadger(filepath.Join(folder, dbDir))
	if err != nil {
		return s, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	defer func() { _ = guard(db.Close) }() // only read
	var c *commit
	err = view(db, []byte(commitKey), func(b []byte) error {
		if b, err = unseal([]byte(commitKey), b); err == nil {
			c, err = decodeCommit(b)
		}
		return err
	})
	if err != nil {
		return s, err
	}
	if err := c.Identity.Check(f.id); err != nil {
		return s, err
	}
	if err := sink.Begin(c.State); err != nil {
		return s, err
	}
	return c.State, readAll(ctx, db, c, sink)
}

func readAll(ctx context.Context, db *badger.DB, c *commit, sink Sink) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(writers)
	for i := range c.chunks() {
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return view(db, chunkKey(i), func(b []byte) error { return readChunk(c, i, b, sink) })
		})
	}
	return g.Wait()
}

func readChunk(c *commit, i int, b []byte, sink Sink) error {
	b, err := unseal(chunkKey(i), b)
	if err != nil {
		return err
	}
	from, to := c.span(i)
	size := int(to-from) * c.ValueBytes
	if len(b) < size {
		return fmt.Errorf("%w: chunk %d has %d bytes for %d vertices", ErrDamaged, i, len(b), to-from)
	}
	active := make([]uint64, words(to-from))
	if err := readActive(b[size:], to-from, active); err != nil {
		return err
	}
	return sink.Take(from, to, b[:size], active)
}
