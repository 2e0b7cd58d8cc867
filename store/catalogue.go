package store

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"time"

	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packed"
	"github.com/garaph/garaph/shard/packedrows"
	"github.com/garaph/garaph/shard/rows"
	"github.com/garaph/garaph/shard/rowweights"
)

// Catalogue describes a stored graph. It is written last: a store with a
// catalogue is whole.
type Catalogue struct {
	Vertices uint32 `json:"vertices"`
	// Edges counts directed edges: an undirected one counts twice, a
	// self-loop once.
	Edges    uint64        `json:"edges"`
	Weighted bool          `json:"weighted"`
	Wide     bool          `json:"wide,omitempty"` // weights are float64
	Weights  shard.Weights `json:"weights,omitzero"`
	// Symmetric graphs hold both directions of every edge.
	Symmetric bool   `json:"symmetric"`
	Layout    Layout `json:"layout"`
	// rows of out-edges are those of in-edges too, though the graph is directed
	Mirrored bool  `json:"mirrored,omitempty"`
	InRows   bool  `json:"in_rows,omitempty"` // there are rows of in-edges beside packed in sides
	IDs      IDMap `json:"ids"`
	// the ids stand for those in the file of that name, which has this word, too
	PythonIDs   string      `json:"python_ids,omitempty"`
	Ordering    ordering    `json:"order,omitzero"`
	Shards      []ShardInfo `json:"-"` // in the directory
	Fingerprint string      `json:"fingerprint"`
	Source      []string    `json:"source"`
	Created     time.Time   `json:"created"`
}

// ShardInfo describes a shard in the catalogue.
type ShardInfo struct {
	First    uint32
	Vertices int
	In       uint32 // in-edges
	Out      uint32 // out-edges
	InSum    uint32 // of the in blob, as shard.Seal gives it
	OutSum   uint32 // of the out blob; 0 in a symmetric graph

	Blobs [2]Extent // of the in side and the out side
	// degrees is the number of bytes the degrees of the vertices take behind each of them.
	degrees [2]uint32
	// beside holds the blobs of the sides after Out, if the graph has any.
	beside *[shard.Sides - shard.InRows]sidePlace
}

// sidePlace is a blob: where it lies, and its checksum.
type sidePlace struct {
	Extent
	sum uint32
}

// IDKind is the kind of the user's vertex ids.
type IDKind string

// The kinds of ids.
const (
	IDBase   IDKind = "base"   // dense id + Base
	IDInt    IDKind = "int"    // ascending int64
	IDUint   IDKind = "uint"   // ascending uint64
	IDString IDKind = "string" // ascending bytes
)

// Words names the kind to a user.
func (k IDKind) Words() string {
	switch k {
	case IDBase:
		return "dense integers"
	case IDInt:
		return "integers"
	case IDUint:
		return "unsigned integers"
	case IDString:
		return "strings"
	}
	return string(k)
}

// IDMap says how dense ids map to the user's.
type IDMap struct {
	Kind     IDKind   `json:"kind"`
	Base     int64    `json:"base,omitempty"`
	MaxBytes int      `json:"max_bytes,omitempty"` // longest string
	Blocks   []uint32 `json:"-"`                   // first dense id of each stored block, in the directory

	places []Extent // of the blocks
}

// A Layout defines which sides a graph has, and their encodings.
type Layout string

const (
	// CSC has rows on both sides, those of a symmetric graph once: the in side is the
	// out side too.
	CSC Layout = "csc"
	// Packed has in sides that are packed, and packed rows on the out sides; but plain
	// rows for vertices with more edges than a shard has otherwise.
	Packed Layout = "packed"
)

// Encoding returns the encoding of most blobs of a direction.
func (c *Catalogue) Encoding(dir shard.Direction) uint16 {
	switch dir = c.Stored(dir); {
	case c.Layout == CSC:
		return rows.Version
	case dir == shard.In:
		return packed.Version
	case dir >= shard.OutWeights:
		return rowweights.Version
	}
	return packedrows.Version
}

// WeightBytes returns the size of a weight in rows, or 0 without weights.
func (c *Catalogue) WeightBytes() int { return shard.WeightBytes(c.Weighted, c.Wide) }

// RowWeights reports whether there are weights of packed rows.
func (c *Catalogue) RowWeights() bool { return c.Weighted && c.Layout == Packed }

// OneSide reports whether the in side is the out side too.
func (c *Catalogue) OneSide() bool { return c.Symmetric && c.Layout == CSC }

