package read

import (
	"errors"
	"fmt"
	"strconv"
)

// The errors of reading, in the order in which they can happen. Each names the
// file, the cause and, where there is one, a remedy.
// Callers distinguish them with errors.As.

// InputError reports an input that could not be opened or recognised, or that the options do not
// fit.
type InputError struct {
	File    string
	Problem string // a clause that follows the file's name
	Advice  string // a remedy; may be empty
	Err     error  // the cause, if there is one
}

func (e *InputError) Error() string {
	return e.File + ": " + withAdvice(e.Problem, e.Advice)
}

func (e *InputError) Unwrap() error { return e.Err }

// SyntaxError reports a place of an input that does not have the syntax of the format.
type SyntaxError struct {
	File     string
	Line     int64  // counted from 1; 0 in binary formats, where Offset says the place
	Offset   int64  // bytes from the start of the (decompressed) input, if Line is 0
	Row      string // in formats of columns, in place of both: "row 7"
	Text     string // the offending text, cut to 60 bytes; empty at the end of the input, and for a null
	Expected string
	Advice   string // a remedy; may be empty
}

func (e *SyntaxError) Error() string {
	place := fmt.Sprintf("%s:%d", e.File, e.Line)
	switch {
	case e.Row != "":
		place = e.File + ": " + e.Row
	case e.Line == 0:
		place = fmt.Sprintf("%s: byte %d", e.File, e.Offset)
	}
	found := "the end of the file"
	switch {
	case e.Text == `""`: // an empty field, as the formats of text have it
		found = e.Text
	case e.Text != "":
		found = strconv.Quote(e.Text)
	case e.Row != "":
		found = "null"
	}
	return withAdvice(place+": "+found+": expected "+e.Expected, e.Advice)
}

// textShown is the length to which an error cuts the offending text.
const textShown = 60

// Shown cuts text to the length that an error shows.
func Shown(text []byte) string {
	if len(text) <= textShown {
		return string(text)
	}
	return string(text[:textShown]) + "…"
}

// DamagedError reports an input that ends too early, or whose bytes contradict each other.
type DamagedError struct {
	File    string
	Problem string
	Err     error
}

func (e *DamagedError) Error() string { return e.File + ": " + e.Problem }

func (e *DamagedError) Unwrap() error { return e.Err }

// Refused returns the error of an input that does not fit the options, or is not read.
func (p *Plan) Refused(problem, advice string) error {
	return &InputError{File: p.Name(), Problem: problem, Advice: advice}
}

// Damaged returns the error of an input that contradicts itself.
func (p *Plan) Damaged(format string, args ...any) error {
	return &DamagedError{File: p.Name(), Problem: fmt.Sprintf(format, args...)}
}

// errStopped ends the reading of an input because a block already read is bad;
// it never leaves the package.
var errStopped = errors.New("reading stopped at a bad block")

func withAdvice(problem, advice string) string {
	if advice == "" {
		return problem
	}
	return problem + "; " + advice
}
