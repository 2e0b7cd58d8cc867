package build

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packed"
	"github.com/garaph/garaph/shard/rows"
	"github.com/garaph/garaph/store"
)

// TestReadBackChanged checks that an edge that has changed when it is read back is found, whatever
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
	// a destination of the second block
	data := int(side.Layout.Places().Data) + 32*(side.Heads[0].Width()+side.Layout.Bits) + side.Heads[1].Width()
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
