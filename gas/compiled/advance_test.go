package compiled_test

import (
	"testing"

	"github.com/garaph/garaph/gas/compiled"
)

// TestCanReplace checks that bytes that no field has are not copied with a value, so that one in
// whose place another comes would not be found.
func TestCanReplace(t *testing.T) {
	for name, c := range map[string]struct{ got, want bool }{
		"float32":    {compiled.CanReplace[float32](), true},
		"uint64":     {compiled.CanReplace[uint64](), true},
		"a byte":     {compiled.CanReplace[uint8](), false},
		"16 bytes":   {compiled.CanReplace[[2]float64](), false},
		"two halves": {compiled.CanReplace[[2]uint32](), true},
		"bytes":      {compiled.CanReplace[[8]uint8](), false}, // may lie anywhere
		"full": {compiled.CanReplace[struct {
			A uint32
			B [2]struct{ C, D uint8 }
		}](), true},
		"between fields": {compiled.CanReplace[struct {
			A uint8
			B uint32
		}](), false},
		"in an array": {compiled.CanReplace[struct {
			A uint32
			B [1]struct {
				C uint8
				D uint16
			}
		}](), false},
		"a field of no name": {compiled.CanReplace[struct {
			A uint32
			_ uint32
		}](), false},
	} {
		if c.got != c.want {
			t.Errorf("%s: %v", name, c.got)
		}
	}
}
