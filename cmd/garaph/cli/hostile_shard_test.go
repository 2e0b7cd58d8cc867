package cli

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// putNumber puts a hostile number somewhere into 4-byte numbers.
func putNumber(b []byte, r *rand.Rand) string {
	if len(b) < 4 {
		return ""
	}
	at := 4 * r.IntN(len(b)/4)
	old := binary.LittleEndian.Uint32(b[at:])
	value := anyOf(r,
		[]uint32{0, 1, old + 1, old - 1, 65536, 1 << 24, math.MaxInt32, 1 << 31, math.MaxUint32 - 1, math.MaxUint32})
	binary.LittleEndian.PutUint32(b[at:], value)
	return fmt.Sprintf("%d for %d at %d", value, old, at)
}

// shardSections is where the three sections of a shard's blob lie, as its header
// says: offsets, neighbours and weights; of a packed one heads, data and everything
// behind; of packed rows an index and rows; of their weights a dictionary and codes.
func shardSections(b []byte) [3][2]int {
	field := func(at int) int { return int(binary.LittleEndian.Uint32(b[at:])) }
	const rows, packed, packedRows, weights = 1, 2, 3, 4
	var first, second, third int
	switch b[8] {
	case rows:
		first, second = (4*(field(20)+1)+15)&^15, (4*field(24)+15)&^15
		third = second * int(b[10]&1)
	case packed:
		first, second = (8*field(28)+31)&^31, 32*field(48)
		third = max(0, len(b)-64-first-second)
	case packedRows:
		first, second = (4*((field(20)+7)/8)+15)&^15, (field(28)+48+15)&^15
	case weights:
		first, second = (4*field(44)+15)&^15, (field(24)*[]int{4, 1, 2, 0}[b[10]>>2&3]+15)&^15
	}
	return [3][2]int{{64, 64 + first}, {64 + first, 64 + first + second},
		{64 + first + second, 64 + first + second + third}}
}

func keysFrom(values map[string][]byte, prefix string) (list []string) {
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if strings.HasPrefix(key, prefix) && len(values[key]) > 64 {
			list = append(list, key)
		}
	}
	return list
}

func shardKeys(g *content) []string {
	var list []string
	for _, side := range g.sides {
		list = append(list, keysFrom(g.values, side)...)
	}
	return list
}

func shardMutation(change func(b []byte, r *rand.Rand) string) func(c *hostileCase, r *rand.Rand, g *content) string {
	return shardMutationTo(func(b []byte, r *rand.Rand) ([]byte, string) { return b, change(b, r) })
}

// shardMutationTo changes a shard's blob and, every other time, what the catalogue
// says of it.
func shardMutationTo(
	change func(b []byte, r *rand.Rand) ([]byte, string),
) func(c *hostileCase, r *rand.Rand, g *content) string {
	return func(_ *hostileCase, r *rand.Rand, g *content) string {
		key := anyOf(r, shardKeys(g))
		if key == "" {
			return ""
		}
		b, what := change(bytes.Clone(g.values[key]), r)
		if what == "" {
			return ""
		}
		g.values[key] = sealShard(b)
		if r.IntN(4) > 0 {
			noteSums(g)
		}
		return fmt.Sprintf("%q: %s", key, what)
	}
}

// outOfRange sets neighbours in every shard that the graph does not have, all in
// order and summed up: whatever reads edges must find it.
func outOfRange(c *hostileCase, r *rand.Rand, g *content) string {
	by := uint32(1000 + r.IntN(1<<30))
	for _, key := range shardKeys(g) {
		b := bytes.Clone(g.values[key])
		le, sections := binary.LittleEndian, shardSections(b)
		add := func(at int) { le.PutUint32(b[at:], le.Uint32(b[at:])+by) }
		switch heads := int(le.Uint32(b[28:])); {
		case b[8] > 2: // its neighbours are distances, or it has none
		case b[8] == 2 && heads > 0: // the sources of the last block
			add(64 + 8*(heads-1))
		case b[8] == 1:
			for v := range int(le.Uint32(b[20:])) { // the last neighbour of every vertex
				if end := le.Uint32(b[64+4*(v+1):]); end > le.Uint32(b[64+4*v:]) {
					add(sections[1][0] + 4*int(end-1))
				}
			}
		}
		g.values[key] = sealShard(b)
	}
	noteSums(g)
	c.unsound = len(c.did) == 0 // by what a mutation did before, nothing may be known of it
	return fmt.Sprintf("by %d", by)
}

// noteSums makes the catalogue name the shards that are there.
func noteSums(g *content) {
	list := g.shards()
	for i := range list {
		for k, side := range g.sides {
			b := g.values[sideKey(side, i)]
			switch sum := list[i].beside; {
			case len(b) < 64:
			case k < 2:
				list[i].sums[k] = binary.LittleEndian.Uint32(b[60:])
			default:
				copy(sum[sideEntry*(k-2)+16:], b[60:64])
			}
		}
	}
	g.setShards(list)
}

func putCatalogue(g *content, text []byte) {
	g.values["catalogue"] = sealEnvelope(append(bytes.Clone(g.values["catalogue"][:32]), text...))
}
