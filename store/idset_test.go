package store_test

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/store"
)

// TestIDSet compares sets of vertices with the list of all ids, within limits
// that some of them exceed.
func TestIDSet(t *testing.T) {
	const many = 1<<18 + 5 // of 8 bytes: twice the least limit
	negative := append([]int64{math.MinInt64, math.MinInt64 + 1}, every(int64(-3*many), many, 5)...)
	large := append(every(uint64(7), many, 3), 1<<63-1, 1<<63, math.MaxUint64)
	var names, long []string
	for i := range 3 * 4096 {
		names = append(names, fmt.Sprintf("v%06d", 2*i)+strings.Repeat("é", i%7))
	}
	for i := range 100 {
		long = append(long, fmt.Sprintf("%06d", i)+strings.Repeat("x", 600*i))
	}
	for _, c := range []struct {
		kind store.IDKind
		base int64
		ids  []string
		fill func(*store.IDWriter) error
	}{
		{store.IDBase, -2, text(every(int64(-2), 70_000, 1)), none},
		{store.IDInt, 0, text(negative), ints(negative)},
		{store.IDUint, 0, text(large), ints(large)},
		{store.IDString, 0, []string{""}, texts([]string{""})},
		{store.IDString, 0, names, texts(names)},
		{store.IDString, 0, long, texts(long)},
	} {
		t.Run(fmt.Sprintf("%s, %d", c.kind, len(c.ids)), func(t *testing.T) {
			s := edgeless(t, filepath.Join(memoryDir(t), "g"), len(c.ids), c.kind, c.base, c.fill)
			rapid.Check(t, func(t *rapid.T) {
				limit := rapid.Int64Range(0, 4<<20).Draw(t, "limit")
				x, err := s.IDSet(limit)
				if err != nil {
					t.Fatal(err)
				}
				defer x.Free()
				for range rapid.IntRange(1, 3).Draw(t, "sets") {
					x.Clear()
					checkSet(t, x, c.kind, c.ids, limit)
				}
			})
		})
	}
}

// checkSet adds the vertices of some intervals, and single ones, to a set.
func checkSet(t *rapid.T, x *store.IDSet, kind store.IDKind, ids []string, limit int64) {
	in := map[uint32]bool{}
	n := uint32(len(ids))
	for range rapid.IntRange(0, 3).Draw(t, "intervals") {
		from := rapid.Uint32Range(0, n-1).Draw(t, "from")
		length := rapid.Uint32Range(1, n-from).Draw(t, "length")
		for v := from; v < from+length; v++ {
			in[v] = true
		}
	}
	for _, v := range rapid.SliceOfN(rapid.Uint32Range(0, n-1), 1, 10).Draw(t, "vertices") {
		in[v] = true
	}
	var bytes int64
	for v := range in {
		if err := x.Add(v); err != nil {
			t.Fatal(err)
		}
		bytes += idBytes(kind, ids[v])
	}
	if err := x.Add(n); !errors.Is(err, store.ErrNoVertex) {
		t.Errorf("a vertex too many: %v", err)
	}
	fits, err := x.Load()
	if err != nil {
		t.Fatal(err)
	}
	if !fits {
		if len(in) == 1 || bytes < min(limit-1<<18, 1<<20-8) {
			t.Fatalf("%d ids of %d bytes do not fit into %d", len(in), bytes, limit)
		}
		return
	}
	if bytes > max(limit, 1<<20) {
		t.Fatalf("%d ids of %d bytes fit into %d", len(in), bytes, limit)
	}
	for v := range in {
		if got, err := idIn(x, kind, v); err != nil || got != ids[v] {
			t.Fatalf("the id of %d is %.80q, %v, want %.80q", v, got, err, ids[v])
		}
	}
	for _, v := range rapid.SliceOf(rapid.Uint32Range(0, n)).Draw(t, "others") {
		if id, err := idIn(x, kind, v); !in[v] && (kind != store.IDBase || v == n) && !errors.Is(err, store.ErrNoVertex) {
			t.Fatalf("%d is not in the set: %.80q, %v", v, id, err)
		}
	}
}

func idBytes(kind store.IDKind, id string) int64 {
	switch kind {
	case store.IDBase:
		return 0
	case store.IDString:
		return int64(len(id)) + 4
	default:
		return 8
	}
}

func idIn(x *store.IDSet, kind store.IDKind, v uint32) (string, error) {
	switch kind {
	case store.IDString:
		return x.Text(v)
	case store.IDUint:
		id, err := x.Uint(v)
		return strconv.FormatUint(id, 10), err
	default:
		id, err := x.Int(v)
		return strconv.FormatInt(id, 10), err
	}
}
