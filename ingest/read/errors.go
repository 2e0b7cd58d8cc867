package read

import (
	"errors"
	"fmt"
	"strconv"
)

// The errors of reading, in the order in which they can happen. Each names the
// file, says what was wrong and, where there is something to do, what to do.
// Callers distinguish them with errors.As.

// InputError: an input could not be opened or recognised, or the options do not
// fit it.
type InputError struct {
	File    string
	Problem string // a clause that follows the file's name
	Advice  string // what to do; may be empty
	Err     error  // the cause, if there is one
}

func (e *InputError) Error() string {
	return e.File + ": " + withAdvice(e.Problem, e.Advice)
}

func (e *InputError) Unwrap() error { return e.Err }

// MismatchError: two inputs of one import are not of the same kind.
type MismatchError struct {
	First, Second     string // the files, in the order given
	What              string // what they disagree on
	InFirst, InSecond string // what each has
	Advice            string
}

func (e *MismatchError) Error() string {
	return withAdvice(fmt.Sprintf("%s and %s disagree on the %s: %s in the first, %s in the second",
		e.First, e.Second, e.What, e.InFirst, e.InSecond), e.Advice)
}

// SyntaxError: a place of an input is not what the format asks for.
type SyntaxError struct {
	File     string
	Line     int64  // counted from 1; 0 in binary formats, where Offset says the place
	Offset   int64  // bytes from the start of the (decompressed) input, if Line is 0
	Row      string // in formats of columns, in place of both: "row 7"
	Text     string // the offending text, cut to 60 bytes; empty at the end of the input, and for a null
	Expected string
	Advice   string // what to do; may be empty
}

// place is the file and the place in it.
func (e *SyntaxError) place() string {
	switch {
	case e.Row != "":
		return e.File + ": " + e.Row
	case e.Line == 0:
		return fmt.Sprintf("%s: byte %d", e.File, e.Offset)
	}
	return fmt.Sprintf("%s:%d", e.File, e.Line)
}

func (e *SyntaxError) Error() string {
	found := "the end of the file"
	switch {
	case e.Text == `""`: // an empty field, as the formats of text have it
		found = e.Text
	case e.Text != "":
		found = strconv.Quote(e.Text)
	case e.Row != "":
		found = "null"
	}
	return withAdvice(e.place()+": "+found+": expected "+e.Expected, e.Advice)
}

// textShown is how much of an offending text an error shows.
const textShown = 60

// Shown cuts text to what an error shows of it.
func Shown(text []byte) string {
	if len(text) <= textShown {
		return string(text)
	}
	return string(text[:textShown]) + "…"
}

// DamagedError: an input ends too early, or its bytes contradict themselves.
type DamagedError struct {
	File    string
	Problem string
	Err     error
}

func (e *DamagedError) Error() string { return e.File + ": " + e.Problem }

func (e *DamagedError) Unwrap() error { return e.Err }

// CountError: a file holds another number of edges than its header promises.
type CountError struct {
	File     string
	Line     int64 // the line of the promise
	Promised int64
	Found    int64
}

func (e *CountError) Error() string {
	what := "the file is truncated, or its header wrong"
	if e.Found > e.Promised {
		what = "the header is wrong, or something was appended to the file"
	}
	return fmt.Sprintf("%s:%d: the header promises %d edges, but the file has %d: %s",
		e.File, e.Line, e.Promised, e.Found, what)
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
