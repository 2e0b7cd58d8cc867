// Package panics turns panics of a user's vertex program into errors, so that
// none crosses the border of a package.
package panics

import (
	"fmt"
	"runtime/debug"
)

// Guard calls f, which calls methods of program. A panic in it ends as an error
// that names the program and has the stack.
func Guard(program any, f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("program %T panicked: %v\n%s", program, r, debug.Stack())
		}
	}()
	return f()
}
