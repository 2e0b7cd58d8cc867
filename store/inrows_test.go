package store_test

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/garaph/garaph/internal/testgraph"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

// TestInRows checks that rows of in-edges and weights of rows lie beside packed in sides; they are
// found again, do not change the fingerprint, and their damage is reported. Other graphs have
// rows anyway.
func TestInRows(t *testing.T) {
	path := t.TempDir() + "/graph"
	o := teststore.Options{Layout: store.Packed, InRows: true, Weighted: true}
	write(t, path, testgraph.MultiEdges(), o)
	s := open(t, path)
	cat := s.Catalogue()
	if side, ok := cat.RowsOf(shard.In); side != shard.InRows || !ok ||
		!slices.Equal(cat.Sides(), []shard.Direction{shard.In, shard.Out, shard.InRows, shard.OutWeights, shard.InWeights}) {
		t.Errorf("rows of in-edges are in side %v (%v) of %v", side, ok, cat.Sides())
	}
	o.InRows = false
	without := teststore.Build(t, testgraph.MultiEdges(), o).Catalogue()
	if _, ok := without.RowsOf(shard.In); ok || without.Fingerprint != cat.Fingerprint {
		t.Errorf("without in-rows: %v, fingerprint %s, want %s", ok, without.Fingerprint, cat.Fingerprint)
	}
	for _, o := range []teststore.Options{{}, {Symmetric: true}, {Symmetric: true, Layout: store.Packed}} {
		c := teststore.Build(t, testgraph.MultiEdges(), o).Catalogue()
		if side, ok := c.RowsOf(shard.In); !ok || !slices.Contains(c.Sides(), side) {
			t.Errorf("%+v: rows of in-edges are in side %v (%v) of %v", o, side, ok, c.Sides())
		}
	}
	damages := func() (found []string) {
		err := open(t, path).Verify(context.Background(), 1, func(int64) {},
			func(err error) { found = append(found, err.Error()) })
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	if found := damages(); found != nil {
		t.Fatal(found)
	}
	f, err := os.OpenFile(payload(path), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for k, dir := range []shard.Direction{shard.InRows, shard.OutWeights, shard.InWeights} {
		b := make([]byte, 1)
		e := cat.Blob(dir, 1)
		if _, err := f.ReadAt(b, e.Off+e.Bytes/2); err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteAt([]byte{b[0] ^ 1}, e.Off+e.Bytes/2); err != nil {
			t.Fatal(err)
		}
		if found := damages(); len(found) != k+1 || !strings.Contains(found[k], "shard 1 ("+dir.String()+" side)") {
			t.Errorf("found %v", found)
		}
	}
}
