package cli

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// content is what a graph's folder holds beside its jobs: the values of its
// database and the blobs, by keys of their own.
type content struct {
	values map[string][]byte
	sides  []string // see sidesOf: as the graph was read
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
	g := &content{values: valuesOf(filepath.Join(graph, "db")), places: map[string][2]int{}}
	if g.values == nil {
		return nil
	}
	g.sides = sidesOf(g.values["catalogue"])
	payload, err := readSmall(filepath.Join(graph, "payload"))
	if err != nil {
		return nil
	}
	g.payload = payload
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
func (g *content) write(graph string) error {
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
	return writeBadger(filepath.Join(graph, "db"), values, 1<<10)
}

// degreesOf is the number of bytes of degrees lie behind a shard's blob, as the directory
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
	places                   [4]uint64 // and sizes of both sides
	degrees                  [2]uint32 // and the bytes of their degrees
	beside                   []byte    // the entries of further sides
}

// shards returns what is said of the shards.
func (g *content) shards() (list []shardInfo) {
	le := binary.LittleEndian
	for i := 0; ; i++ {
		record, at, size := g.place(i)
		b := g.values[record]
		if at+size > len(b) {
			return list
		}
		b = b[at:]
		s := shardInfo{
			first: le.Uint32(b), vertices: le.Uint32(b[4:]), in: le.Uint32(b[8:]), out: le.Uint32(b[12:]),
			sums: [2]uint32{le.Uint32(b[16:]), le.Uint32(b[20:])},
		}
		for k := range s.places {
			s.places[k] = le.Uint64(b[24+8*k:])
		}
		s.degrees, s.beside = [2]uint32{le.Uint32(b[56:]), le.Uint32(b[60:])}, bytes.Clone(b[shardEntry:size])
		list = append(list, s)
	}
}

// setShards says something else of the shards.
func (g *content) setShards(list []shardInfo) {
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
