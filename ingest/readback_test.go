package ingest

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packed"
	"github.com/garaph/garaph/shard/rows"
	"github.com/garaph/garaph/store"
)

// TestReadBack: out edges are those of the input where shards have many blocks and many groups
// share each of these, with and without gaps between ids, and with parallel edges dropped.
func TestReadBack(t *testing.T) {
	defer func(shard, cache uint64) { maxShardEdges, cacheEdges = shard, cache }(maxShardEdges, cacheEdges)
	maxShardEdges, cacheEdges = 4000, 60
	for _, gap := range []int{1, 7} {
		for _, dedup := range []bool{false, true} {
			r := rand.New(rand.NewPCG(1, 2))
			lines := make([]line, 30_000)
			text := make([]string, len(lines))
			for i := range lines {
				l := line{src: strconv.Itoa(r.IntN(500) * gap), dst: strconv.Itoa(r.IntN(500) * gap), weight: 1}
				if i%6 == 0 { // a giant
					l.dst = strconv.Itoa(77 * gap)
				}
				lines[i], text[i] = l, fmt.Sprintf("%s %s\n", l.src, l.dst)
			}
			name := filepath.Join(t.TempDir(), "edges.txt")
			if err := os.WriteFile(name, []byte(joined(text)), 0o666); err != nil {
				t.Fatal(err)
			}
			o, err := Options{Edges: EdgeOptions{Parallel: map[bool]Parallel{false: ParallelKeep, true: ParallelMin}[dedup]}, Storage: StorageOptions{ShardVertices: 100}}.complete()
			if err != nil {
				t.Fatal(err)
			}
			rep, err := importPlanned(t.Context(), []string{name}, name+".graph", o, tinyPlan(2, 12))
			if err != nil {
				t.Fatal(err)
			}
			checkStored(t, name+".graph", o, rep, lines, byNumber, false)
		}
	}
}

// TestReadBackChanged: an edge that is another one when it is read back is found, whatever
// counts and bounds say.
func TestReadBackChanged(t *testing.T) {
	w, err := store.Create(filepath.Join(t.TempDir(), "graph"), false)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	infos := []store.ShardInfo{{Vertices: 2, In: 600, Out: 600}, {First: 2, Vertices: 1, In: 600}}
	back := newReadBack(w, infos, 3, true)

	keys := make([]uint64, 600)
	for i := range keys {
		keys[i] = uint64(i/300)<<32 | uint64(i/150%2)<<16
	}
	var p packed.Packer
	if err := p.Keys(shard.Header{Dir: shard.In, Vertices: 2}, keys); err != nil {
		t.Fatal(err)
	}
	blob := make([]byte, p.Size())
	p.Write(blob)
	side, err := packed.Decode(blob)
	if err != nil {
		t.Fatal(err)
	}
	back.note(0, side)
	giant := rows.Layout(make([]byte, rows.Size(1, 600, 0)), shard.In, 1, 2, 1, 600, 0)
	giant.Off[1] = 600
	rows.Seal(giant.Blob())
	back.noteGiant(1, giant)
	for i, s := range []shard.Side{side, giant} {
		if err := w.PutShard(i, s); err != nil {
			t.Fatal(err)
		}
	}

	payload, err := os.OpenFile(filepath.Join(w.Dir(), "payload"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer payload.Close()
	all, err := os.ReadFile(payload.Name())
	if err != nil {
		t.Fatal(err)
	}
	data := int(side.Places().Data) + 32*(side.Heads[0].Width()+side.Bits) + side.Heads[1].Width() // a destination of the second block
	row := bytes.Index(all, giant.Blob()) + int(rows.Size(1, 0, 0))
	for i, at := range []int{data, row + 4*300} {
		count := func() (n int, err error) {
			b := backReader{readBack: back}
			err = b.each(i, 0, func(nbr []uint32, _ []uint16) error {
				n += len(nbr)
				return nil
			})
			return n, err
		}
		if n, err := count(); n != 600 || err != nil {
			t.Errorf("shard %d: %d edges, %v", i, n, err)
		}
		if _, err := payload.WriteAt([]byte{all[at] ^ 1}, int64(at)); err != nil {
			t.Fatal(err)
		}
		if n, err := count(); n != 600 || !errors.Is(err, shard.ErrChecksum) {
			t.Errorf("shard %d, changed: %d edges, %v", i, n, err)
		}
	}
}
