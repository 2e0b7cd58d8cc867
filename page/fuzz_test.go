package page

import (
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/store"
)

// FuzzPage: whatever happens to the bytes of a payload, before or after the
// store is opened, a page has exactly the arrays that were stored or an error
// comes in its place.
func FuzzPage(f *testing.F) {
	f.Add([]byte{}, []byte{}, byte(0))
	f.Add([]byte("\x00\x01\x02\x03\x04\x05"), []byte("\x00\x20\x01"), byte(0b00001))
	f.Add([]byte("some edges, more or less"), []byte("\x00\x60\x80\x02\x00\x01"), byte(0b01110))
	f.Add([]byte("other edges, weighted"), []byte("\x00\x18\x40"), byte(0b10101))
	f.Fuzz(func(t *testing.T, edges, damage []byte, flags byte) {
		path := filepath.Join(folder(), "fuzzed")
		defer os.RemoveAll(path)
		x := fuzzed(t, path, edges, flags)
		o := ways[flags>>2&3]
		if flags>>4&1 != 0 {
			o.Budget = need(t, x, o)
		}

		logs, err := filepath.Glob(filepath.Join(path, "payload"))
		if err != nil || len(logs) != 1 {
			t.Fatal(logs, err)
		}
		early := flags>>5&1 != 0
		if early {
			spoil(t, logs[0], damage)
		}
		s, err := store.Open(path)
		if err != nil {
			if !errors.Is(err, store.ErrDamaged) {
				t.Fatal(err)
			}
			return
		}
		defer s.Close()
		if !early {
			spoil(t, logs[0], damage)
		}
		x.store = s
		c := newCache(t, x, o)
		n := 0
		for p, err := range c.Stream(context.Background(), whole(c)) {
			if err != nil {
				if !errors.Is(err, store.ErrDamaged) || len(damage) == 0 {
					t.Fatal(err)
				}
				break
			}
			if err := x.samePage(c, p, Request{Page: n}, o.Gather); err != nil {
				t.Fatal(err)
			}
			p.Release()
			n++
		}
		if err := idle(c); err != nil {
			t.Fatal(err)
		}
	})
}

// fuzzed stores and reads a graph that is small, yet whose shards all lie in
// the payload.
func fuzzed(t *testing.T, path string, edges []byte, flags byte) *stored {
	t.Helper()
	const n = 700
	g := oracle.Graph{N: n}
	for ; len(edges) >= 3 && len(g.Edges) < 4000; edges = edges[3:] {
		v := uint32(edges[0]) | uint32(edges[1])<<8 | uint32(edges[2])<<16
		g.Edges = append(g.Edges, oracle.Edge{Src: v % n, Dst: v / n % n, Weight: float32(v % 16)})
	}
	o := teststore.Options{ShardVertices: 256, Weighted: flags&1 != 0, Symmetric: flags&2 != 0}
	if err := teststore.Write(path, g, o); err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	return read(t, "fuzzed", s)
}

// spoil changes bytes of a file: each three of damage are a place and what is
// flipped there. A last odd byte cuts the file.
func spoil(t *testing.T, name string, damage []byte) {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for ; len(damage) >= 3; damage = damage[3:] {
		at := int(binary.BigEndian.Uint16(damage)) % len(b)
		b[at] ^= damage[2]
		if _, err := f.WriteAt(b[at:at+1], int64(at)); err != nil {
			t.Fatal(err)
		}
	}
	if len(damage) == 1 {
		if err := f.Truncate(int64(len(b)) * int64(damage[0]) / 256); err != nil {
			t.Fatal(err)
		}
	}
}
