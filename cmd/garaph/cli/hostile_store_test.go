package cli

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"

	"github.com/dgraph-io/badger/v4"
)

// storeMutations change what the graph's database holds, each blob under its right
// checksums and, every other time, the catalogue with it.
func storeMutations() []mutation {
	blob := func(name string, change func(c *hostileCase, r *rand.Rand, g *content) string) mutation {
		return mutation{name, true, func(c *hostileCase, r *rand.Rand) string {
			g := readContent(c.path())
			if g == nil {
				return ""
			}
			what := attempt(func() string { return change(c, r, g) })
			if what == "" {
				return ""
			}
			c.another = true
			if err := g.write(c.path()); err != nil {
				return "" // a key that Badger does not take
			}
			return what
		}}
	}
	return []mutation{
		blob("field of the catalogue", func(_ *hostileCase, r *rand.Rand, g *content) string {
			b, what := mutateJSON(g.values["catalogue"][32:], r)
			putCatalogue(g, b)
			return what
		}),
		blob("header of a shard", shardMutation(func(b []byte, r *rand.Rand) string {
			at := 8 + 4*r.IntN(13) // in bytes: all but the magic and the checksum
			value := anyOf(r,
				[]uint32{0, 1, 2, 3, 65535, 65536, 1 << 20, math.MaxInt32, 1 << 31, math.MaxUint32 - 1, math.MaxUint32})
			binary.LittleEndian.PutUint32(b[at:], value)
			return fmt.Sprintf("%d at %d", value, at)
		})),
		blob("offsets of a shard", shardMutation(func(b []byte, r *rand.Rand) string {
			offsets := shardSections(b)[0]
			return putNumber(b[offsets[0]:offsets[1]], r)
		})),
		blob("neighbours out of range", outOfRange),
		blob("neighbours of a shard", shardMutation(func(b []byte, r *rand.Rand) string {
			neighbours := shardSections(b)[1]
			return putNumber(b[neighbours[0]:neighbours[1]], r)
		})),
		blob("weights of a shard", shardMutation(func(b []byte, r *rand.Rand) string {
			weights := shardSections(b)[2]
			if b[10]&1 == 0 || weights[0]+4 > len(b) {
				return ""
			}
			weight := anyOf(r, []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), -1, math.MaxFloat32,
				1e-45, float32(math.Copysign(0, -1))})
			at := weights[0] + 4*r.IntN((len(b)-weights[0])/4)
			binary.LittleEndian.PutUint32(b[at:], math.Float32bits(weight))
			return fmt.Sprintf("%g at %d", weight, at)
		})),
		blob("shorter or longer shard", shardMutationTo(func(b []byte, r *rand.Rand) ([]byte, string) {
			n := r.IntN(2 * len(b))
			return append(b, make([]byte, len(b))...)[:max(64, n)], fmt.Sprintf("%d bytes instead of %d", max(64, n), len(b))
		})),
		blob("shards change places", func(_ *hostileCase, r *rand.Rand, g *content) string {
			keys := shardKeys(g)
			a, b := anyOf(r, keys), anyOf(r, keys)
			if a == b {
				return ""
			}
			g.values[a], g.values[b] = g.values[b], g.values[a]
			if r.IntN(2) == 0 {
				noteSums(g)
			}
			return fmt.Sprintf("%q and %q", a, b)
		}),
		blob("ids", func(_ *hostileCase, r *rand.Rand, g *content) string {
			key := anyOf(r, keysFrom(g.values, "ids/"))
			if key == "" {
				return ""
			}
			b := bytes.Clone(g.values[key])
			var what string
			switch r.IntN(3) {
			case 0:
				what = putNumber(b[32:len(b)&^3], r)
			case 1:
				b = b[:32+r.IntN(len(b)-32)]
				what = fmt.Sprintf("%d bytes", len(b))
			default:
				b = append(b, randomBytes(r, 1+r.IntN(100))...)
				what = fmt.Sprintf("%d bytes", len(b))
			}
			g.values[key] = sealEnvelope(b)
			return what
		}),
		blob("names", func(_ *hostileCase, r *rand.Rand, g *content) string {
			key := anyOf(r, keysFrom(g.values, "ids/"))
			at := bytes.Index(g.values[key], []byte("vertex-"))
			if at < 0 {
				return ""
			}
			b := bytes.Clone(g.values[key])
			at += 10 * r.IntN(20)
			name := anyOf(r, []string{"\x1b[31mred ", "vertex\n001",
				"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", "\u202eevil\u202e",
				"=cmd|' /C '", "\u009b31m     ", "vertex\t\r01", "vertex-000"})
			copy(b[at:at+10], name)
			g.values[key] = sealEnvelope(b)
			return fmt.Sprintf("%q", name)
		}),
		blob("keys", func(_ *hostileCase, r *rand.Rand, g *content) string {
			key := anyOf(r, slices.Sorted(maps.Keys(g.values)))
			switch r.IntN(4) {
			case 0:
				delete(g.values, key)
				return fmt.Sprintf("no %q", key)
			case 1:
				g.values[key] = nil
				return fmt.Sprintf("%q is empty", key)
			case 2:
				g.values[key] = randomBytes(r, 1+r.IntN(5000))
				return fmt.Sprintf("%q is garbage", key)
			default:
				for i := range 1000 {
					g.values[fmt.Sprintf("in/more%d", i)] = g.values[key]
				}
				return "1000 more"
			}
		}),
		blob("directory", func(_ *hostileCase, r *rand.Rand, g *content) string {
			key := anyOf(r, append(keysFrom(g.values, "shards/"), keysFrom(g.values, "blocks/")...))
			if key == "" {
				return ""
			}
			b := bytes.Clone(g.values[key])
			what := putNumber(b[32:], r)
			if r.IntN(4) == 0 {
				b = b[:32+r.IntN(len(b)-32)]
				what += fmt.Sprintf(", cut to %d bytes", len(b))
			}
			g.values[key], g.settled = sealEnvelope(b), true
			return fmt.Sprintf("%q: %s", key, what)
		}),
		{"huge blobs", true, func(c *hostileCase, r *rand.Rand) string {
			g := readContent(c.path())
			if g == nil {
				return ""
			}
			what := attempt(func() string { return hugeBlob(r, g) })
			if what == "" {
				return ""
			}
			c.another = true
			if g.write(c.path()) != nil || os.Truncate(c.path("payload"), 1<<42) != nil {
				return ""
			}
			return what
		}},
		blob("envelope", func(_ *hostileCase, r *rand.Rand, g *content) string {
			key := anyOf(r, append(keysFrom(g.values, "ids/"), "catalogue"))
			b := bytes.Clone(g.values[key])
			what := putNumber(b[8:24], r)
			binary.LittleEndian.PutUint32(b[28:], crcOf(b[:28]))
			g.values[key] = b
			return what
		}),
	}
}

