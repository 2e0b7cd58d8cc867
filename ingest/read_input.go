package ingest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// stdinText is what errors call standard input.
const stdinText = "standard input"

// StdinName is the input that stands for standard input.
const StdinName = "-"

// readInput is one input. A regular file is opened twice, for its beginning and
// for all of it, so that many inputs keep neither files open nor memory; what
// can be read only once (standard input, a pipe) stays open in between.
type readInput struct {
	name string // as the user gave it; errors begin with it
	size int64  // bytes as stored; -1: unknown
	open func(context.Context) (io.ReadCloser, error)
	once bool // open works only once

	// openAt opens a regular file for reading at any place; nil for others.
	openAt func() (readerAtCloser, error)

	window int64 // that a zstd stream may ask for

	kept *inputStream // once: the stream, after its beginning was read
	head []byte       // once: that beginning
}

// readerAtCloser is a file that is read at any place.
type readerAtCloser interface {
	io.ReaderAt
	io.Closer
}

// CheckInputs reports which of some inputs is not there, or is no file.
func CheckInputs(inputs []string, stdin io.Reader) error {
	if len(inputs) == 0 {
		return nil
	}
	_, err := openInputs(inputs, ReadOptions{Stdin: stdin, Warn: func(string) {}})
	return err
}

// openInput looks at an input without reading it.
func openInput(name string, stdin io.Reader) (*readInput, error) {
	if name == StdinName {
		if stdin == nil {
			return nil, &InputError{File: stdinText, Problem: "is not available"}
		}
		open := func(context.Context) (io.ReadCloser, error) { return io.NopCloser(stdin), nil }
		return &readInput{name: stdinText, size: -1, open: open, once: true}, nil
	}
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &InputError{File: name, Problem: "there is no such file", Advice: "check the path", Err: err}
	case err != nil:
		return nil, &InputError{File: name, Problem: "cannot be opened: " + pathCause(err), Err: err}
	case info.IsDir():
		return nil, &InputError{File: name, Problem: "is a directory", Advice: "name the files in it"}
	}
	open := func(ctx context.Context) (io.ReadCloser, error) {
		f, err := openFile(ctx, name)
		if err != nil && ctx.Err() == nil {
			err = &InputError{File: name, Problem: "cannot be opened: " + pathCause(err), Err: err}
		}
		return f, err
	}
	if !info.Mode().IsRegular() {
		return &readInput{name: name, size: -1, open: open, once: true}, nil
	}
	return &readInput{name: name, size: info.Size(), open: open, openAt: func() (readerAtCloser, error) {
		f, err := os.Open(name)
		if err != nil {
			return nil, &InputError{File: name, Problem: "cannot be opened: " + pathCause(err), Err: err}
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

// pathCause is what a file operation failed of, without the path that the
// message has already.
func pathCause(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}

// stream opens the input and unpacks it. What may block for ever is read so
// that ctx can end it; progress, if not nil, counts the stored bytes.
func (in *readInput) stream(ctx context.Context, progress *readProgress) (*inputStream, error) {
	raw, err := in.open(ctx)
	if err != nil {
		return nil, err
	}
	if in.once {
		raw = &cancellable{ReadCloser: raw, ctx: ctx}
	}
	if in.size > 0 {
		raw = &sizedReader{ReadCloser: raw, name: in.name, size: in.size}
	}
	if progress != nil {
		raw = &counted{ReadCloser: raw, progress: progress}
	}
	return unpack(in.name, raw, in.window)
}

// sizedReader is a file that had so many bytes when it was looked at: less are an error, never a smaller graph.
type sizedReader struct {
	io.ReadCloser
	name    string
	size, n int64
}

func (s *sizedReader) Read(b []byte) (int, error) {
	n, err := s.ReadCloser.Read(b)
	if s.n += int64(n); err == io.EOF && s.n < s.size {
		err = &InputError{File: s.name, Problem: fmt.Sprintf("had %d bytes, and has become shorter while it was read", s.size), Advice: "import it again when nothing writes it"}
	}
	return n, err
}

// body is the whole input, from its first byte, for the parsing.
func (in *readInput) body(ctx context.Context, progress *readProgress) (*inputStream, error) {
	if in.kept == nil {
		return in.stream(ctx, progress)
	}
	s := in.kept
	in.kept = nil
	return &inputStream{
		Reader: io.MultiReader(bytes.NewReader(in.head), s),
		name:   in.name, packed: s.packed, close: []func() error{s.Close},
	}, nil
}

// drop closes what is still open.
func (in *readInput) drop() {
	if in.kept != nil {
		in.kept.Close()
		in.kept = nil
	}
}

// readProgress counts the stored bytes that were consumed. Only the goroutine
// that reads uses it.
type readProgress struct {
	done, total int64
	notify      func(done, total int64)
}

func (p *readProgress) report() { p.notify(p.done, p.total) }

// counted counts what is read through it.
type counted struct {
	io.ReadCloser
	progress *readProgress
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.progress.done += int64(n)
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
