package store_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/garaph/garaph/internal/testgraph"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/rows"
	"github.com/garaph/garaph/store"
)

// victim is a graph to be damaged: the payload as it was written, and the
// blobs in it.
type victim struct {
	path  string
	log   string // the payload's name
	bytes []byte // what was written to it
	sound map[place][]byte
}

// newVictim stores a graph with a shard below 64 KiB and one above.
func newVictim(t *testing.T) *victim {
	t.Helper()
	g := random(1, 4, 0)
	for i, edges := range []int{260, 17000} {
		for _, e := range random(2, 2, edges).Edges {
			e.Dst += uint32(2 * i)
			e.Src += uint32(2 * (len(g.Edges) % 2))
			g.Edges = append(g.Edges, e)
		}
	}
	v := &victim{path: filepath.Join(memoryDir(t), "g")}
	write(t, v.path, g, teststore.Options{ShardVertices: 2})
	s := open(t, v.path)
	v.log, v.sound = payload(v.path), blobs(t, s)
	var err error
	if v.bytes, err = os.ReadFile(v.log); err != nil {
		t.Fatal(err)
	}
	return v
}

// at returns the place of a shard's blob in the payload.
func (v *victim) at(t *testing.T, p place) int {
	t.Helper()
	at := bytes.Index(v.bytes, v.sound[p])
	if at < 0 {
		t.Fatalf("%s is not in the payload", p)
	}
	return at
}

// check reads everything of an open store. Each blob is what was written, or
// reported with graph, shard and side. What wrong gives is the shards that were.
func (v *victim) check(t *testing.T, s *store.Store) (wrong map[place]bool) {
	t.Helper()
	wrong = map[place]bool{}
	report := func(p place, what string, err error) {
		wrong[p] = true
		for _, says := range []string{v.path, fmt.Sprintf("shard %d", p.i), p.dir.String() + " side"} {
			if !errors.Is(err, store.ErrDamaged) || !strings.Contains(err.Error(), says) {
				t.Errorf("%s of %s: the error does not say %q: %v", what, p, says, err)
			}
		}
	}
	for p, want := range v.sound {
		buf := aligned(len(want))
		_, streamed := s.Read(p.dir, p.i, buf, streaming)
		if streamed == nil && !bytes.Equal(buf[:len(want)], want) {
			t.Errorf("streaming of %s: wrong bytes", p)
		}
		clear(buf)
		_, read := s.ReadShard(p.dir, p.i, buf[:len(want)])
		if read == nil && !bytes.Equal(buf[:len(want)], want) {
			t.Errorf("ReadShard of %s: wrong bytes", p)
		}
		own, degrees := s.Degrees(p.dir, p.i)
		if sound, err := shard.Decode(want); err != nil {
			t.Fatal(err)
		} else if all := make([]uint32, sound.Header().Vertices); degrees == nil {
			if sound.Degrees(all); !slices.Equal(own, all) {
				t.Errorf("Degrees of %s: wrong degrees %v", p, own)
			}
		}
		if (read == nil) != (streamed == nil) {
			t.Errorf("%s: ReadShard: %v, streaming: %v", p, read, streamed)
		}
		for what, err := range map[string]error{"streaming": streamed, "ReadShard": read, "Degrees": degrees} {
			if err != nil {
				report(p, what, err)
			}
		}
	}
	return wrong
}

