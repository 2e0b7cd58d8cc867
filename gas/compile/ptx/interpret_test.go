package ptx_test

import (
	"errors"
	"math"
	"strings"
	"testing"
)

// TestRun: a loop, a guard, and both widths.
func TestRun(t *testing.T) {
	p, err := Parse(`{
	.reg .b32 %r<1>;
	.reg .b64 %d<1>;
	.reg .pred %p<1>;
	mov.b32 %r0, ${n};
	mov.b64 %d0, 0;
L1:
	setp.eq.u32 %p0, %r0, 0;
	@%p0 bra L2;
	add.s64 %d0, %d0, 3;
	sub.s32 %r0, %r0, 1;
	bra L1;
L2:
	@!%p0 mov.b64 %d0, 1;
	mov.b64 ${out}, %d0;
}
`, map[string]int{"n": 32, "out": 64})
	if err != nil {
		t.Fatal(err)
	}
	m := p.NewMachine()
	for _, n := range []uint64{0, 1, 7} {
		m.Set(p.Register("n"), n)
		if err := m.Run(); err != nil || m.Get(p.Register("out")) != 3*n {
			t.Errorf("3·%d = %d, %v", n, m.Get(p.Register("out")), err)
		}
	}
	if p.Register("other") != -1 {
		t.Error("a name that is not in the text has a register")
	}
}

// TestInstructions: corner cases that the manual defines.
func TestInstructions(t *testing.T) {
	inf := math.Float64bits(math.Inf(1))
	nan := math.Float64bits(math.NaN())
	for _, c := range []struct {
		op      string
		widths  int
		a, b, r uint64
	}{
		{"shl.b32", 32, 1, 32, 0},
		{"shl.b32", 32, 1, 1 << 31, 0},
		{"shr.s32", 32, 1 << 31, 99, 0xffffffff},
		{"shr.u32", 32, 1 << 31, 31, 1},
		{"add.s32", 32, 0xffffffff, 1, 0},
		{"mul.lo.s32", 32, 0x80000001, 2, 2},
		{"min.s32", 32, 0xffffffff, 0, 0xffffffff},
		{"min.u32", 32, 0xffffffff, 0, 0},
		{"min.f32", 32, 1 << 31, 0, 1 << 31},
		{"max.f32", 32, 1 << 31, 0, 0},
		{"min.f64", 64, nan, inf, inf},
		{"add.rn.f64", 64, 1, 1, 2},
		{"copysign.f64", 64, 1 << 63, inf, inf | 1<<63},
		{"div.s32", 32, 0xfffffff9, 2, 0xfffffffd},
		{"rem.s32", 32, 0xfffffff9, 2, 0xffffffff},
	} {
		p, err := Parse("{\n"+c.op+" ${r}, ${a}, ${b};\n}", map[string]int{"a": c.widths, "b": c.widths, "r": c.widths})
		if err != nil {
			t.Fatal(err)
		}
		m := p.NewMachine()
		m.Set(p.Register("a"), c.a)
		m.Set(p.Register("b"), c.b)
		if err := m.Run(); err != nil || m.Get(p.Register("r")) != c.r {
			t.Errorf("%s %x, %x = %x, not %x (%v)", c.op, c.a, c.b, m.Get(p.Register("r")), c.r, err)
		}
	}
}

// TestParseErrors: nothing unknown or ill-typed is run.
func TestParseErrors(t *testing.T) {
	for text, want := range map[string]string{
		"add.s32 %r0, %r0, 1;":                         "a fragment is a block",
		"{\nadd.f16 %r0, %r0, 1;\n}":                   "unknown instruction",
		"{\nmad.lo.s32 %r0, %r0, 1, 2;\n}":             "unknown instruction",
		"{\nadd.s32 %r0, %r0, 1;\n}":                   "%r0 is not declared",
		"{\n.reg .b64 %d<1>;\nadd.s32 %d0, %d0, 1;\n}": "%d0 has 64 bits, not 32",
		"{\n.reg .b32 %r<1>;\nadd.s32 %r0, %r0;\n}":    "2 operands instead of 3",
		"{\n.reg .b32 %r<1>;\nadd.s32 5, %r0, 1;\n}":   "an assignment to 5",
		"{\n.reg .b32 %r<1>;\nmov.b32 %r0, 1\n}":       "no ;",
		"{\nbra L1;\n}":                                "no label L1",
		"{\nL1:\nL1:\n}":                               "stands twice",
		"{\nmov.b32 ${x}, 1;\n}":                       "${x} is not declared",
	} {
		if _, err := Parse(text, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
	p, err := Parse("{\nL1:\nbra L1;\n}", nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.NewMachine().Run(); !errors.Is(err, ErrEndless) {
		t.Errorf("an endless loop ends with %v", err)
	}
}
