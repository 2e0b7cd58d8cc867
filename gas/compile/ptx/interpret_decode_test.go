package ptx_test

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strings"
)

var errUnknown = errors.New("unknown instruction")

// widthOf is the number of bits of a type suffix.
func widthOf(t string) int {
	switch t {
	case "b32", "u32", "s32", "f32":
		return 32
	case "b64", "u64", "s64", "f64":
		return 64
	case "pred":
		return 1
	}
	return 0
}

// decode makes the function of an instruction.
func (p *parser) decode(op string, operands []string) (func(r []uint64), error) {
	name, rest, _ := strings.Cut(op, ".")
	types := strings.Split(rest, ".")
	t := types[len(types)-1]
	if widthOf(t) == 0 {
		return nil, errUnknown
	}
	switch name {
	case "cvt":
		return p.conversion(op, operands)
	case "setp":
		return p.comparison(types, operands)
	case "selp":
		return p.selection(widthOf(t), operands)
	case "shl", "shr":
		return p.shift(op, operands)
	case "clz", "popc":
		return p.count(op, widthOf(t), operands)
	}
	w := widthOf(t)
	if f := unaries[op]; f != nil {
		s, err := p.operands(operands, w, w)
		if err != nil {
			return nil, err
		}
		d, a := s[0], s[1]
		return func(r []uint64) { r[d] = f(r[a]) }, nil
	}
	if f := binaries[op]; f != nil {
		s, err := p.operands(operands, w, w, w)
		if err != nil {
			return nil, err
		}
		d, a, b := s[0], s[1], s[2]
		return func(r []uint64) { r[d] = f(r[a], r[b]) }, nil
	}
	if op == "fma.rn.f64" {
		s, err := p.operands(operands, w, w, w, w)
		if err != nil {
			return nil, err
		}
		d, a, b, c := s[0], s[1], s[2], s[3]
		return func(r []uint64) { r[d] = bits64(math.FMA(float64Of(r[a]), float64Of(r[b]), float64Of(r[c]))) }, nil
	}
	return nil, errUnknown
}

// comparison sets a predicate.
func (p *parser) comparison(types, operands []string) (func(r []uint64), error) {
	if len(types) != 2 {
		return nil, errUnknown
	}
	f := comparison(types[0], types[1])
	if f == nil {
		return nil, errUnknown
	}
	s, err := p.operands(operands, 1, widthOf(types[1]), widthOf(types[1]))
	if err != nil {
		return nil, err
	}
	d, a, b := s[0], s[1], s[2]
	return func(r []uint64) {
		r[d] = 0
		if f(r[a], r[b]) {
			r[d] = 1
		}
	}, nil
}

// selection takes one of two values by a predicate.
func (p *parser) selection(width int, operands []string) (func(r []uint64), error) {
	s, err := p.operands(operands, width, width, width, 1)
	if err != nil {
		return nil, err
	}
	d, a, b, c := s[0], s[1], s[2], s[3]
	return func(r []uint64) {
		if r[c] != 0 {
			r[d] = r[a]
		} else {
			r[d] = r[b]
		}
	}, nil
}

// count counts bits.
func (p *parser) count(op string, width int, operands []string) (func(r []uint64), error) {
	s, err := p.operands(operands, 32, width)
	if err != nil {
		return nil, err
	}
	d, a := s[0], s[1]
	switch op {
	case "clz.b32":
		return func(r []uint64) { r[d] = uint64(bits.LeadingZeros32(uint32(r[a]))) }, nil
	case "clz.b64":
		return func(r []uint64) { r[d] = uint64(bits.LeadingZeros64(r[a])) }, nil
	case "popc.b32", "popc.b64":
		return func(r []uint64) { r[d] = uint64(bits.OnesCount64(r[a])) }, nil
	}
	return nil, errUnknown
}

// operands returns the registers of operands of the given widths; the first one is
// assigned to.
func (p *parser) operands(texts []string, widths ...int) ([]int, error) {
	if len(texts) != len(widths) {
		return nil, fmt.Errorf("%d operands instead of %d", len(texts), len(widths))
	}
	if texts[0][0] != '%' && texts[0][0] != '$' {
		return nil, fmt.Errorf("an assignment to %s", texts[0])
	}
	registers := make([]int, len(texts))
	for i, text := range texts {
		register, err := p.operand(text, widths[i])
		if err != nil {
			return nil, err
		}
		registers[i] = register
	}
	return registers, nil
}

// shift: distances are 32 bits and clamped to the width.
func (p *parser) shift(op string, operands []string) (func(r []uint64), error) {
	_, t, _ := strings.Cut(op, ".")
	s, err := p.operands(operands, widthOf(t), widthOf(t), 32)
	if err != nil {
		return nil, err
	}
	d, a, b := s[0], s[1], s[2]
	switch op {
	case "shl.b32":
		return func(r []uint64) { r[d] = uint64(uint32(r[a]) << min(r[b], 32)) }, nil
	case "shl.b64":
		return func(r []uint64) { r[d] = r[a] << min(r[b], 64) }, nil
	case "shr.u32":
		return func(r []uint64) { r[d] = uint64(uint32(r[a]) >> min(r[b], 32)) }, nil
	case "shr.u64":
		return func(r []uint64) { r[d] = r[a] >> min(r[b], 64) }, nil
	case "shr.s32":
		return func(r []uint64) { r[d] = uint64(uint32(int32(r[a]) >> min(r[b], 32))) }, nil
	case "shr.s64":
		return func(r []uint64) { r[d] = uint64(int64(r[a]) >> min(r[b], 64)) }, nil
	}
	return nil, errUnknown
}

func float32Of(x uint64) float32 { return math.Float32frombits(uint32(x)) }
func float64Of(x uint64) float64 { return math.Float64frombits(x) }
func bits32(x float32) uint64    { return uint64(math.Float32bits(x)) }
func bits64(x float64) uint64    { return math.Float64bits(x) }
