package cli

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
)

// soundEpoch has the files of a checkpoint in parts.
type soundEpoch struct {
	head, line   []byte // of EPOCH
	values, bits []byte // of VALUES
}

// epochMutations change what a checkpoint holds, under its right checksums.
func epochMutations() []mutation {
	epoch := func(name string, change func(r *rand.Rand, e *soundEpoch) string) mutation {
		return mutation{name, true, func(c *hostileCase, r *rand.Rand) string {
			folders, _ := filepath.Glob(c.path("jobs", "*", "epoch-*"))
			folder := anyOf(r, folders)
			e := splitEpoch(folder)
			if e == nil {
				return ""
			}
			what := attempt(func() string { return change(r, e) })
			if what == "" || e.write(folder) != nil {
				return ""
			}
			c.another, c.job = true, filepath.Base(filepath.Dir(folder))
			rel, _ := filepath.Rel(c.path(), folder)
			return rel + ": " + what
		}}
	}
	return []mutation{
		epoch("closing record", func(r *rand.Rand, e *soundEpoch) (what string) {
			e.line, what = mutateJSON(e.line, r)
			return what
		}),
		epoch("counts of a closing record", func(r *rand.Rand, e *soundEpoch) string {
			field := anyOf(r, []string{"vertices", "value_bytes", "iteration", "pulls", "pulled", "owed", "chunk_vertices",
				"notify_limit", "aggregate", "shard_aggregates"})
			var value any = anyOf(r,
				[]int64{0, 1, 64, 65536, 1 << 26, math.MaxInt32, math.MaxUint32, 1 << 40, math.MaxInt64, -1, math.MinInt64})
			switch field {
			case "notify_limit", "aggregate":
				value = anyOf(r, []string{"7ff8000000000001", "7ff0000000000000", "fff0000000000000", "ffefffffffffffff"})
			case "shard_aggregates":
				value = make([]string, r.IntN(1000))
				for i := range value.([]string) {
					value.([]string)[i] = "7ff8000000000001"
				}
			}
			e.line = changeJSON(e.line, func(x map[string]any) { x[field] = value })
			return fmt.Sprintf("%s = %.40v", field, value)
		}),
		epoch("active vertices", func(r *rand.Rand, e *soundEpoch) string {
			for range 1 + r.IntN(3) {
				e.bits[r.IntN(len(e.bits))] = byte(r.Uint32())
			}
			return "some bits"
		}),
		epoch("values", func(r *rand.Rand, e *soundEpoch) string {
			copy(e.values[r.IntN(len(e.values))&^7:], anyOf(r, [][]byte{{0, 0, 0, 0, 0, 0, 0xf8, 0x7f},
				{0, 0, 0xc0, 0x7f, 0, 0, 0x80, 0x7f}, {255, 255, 255, 255, 255, 255, 255, 255}}))
			return "hostile floats"
		}),
	}
}

// splitEpoch reads a checkpoint of one chunk; nil if it cannot.
func splitEpoch(folder string) *soundEpoch {
	text, errText := readSmall(filepath.Join(folder, "EPOCH"))
	b, err := readSmall(filepath.Join(folder, "VALUES"))
	if errText != nil || err != nil {
		return nil
	}
	e := new(soundEpoch)
	e.head, e.line = splitSealed(text)
	var c struct {
		Vertices   int `json:"vertices"`
		ValueBytes int `json:"value_bytes"`
	}
	values, bits := 0, 0
	if json.Unmarshal(e.line, &c) == nil {
		values, bits = c.Vertices*c.ValueBytes, (c.Vertices+63)/64*8
	}
	if values == 0 || len(b) != values+bits+4 {
		return nil
	}
	e.values, e.bits = b[:values], b[values:values+bits]
	return e
}

// write writes the checkpoint with its checksums.
func (e *soundEpoch) write(folder string) error {
	if err := os.WriteFile(filepath.Join(folder, "EPOCH"), sealText("EPOCH", e.head, e.line), 0o666); err != nil {
		return err
	}
	b := slices.Concat(e.values, e.bits)
	sum := crcOf(slices.Concat([]byte{0, 0, 0, 0}, b))
	return os.WriteFile(filepath.Join(folder, "VALUES"), binary.LittleEndian.AppendUint32(b, sum), 0o666)
}
