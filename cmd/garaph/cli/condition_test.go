package cli

import (
	"cmp"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestConditionHolds: which cells meet a condition.
func TestConditionHolds(t *testing.T) {
	for _, test := range []struct{ where, meet, not string }{
		{"x = 9223372036854775811", "9223372036854775811 9223372036854775811.0", "9223372036854775809 9223372036854775808 9223372036854775807 9.223372036854775808e18"},
		{"x >= 9223372036854775810", "9223372036854775810 18446744073709551615", "9223372036854775809 9223372036854775807 -9223372036854775808"},
		{"x < 18446744073709551615", "18446744073709551614 0 -1", "18446744073709551615 18446744073709551616"},
		{"x = 9223372036854775810..9223372036854775812", "9223372036854775810 9223372036854775811 9223372036854775812", "9223372036854775809 9223372036854775813"},
		{"x = 9007199254740992.0", "9007199254740992", "9007199254740993 9007199254740991"},
		{"x = 9.007199254740993e15", "9007199254740993 9007199254740993.0", "9007199254740992"},
		{"x = 9007199254740993", "9.007199254740993e15", "9007199254740992.0"},
		{"x != 9007199254740993", "9007199254740992.0", "9.007199254740993e15"},
		{"x = 5", "5 5.0 5e0", "5.0000000000000000001 4.9999999999999999999"},
		{"x < 5", "4.9999999999999999999", "5"},
		{"x = 5.0", "5 5.0", "6"},
		{"x = 0.1", "0.1 1e-1 0.10000000000000001", "0.2"},
		{"x = 0", "0 -0 -0.0 0e5", "1e-300"},
		{"x = inf", "inf +Inf", "1e308"},
		{"x <= 1e999999999999", "", "1"}, // text
		{"x = 123456789012345678901", "123456789012345678901", "123456789012345678902"},
		{"x = 0...2", "", ""}, // 0 to 2, or to .2
		{"x = a...b", "a...b", "a"},
		{"x = 0..0.2", "0.1", "1"},
		{"x = Basel", "Basel", "basel 5"},
		{"x = >1", ">1", "2"},
		{"x = <a>", "<a>", "a"},
	} {
		c, err := parseCondition(test.where)
		if err != nil {
			if test.meet != "" {
				t.Error(test.where, err)
			}
			continue
		}
		for _, cell := range strings.Fields(test.meet) {
			if !c.holds(cell) {
				t.Errorf("%s does not meet %s", cell, test.where)
			}
		}
		for _, cell := range strings.Fields(test.not) {
			if c.holds(cell) {
				t.Errorf("%s meets %s", cell, test.where)
			}
		}
	}
}

// TestNoOperator: what looks like an operator is not read as a value.
func TestNoOperator(t *testing.T) {
	for where, want := range map[string]string{
		"distance=>1": "=> is no operator, but >= is", "component =< 1": "=< is no operator, but <= is", "x<>1": "<> is no operator, but != is",
		"x === 1": "=== is no operator, but = is", "x >> 1": "expected one of = != < <= > >=", "x =!1": "but != is",
	} {
		if c, err := parseCondition(where); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %+v, %v", where, c, err)
		}
	}
}

// TestWholeOperands: whole numbers, however they are written, have the order of the integers.
func TestWholeOperands(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := func(name string) (*big.Int, operand) {
			n := new(big.Int).Lsh(big.NewInt(1), rapid.SampledFrom([]uint{0, 53, 62, 63, 64, 70}).Draw(t, name+"'s size"))
			n.Add(n, big.NewInt(rapid.Int64Range(-3, 3).Draw(t, name)))
			text := n.String() + rapid.SampledFrom([]string{"", ".0", "e0"}).Draw(t, name+"'s end")
			o := newOperand(text)
			if rapid.Bool().Draw(t, name+" simplest") {
				o = o.simplest()
			}
			return n, o
		}
		a, x := number("a")
		b, y := number("b")
		if got, want := x.compare(y), a.Cmp(b); cmp.Compare(got, 0) != want {
			t.Fatalf("%s to %s: %d, want %d", x.text, y.text, got, want)
		}
	})
}