// Stored returns the side that is stored for a direction.
func (c *Catalogue) Stored(dir shard.Direction) shard.Direction {
	switch {
	case c.OneSide(), dir == shard.InRows && c.Layout == CSC:
		return shard.In
	case dir == shard.InRows && c.Symmetric:
		return shard.Out
	}
	return dir
}

// Sides returns the sides that are stored.
func (c *Catalogue) Sides() []shard.Direction {
	if c.OneSide() {
		return []shard.Direction{shard.In}
	}
	list := []shard.Direction{shard.In, shard.Out}
	if c.InRows {
		list = append(list, shard.InRows)
	}
	if c.RowWeights() {
		list = append(list, shard.OutWeights)
	}
	if c.InRows && c.RowWeights() {
		list = append(list, shard.InWeights)
	}
	return list
}

// RowsOf returns the side with rows of a direction's edges, and whether there is one.
func (c *Catalogue) RowsOf(dir shard.Direction) (shard.Direction, bool) {
	if dir == shard.In {
		dir = shard.InRows
	}
	dir = c.Stored(dir)
	return dir, dir != shard.InRows || c.InRows
}

// SameRows reports whether the edges that lead from a vertex are those that lead to it, turned
// around: so in a symmetric graph, and in a directed one where every edge has its reverse.
func (c *Catalogue) SameRows() bool { return c.Symmetric || c.Mirrored }

// WeightsOf returns the side with the weights of packed rows, and whether there is one.
func (c *Catalogue) WeightsOf(rows shard.Direction) (shard.Direction, bool) {
	if rows == shard.InRows {
		return shard.InWeights, c.RowWeights()
	}
	return shard.OutWeights, c.RowWeights() && rows == shard.Out
}

// SideEdges returns the number of edges of shard i on a side.
func (c *Catalogue) SideEdges(dir shard.Direction, i int) uint32 {
	if dir = c.Stored(dir); dir == shard.Out || dir == shard.OutWeights {
		return c.Shards[i].Out
	}
	return c.Shards[i].In
}

// Blob returns where the blob of a shard's side lies, which may be none of [Catalogue.Sides].
func (c *Catalogue) Blob(dir shard.Direction, i int) (e Extent) {
	if dir = c.Stored(dir); dir < shard.InRows {
		return c.Shards[i].Blobs[dir]
	}
	if list := c.Shards[i].beside; list != nil {
		e = list[dir-shard.InRows].Extent
	}
	return e
}

// Bytes returns the size of a shard's blob.
func (c *Catalogue) Bytes(dir shard.Direction, i int) int64 { return c.Blob(dir, i).Bytes }

// Bare reports whether the weights of a shard's side lie behind everything else, so that it can
// be read without them. A shard of one vertex may have plain rows.
func (c *Catalogue) Bare(dir shard.Direction, i int) bool {
	return c.Weighted && c.Stored(dir) == shard.In && c.Encoding(shard.In) == packed.Version && c.Shards[i].Vertices > 1
}

// BareBytes returns the most that a side takes without the weights, if it is [Catalogue.Bare].
func (c *Catalogue) BareBytes(dir shard.Direction, i int) int64 {
	n := c.Bytes(dir, i)
	if !c.Bare(dir, i) {
		return n
	}
	return max(n-packed.LeastWeights(c.SideEdges(dir, i)), shard.HeaderBytes)
}

// seal computes the fingerprint: a hash of everything that an algorithm's
// result depends on, equal for equal graphs of one layout however they were imported.
func (c *Catalogue) seal(idSums, orderSums []uint32) {
	h := sha256.New()
	put := func(x ...uint64) {
		for _, v := range x {
			var b [8]byte
			binary.LittleEndian.PutUint64(b[:], v)
			h.Write(b[:])
		}
	}
	flag := func(b bool) uint64 {
		if b {
			return 1
		}
		return 0
	}
	put(uint64(c.Vertices), c.Edges, flag(c.Weighted), flag(c.Symmetric), uint64(c.IDs.Base))
	h.Write([]byte(c.IDs.Kind))
	for _, s := range idSums {
		put(uint64(s))
	}
	for _, s := range orderSums {
		put(uint64(s))
	}
	for _, s := range c.Shards {
		put(uint64(s.First), uint64(s.Vertices), uint64(s.In), uint64(s.Out), uint64(s.InSum), uint64(s.OutSum))
	}
	c.Fingerprint = hex.EncodeToString(h.Sum(nil)[:16])
}

