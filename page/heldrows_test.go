package page_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/page"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packedrows"
	"github.com/garaph/garaph/store"
)

// TestHeldRows checks that jobs at once bring each shard once, and that cursors find neighbours across shards.
func TestHeldRows(t *testing.T) {
	const n = 100
	g := oracle.Graph{N: n}
	for v := range uint32(n - 2) {
		g.Edges = append(g.Edges, oracle.Edge{Src: v, Dst: v + 1}, oracle.Edge{Src: v, Dst: v + 2})
	}
	s := teststore.Build(t, g, teststore.Options{Layout: store.Packed, ShardVertices: 7})
	jobs := make([]*page.HeldRows, 4)
	var wg sync.WaitGroup
	for k := range jobs {
		rows, err := page.WholeRows{Sides: []shard.Direction{shard.Out}}.PlanHeld(s)
		if err != nil {
			t.Fatal(err)
		}
		jobs[k] = rows
		wg.Go(func() {
			for i := range rows.Shards() {
				if err := rows.Bring(i); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	var read, once int64
	for _, r := range jobs {
		read += r.BytesRead()
	}
	for i := range jobs[0].Shards() {
		once += s.Catalogue().Bytes(shard.Out, i)
	}
	if read != once || jobs[0].Absent() != 0 {
		t.Errorf("%d bytes were read, expected %d; %d shards are absent", read, once, jobs[0].Absent())
	}
	c, list, nbr, seconds := jobs[1].NewCursor(), make([]uint16, n), make([]uint32, n), make([]uint32, n)
	for v := range list {
		list[v] = uint16(v)
	}
	odd := []uint64{0xaaaaaaaaaaaaaaaa, 0xaaaaaaaaaaaaaaaa}
	found, _, err := c.Find(0, list, odd, nbr)
	if err != nil || len(found) != n-2 {
		t.Fatalf("%d vertices have an odd neighbour, expected %d: %v", len(found), n-2, err)
	}
	if err := c.Seconds(0, seconds); err != nil {
		t.Fatal(err)
	}
	for v := range uint32(n) {
		row, err := c.Row(v)
		first, second := uint32(packedrows.None), uint32(packedrows.None)
		if v < n-2 {
			first, second = v+1, v+2
		}
		if err != nil || c.First(v) != first || seconds[v] != second || v < n-2 &&
			(!slices.Equal(row, []uint32{first, second}) || nbr[v] != v+1+v%2) {
			t.Errorf("row %d: %v, %v; first %d, second %d, odd %d", v, row, err, c.First(v), seconds[v], nbr[v])
		}
	}
}