// hugeBlob lets an entry of the directory have a place in a sparse payload that is larger
// than any memory.
func hugeBlob(r *rand.Rand, g *content) string {
	key := anyOf(r, append(keysFrom(g.values, "shards/"), keysFrom(g.values, "blocks/")...))
	b := bytes.Clone(g.values[key])
	var at int
	if strings.HasPrefix(key, "blocks/") {
		at = 32 + blockEntry*r.IntN((len(b)-32)/blockEntry) + 4
	} else {
		_, _, size := g.place(0)
		at = 32 + size*r.IntN((len(b)-32)/size) + sidePlace(r.IntN(len(g.sides)))
	}
	size := anyOf(r, []uint64{1 << 20, 1 << 28, 1 << 32, 1 << 40})
	binary.LittleEndian.PutUint64(b[at:], uint64(len(g.payload)+4095)&^4095)
	binary.LittleEndian.PutUint64(b[at+8:], size)
	g.values[key], g.settled = sealEnvelope(b), true
	return fmt.Sprintf("%q: %d bytes", key, size)
}

// attempt does something to a blob; "" where that is not laid out any more as it
// was.
func attempt(change func() string) (what string) {
	defer func() {
		if recover() != nil {
			what = ""
		}
	}()
	return change()
}

// valuesOf returns what a database holds now; nil where it cannot be read any more.
func valuesOf(folder string) map[string][]byte {
	values, err := readBadger(folder)
	if err != nil || len(values["catalogue"]) < 32 && len(values["commit"]) < 4 {
		return nil
	}
	return values
}

// writeBadger writes a database in the place of another one.
func writeBadger(folder string, values map[string][]byte, threshold int64) error {
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	o := badger.DefaultOptions(folder)
	o.Logger, o.MetricsEnabled, o.SyncWrites, o.CompactL0OnClose = nil, false, false, false
	o.ValueThreshold, o.ValueLogFileSize, o.MemTableSize, o.NumMemtables = threshold, 64<<20, 8<<20, 1
	o.BlockCacheSize, o.Compression, o.NumCompactors, o.DetectConflicts = 0, 0, 0, false
	db, err := badger.Open(o)
	if err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if err == nil {
			err = db.Update(func(txn *badger.Txn) error { return txn.Set([]byte(key), values[key]) })
		}
	}
	if closed := db.Close(); err == nil {
		err = closed
	}
	return err
}
