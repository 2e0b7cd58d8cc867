package cli

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// epochMutations change what a checkpoint holds, under its right checksums.
func epochMutations() []mutation {
	epoch := func(name string, change func(r *rand.Rand, folder string, values map[string][]byte) string) mutation {
		return mutation{name, true, func(c *hostileCase, r *rand.Rand) string {
			folders, _ := filepath.Glob(c.path("jobs", "*", "epoch-*"))
			folder := anyOf(r, folders)
			if folder == "" {
				return ""
			}
			values := valuesOf(filepath.Join(folder, "db"))
			if values == nil {
				return ""
			}
			what := attempt(func() string { return change(r, folder, values) })
			if what == "" || writeBadger(filepath.Join(folder, "db"), values, 0) != nil || os.RemoveAll(filepath.Join(folder, "db", "DISCARD")) != nil || sumEpoch(folder) != nil {
				return ""
			}
			c.another, c.job = true, filepath.Base(filepath.Dir(folder))
			rel, _ := filepath.Rel(c.path(), folder)
			return rel + ": " + what
		}}
	}
	return []mutation{
		epoch("closing record", func(r *rand.Rand, _ string, values map[string][]byte) string {
			b, what := mutateJSON(values["commit"][:len(values["commit"])-4], r)
			values["commit"] = sealChunk("commit", nil, b)
			return what
		}),
		epoch("counts of a closing record", func(r *rand.Rand, _ string, values map[string][]byte) string {
			field := anyOf(r, []string{"vertices", "value_bytes", "iteration", "pulls", "pulled", "owed", "chunk_vertices", "notify_limit", "aggregate", "shard_aggregates"})
			var value any = anyOf(r, []int64{0, 1, 64, 65536, 1 << 26, math.MaxInt32, math.MaxUint32, 1 << 40, math.MaxInt64, -1, math.MinInt64})
			switch field {
			case "notify_limit", "aggregate":
				value = anyOf(r, []string{"7ff8000000000001", "7ff0000000000000", "fff0000000000000", "ffefffffffffffff"})
			case "shard_aggregates":
				value = make([]string, r.IntN(1000))
				for i := range value.([]string) {
					value.([]string)[i] = "7ff8000000000001"
				}
			}
			values["commit"] = sealChunk("commit", nil, changeJSON(values["commit"][:len(values["commit"])-4], func(x map[string]any) { x[field] = value }))
			return fmt.Sprintf("%s = %.40v", field, value)
		}),
		epoch("active vertices", func(r *rand.Rand, folder string, values map[string][]byte) string {
			key := anyOf(r, keysOf(values, "chunk/"))
			state, err := readSmall(filepath.Join(folder, "VALUES"))
			if key == "" || err != nil {
				return ""
			}
			b := bytes.Clone(values[key])
			b = b[:len(b)-4]
			for range 1 + r.IntN(3) {
				if len(b) > 0 {
					b[r.IntN(len(b))] = byte(r.Uint32())
				}
			}
			if r.IntN(3) == 0 {
				b = append(b, randomBytes(r, r.IntN(20))...)
			}
			values[key] = sealChunk(key, state, b)
			return fmt.Sprintf("%q", key)
		}),
		epoch("values", func(r *rand.Rand, folder string, values map[string][]byte) string {
			name := filepath.Join(folder, "VALUES")
			state, err := readSmall(name)
			key := anyOf(r, keysOf(values, "chunk/"))
			if key == "" || err != nil {
				return ""
			}
			copy(state[r.IntN(len(state))&^7:], anyOf(r, [][]byte{{0, 0, 0, 0, 0, 0, 0xf8, 0x7f}, {0, 0, 0xc0, 0x7f, 0, 0, 0x80, 0x7f}, {255, 255, 255, 255, 255, 255, 255, 255}}))
			if os.WriteFile(name, state, 0o666) != nil {
				return ""
			}
			values[key] = sealChunk(key, state, values[key][:len(values[key])-4])
			return "hostile floats"
		}),
		epoch("keys of an epoch", func(r *rand.Rand, _ string, values map[string][]byte) string {
			key := anyOf(r, slices.Sorted(maps.Keys(values)))
			values[key] = randomBytes(r, r.IntN(100))
			return fmt.Sprintf("%q is garbage", key)
		}),
	}
}

func keysOf(values map[string][]byte, prefix string) (list []string) {
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if strings.HasPrefix(key, prefix) {
			list = append(list, key)
		}
	}
	return list
}

// sealChunk appends the checksum of a record of an epoch.
func sealChunk(key string, state, b []byte) []byte {
	sum := crcOf(slices.Concat([]byte(key), state, b))
	return binary.LittleEndian.AppendUint32(bytes.Clone(b), sum)
}
