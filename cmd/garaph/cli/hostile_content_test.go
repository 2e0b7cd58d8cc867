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
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dgraph-io/badger/v4"
)

// content is what a graph's folder holds beside its jobs: the values of its
// database and the blobs, which version 1 has there too and version 2 in a file
// of their own, by the key of version 1.
type content struct {
	version int
	values  map[string][]byte
	sides   []string // see sidesOf: as the graph was read
	// settled: the directory stays as it is, wherever blobs lie.
	settled bool

	payload []byte
	places  map[string][2]int // where blobs lie in the payload, and their sizes
}

func idsKey(i int) string { return string(binary.BigEndian.AppendUint32([]byte("ids/"), uint32(i))) }

// sidesOf are the prefixes of the keys of shards, in the order in which the directory has
// their places.
func sidesOf(catalogue []byte) []string {
	var x struct {
		InRows   bool   `json:"in_rows"`
		Weighted bool   `json:"weighted"`
		Layout   string `json:"layout"`
	}
	_ = json.Unmarshal(catalogue[min(32, len(catalogue)):], &x) // of a mutated one, what can be read
	list := []string{"in/", "out/"}
	if x.InRows {
		list = append(list, "in-rows/")
	}
	weights := x.Weighted && x.Layout == "packed"
	if weights {
		list = append(list, "out-weights/")
	}
	if x.InRows && weights {
		list = append(list, "in-weights/")
	}
	return list
}

// place is where a shard's entry in the directory lies: its record, and its first byte
// there; and how many bytes it has.
func (g *content) place(shard int) (record string, at, size int) {
	size = shardEntry + sideEntry*(len(g.sides)-2)
	return recordKey("shards", shard/shardsInRecord), 32 + shard%shardsInRecord*size, size
}

// sidePlace is where an entry has place and size of the k-th side.
func sidePlace(k int) int {
	if k < 2 {
		return 24 + 16*k
	}
	return shardEntry + sideEntry*(k-2)
}

// sideKey is that of the blob of a shard's side.
func sideKey(side string, shard int) string {
	return string(binary.BigEndian.AppendUint32([]byte(side), uint32(shard)))
}

// recordKey is that of a record of the directory.
func recordKey(kind string, i int) string {
	return string(binary.BigEndian.AppendUint32([]byte(kind+"/"), uint32(i)))
}

const (
	shardsInRecord = 512
	blocksInRecord = 4096
	shardEntry     = 64 // bytes
	sideEntry      = 24 // behind it, for each further side
	blockEntry     = 20
	// mostShards have blobs to be changed: a huge catalogue has one blob for hundreds of
	// thousands of shards, of which mutations would make as many copies.
	mostShards = 4096
)

// readContent reads a graph; nil where that cannot be read any more.
func readContent(graph string) *content {
	g := &content{version: 1, values: valuesOf(filepath.Join(graph, "db")), places: map[string][2]int{}}
	if g.values == nil {
		return nil
	}
	g.sides = sidesOf(g.values["catalogue"])
	payload, err := readSmall(filepath.Join(graph, "payload"))
	if err != nil {
		return g
	}
	g.version, g.payload = 2, payload
	take := func(key string, at []byte) {
		off, n := binary.LittleEndian.Uint64(at), binary.LittleEndian.Uint64(at[8:])
		if end := off + n; n > 0 && n <= end && end <= uint64(len(payload)) {
			g.values[key], g.places[key] = payload[off:end:end], [2]int{int(off), int(n)}
		}
	}
	for i := range mostShards {
		record, at, size := g.place(i)
		b := g.values[record]
		if at+size > len(b) {
			break
		}
		for k, side := range g.sides {
			take(sideKey(side, i), b[at+sidePlace(k):])
		}
	}
	for i := 0; ; i++ {
		b := g.values[recordKey("blocks", i/blocksInRecord)]
		at := 32 + i%blocksInRecord*blockEntry
		if at+blockEntry > len(b) {
			break
		}
		take(idsKey(i), b[at+4:])
	}
	return g
}

// isBlob recognises a blob by its key.
func isBlob(key string) bool {
	prefix, _, _ := strings.Cut(key, "/")
	return slices.Contains([]string{"in", "out", "in-rows", "out-weights", "in-weights", "ids"}, prefix)
}

