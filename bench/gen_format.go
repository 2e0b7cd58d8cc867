package bench

import (
	"encoding/binary"
	"math"
	"strconv"
)

// appendEdges appends edges in one format to dst. weights is nil for unweighted edges.
type appendEdges func(dst []byte, src, end []uint64, weights []uint8) []byte

func appendText(dst []byte, src, end []uint64, weights []uint8) []byte {
	for i, u := range src {
		dst = strconv.AppendUint(dst, u, 10)
		dst = append(dst, '\t')
		dst = strconv.AppendUint(dst, end[i], 10)
		if weights != nil {
			dst = append(dst, '\t')
			dst = strconv.AppendUint(dst, uint64(weights[i]), 10)
		}
		dst = append(dst, '\n')
	}
	return dst
}

func appendRaw(dst []byte, src, end []uint64, weights []uint8) []byte {
	for i, u := range src {
		dst = binary.LittleEndian.AppendUint64(dst, u&math.MaxUint32|end[i]<<32)
		if weights != nil {
			dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(float32(weights[i])))
		}
	}
	return dst
}