// TestFlippedBytes changes, of one shard's blob, every byte. What is written to the
// file shows in an open store.
func TestFlippedBytes(t *testing.T) {
	v := newVictim(t)
	s := open(t, v.path)
	p := place{shard.In, 0}
	blob := v.sound[p]
	at := v.at(t, p)
	file, err := os.OpenFile(v.log, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	buf := aligned(len(blob))
	whole := v.bytes[at:][:len(blob)+4+2] // and the degrees of two vertices
	for i := range whole {
		for _, b := range []byte{whole[i] ^ 1<<(i%8), whole[i]} { // damage and mend
			if _, err := file.WriteAt([]byte{b}, int64(at+i)); err != nil {
				t.Fatal(err)
			}
			sound := b == whole[i]
			_, read := s.ReadShard(p.dir, p.i, buf[:len(blob)])
			_, streamed := s.Read(p.dir, p.i, buf, streaming)
			_, degrees := s.Degrees(p.dir, p.i)
			if inBlob := i < len(blob); errors.Is(read, store.ErrDamaged) == (sound || !inBlob) ||
				errors.Is(streamed, store.ErrDamaged) == (sound || !inBlob) {
				t.Fatalf("byte %d, sound %v: ReadShard: %v, streaming: %v", i, sound, read, streamed)
			} else if errors.Is(degrees, store.ErrDamaged) == (sound || inBlob) {
				t.Fatalf("byte %d behind the blob of %d, sound %v: Degrees: %v", i, len(blob), sound, degrees)
			}
		}
	}
	if wrong := v.check(t, s); len(wrong) != 0 {
		t.Errorf("mended, but %v are not sound", wrong)
	}
}

// TestFlippedBits changes single bits anywhere in the payload. Open and every read
// give what was written, or report; Verify finds just what reading finds; and
// Close ends.
func TestFlippedBits(t *testing.T) {
	v := newVictim(t)
	rng := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		v.flip(t, rng.IntN(8*len(v.bytes)))
	}
	for p := range v.sound { // the heads of blobs
		for range 25 {
			v.flip(t, 8*v.at(t, p)+rng.IntN(8*shard.HeaderBytes))
		}
	}
}

