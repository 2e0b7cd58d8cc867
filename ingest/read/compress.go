package read

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// magicLen is the number of bytes distinguish the ways of compression.
const magicLen = 6

// maxWindow bounds the memory that a zstd stream may ask for; it is the default
// of the zstd program too (--long=27).
const maxWindow = 128 << 20

// compression returns the compression of an input by its first bytes: "gzip", "zstd", "bzip2", or
// "" for none.
func compression(magic []byte) string {
	switch {
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b, 8}):
		return "gzip"
	case bytes.HasPrefix(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		return "zstd"
	case len(magic) >= 4 && magic[0]&0xf0 == 0x50 && bytes.Equal(magic[1:4], []byte{0x2a, 0x4d, 0x18}):
		return "zstd" // a skippable frame, with which pzstd begins
	case len(magic) >= 6 && string(magic[:3]) == "BZh" && magic[3] >= '1' && magic[3] <= '9' &&
		(string(magic[4:6]) == "\x31\x41" || string(magic[4:6]) == "\x17\x72"): // a block, or the end of an empty stream
		return "bzip2"
	}
	return ""
}

// Stream is an input, unpacked. Its errors name the file.
type Stream struct {
	io.Reader
	name   string
	Packed string // how it is compressed; "" if it is not
	window int64  // of zstd, at most
	close  []func() error
	err    error // the error of the last Read, given again by every further one
}

// unpack recognises how raw is compressed and returns the bytes inside. A zstd
// stream may ask for a window of that size.
func unpack(name string, raw io.ReadCloser, window int64) (*Stream, error) {
	s := &Stream{name: name, window: window, close: []func() error{raw.Close}}
	magic := make([]byte, magicLen)
	n, err := Full(raw, magic)
	if err != nil && err != io.EOF {
		s.Close()
		return nil, s.explain(err)
	}
	magic = magic[:n]
	s.Packed = compression(magic)
	s.Reader = io.MultiReader(bytes.NewReader(magic), raw)
	switch s.Packed {
	case "gzip":
		z, err := gzip.NewReader(bufio.NewReaderSize(s.Reader, unpackBuffer)) // one stream after the other
		if err != nil {
			s.Close()
			return nil, s.explain(err)
		}
		s.Reader, s.close = z, append(s.close, z.Close)
	case "zstd":
		z, err := zstd.NewReader(s.Reader, zstd.WithDecoderConcurrency(zstdThreads),
			zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(uint64(window)))
		if err != nil {
			s.Close()
			return nil, s.explain(err)
		}
		s.Reader = z
		s.close = append(s.close, func() error { z.Close(); return nil })
	case "bzip2": // one stream after the other too; 4 MiB of memory at most
		s.Reader = bzip2.NewReader(bufio.NewReaderSize(s.Reader, unpackBuffer))
	}
	return s, nil
}

// zstdThreads is the number of goroutines unpack a zstd stream: with 1 it is
// unpacked by the goroutine that reads.
const zstdThreads = 1

// unpackBuffer is the buffer before an unpacker.
const unpackBuffer = 256 << 10

func (s *Stream) Read(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.Reader.Read(p)
	if err != nil {
		s.err = s.explain(err)
	}
	return n, s.err
}

// Close closes the unpacker and its input.
func (s *Stream) Close() error {
	var err error
	for i := len(s.close) - 1; i >= 0; i-- {
		err = errors.Join(err, s.close[i]())
	}
	return err
}

// explain returns the cause of a failed read in the user's words.
func (s *Stream) explain(err error) error {
	var input *InputError
	var damaged *DamagedError
	switch {
	case err == io.EOF, errors.As(err, &input), errors.As(err, &damaged):
		return err
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case s.Packed == "":
		return &InputError{File: s.name, Problem: fmt.Sprintf("cannot be read: %v", err), Err: err}
	case errors.Is(err, io.ErrUnexpectedEOF):
		return &DamagedError{File: s.name, Problem: "the " + s.Packed +
			" stream is truncated, or something was appended to it: it ends in the middle", Err: err}
	case errors.Is(err, zstd.ErrWindowSizeExceeded), errors.Is(err, zstd.ErrDecoderSizeExceeded):
		return &InputError{
			File: s.name, Problem: fmt.Sprintf("the zstd stream asks for a window of more than %d MiB", s.window>>20),
			Advice: "unpack it first with zstd -d --long=31, or give a larger --memory", Err: err,
		}
	}
	return &DamagedError{File: s.name, Problem: fmt.Sprintf("the %s stream is damaged: %v", s.Packed, err), Err: err}
}
