package cli

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/dgraph-io/badger/v4"
	boptions "github.com/dgraph-io/badger/v4/options"
)

// storeMutations change what the graph's database holds, each blob under its right
// checksums and, every other time, the catalogue with it.
func storeMutations() []mutation {
	blob := func(name string, change func(c *hostileCase, r *rand.Rand, values map[string][]byte) string) mutation {
		return mutation{name, true, func(c *hostileCase, r *rand.Rand) string {
			values := valuesOf(c.path("db"))
			if values == nil {
				return ""
			}
			what := attempt(func() string { return change(c, r, values) })
			if what == "" {
				return ""
			}
			c.another = true
			if err := c.writeStore(values, nil); err != nil {
				return "" // a key that Badger does not take
			}
			return what
		}}
	}
	return []mutation{
		blob("field of the catalogue", func(_ *hostileCase, r *rand.Rand, values map[string][]byte) string {
			b, what := mutateJSON(values["catalogue"][32:], r)
			putCatalogue(values, b)
			return what
		}),
		blob("huge catalogue", hugeCatalogue),
		blob("header of a shard", shardMutation(func(b []byte, r *rand.Rand) string {
			at := 8 + 4*r.IntN(9) // in bytes: versions to checksums of sections
			value := anyOf(r, []uint32{0, 1, 2, 3, 65535, 65536, 1 << 20, math.MaxInt32, 1 << 31, math.MaxUint32 - 1, math.MaxUint32})
			binary.LittleEndian.PutUint32(b[at:], value)
			return fmt.Sprintf("%d at %d", value, at)
		})),
		blob("offsets of a shard", shardMutation(func(b []byte, r *rand.Rand) string {
			n := int(binary.LittleEndian.Uint32(b[20:]))
			return putNumber(b[64:64+4*(n+1)], r)
		})),
		blob("neighbours out of range", outOfRange),
		blob("neighbours of a shard", shardMutation(func(b []byte, r *rand.Rand) string {
			from, to := neighbours(b)
			return putNumber(b[from:to], r)
		})),
		blob("weights of a shard", shardMutation(func(b []byte, r *rand.Rand) string {
			_, to := neighbours(b)
			to = (to + 15) &^ 15
			if b[10]&1 == 0 || to+4 > len(b) {
				return ""
			}
			weight := anyOf(r, []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), -1, math.MaxFloat32, 1e-45, float32(math.Copysign(0, -1))})
			at := to + 4*r.IntN((len(b)-to)/4)
			binary.LittleEndian.PutUint32(b[at:], math.Float32bits(weight))
			return fmt.Sprintf("%g at %d", weight, at)
		})),
		blob("shorter or longer shard", shardMutationTo(func(b []byte, r *rand.Rand) ([]byte, string) {
			n := r.IntN(2 * len(b))
			return append(b, make([]byte, len(b))...)[:max(64, n)], fmt.Sprintf("%d bytes instead of %d", max(64, n), len(b))
		})),
		blob("shards change places", func(_ *hostileCase, r *rand.Rand, values map[string][]byte) string {
			keys := shardKeys(values)
			a, b := anyOf(r, keys), anyOf(r, keys)
			if a == b {
				return ""
			}
			values[a], values[b] = values[b], values[a]
			if r.IntN(2) == 0 {
				noteSums(values)
			}
			return fmt.Sprintf("%q and %q", a, b)
		}),
		blob("ids", func(_ *hostileCase, r *rand.Rand, values map[string][]byte) string {
			key := anyOf(r, keysFrom(values, "ids/"))
			if key == "" {
				return ""
			}
			b := bytes.Clone(values[key])
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
			values[key] = sealEnvelope(b)
			return what
		}),
		blob("names", func(_ *hostileCase, r *rand.Rand, values map[string][]byte) string {
			key := anyOf(r, keysFrom(values, "ids/"))
			at := bytes.Index(values[key], []byte("vertex-"))
			if at < 0 {
				return ""
			}
			b := bytes.Clone(values[key])
			at += 10 * r.IntN(20)
			name := anyOf(r, []string{"\x1b[31mred ", "vertex\n001", "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", "\u202eevil\u202e", "=cmd|' /C '", "\u009b31m     ", "vertex\t\r01", "vertex-000"})
			copy(b[at:at+10], name)
			values[key] = sealEnvelope(b)
			return fmt.Sprintf("%q", name)
		}),
		blob("keys", func(_ *hostileCase, r *rand.Rand, values map[string][]byte) string {
			key := anyOf(r, slices.Sorted(maps.Keys(values)))
			switch r.IntN(4) {
			case 0:
				delete(values, key)
				return fmt.Sprintf("no %q", key)
			case 1:
				values[key] = nil
				return fmt.Sprintf("%q is empty", key)
			case 2:
				values[key] = randomBytes(r, 1+r.IntN(5000))
				return fmt.Sprintf("%q is garbage", key)
			default:
				for i := range 1000 {
					values[fmt.Sprintf("in/more%d", i)] = values[key]
				}
				return "1000 more"
			}
		}),
		blob("envelope", func(_ *hostileCase, r *rand.Rand, values map[string][]byte) string {
			key := anyOf(r, append(keysFrom(values, "ids/"), "catalogue"))
			b := bytes.Clone(values[key])
			what := putNumber(b[8:24], r)
			binary.LittleEndian.PutUint32(b[28:], crcOf(b[:28]))
			values[key] = b
			return what
		}),
		{"another layout of the database", true, func(c *hostileCase, r *rand.Rand) string {
			values := valuesOf(c.path("db"))
			name := anyOf(r, slices.Sorted(maps.Keys(layouts)))
			if values == nil || c.writeStore(values, layouts[name]) != nil {
				return ""
			}
			return name
		}},
	}
}

