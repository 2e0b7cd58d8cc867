package rows

import "github.com/garaph/garaph/shard"

// Unpacker is a side in another encoding that can be written as plain rows. Every engine
// and algorithm reads these.
type Unpacker interface {
	shard.Side
	// Unpack fills Off and Nbr of a side that has room for as many vertices and edges,
	// and its Weight, unless that is nil or the encoding has no weights.
	Unpack(to *Side)
}

// Unpack lays a side out as plain rows in a blob, which must have the size of [Size] and
// 4-byte alignment. It is not sealed. Weights that the side's encoding does not have are
// the caller's to fill in.
func Unpack(s Unpacker, blob []byte, weighted bool) *Side {
	h := s.Header()
	to := Layout(blob, h.Dir, h.Index, h.First, h.Vertices, h.Edges, weighted)
	s.Unpack(to)
	return to
}
