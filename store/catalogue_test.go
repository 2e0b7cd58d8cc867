package store

import (
	"errors"
	"math"
	"testing"

	"github.com/dgraph-io/badger/v4"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/rows"
)

// sound returns a catalogue of three shards, of 3, 3 and 1 vertices.
func sound() *Catalogue {
	return &Catalogue{
		Vertices: 7, Edges: 5, Layout: CSC,
		IDs: IDMap{Kind: IDInt, Blocks: []uint32{0, 4}},
		Shards: []ShardInfo{
			{First: 0, Vertices: 3, In: 2, Out: 5},
			{First: 3, Vertices: 3, In: 0, Out: 0},
			{First: 6, Vertices: 1, In: 3, Out: 0},
		},
	}
}

// place sets where every blob of a catalogue lies, and returns how many bytes they take.
func (c *Catalogue) place() (payload int64) {
	for i := range c.Shards {
		info := &c.Shards[i]
		sizes := []int64{rows.Size(info.Vertices, info.In, c.WeightBytes()), rows.Size(info.Vertices, info.Out, 0)}
		for dir, n := range sizes {
			info.Blobs[dir] = Extent{Bytes: payload}.after(n)
			info.degrees[dir] = degreesHead + uint32(info.Vertices)
			payload = info.Blobs[dir].end() + int64(info.degrees[dir])
		}
	}
	for _, dir := range c.besides() {
		for i := range c.Shards {
			place := sidePlace{Extent{Bytes: payload}.after(64), uint32(i)}
			if c.Shards[i].beside == nil {
				c.Shards[i].beside = new([shard.Sides - shard.InRows]sidePlace)
			}
			c.Shards[i].beside[dir-shard.InRows] = place
			payload = place.end()
		}
	}
	c.IDs.places = nil
	for range c.IDs.Blocks {
		c.IDs.places = append(c.IDs.places, Extent{Bytes: payload}.after(40))
		payload += blockBytes
	}
	return payload
}

// throughBadger writes a catalogue and its directory, and reads them.
func throughBadger(t *testing.T, c *Catalogue) (read *Catalogue, err error) {
	t.Helper()
	payload := c.place()
	db, err := badger.Open(badger.DefaultOptions("").WithInMemory(true).WithLogger(nil))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := writeDirectory(func(key, value []byte) error {
		return db.Update(func(txn *badger.Txn) error { return txn.Set(key, value) })
	}, c); err != nil {
		t.Fatal(err)
	}
	err = db.View(func(txn *badger.Txn) error {
		read, err = readDirectory(txn, payload, 1<<20)
		return err
	})
	return read, err
}

// TestDirectory has one of several records, and places that a payload cannot have.
func TestDirectory(t *testing.T) {
	large := func() *Catalogue {
		c := &Catalogue{Layout: CSC, IDs: IDMap{Kind: IDString}}
		for i := range uint32(2*shardsInRecord + 3) {
			c.Shards = append(c.Shards, ShardInfo{First: 2 * i, Vertices: 2, In: i, Out: 1, InSum: 2 * i, OutSum: 3 * i})
			c.Shards[0].Out += i - 1
			c.Edges += uint64(i)
			c.Vertices += 2
		}
		for i := range uint32(blocksInRecord + 1) {
			c.IDs.Blocks = append(c.IDs.Blocks, i/2*2+i%2)
		}
		c.Vertices += 4 * shardsInRecord
		c.Shards[len(c.Shards)-1].Vertices += 4 * shardsInRecord
		return c
	}
	c := large()
	got, err := throughBadger(t, c)
	if diff := cmp.Diff(got, c, cmp.AllowUnexported(Catalogue{}, IDMap{}, ShardInfo{}, sidePlace{})); err != nil ||
		diff != "" {
		t.Fatalf("%v\n%s", err, diff)
	}
	for _, bad := range []Extent{{-4096, 100}, {1, 100}, {0, 0}, {0, -1}, {0, 4097}, {4096, 1}, {1 << 62, 1},
		{4096, math.MaxInt64}} {
		if err := bad.check(4096); !errors.Is(err, ErrDamaged) {
			t.Errorf("%v: %v", bad, err)
		}
	}
	if err := (Extent{0, 4096}).check(4096); err != nil {
		t.Error(err)
	}
}

