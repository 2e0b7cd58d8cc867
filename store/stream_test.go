package store_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
	"pgregory.net/rapid"

	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

// onDisk returns a folder on a disk of which files can be read past the page cache.
func onDisk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	name := filepath.Join(dir, "probe")
	if err := os.WriteFile(name, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(name, os.O_RDONLY|unix.O_DIRECT, 0)
	if err != nil {
		t.Skipf("%s cannot be read past the page cache: %v", dir, err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// mixed stores shards below 1 KiB, below 64 KiB and above.
func mixed(t *testing.T, dir string) *store.Store {
	t.Helper()
	g := oracle.Graph{N: 12}
	for i, edges := range []int{10, 300, 3000, 20000} {
		for _, e := range random(1, 3, edges).Edges {
			e.Dst += uint32(3 * i)
			g.Edges = append(g.Edges, e)
		}
	}
	path := filepath.Join(dir, "g")
	write(t, path, g, teststore.Options{Weighted: true})
	s := open(t, path)
	c := s.Catalogue()
	for i, least := range []int64{0, 1 << 10, 1 << 10, 64 << 10} {
		if n, below := c.Bytes(shard.In, i), []int64{1 << 10, 64 << 10, 64 << 10, 1 << 20}[i]; n < least || n >= below {
			t.Fatalf("shard %d has %d bytes, which is not what this test needs", i, n)
		}
	}
	return s
}

// TestStreaming checks that streaming gives what ReadShard gives, for blobs of every size, the
// last of the file among them.
func TestStreaming(t *testing.T) {
	for name, dir := range map[string]string{"in memory": memoryDir(t), "on disk": t.TempDir()} {
		s := mixed(t, dir)
		for p, want := range blobs(t, s) {
			buf := aligned(len(want))
			side, err := s.Read(p.dir, p.i, buf, streaming)
			if err != nil || !bytes.Equal(buf[:len(want)], want) {
				t.Errorf("%s, %s: %v", name, p, err)
			}
			if err == nil && (side.Header().Index != uint32(p.i) || side.Header().Dir != p.dir ||
				unsafe.Pointer(&side.Blob()[0]) != unsafe.Pointer(&buf[0])) {
				t.Errorf("%s, %s: the side is not at the beginning of the buffer", name, p)
			}
		}
	}
}

// TestAnyAddress checks that shards are read into a buffer of exactly the
// promised size at any address.
func TestAnyAddress(t *testing.T) {
	s := mixed(t, onDisk(t))
	sound := blobs(t, s)
	for p, want := range sound {
		room := aligned(2*4096 + len(want))
		for at := 0; at < 4096; at += 16 {
			buf := room[at : at+len(want)]
			if _, err := s.Read(p.dir, p.i, buf[:len(buf):len(buf)], streaming); err != nil ||
				!bytes.Equal(buf[:len(want)], want) {
				t.Fatalf("%s of %d bytes at %d: %v", p, len(want), at, err)
			}
		}
	}
}

// TestReadDirect checks that a part of a file that begins at a block comes to any block in
// memory, whole, and nothing around it changes. What the file does not have is not
// read.
func TestReadDirect(t *testing.T) {
	const block, most = 4096, 40 << 10
	rng := rand.New(rand.NewPCG(3, 4))
	content := make([]byte, most+block/3)
	for i := range content {
		content[i] = byte(rng.Uint32())
	}
	name := filepath.Join(onDisk(t), "file")
	if err := os.WriteFile(name, content, 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(name, os.O_RDONLY|unix.O_DIRECT, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	room, err := hostmem.Bytes(most + 2*block)
	if err != nil {
		t.Fatal(err)
	}
	defer hostmem.FreeBytes(room)
	rapid.Check(t, func(t *rapid.T) {
		at, to := block*rapid.IntRange(0, 11).Draw(t, "at"), block*rapid.IntRange(0, 1).Draw(t, "to")
		n := max(1, rapid.IntRange(0, 9).Draw(t, "blocks")*block+rapid.IntRange(-70, 70).Draw(t, "beside"))
		for i := range room {
			room[i] = 0xaa
		}
		dst := room[to:][:min(n, len(room)-to)]
		got := store.ReadDirect(f, int64(at), dst[:len(dst):len(dst)])
		if want := at+len(dst) <= len(content); got != want {
			t.Fatalf("read: %v, want %v", got, want)
		}
		if got && !bytes.Equal(dst, content[at:at+len(dst)]) {
			t.Fatal("wrong bytes")
		}
		if n := bytes.Count(room[:to], []byte{0xaa}) + bytes.Count(room[to+len(dst):],
			[]byte{0xaa}); n != len(room)-len(dst) {
			t.Fatal("bytes around it changed")
		}
	})
	if dst := room[16 : 16+block]; store.ReadDirect(f, 0, dst) {
		t.Error("read to where no block begins")
	}
}

func TestAccessRatio(t *testing.T) {
	for name, dir := range map[string]string{"in memory": memoryDir(t), "on disk": t.TempDir()} {
		s := mixed(t, dir)
		if k := s.AccessRatio(); !(k >= 1) {
			t.Errorf("%s: %v", name, k)
		}
		for _, atOnce := range []int{0, 1, 3} {
			if speed, err := s.SequentialRead(1<<20, atOnce); err != nil || !(speed > 0) {
				t.Logf("%s: %v bytes a second, %v", name, speed, err) // not every file system can
			}
		}
	}
}

// TestHandles checks that two stores of one graph in a process keep their hands off each
// other's memory. Where one was mapped, something else may be.
func TestHandles(t *testing.T) {
	s := mixed(t, memoryDir(t))
	sound := blobs(t, s)
	for range 4 {
		first, err := store.Open(s.Path())
		if err != nil {
			t.Fatal(err)
		}
		second, err := store.Open(s.Path())
		if err != nil {
			t.Fatal(err)
		}
		if err := first.Close(); err != nil {
			t.Fatal(err)
		}
		var arrays [][]byte // some of them where first was
		for range 100 {
			b, err := hostmem.Bytes(16 << 10)
			if err != nil {
				t.Fatal(err)
			}
			defer hostmem.FreeBytes(b)
			arrays = append(arrays, b)
			for i := range b {
				b[i] = 0xaa
			}
		}
		for p, want := range sound {
			buf := aligned(len(want))
			if _, err := second.Read(p.dir, p.i, buf, streaming); err != nil || !bytes.Equal(buf[:len(want)], want) {
				t.Errorf("%s: %v", p, err)
			}
			if _, err := second.ReadShard(p.dir, p.i, buf[:len(want)]); err != nil || !bytes.Equal(buf[:len(want)], want) {
				t.Errorf("%s: %v", p, err)
			}
			if _, err := second.Degrees(p.dir, p.i); err != nil {
				t.Errorf("%s: %v", p, err)
			}
		}
		for _, b := range arrays {
			if bytes.Count(b, []byte{0xaa}) != len(b) {
				t.Fatal("reading a graph changed an array")
			}
		}
		if err := second.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
