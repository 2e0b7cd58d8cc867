package export

import (
	"math"
	"strconv"

	"github.com/garaph/garaph/shard"
)

// appendLines appends edges as lines of text.
func (p *piece) appendLines(v uint32, list []uint32, weights []float32) {
	separator, before := byte('\t'), ""
	switch p.o.Format {
	case CSV:
		separator = ','
	case DIMACS:
		separator, before = ' ', "a "
	case MatrixMarket, EL, WEL, LDBC:
		separator = ' '
	}
	if p.own, p.err = p.names.append(p.own[:0], v); p.err != nil {
		return
	}
	b := p.buf
	for i, u := range list {
		b = append(b, before...)
		if p.dir == shard.In && !p.cat.Symmetric { // the row has what leads to v
			if b, p.err = p.names.append(b, u); p.err != nil {
				return
			}
			b = append(append(b, separator), p.own...)
		} else {
			b = append(append(b, p.own...), separator)
			if b, p.err = p.names.append(b, u); p.err != nil {
				return
			}
		}
		switch {
		case weights != nil:
			b = appendWeight(append(b, separator), weights[i])
		case p.o.Format == DIMACS: // which has weights in any case
			b = append(b, separator, '1')
		}
		b = append(b, '\n')
	}
	p.buf = b
}

// appendWeight appends the fewest digits that give the same number.
func appendWeight(dst []byte, w float32) []byte {
	if n := int32(w); float32(n) == w && n >= 0 && n < 1<<24 && (n > 0 || !math.Signbit(float64(w))) {
		return strconv.AppendInt(dst, int64(n), 10)
	}
	return strconv.AppendFloat(dst, float64(w), 'g', -1, 32)
}