// TestCatalogueCheck checks that whatever contradicts itself is refused, so that nobody
// who reads a catalogue needs to look.
func TestCatalogueCheck(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Catalogue)
		sound  bool
	}{
		{"nothing changed", func(*Catalogue) {}, true},
		{"symmetric, out-edges not counted", func(c *Catalogue) { c.Symmetric, c.Shards[0].Out = true, 0 }, true},
		{"ids from a base", func(c *Catalogue) { c.IDs = IDMap{Kind: IDBase, Base: math.MaxInt64 - 6} }, true},
		{"one block of ids", func(c *Catalogue) { c.IDs.Blocks = []uint32{0} }, true},
		{"rows and weights", func(c *Catalogue) { c.Layout, c.InRows, c.Weighted = Packed, true, true }, true},
		{"weights of rows", func(c *Catalogue) { c.Layout, c.Weighted = Packed, true }, true},
		{"no vertices", func(c *Catalogue) { *c = Catalogue{Layout: CSC, IDs: IDMap{Kind: IDInt}} }, true},

		{"ids without vertices", func(c *Catalogue) { *c = Catalogue{Layout: CSC, IDs: c.IDs} }, false},
		{"no shards", func(c *Catalogue) { c.Shards = nil }, false},
		{"a vertex less", func(c *Catalogue) { c.Vertices-- }, false},
		{"a vertex more", func(c *Catalogue) { c.Vertices++ }, false},
		{"an edge more", func(c *Catalogue) { c.Edges++ }, false},
		{"an out-edge less", func(c *Catalogue) { c.Shards[0].Out-- }, false},
		{"a gap", func(c *Catalogue) { c.Shards[1].First++ }, false},
		{"an overlap", func(c *Catalogue) { c.Shards[1].First-- }, false},
		{"not from 0", func(c *Catalogue) { c.Shards = c.Shards[1:] }, false},
		{"out of order", func(c *Catalogue) { c.Shards[0], c.Shards[1] = c.Shards[1], c.Shards[0] }, false},
		{"a shard of no vertices", func(c *Catalogue) { c.Shards[2].Vertices = 0 }, false},
		{"a shard of negative size", func(c *Catalogue) { c.Shards[0].Vertices, c.Shards[1].First = -3, -3+1<<32 }, false},
		{"a shard of too many vertices", func(c *Catalogue) {
			c.Shards = []ShardInfo{{Vertices: shard.MaxVertices + 1, In: 5, Out: 5}}
			c.Vertices = shard.MaxVertices + 1
		}, false},

		{"in-rows beside rows", func(c *Catalogue) { c.InRows = true }, false},
		{"an unknown layout", func(c *Catalogue) { c.Layout = "" }, false},

		{"no ids", func(c *Catalogue) { c.IDs = IDMap{} }, false},
		{"ids of an unknown kind", func(c *Catalogue) { c.IDs.Kind = "uuid" }, false},
		{"ids beyond 64 bits", func(c *Catalogue) { c.IDs = IDMap{Kind: IDBase, Base: math.MaxInt64 - 5} }, false},
		{"no blocks of ids", func(c *Catalogue) { c.IDs.Blocks = nil }, false},
		{"ids not from 0", func(c *Catalogue) { c.IDs.Blocks = []uint32{1, 4} }, false},
		{"an empty block of ids", func(c *Catalogue) { c.IDs.Blocks = []uint32{0, 4, 4} }, false},
		{"blocks of ids out of order", func(c *Catalogue) { c.IDs.Blocks = []uint32{0, 4, 3} }, false},
		{"a block of ids beyond the vertices", func(c *Catalogue) { c.IDs.Blocks = []uint32{0, 7} }, false},
		{"a block of too many ids", func(c *Catalogue) {
			c.IDs.Blocks = []uint32{0}
			c.Vertices, c.Shards[2].Vertices = c.Vertices+idBlockIDs, c.Shards[2].Vertices+idBlockIDs
		}, false},
		{"ids of negative size", func(c *Catalogue) { c.IDs.Kind, c.IDs.MaxBytes = IDString, -1 }, false},
		{"ids longer than any", func(c *Catalogue) { c.IDs.Kind, c.IDs.MaxBytes = IDString, maxIDBytes+1 }, false},
	} {
		cat := sound()
		c.change(cat)
		if err := cat.check(); c.sound && err != nil || !c.sound && !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", c.name, err)
		}
		got, err := throughBadger(t, cat)
		diff := cmp.Diff(got, cat, cmp.AllowUnexported(Catalogue{}, IDMap{}, ShardInfo{}, sidePlace{}), cmpopts.EquateEmpty())
		if c.sound && (err != nil || diff != "") || !c.sound && !errors.Is(err, ErrDamaged) {
			t.Errorf("%s, written and read: %v\n%v", c.name, err, diff)
		}
	}
}

