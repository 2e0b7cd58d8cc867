package show

import (
	"errors"
	"strings"
	"testing"
)

// TestCount checks that numbers are rounded and not cut off.
func TestCount(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0", 9137: "9,137", 10_000: "10 k", 15_791: "15.8 k", 170_582: "170.6 k", 999_940: "999.9 k", 999_960: "1 M",
		4_153_750: "4.2 M", 4_194_304: "4.2 M", 12_300_000: "12.3 M", 1_073_741_824: "1.1 G",
	} {
		if got := Count(x); got != want {
			t.Errorf("%v: got %q, want %q", x, got, want)
		}
	}
}

// TestOneLine checks that the line of an error is printable and not too long.
func TestOneLine(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"one\ntwo", "one; two"},
		{"a name \x1b[31m", `a name \x1b[31m`},
		{strings.Repeat("x", MaxLine+7), strings.Repeat("x", MaxLine) + " … (7 bytes more)"},
	} {
		if got := OneLine(errors.New(test.text)); got != test.want {
			t.Errorf("%.40q: got %.80q, want %.80q", test.text, got, test.want)
		}
	}
}
