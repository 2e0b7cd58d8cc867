package rows

import "github.com/garaph/garaph/shard"

// Unpacker is a side in another encoding that can be written as plain rows. Every engine
// and algorithm reads these.
type Unpacker interface {
	shard.Side
	// Unpack fills Off and Nbr of a side that has room for as many vertices and edges,
	// and its Weight or Wide, unless that is nil or the encoding has no weights.
	Unpack(to *Side)
}

// Unpack lays a side out as plain rows in a blob, which must have the size of [Size] and
// 4-byte alignment. It is not sealed. Weights that the side's encoding does not have are
// the caller's to fill in.
func Unpack(s Unpacker, blob []byte, weight int) *Side {
	h := s.Header()
	to := Layout(blob, h.Dir, h.Index, h.First, h.Vertices, h.Edges, weight)
	s.Unpack(to)
	return to
}

// Plain copies a side of rows, in whatever encoding, to plain ones in a blob of [Size], with its weights, or room for
// weights, if they are wanted.
func Plain(side shard.Side, blob []byte, weight int) *Side {
	x, plain := side.(*Side)
	if !plain {
		return Unpack(side.(Unpacker), blob, weight)
	}
	to := Layout(blob, x.Dir, x.Index, x.First, x.Vertices(), x.Edges(), weight)
	copy(to.Off, x.Off)
	copy(to.Nbr, x.Nbr)
	to.Plane().Copy(x.Plane())
	return to
}
