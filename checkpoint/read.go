package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/garaph/garaph/internal/beneath"
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
		return r, fmt.Errorf(
			"no checkpoint is left to go on from: %w; `garaph jobs rm` removes the job, which can be run again",
			errors.Join(r.Passed...),
		)
	}
	return r, nil
}

// read reads epoch n. All errors that another epoch may help against are
// ErrDamaged.
func (f *Folder) read(ctx context.Context, n int, sink Sink) (s State, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("checkpoint %d: %w", n, err)
		}
	}()
	epoch, err := f.at.Folder(epochName(n))
	if err != nil {
		return s, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	defer epoch.Close()
	c := new(commit)
	if err := readText(epoch, epochFile, epochHead, epochLimit, c); errors.Is(err, ErrVersion) {
		return s, fmt.Errorf("%w: it %w", ErrDamaged, ErrVersion)
	} else if err != nil {
		return s, err
	}
	if err := c.check(); err != nil {
		return s, err
	}
	if err := c.Identity.Check(f.id); err != nil {
		return s, err
	}
	chunks, err := openValues(epoch, c)
	if err != nil {
		return s, err
	}
	defer chunks.Close()
	if err := sink.Begin(c.State); err != nil {
		return s, err
	}
	return c.State, eachChunk(ctx, c, func(i int, b *buffer, from, to uint32) error {
		if err := readChunk(chunks, c, i, from, to, b); err != nil {
			return err
		}
		return sink.Take(from, to, b.values, b.active)
	})
}

// openValues opens the file of values, which must have the size that it had.
func openValues(epoch *beneath.Folder, c *commit) (*os.File, error) {
	f, err := epoch.Open(valuesFile)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	info, err := f.Stat()
	if err == nil && info.Size() != c.bytes() {
		err = fmt.Errorf("%s has %d bytes, expected %d", valuesFile, info.Size(), c.bytes())
	}
	if err != nil {
		_ = f.Close() // only read
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return f, nil
}
