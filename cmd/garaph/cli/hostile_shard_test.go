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
	value := anyOf(r, []uint32{0, 1, old + 1, old - 1, 65536, 1 << 24, math.MaxInt32, 1 << 31, math.MaxUint32 - 1, math.MaxUint32})
	binary.LittleEndian.PutUint32(b[at:], value)
	return fmt.Sprintf("%d for %d at %d", value, old, at)
}

// neighbours is where the neighbours of a sound shard lie in its blob.
func neighbours(b []byte) (from, to int) {
	le := binary.LittleEndian
	from = 64 + (4*(int(le.Uint32(b[20:]))+1)+15)&^15
	return from, from + 4*int(le.Uint32(b[24:]))
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
	return append(keysFrom(g.values, "in/"), keysFrom(g.values, "out/")...)
}

func shardMutation(change func(b []byte, r *rand.Rand) string) func(c *hostileCase, r *rand.Rand, g *content) string {
	return shardMutationTo(func(b []byte, r *rand.Rand) ([]byte, string) { return b, change(b, r) })
}

// shardMutationTo changes a shard's blob and, every other time, what the catalogue
// says of it.
func shardMutationTo(change func(b []byte, r *rand.Rand) ([]byte, string)) func(c *hostileCase, r *rand.Rand, g *content) string {
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

// outOfRange returns every shard neighbours that the graph does not have, all in
// order and summed up: whatever reads edges must find it.
func outOfRange(c *hostileCase, r *rand.Rand, g *content) string {
	by := uint32(1000 + r.IntN(1<<30))
	for _, key := range shardKeys(g) {
		b := bytes.Clone(g.values[key])
		n := int(binary.LittleEndian.Uint32(b[20:]))
		from, _ := neighbours(b)
		for v := range n { // the last neighbour of every vertex
			if end := binary.LittleEndian.Uint32(b[64+4*(v+1):]); end > binary.LittleEndian.Uint32(b[64+4*v:]) {
				at := from + 4*int(end-1)
				binary.LittleEndian.PutUint32(b[at:], binary.LittleEndian.Uint32(b[at:])+by)
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
		for side, key := range []string{inKey(i), outKey(i)} {
			if b := g.values[key]; len(b) >= 64 {
				list[i].sums[side] = binary.LittleEndian.Uint32(b[60:])
			}
		}
	}
	g.setShards(list)
}

func putCatalogue(g *content, text []byte) {
	g.values["catalogue"] = sealEnvelope(append(bytes.Clone(g.values["catalogue"][:32]), text...))
}
