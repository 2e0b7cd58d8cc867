package cpuengine

import (
	"testing"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gas/compiled"
)

// owns is ranks with loops of its own, as `garaph compile` writes them.
type owns struct{ ranks }

func (p owns) Loops() compiled.Loops[float32, float32] {
	loops := GenericLoops(gas.Program[float32, float32](p.ranks))
	loops.Program = p
	return loops
}

// inherits embeds a compiled program and has a method of its own.
type inherits struct{ owns }

func (inherits) Sum(a, b float32) float32 { return max(a, b) }

// stale is a program that has changed since it was compiled.
type stale struct{ ranks }

func (stale) Loops() compiled.Loops[float32, float32] { return compiled.Loops[float32, float32]{} }

// TestLoopsOf checks that a program's own loops are used, and never those of another that
// it embeds, nor those of an older text.
func TestLoopsOf(t *testing.T) {
	if _, own := LoopsOf(gas.Program[float32, float32](owns{})); !own {
		t.Error("own loops are not used")
	}
	if l, own := LoopsOf(gas.Program[float32, float32](inherits{})); own || l.Program.Sum(1, 2) != 2 {
		t.Error("loops of the embedded program are used")
	}
	if l, own := LoopsOf(gas.Program[float32, float32](stale{})); own || l.Gather == nil || l.Apply == nil {
		t.Error("stale loops are used")
	}
}