// write writes the graph's database, and the blobs where they were; those of
// another size behind all others.
func (g *content) write(graph string, layout func(*badger.Options)) error {
	if g.version == 1 {
		return writeBadger(filepath.Join(graph, "db"), g.values, 1<<10, layout)
	}
	values := map[string][]byte{}
	for _, key := range slices.Sorted(maps.Keys(g.values)) {
		b := g.values[key]
		if !isBlob(key) {
			values[key] = b
			continue
		}
		place, known := g.places[key]
		if known && len(b) == place[1] {
			copy(g.payload[place[0]:], b)
			continue
		}
		for len(g.payload)%4096 != 0 {
			g.payload = append(g.payload, 0)
		}
		if !g.settled {
			g.move(key, len(g.payload), len(b))
		}
		var degrees []byte // which lie behind the blob
		if end := place[0] + place[1]; known {
			degrees = bytes.Clone(g.payload[end:min(len(g.payload), end+g.degreesOf(key))])
		}
		g.payload = append(append(g.payload, b...), degrees...)
	}
	for key, b := range g.values { // move changes records
		if !isBlob(key) {
			values[key] = b
		}
	}
	if err := os.WriteFile(filepath.Join(graph, "payload"), g.payload, 0o666); err != nil {
		return err
	}
	return writeBadger(filepath.Join(graph, "db"), values, 1<<10, layout)
}

// degreesOf is how many bytes of degrees lie behind a shard's blob, as the directory
// has it.
func (g *content) degreesOf(key string) int {
	i := int(binary.BigEndian.Uint32([]byte(key[strings.IndexByte(key, '/')+1:] + "\x00\x00\x00\x00")))
	record, at, _ := g.place(i)
	b := g.values[record]
	switch {
	case strings.HasPrefix(key, "in/"):
		at += 56
	case strings.HasPrefix(key, "out/"):
		at += 60
	default:
		return 0
	}
	if at+4 > len(b) {
		return 0
	}
	return int(min(binary.LittleEndian.Uint32(b[at:]), 1<<20))
}

// move notes in the directory where a blob lies.
func (g *content) move(key string, off, n int) {
	i := int(binary.BigEndian.Uint32([]byte(key[strings.IndexByte(key, '/')+1:] + "\x00\x00\x00\x00")))
	record, at, _ := g.place(i)
	if k := slices.Index(g.sides, key[:strings.IndexByte(key, '/')+1]); k >= 0 {
		at += sidePlace(k)
	} else {
		record, at = recordKey("blocks", i/blocksInRecord), 32+i%blocksInRecord*blockEntry+4
	}
	b := bytes.Clone(g.values[record])
	if at+16 <= len(b) {
		binary.LittleEndian.PutUint64(b[at:], uint64(off))
		binary.LittleEndian.PutUint64(b[at+8:], uint64(n))
		g.values[record] = sealEnvelope(b)
	}
}

// shardInfo is what the catalogue or the directory says of a shard.
type shardInfo struct {
	first, vertices, in, out uint32
	sums                     [2]uint32
	places                   [4]uint64 // of version 2: places and sizes of both sides
	degrees                  [2]uint32 // and the bytes of their degrees
	beside                   []byte    // the entries of further sides
}

// shards returns what is said of the shards.
func (g *content) shards() (list []shardInfo) {
	if g.version == 1 {
		var x struct {
			Shards []struct {
				First, Vertices, In, Out uint32
				InSum                    uint32 `json:"in_checksum"`
				OutSum                   uint32 `json:"out_checksum"`
			}
		}
		_ = json.Unmarshal(g.values["catalogue"][32:], &x) // of a mutated one, what can be read
		for _, s := range x.Shards {
			list = append(list, shardInfo{first: s.First, vertices: s.Vertices, in: s.In, out: s.Out, sums: [2]uint32{s.InSum, s.OutSum}})
		}
		return list
	}
	le := binary.LittleEndian
	for i := 0; ; i++ {
		record, at, size := g.place(i)
		b := g.values[record]
		if at+size > len(b) {
			return list
		}
		b = b[at:]
		s := shardInfo{first: le.Uint32(b), vertices: le.Uint32(b[4:]), in: le.Uint32(b[8:]), out: le.Uint32(b[12:]), sums: [2]uint32{le.Uint32(b[16:]), le.Uint32(b[20:])}}
		for k := range s.places {
			s.places[k] = le.Uint64(b[24+8*k:])
		}
		s.degrees, s.beside = [2]uint32{le.Uint32(b[56:]), le.Uint32(b[60:])}, bytes.Clone(b[shardEntry:size])
		list = append(list, s)
	}
}

