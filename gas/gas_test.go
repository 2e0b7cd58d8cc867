package gas_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/programs"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type outward struct{ programs.WCC }

func (outward) Direction() gas.Direction { return gas.Out }

// TestDirectionOf checks that programs gather along in-edges, unless the program says otherwise.
func TestDirectionOf(t *testing.T) {
	for _, c := range []struct {
		program any
		want    gas.Direction
		text    string
	}{
		{programs.BFS{}, gas.In, "in"},
		{outward{}, gas.Out, "out"},
		{programs.WCC{}, gas.Both, "both"},
	} {
		if got := gas.DirectionOf(c.program); got != c.want || got.String() != c.text {
			t.Errorf("%T: %s, want %s", c.program, got, c.text)
		}
	}
}