// flip damages one bit of the closed store, opens and checks it.
func (v *victim) flip(t *testing.T, bit int) {
	t.Helper()
	b := bytes.Clone(v.bytes)
	b[bit/8] ^= 1 << (bit % 8)
	if err := os.WriteFile(v.log, b, 0o666); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if t.Failed() {
			t.Fatalf("it was bit %d of byte %d of %d", bit%8, bit/8, len(b))
		}
	}()
	inside := map[place]bool{} // what must be found
	for p, blob := range v.sound {
		if at := v.at(t, p); bit/8 >= at && bit/8 < at+len(blob) {
			inside[p] = true
		}
	}
	s, err := store.Open(v.path)
	if err != nil {
		if !errors.Is(err, store.ErrDamaged) || !strings.Contains(err.Error(), v.path) {
			t.Errorf("Open: %v", err)
		}
		return
	}
	wrong := v.check(t, s)
	for p := range inside {
		if !wrong[p] {
			t.Errorf("%s was damaged, and nothing reported", p)
		}
	}
	found := 0
	err = s.Verify(context.Background(), 2, func(int64) {}, func(err error) {
		found++
		if !errors.Is(err, store.ErrDamaged) {
			t.Errorf("Verify: %v", err)
		}
	})
	if err != nil || found != len(wrong) {
		t.Errorf("Verify: %d damaged, reading finds %v; %v", found, wrong, err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
}

// TestCutLog checks that a payload that ends too early, before it is opened or while it
// is open.
func TestCutLog(t *testing.T) {
	v := newVictim(t)
	large := place{shard.In, 1}
	for _, c := range []struct {
		name string
		size int
		open bool // before it is cut
	}{
		{"empty", 0, false},
		{"in the middle", len(v.bytes) / 2, false},
		{"a byte less", len(v.bytes) - 1, false},
		{"empty while open", 0, true},
		{"in the large shard while open", v.at(t, large) + 9000, true},
		{"in the small shard while open", v.at(t, place{shard.In, 0}) + 100, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := os.WriteFile(v.log, v.bytes, 0o666); err != nil {
				t.Fatal(err)
			}
			var s *store.Store
			var err error
			if c.open {
				s, err = store.Open(v.path)
			}
			if err := os.Truncate(v.log, int64(c.size)); err != nil {
				t.Fatal(err)
			}
			if !c.open {
				s, err = store.Open(v.path)
			}
			if !c.open {
				if !errors.Is(err, store.ErrDamaged) || !strings.Contains(err.Error(), v.path) {
					t.Fatalf("Open: %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			wrong := v.check(t, s)
			for p, blob := range v.sound {
				if cut := v.at(t, p)+len(blob) > c.size; cut && !wrong[p] {
					t.Errorf("%s was cut, and nothing reported", p)
				}
			}
			if err := s.Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
		})
	}
}

// TestDamagedFiles checks that Badger's own files that are missing, cut or changed are damage, or
// the graph is what it was.
func TestDamagedFiles(t *testing.T) {
	path := filepath.Join(memoryDir(t), "g")
	write(t, path, testgraph.MultiEdges(), teststore.Options{})
	want := open(t, path).Catalogue()
	for _, file := range []string{"000001.sst", "MANIFEST", "KEYREGISTRY"} {
		name := filepath.Join(path, "db", file)
		sound, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		check := func(what string) {
			t.Helper()
			s, err := store.Open(path)
			if err == nil {
				if diff := cmp.Diff(s.Catalogue(), want, cmp.Exporter(func(reflect.Type) bool { return true })); diff != "" {
					t.Errorf("%s, %s: %s", file, what, diff)
				}
				err = s.Close()
			} else if errors.Is(err, store.ErrDamaged) && strings.Contains(err.Error(), path) {
				err = nil
			}
			if err != nil {
				t.Errorf("%s, %s: %v", file, what, err)
			}
		}
		for bit := 0; bit < 8*len(sound); bit += 3 {
			b := bytes.Clone(sound)
			b[bit/8] ^= 1 << (bit % 8)
			if err := os.WriteFile(name, b, 0o666); err != nil {
				t.Fatal(err)
			}
			check(fmt.Sprintf("bit %d of byte %d of %d", bit%8, bit/8, len(sound)))
		}
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
		check("removed")
		if err := os.WriteFile(name, sound, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDamagedMarker checks that with another text, the folder is no graph.
func TestDamagedMarker(t *testing.T) {
	path := filepath.Join(memoryDir(t), "g")
	write(t, path, testgraph.MultiEdges(), teststore.Options{})
	name := filepath.Join(path, "GARAPH")
	sound, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"", string(sound[:len(sound)-1]), string(sound) + "x", strings.ToUpper(string(sound))} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := store.Open(path); !errors.Is(err, store.ErrNotGraph) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestDamagedIDs changes every byte of the head of a block of ids, and some of the ids.
func TestDamagedIDs(t *testing.T) {
	path := filepath.Join(memoryDir(t), "g")
	const n = 500
	edgeless(t, path, n, store.IDInt, 0, ints(every(int64(1000), n, 2)))
	name := payload(path)
	sound, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	first := binary.LittleEndian.AppendUint64(nil, 1000)
	first = binary.LittleEndian.AppendUint64(first, 1002)
	at := bytes.Index(sound, first)
	if at < 0 {
		t.Fatal("the ids are not in the payload")
	}
	for i := at - 32; i < at+8*n; i += 1 + max(0, (i-at)/8) { // the head of the envelope, and some of the ids
		b := bytes.Clone(sound)
		b[i] ^= 1 << (i % 8)
		if err := os.WriteFile(name, b, 0o666); err != nil {
			t.Fatal(err)
		}
		s := open(t, path)
		v, lookup := s.Lookup("1004")
		id, read := s.IDs().Text(2)
		found := 0
		verify := s.Verify(context.Background(), 1, func(int64) {}, func(err error) {
			found++
			if !errors.Is(err, store.ErrDamaged) || !strings.Contains(err.Error(), path) ||
				!strings.Contains(err.Error(), "id block 0") {
				t.Errorf("byte %d: Verify: %v", i, err)
			}
		})
		if !errors.Is(lookup, store.ErrDamaged) || !errors.Is(read, store.ErrDamaged) || verify != nil || found != 1 {
			t.Fatalf("byte %d: Lookup: %d, %v, Text: %s, %v, Verify: %d found, %v", i, v, lookup, id, read, found, verify)
		}
	}
}

// TestWrongShard checks that a sound blob is not enough, it must be that of the shard that
// was asked for, with the content that the catalogue knows.
func TestWrongShard(t *testing.T) {
	const n = 300
	sealed := func(index, first, mark uint32) (*rows.Side, uint32) {
		blob := aligned(int(rows.Size(n, n, 0)))
		side := rows.Layout(blob, shard.In, index, first, n, n, 0)
		for v := range side.Off {
			side.Off[v] = uint32(v)
		}
		side.Nbr[0] = mark
		return side, rows.Seal(blob)
	}
	_, sum := sealed(0, 0, 0)
	for _, c := range []struct {
		name               string
		index, first, mark uint32
		same               bool // its checksum stands in the catalogue
	}{
		{"another content", 0, 0, 1, false},
		{"another shard", 1, 0, 0, true},
		{"another interval", 0, n, 0, true},
	} {
		path := filepath.Join(memoryDir(t), "g")
		w, err := store.Create(path, false)
		if err != nil {
			t.Fatal(err)
		}
		side, itsSum := sealed(c.index, c.first, c.mark)
		if err := w.PutShard(0, side); err != nil {
			t.Fatal(err)
		}
		if err := w.IDs(store.IDBase, 0).Finish(); err != nil {
			t.Fatal(err)
		}
		info := store.ShardInfo{Vertices: n, In: n, InSum: sum}
		if c.same {
			info.InSum = itsSum
		}
		if err := w.Commit(&store.Catalogue{Vertices: n, Edges: n, Symmetric: true,
			Shards: []store.ShardInfo{info}}); err != nil {
			t.Fatal(err)
		}
		s := open(t, path)
		_, read := s.ReadShard(shard.In, 0, aligned(len(side.Blob())))
		_, streamed := s.Read(shard.Out, 0, aligned(len(side.Blob())), streaming)
		for what, err := range map[string]error{"ReadShard": read, "streaming": streamed} {
			if !errors.Is(err, store.ErrDamaged) {
				t.Errorf("%s, %s: %v", c.name, what, err)
			}
		}
	}
}

// TestVerifyOrder checks that Verify also finds what checksums cannot see.
func TestVerifyOrder(t *testing.T) {
	for _, c := range []struct {
		name string
		kind store.IDKind
		fill func(*store.IDWriter) error
	}{
		{"integers", store.IDInt, ints([]int64{-1, 5, 5})},
		{"unsigned integers", store.IDUint, ints([]uint64{1 << 63, 5, 6})},
		{"names", store.IDString, texts([]string{"a", "c", "b"})},
		{"an id too few", store.IDInt, ints([]int64{1, 2})},
	} {
		s := edgeless(t, filepath.Join(memoryDir(t), "g"), 3, c.kind, 0, c.fill)
		var found []error
		if err := s.Verify(context.Background(), 1, func(int64) {},
			func(err error) { found = append(found, err) }); err != nil {
			t.Fatal(err)
		}
		if len(found) != 1 || !errors.Is(found[0], store.ErrDamaged) {
			t.Errorf("%s: found %v", c.name, found)
		}
	}
}

// TestVerifyCancelled checks that the error is the context's, and nothing is left running.
func TestVerifyCancelled(t *testing.T) {
	path := filepath.Join(memoryDir(t), "g")
	write(t, path, random(1, 100, 200), teststore.Options{ShardVertices: 5})
	ctx, cancel := context.WithCancel(context.Background())
	err := open(t, path).Verify(ctx, 2, func(int64) { cancel() }, func(err error) { t.Error(err) })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