// layouts are ways to write a database that we don't write.
var layouts = map[string]func(o *badger.Options){
	"zstd":           func(o *badger.Options) { o.Compression, o.ValueThreshold = boptions.ZSTD, 1<<19 },
	"snappy":         func(o *badger.Options) { o.Compression, o.ValueThreshold = boptions.Snappy, 1<<19 },
	"values in keys": func(o *badger.Options) { o.ValueThreshold = 1 << 19 },
	"all in the log": func(o *badger.Options) { o.ValueThreshold = 0 },
	"encrypted": func(o *badger.Options) {
		o.EncryptionKey, o.IndexCacheSize = bytes.Repeat([]byte("k"), 32), 1<<20
	},
	"tiny blocks": func(o *badger.Options) { o.BlockSize, o.BloomFalsePositive = 64, 0.5 },
	"two logs":    func(o *badger.Options) { o.ValueLogMaxEntries, o.ValueLogFileSize = 2, 1<<20 },
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

// valuesOf gives what the database of a graph holds now; nil where it cannot be
// read any more.
func valuesOf(folder string) map[string][]byte {
	values, err := readBadger(folder)
	if err != nil || len(values["catalogue"]) < 32 && len(values["commit"]) < 4 {
		return nil
	}
	return values
}

// writeStore writes the graph's database and what sums it up.
func (c *hostileCase) writeStore(values map[string][]byte, layout func(*badger.Options)) error {
	if err := writeBadger(c.path("db"), values, 1<<10, layout); err != nil {
		return err
	}
	return c.sumGraph()
}

// writeBadger writes a database in the place of another one.
func writeBadger(folder string, values map[string][]byte, threshold int64, layout func(*badger.Options)) error {
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	o := badger.DefaultOptions(folder)
	o.Logger, o.MetricsEnabled, o.SyncWrites, o.CompactL0OnClose = nil, false, false, false
	o.ValueThreshold, o.ValueLogFileSize, o.MemTableSize, o.NumMemtables = threshold, 64<<20, 8<<20, 1
	o.BlockCacheSize, o.Compression, o.NumCompactors, o.DetectConflicts = 0, 0, 0, false
	if layout != nil {
		o.MemTableSize, o.BlockCacheSize = 64<<20, 1<<20
		layout(&o)
	}
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

// hugeCatalogue makes a catalogue that is right in itself and promises far more
// than there is.
func hugeCatalogue(_ *hostileCase, r *rand.Rand, values map[string][]byte) string {
	what := ""
	b := changeJSON(values["catalogue"][32:], func(x map[string]any) {
		shards, _ := x["shards"].([]any)
		if len(shards) == 0 {
			return
		}
		switch what = anyOf(r, []string{"vertices", "edges", "blocks", "max_bytes", "shards of one vertex", "base", "sources"}); what {
		case "vertices":
			n := 1 + r.IntN(65535)
			list, first := shards, integer(x["vertices"])
			for range n {
				list = append(list, map[string]any{"first": first, "vertices": 65536, "in": 0, "out": 0, "in_checksum": 0, "out_checksum": 0})
				first += 65536
			}
			if first > math.MaxUint32 {
				list, first = list[:len(list)-1], first-65536
			}
			x["shards"], x["vertices"] = list, first
		case "edges":
			side := anyOf(r, []string{"in", "out"})
			for _, s := range []string{"in", "out", side}[:2+r.IntN(2)] {
				one := shards[r.IntN(len(shards))].(map[string]any)
				one[s] = integer(one[s]) + 4_000_000_000 - integer(x["edges"])
			}
			x["edges"] = 4_000_000_000
		case "blocks":
			var blocks []int64
			for v := range integer(x["vertices"]) {
				blocks = append(blocks, v)
			}
			x["ids"] = map[string]any{"kind": anyOf(r, []string{"string", "int", "uint"}), "blocks": blocks, "max_bytes": 10}
		case "max_bytes":
			if ids, is := x["ids"].(map[string]any); is {
				ids["max_bytes"] = anyOf(r, []int64{-1, 0, math.MaxInt32, math.MaxInt64, 1 << 40})
			}
		case "shards of one vertex":
			var list []any
			first := int64(0)
			for range 1_000_000 {
				list = append(list, map[string]any{"first": first, "vertices": 1})
				first++
			}
			x["shards"], x["vertices"], x["edges"] = list, first, 0
		case "base":
			x["ids"] = map[string]any{"kind": "base", "base": anyOf(r, []int64{math.MinInt64, math.MaxInt64 - 1000, math.MaxInt64, -1})}
		case "sources":
			x["source"] = []string{strings.Repeat("x", 1<<20), "\x1b[2J", "two\nlines"}
			x["created"] = time.Unix(1<<40, 0).UTC()
		}
	})
	if !json.Valid(b) {
		return ""
	}
	putCatalogue(values, b)
	return what
}

func integer(x any) int64 {
	n, _ := x.(json.Number)
	i, _ := n.Int64()
	return i
}