// check checks that the parts of the catalogue agree.
func (c *Catalogue) check() error {
	if c.Wide && !c.Weighted {
		return fmt.Errorf("%w: wide weights, and none", ErrDamaged)
	}
	if c.Layout != CSC && c.Layout != Packed {
		return fmt.Errorf("%w: layout %q", ErrDamaged, c.Layout)
	}
	if (c.InRows || c.Mirrored) && (c.Layout == CSC || c.Symmetric || c.InRows && c.Mirrored) {
		return fmt.Errorf("%w: layout %q, symmetric: %v, in-rows: %v, mirrored: %v", ErrDamaged, c.Layout, c.Symmetric,
			c.InRows, c.Mirrored)
	}
	next, in, out := uint64(0), uint64(0), uint64(0)
	for i, s := range c.Shards {
		if uint64(s.First) != next || s.Vertices <= 0 || s.Vertices > shard.MaxVertices {
			return fmt.Errorf("%w: shard %d has %d vertices from %d, expected to begin at %d", ErrDamaged, i, s.Vertices,
				s.First, next)
		}
		next += uint64(s.Vertices)
		in += uint64(s.In)
		out += uint64(s.Out)
	}
	if next != uint64(c.Vertices) || in != c.Edges || (out != c.Edges && !c.Symmetric) {
		return fmt.Errorf("%w: the shards hold %d vertices, %d in-edges and %d out-edges, the graph %d and %d",
			ErrDamaged, next, in, out, c.Vertices, c.Edges)
	}
	if err := c.Ordering.check(c.Vertices); err != nil {
		return err
	}
	return c.IDs.check(c.Vertices)
}

func (m *IDMap) check(vertices uint32) error {
	switch m.Kind {
	case IDBase:
		if m.Base > math.MaxInt64-max(0, int64(vertices)-1) {
			return fmt.Errorf("%w: ids of %d vertices from %d leave 64 bits", ErrDamaged, vertices, m.Base)
		}
		return nil
	case IDInt, IDUint, IDString:
	default:
		return fmt.Errorf("%w: ids of kind %q", ErrDamaged, m.Kind)
	}
	if m.MaxBytes < 0 || m.MaxBytes > maxIDBytes {
		return fmt.Errorf("%w: the longest id has %d bytes, expected %d at most", ErrDamaged, m.MaxBytes, maxIDBytes)
	}
	sound := vertices == 0 && len(m.Blocks) == 0 || len(m.Blocks) > 0 && m.Blocks[0] == 0 &&
		m.Blocks[len(m.Blocks)-1] < vertices
	for i := range m.Blocks {
		first, n := m.blockRange(i, vertices)
		sound = sound && n > 0 && n <= idBlockIDs
		if len(m.places) > 0 && sound && m.places[i].Bytes > m.mostBytes(n) {
			return fmt.Errorf("%w: the directory has %d bytes for %d ids from vertex %d", ErrDamaged, m.places[i].Bytes, n,
				first)
		}
	}
	if !sound {
		return fmt.Errorf("%w: blocks of ids do not divide %d vertices, %d at most in each", ErrDamaged, vertices, idBlockIDs)
	}
	return nil
}

// side finds a shard's blob: its place, and its checksum.
func (c *Catalogue) side(dir shard.Direction, i int) (Extent, uint32) {
	e, is := c.Blob(dir, i), c.Stored(dir)
	switch is {
	case shard.In:
		return e, c.Shards[i].InSum
	case shard.Out:
		return e, c.Shards[i].OutSum
	}
	return e, c.Shards[i].beside[is-shard.InRows].sum
}

// Matches returns an error if the header of a side does not agree with the catalogue.
func (c *Catalogue) Matches(dir shard.Direction, i int, h shard.Header) error {
	info, edges, is := c.Shards[i], c.SideEdges(dir, i), c.Stored(dir)
	said, weighted := shard.In, is >= shard.OutWeights || is == shard.In && c.Weighted
	if is == shard.Out || is == shard.OutWeights {
		said = shard.Out
	}
	if _, want := c.side(dir, i); h.Checksum != want || h.Index != uint32(i) || h.First != info.First ||
		h.Vertices != info.Vertices {
		return fmt.Errorf("%w: it is shard %d with checksum %08x, the catalogue expects %08x", ErrDamaged, h.Index,
			h.Checksum, want)
	}
	if want := c.Encoding(is); h.Version != want && (h.Version != rows.Version || h.Vertices > 1 ||
		is >= shard.OutWeights) {
		return fmt.Errorf("%w: its encoding is version %d, this build has version %d there", ErrDamaged, h.Version, want)
	}
	if h.Dir != said || h.Edges != edges || shard.WeightBytes(weighted, c.Wide) != h.WeightBytes() {
		return fmt.Errorf("%w: it is an %s side of %d edges, the catalogue expects an %s side of %d (with weights: %v)",
			ErrDamaged, h.Dir, h.Edges, said, edges, weighted)
	}
	return nil
}
