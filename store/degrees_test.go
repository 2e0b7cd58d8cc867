package store

import (
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"github.com/garaph/garaph/shard"
)

// TestDegreesBytes: the bound holds for the degrees that take most, and edges that
// a directory claims to have make nobody take the memory for more.
func TestDegreesBytes(t *testing.T) {
	for _, d := range []uint32{0, 1, 127, 128, 1<<14 - 1, 1 << 14, 1 << 21, 1 << 28, math.MaxUint32} {
		if n := degreesHead + int64(len(binary.AppendUvarint(nil, uint64(d)))); n > degreesBytes(1, d) {
			t.Errorf("degree %d takes %d bytes, at most %d expected", d, n, degreesBytes(1, d))
		}
	}
	const most = degreesHead + binary.MaxVarintLen32*shard.MaxVertices
	if n := degreesBytes(shard.MaxVertices, math.MaxUint32); n != most {
		t.Errorf("the degrees of a shard take up to %d bytes, expected %d", n, most)
	}
	c := sound()
	c.Shards[0].In += math.MaxUint32 - 5
	c.Shards[1].Out += math.MaxUint32 - 5
	c.Edges += math.MaxUint32 - 5
	payload := c.place() + 1<<36
	if err := c.checkPlaces(payload); err != nil {
		t.Fatal(err)
	}
	c.Shards[0].degrees[shard.In] = degreesHead + 5*3 + 1
	if err := c.checkPlaces(payload); !errors.Is(err, ErrDamaged) {
		t.Errorf("16 bytes for the degrees of 3 vertices: %v", err)
	}
}