func TestBytes(t *testing.T) {
	c := sound()
	c.Weighted = true
	c.place()
	for _, x := range []struct {
		symmetric bool
		dir       shard.Direction
		want      int64
	}{
		{false, shard.In, rows.Size(3, 2, 4)},
		{false, shard.Out, rows.Size(3, 5, 0)}, // weights are with the in side
		{true, shard.In, rows.Size(3, 2, 4)},
		{true, shard.Out, rows.Size(3, 2, 4)}, // which is the out side too
	} {
		c.Symmetric = x.symmetric
		if got := c.Bytes(x.dir, 0); got != x.want {
			t.Errorf("symmetric %v, %s side: %d bytes, want %d", x.symmetric, x.dir, got, x.want)
		}
	}
}

// TestEnvelope checks that every flipped bit and every missing or added byte is reported.
func TestEnvelope(t *testing.T) {
	for _, payload := range []string{"", "x", "some ids"} {
		b := seal(kindIDs, []byte(payload))
		if got, err := unseal(kindIDs, b); err != nil || string(got) != payload {
			t.Fatalf("%q came back as %q, %v", payload, got, err)
		}
		if _, err := unseal(kindCatalogue, b); !errors.Is(err, ErrDamaged) {
			t.Errorf("%q taken for another kind: %v", payload, err)
		}
		for bit := range 8 * len(b) {
			b[bit/8] ^= 1 << (bit % 8)
			if _, err := unseal(kindIDs, b); !errors.Is(err, ErrDamaged) {
				t.Fatalf("%q: bit %d of byte %d flipped, and not reported: %v", payload, bit%8, bit/8, err)
			}
			b[bit/8] ^= 1 << (bit % 8)
		}
		for n := range len(b) {
			if _, err := unseal(kindIDs, b[:n]); !errors.Is(err, ErrDamaged) {
				t.Fatalf("%q: cut to %d bytes, and not reported: %v", payload, n, err)
			}
		}
		if _, err := unseal(kindIDs, append(b, 0)); !errors.Is(err, ErrDamaged) {
			t.Fatalf("%q: a byte more, and not reported: %v", payload, err)
		}
	}
}

// FuzzIDs checks that no sealed bytes make the decoder of ids panic, and what it accepts is as
// long as promised.
func FuzzIDs(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x00\x01\x00\x00\x00\x03\x00\x00\x00abc"), uint8(2))
	f.Add(make([]byte, 16), uint8(2))
	f.Fuzz(func(t *testing.T, payload []byte, n uint8) {
		for _, kind := range []IDKind{IDInt, IDUint, IDString} {
			var b IDBlock
			if err := b.decode(&IDMap{Kind: kind, MaxBytes: maxIDBytes}, payload, int(n)); err == nil && b.Len() != int(n) {
				t.Fatalf("%s: %d ids, want %d", kind, b.Len(), n)
			}
		}
	})
}

// FuzzDirectory checks that no sealed bytes make the reader of the directory panic, and what it
// accepts is sound.
func FuzzDirectory(f *testing.F) {
	f.Add([]byte(`{"layout":"csc","vertices":1,"ids":{"kind":"base"},"directory":{"shards":1}}`),
		make([]byte, shardEntryBytes), []byte{})
	f.Add([]byte(`{"layout":"csc","vertices":1,"ids":{"kind":"int"},"directory":{"shards":1,"id_blocks":1}}`),
		make([]byte, shardEntryBytes), make([]byte, blockEntryBytes))
	f.Fuzz(func(t *testing.T, head, shards, blocks []byte) {
		db, err := badger.Open(badger.DefaultOptions("").WithInMemory(true).WithLogger(nil))
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		err = db.Update(func(txn *badger.Txn) error {
			return errors.Join(txn.Set(catalogueKey, seal(kindCatalogue, head)),
				txn.Set(shardsKey(0), seal(kindShards, shards)), txn.Set(blocksKey(0), seal(kindBlocks, blocks)))
		})
		if err != nil {
			t.Skip(err)
		}
		_ = db.View(func(txn *badger.Txn) error {
			c, err := readDirectory(txn, 1<<20, 1<<20)
			if err != nil {
				return err
			}
			if last := c.Shards[len(c.Shards)-1]; int(last.First)+last.Vertices != int(c.Vertices) {
				t.Fatalf("accepted %s", head)
			}
			return nil
		})
	})
}
