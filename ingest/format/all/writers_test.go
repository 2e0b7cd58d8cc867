package all_test

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// edgeGiven is an edge to be written in a format.
type edgeGiven struct {
	u, v uint64
	w    float32
}

// textStyle is how an edge list looks.
type textStyle struct {
	sep, eol string
	weighted bool
	prefix   string // before each line
	base     uint64 // added to ids
	noise    func(i int) string
	lastEOL  bool // false: the last line has no end
}

func writeText(edges []edgeGiven, s textStyle) []byte {
	var out []byte
	for i, e := range edges {
		if s.noise != nil {
			out = append(out, s.noise(i)...)
		}
		out = append(out, s.prefix...)
		out = strconv.AppendUint(out, e.u+s.base, 10)
		out = append(out, s.sep...)
		out = strconv.AppendUint(out, e.v+s.base, 10)
		if s.weighted {
			out = append(out, s.sep...)
			out = strconv.AppendFloat(out, float64(e.w), 'g', -1, 32)
		}
		if i < len(edges)-1 || s.lastEOL {
			out = append(out, s.eol...)
		}
	}
	return out
}

func writeMatrixMarket(edges []edgeGiven, n int, field string) []byte {
	out := fmt.Appendf(nil,
		"%%%%MatrixMarket matrix coordinate %s general\n%% comment\n%d %d %d\n", field, n, n, len(edges))
	return append(out,
		writeText(edges, textStyle{sep: " ", eol: "\n", base: 1, weighted: field != "pattern", lastEOL: true})...)
}

func writeDIMACS(edges []edgeGiven, n int) []byte {
	out := fmt.Appendf(nil, "c comment\np sp %d %d\n", n, len(edges))
	return append(out,
		writeText(edges, textStyle{sep: " ", eol: "\n", prefix: "a ", base: 1, weighted: true, lastEOL: true})...)
}

func writeRaw(edges []edgeGiven, weighted bool) []byte {
	var out []byte
	for _, e := range edges {
		out = binary.LittleEndian.AppendUint32(out, uint32(e.u))
		out = binary.LittleEndian.AppendUint32(out, uint32(e.v))
		if weighted {
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(e.w))
		}
	}
	return out
}

// writeSG writes a serialized graph; directed adds the in-edges.
func writeSG(edges []edgeGiven, n int, weighted, directed bool) []byte {
	out := []byte{0}
	if directed {
		out[0] = 1
	}
	out = binary.LittleEndian.AppendUint64(out, uint64(len(edges)))
	out = binary.LittleEndian.AppendUint64(out, uint64(n))
	out = appendCSR(out, edges, n, weighted)
	if directed {
		reversed := make([]edgeGiven, len(edges))
		for i, e := range edges {
			reversed[i] = edgeGiven{e.v, e.u, e.w}
		}
		out = appendCSR(out, reversed, n, weighted)
	}
	return out
}

func appendCSR(out []byte, edges []edgeGiven, n int, weighted bool) []byte {
	sorted := slices.Clone(edges)
	slices.SortStableFunc(sorted, func(a, b edgeGiven) int { return cmp.Compare(a.u, b.u) })
	offsets := make([]uint64, n+1)
	for _, e := range sorted {
		offsets[e.u+1]++
	}
	for i := range n {
		offsets[i+1] += offsets[i]
	}
	for _, off := range offsets {
		out = binary.LittleEndian.AppendUint64(out, off)
	}
	for _, e := range sorted {
		out = binary.LittleEndian.AppendUint32(out, uint32(e.v))
		if weighted {
			out = binary.LittleEndian.AppendUint32(out, uint32(int32(e.w)))
		}
	}
	return out
}
