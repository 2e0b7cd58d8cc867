package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

// TestView checks that shards in the mapped payload are those that are read, of every layout.
func TestView(t *testing.T) {
	for _, layout := range []store.Layout{store.CSC, store.Packed} {
		s := teststore.Build(t, random(1, 300, 4000), teststore.Options{Layout: layout, ShardVertices: 20, Weighted: true})
		for range 2 { // the second time it is there
			if !s.Map() {
				t.Fatal("the payload cannot be mapped")
			}
		}
		cat := s.Catalogue()
		for _, dir := range cat.Sides() {
			for i := range cat.Shards {
				want, err := s.ReadShard(dir, i, make([]byte, cat.Bytes(dir, i)))
				if err != nil {
					t.Fatal(err)
				}
				got, err := s.ViewShard(dir, i, false)
				if err != nil || !bytes.Equal(got.Blob(), want.Blob()) {
					t.Errorf("%s, shard %d: %v", layout, i, err)
				}
				if dir != shard.Out || layout != store.Packed {
					continue
				}
				if got, err = s.ViewRows(dir, i); err != nil || !bytes.Equal(got.Blob(), want.Blob()) {
					t.Errorf("%s, rows of shard %d: %v", layout, i, err)
				}
			}
		}
	}
}

// TestViewDamaged checks that a flipped byte is found, and a payload that was cut below the mapping
// ends nothing but what looks at it.
func TestViewDamaged(t *testing.T) {
	s := teststore.Build(t, random(1, 300, 40000), teststore.Options{Layout: store.Packed, ShardVertices: 100})
	if !s.Map() {
		t.Fatal("the payload cannot be mapped")
	}
	name, cat := filepath.Join(s.Path(), "payload"), s.Catalogue()
	sound, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	at := cat.Blob(shard.Out, 1).Off + 700
	write := func(b []byte) {
		t.Helper()
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err == nil {
			_, err = f.WriteAt(b, at)
		}
		if err := errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	write([]byte{^sound[at]})
	for what, view := range map[string]func(shard.Direction, int) (shard.Side, error){
		"a shard": func(dir shard.Direction, i int) (shard.Side, error) {
			return s.ViewShard(dir, i, false)
		}, "rows": s.ViewRows,
	} {
		if _, err := view(shard.Out, 1); !errors.Is(err, store.ErrDamaged) {
			t.Errorf("%s with a flipped byte: %v", what, err)
		}
	}
	write(sound[at : at+1])
	if _, err := s.ViewRows(shard.Out, 1); err != nil {
		t.Fatalf("sound again: %v", err)
	}
	if err := os.Truncate(name, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := s.ViewRows(shard.Out, 1); !errors.Is(err, store.ErrDamaged) ||
		!strings.Contains(err.Error(), fmt.Sprintf("its file payload was cut while it was read, to 0 of %d bytes",
			len(sound))) {
		t.Errorf("cut: %v", err)
	}
}
