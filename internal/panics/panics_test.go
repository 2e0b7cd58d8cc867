package panics

import (
	"errors"
	"regexp"
	"strings"
	"testing"
)

type program struct{ zero int }

func (p program) divide() { _ = 1 / p.zero }
func (p program) say()    { panic("no way") }
func (p *program) library() {
	_ = strings.Repeat("x", p.zero-1)
}

// TestGuard checks that the error has the panic and the user's frame in one line, and the
// stack beside it.
func TestGuard(t *testing.T) {
	p := program{}
	for name, c := range map[string]struct {
		program any
		f       func()
		want    string
	}{
		"a panic": {p, p.say,
			`^program panics\.program panicked: no way, in panics\.program\.say \(.*panics_test\.go:13\)$`},
		"of the runtime": {p, p.divide, `^program panics\.program panicked: runtime error: integer divide by ` +
			`zero, in panics\.program\.divide \(.*panics_test\.go:12\)$`},
		"in a library": {&p, p.library, `^program \*panics\.program panicked: strings: negative Repeat count, ` +
			`in panics\.\(\*program\)\.library \(.*panics_test\.go:15\)$`},
		"of a type of no package": {1, func() { panic("x") },
			`^program int panicked: x, in panics\.TestGuard\.func[0-9.]+ \(.*panics_test\.go:33\)$`},
	} {
		t.Run(name, func(t *testing.T) {
			err := Guard(c.program, func() error { c.f(); return nil })
			var e *Error
			if !errors.As(err, &e) || !regexp.MustCompile(c.want).MatchString(e.Error()) {
				t.Errorf("got  %v\nwant %s", err, c.want)
			} else if !strings.Contains(string(e.Stack), "panics_test.go") {
				t.Errorf("stack:\n%s", e.Stack)
			}
		})
	}
	if err := Guard(p, func() error { return nil }); err != nil {
		t.Error(err)
	}
}
