package read

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
)

// stdinText is the name of standard input in errors.
const stdinText = "standard input"

// StdinName is the input that stands for standard input.
const StdinName = "-"

// Input is one input. A regular file is opened twice, for its beginning and
// for all of it, so that many inputs keep neither files open nor memory; an input that
// can be read only once (standard input, a pipe) stays open in between.
type Input struct {
	Name string // as the user gave it; errors begin with it
	Size int64  // bytes as stored; -1 if unknown
	Open func(context.Context) (io.ReadCloser, error)
	Once bool // open works only once

	// OpenAt opens a regular file for reading at any place; nil for others.
	OpenAt func() (ReaderAtCloser, error)

	window int64 // that a zstd stream may ask for

	kept *Stream // once: the stream, after its beginning was read
	head []byte  // once: that beginning
}

// ReaderAtCloser is a file that is read at any place.
type ReaderAtCloser interface {
	io.ReaderAt
	io.Closer
}

// CheckInputs reports which of some inputs is not there, or is no file.
func CheckInputs(inputs []string, stdin io.Reader) error {
	if len(inputs) == 0 {
		return nil
	}
	_, err := openInputs(inputs, Options{Stdin: stdin, Warn: func(string) {}})
	return err
}

// Open looks at an input without reading it.
func Open(name string, stdin io.Reader) (*Input, error) {
	if name == StdinName {
		if stdin == nil {
			return nil, &InputError{File: stdinText, Problem: "is not available"}
		}
		open := func(context.Context) (io.ReadCloser, error) { return io.NopCloser(stdin), nil }
		return &Input{Name: stdinText, Size: -1, Open: open, Once: true}, nil
	}
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &InputError{File: name, Problem: "there is no such file", Advice: "check the path", Err: err}
	case err != nil:
		return nil, &InputError{File: name, Problem: "cannot be opened: " + PathCause(err), Err: err}
	case info.IsDir():
		return nil, &InputError{File: name, Problem: "is a directory", Advice: "name the files in it"}
	}
	open := func(ctx context.Context) (io.ReadCloser, error) {
		f, err := openFile(ctx, name)
		if err != nil && ctx.Err() == nil {
			err = &InputError{File: name, Problem: "cannot be opened: " + PathCause(err), Err: err}
		}
		return f, err
	}
	if !info.Mode().IsRegular() {
		return &Input{Name: name, Size: -1, Open: open, Once: true}, nil
	}
	return &Input{Name: name, Size: info.Size(), Open: open, OpenAt: func() (ReaderAtCloser, error) {
		f, err := os.Open(name)
		if err != nil {
			return nil, &InputError{File: name, Problem: "cannot be opened: " + PathCause(err), Err: err}
		}
		return f, nil
	}}, nil
}

// openFile opens a file, and waits for the writer of a FIFO until ctx ends.
func openFile(ctx context.Context, name string) (io.ReadCloser, error) {
	type opened struct {
		f   *os.File
		err error
	}
	done := make(chan opened)
	go func() {
		f, err := os.Open(name)
		select {
		case done <- opened{f, err}:
		case <-ctx.Done():
			_ = f.Close() // it may be nil
		}
	}()
	select {
	case o := <-done:
		return o.f, o.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// PathCause returns the cause of a failed file operation, without the path that the
// message has already.
func PathCause(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}

// Stream opens the input and unpacks it. What may block for ever is read so
// that ctx can end it; progress, if not nil, counts the stored bytes.
func (in *Input) Stream(ctx context.Context, progress *Progress) (*Stream, error) {
	raw, err := in.Open(ctx)
	if err != nil {
		return nil, err
	}
	if in.Once {
		raw = &cancellable{ReadCloser: raw, ctx: ctx}
	}
	if progress != nil {
		raw = &counted{ReadCloser: raw, progress: progress}
	}
	return unpack(in.Name, raw, in.window)
}

// body returns the whole input, from its first byte, for the parsing.
func (in *Input) body(ctx context.Context, progress *Progress) (*Stream, error) {
	if in.kept == nil {
		return in.Stream(ctx, progress)
	}
	s := in.kept
	in.kept = nil
	return &Stream{
		Reader: io.MultiReader(bytes.NewReader(in.head), s),
		name:   in.Name, Packed: s.Packed, close: []func() error{s.Close},
	}, nil
}

// drop closes the files that are still open.
func (in *Input) drop() {
	if in.kept != nil {
		in.kept.Close()
		in.kept = nil
	}
}

// Progress counts the stored bytes that were consumed. Only the goroutine
// that reads uses it.
type Progress struct {
	Done, total int64
	notify      func(done, total int64)
}

// Report calls notify with the bytes so far.
func (p *Progress) Report() { p.notify(p.Done, p.total) }

// counted counts the bytes that are read through it.
type counted struct {
	io.ReadCloser
	progress *Progress
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.progress.Done += int64(n)
	return n, err
}

// cancellable is a reader whose Read returns when ctx ends, even while the Read
// under it blocks. That one is then left alone; it ends when its input does.
type cancellable struct {
	io.ReadCloser
	ctx context.Context
	buf []byte // belongs to the running Read under it
}

type readResult struct {
	n   int
	err error
}

func (c *cancellable) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	if c.buf == nil {
		c.buf = make([]byte, 256<<10)
	}
	buf := c.buf[:min(len(p), len(c.buf))]
	done := make(chan readResult, 1)
	go func() {
		n, err := c.ReadCloser.Read(buf)
		done <- readResult{n, err}
	}()
	select {
	case r := <-done:
		return copy(p, buf[:r.n]), r.err
	case <-c.ctx.Done():
		return 0, c.ctx.Err()
	}
}
