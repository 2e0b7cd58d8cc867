// Package panics turns panics of a user's vertex program into errors, so that
// none crosses the border of a package.
package panics

import (
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
)

// Error is a panic in a method of a vertex program. Its text is one line, with
// the place in the user's code.
type Error struct {
	Program any
	Value   any    // of the panic
	Place   string // function, file and line; "" if it is unknown
	Stack   []byte // of the goroutine, as debug.Stack gives it
}

func (e *Error) Error() string {
	text := fmt.Sprintf("program %T panicked: %v", e.Program, e.Value)
	if e.Place != "" {
		text += ", in " + e.Place
	}
	return text
}

// Unwrap returns the value of the panic, if that is an error.
func (e *Error) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// Guard calls f, which calls methods of program. A panic in it ends as an
// [*Error], and so does the reading of a mapped file that the disk cannot provide.
func Guard(program any, f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			err = Recovered(program, r)
		}
	}()
	return f()
}

// Fault returns the address of the memory that could not be read, if that is the error.
func Fault(err error) uintptr {
	var fault interface{ Addr() uintptr }
	if errors.As(err, &fault) {
		return fault.Addr()
	}
	return 0
}

// Recovered makes an error of what recover gave, in the function that was
// deferred.
func Recovered(program, value any) *Error {
	return &Error{Program: program, Value: value, Place: place(program), Stack: debug.Stack()}
}

// place finds the innermost frame of the program's package, or else the frame
// that panicked.
func place(program any) string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
	own := packageOf(program)
	text, panicking := "", false
	for {
		f, more := frames.Next()
		switch {
		case !panicking:
			panicking = f.Function == "runtime.gopanic"
		case strings.HasPrefix(f.Function, "runtime."):
		case own != "" && strings.HasPrefix(f.Function, own+"."):
			return at(f)
		case text == "":
			text = at(f)
		}
		if !more {
			return text
		}
	}
}

func at(f runtime.Frame) string {
	return fmt.Sprintf("%s (%s:%d)", f.Function[strings.LastIndexByte(f.Function, '/')+1:], f.File, f.Line)
}

func packageOf(program any) string {
	t := reflect.TypeOf(program)
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nil {
		return ""
	}
	return t.PkgPath()
}