// setShards says something else of the shards.
func (g *content) setShards(list []shardInfo) {
	if g.version == 1 {
		all := []any{}
		for _, s := range list {
			all = append(all, map[string]any{"first": s.first, "vertices": s.vertices, "in": s.in, "out": s.out, "in_checksum": s.sums[0], "out_checksum": s.sums[1]})
		}
		g.change(func(x map[string]any) { x["shards"] = all })
		return
	}
	head := g.values[recordKey("shards", 0)][:32]
	le := binary.LittleEndian
	b := bytes.Clone(head)
	for i, s := range list {
		for _, x := range []uint32{s.first, s.vertices, s.in, s.out, s.sums[0], s.sums[1]} {
			b = le.AppendUint32(b, x)
		}
		for _, x := range s.places {
			b = le.AppendUint64(b, x)
		}
		b = append(le.AppendUint32(le.AppendUint32(b, s.degrees[0]), s.degrees[1]), s.beside...)
		if i+1 == len(list) || (i+1)%shardsInRecord == 0 {
			g.values[recordKey("shards", i/shardsInRecord)] = sealEnvelope(b)
			b = bytes.Clone(head)
		}
	}
	g.change(func(x map[string]any) {
		if d, is := x["directory"].(map[string]any); is {
			d["shards"] = len(list)
		}
	})
}

// change changes the catalogue.
func (g *content) change(change func(x map[string]any)) {
	putCatalogue(g, changeJSON(g.values["catalogue"][32:], change))
}

// toVersion1 makes a graph of version 1 of one of version 2.
func (g *content) toVersion1() error {
	if g.version == 1 {
		return os.ErrExist
	}
	list := g.shards()
	var blocks []uint32
	for i := 0; ; i++ {
		b := g.values[recordKey("blocks", i/blocksInRecord)]
		at := 32 + i%blocksInRecord*blockEntry
		if at+blockEntry > len(b) {
			break
		}
		blocks = append(blocks, binary.LittleEndian.Uint32(b[at:]))
	}
	g.change(func(x map[string]any) {
		if ids, is := x["ids"].(map[string]any); is && len(blocks) > 0 {
			ids["blocks"] = blocks
		}
		delete(x, "directory")
	})
	g.version = 1
	g.setShards(list)
	for key := range g.values {
		if strings.HasPrefix(key, "shards/") || strings.HasPrefix(key, "blocks/") {
			delete(g.values, key)
		}
	}
	return nil
}

// hugeCatalogue makes a catalogue that is right in itself and promises far more
// than there is.
func hugeCatalogue(_ *hostileCase, r *rand.Rand, g *content) string {
	list := g.shards()
	if len(list) == 0 {
		return ""
	}
	last := list[len(list)-1]
	first := uint64(last.first) + uint64(last.vertices)
	what := anyOf(r, []string{"vertices", "edges", "blocks", "max_bytes", "shards of one vertex", "base", "sources"})
	switch what {
	case "vertices", "shards of one vertex":
		n, each := 1+r.IntN(65535), uint64(65536)
		if what != "vertices" {
			n, each = 300_000, 1
		}
		for ; n > 0 && first+each <= math.MaxUint32; n-- {
			more := shardInfo{first: uint32(first), vertices: uint32(each), places: last.places, degrees: [2]uint32{uint32(4 + each), uint32(4 + each)}, beside: last.beside}
			if more.places[1] > 0 { // as large as a shard without edges is
				size := (64 + 4*(each+1) + 15) &^ 15
				more.places[1], more.places[3] = size, min(more.places[3], size)
			}
			list, first = append(list, more), first+each
		}
		g.change(func(x map[string]any) { x["vertices"] = first })
	case "edges":
		for _, side := range []*uint32{&list[r.IntN(len(list))].in, &list[r.IntN(len(list))].out} {
			*side += 4_000_000_000
		}
		g.change(func(x map[string]any) { x["edges"] = integer(x["edges"]) + 4_000_000_000 })
	case "blocks":
		var blocks []uint64
		for v := range min(first, 1<<20) {
			blocks = append(blocks, v)
		}
		g.change(func(x map[string]any) {
			x["ids"] = map[string]any{"kind": anyOf(r, []string{"string", "int", "uint"}), "blocks": blocks, "max_bytes": 10}
			if d, is := x["directory"].(map[string]any); is {
				d["id_blocks"] = anyOf(r, []int64{1 << 20, 1 << 40, math.MaxInt64, -1})
			}
		})
	case "max_bytes", "base":
		g.change(func(x map[string]any) {
			ids, is := x["ids"].(map[string]any)
			if is && what == "base" {
				x["ids"] = map[string]any{"kind": "base", "base": anyOf(r, []int64{math.MinInt64, math.MaxInt64 - 1000, math.MaxInt64, -1})}
			} else if is {
				ids["max_bytes"] = anyOf(r, []int64{-1, 0, math.MaxInt32, math.MaxInt64, 1 << 40})
			}
		})
	case "sources":
		g.change(func(x map[string]any) {
			x["source"] = []string{strings.Repeat("x", 1<<20), "\x1b[2J", "two\nlines"}
			x["created"] = time.Unix(1<<40, 0).UTC()
		})
	}
	g.setShards(list)
	return fmt.Sprintf("%s: %d shards", what, len(list))
}

func integer(x any) int64 {
	n, _ := x.(json.Number)
	i, _ := n.Int64()
	return i
}
