package teststore

import (
	"encoding/binary"
	"math"

	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/rows"
	"github.com/garaph/garaph/store"
)

// Varint is a layout in an encoding that no engine knows: of each vertex the degree and
// the neighbours as varints, each neighbour followed by its weight. All that it has is this
// file and what that registers.
const Varint = store.Layout("varint")

const varintVersion = uint16(999)

func init() {
	shard.Register(shard.Encoding{Version: varintVersion, Name: "varint", Decode: func(blob []byte, h shard.Header) (shard.Side, error) {
		s := &varintSide{header: h, blob: blob}
		return s, shard.CheckSection(blob[shard.HeaderBytes:], binary.LittleEndian.Uint32(blob[28:]), "rows", shard.HeaderBytes)
	}})
	store.RegisterLayout(Varint, store.Encodings{In: varintVersion, Rows: varintVersion})
}

type varintSide struct {
	header shard.Header
	blob   []byte
}

func encodeVarint(s *rows.Side) shard.Side {
	h := s.Header()
	h.Version = varintVersion
	blob := make([]byte, shard.HeaderBytes)
	for v := range s.Vertices() {
		row := s.Row(v, nil)
		blob = binary.AppendUvarint(blob, uint64(len(row)))
		for k, u := range row {
			blob = binary.AppendUvarint(blob, uint64(u))
			if s.Weight != nil {
				blob = binary.LittleEndian.AppendUint32(blob, math.Float32bits(s.Weight[int(s.Off[v])+k]))
			}
		}
	}
	for len(blob)%16 != 0 {
		blob = append(blob, 0)
	}
	h.Put(blob)
	binary.LittleEndian.PutUint32(blob[28:], shard.Checksum(blob[shard.HeaderBytes:]))
	h.Checksum = shard.SealHeader(blob)
	return &varintSide{h, blob}
}

func (s *varintSide) Header() shard.Header     { return s.header }
func (s *varintSide) Blob() []byte             { return s.blob }
func (s *varintSide) CheckValues(uint32) error { return nil }
func (s *varintSide) CheckOrder() error        { return nil }

// each gives every edge.
func (s *varintSide) each(f func(v int, u uint32, weight float32)) {
	b := s.blob[shard.HeaderBytes:]
	next := func() uint64 {
		x, n := binary.Uvarint(b)
		b = b[n:]
		return x
	}
	for v := range s.header.Vertices {
		for range next() {
			u, weight := uint32(next()), float32(0)
			if s.header.Weighted {
				weight = math.Float32frombits(binary.LittleEndian.Uint32(b))
				b = b[4:]
			}
			f(v, u, weight)
		}
	}
}

func (s *varintSide) Degrees(degrees []uint32) {
	clear(degrees[:s.header.Vertices])
	s.each(func(v int, _ uint32, _ float32) { degrees[v]++ })
}

func (s *varintSide) Unpack(to *rows.Side) {
	clear(to.Off)
	k := uint32(0)
	s.each(func(v int, u uint32, weight float32) {
		to.Nbr[k] = u
		if to.Weight != nil {
			to.Weight[k] = weight
		}
		k++
		to.Off[v+1]++
	})
	for v := range s.header.Vertices {
		to.Off[v+1] += to.Off[v]
	}
}

func (s *varintSide) Scan(wanted *[shard.MaxVertices]bool, f func([]uint32)) {
	s.each(func(v int, u uint32, _ float32) {
		if wanted[v] {
			f([]uint32{u})
		}
	})
}
