package cli

import (
	"errors"
	"strings"
	"testing"
)

// TestOneLine: an error is reported in one line that no terminal acts upon, and not for
// ever.
func TestOneLine(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"one\ntwo", "one; two"},
		{"a name \x1b[31m", `a name \x1b[31m`},
		{strings.Repeat("x", maxLine+7), strings.Repeat("x", maxLine) + " … (7 bytes more)"},
	} {
		if got := oneLine(errors.New(test.text)); got != test.want {
			t.Errorf("%.40q: got %.80q, want %.80q", test.text, got, test.want)
		}
	}
}
