package store_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/garaph/garaph/store"
)

// ints appends ids of kind [store.IDInt] or [store.IDUint].
func ints[T int64 | uint64](ids []T) func(*store.IDWriter) error {
	return func(w *store.IDWriter) error {
		for _, id := range ids {
			if err := w.AppendInt(uint64(id)); err != nil {
				return err
			}
		}
		return nil
	}
}

func none(*store.IDWriter) error { return nil }

// every k-th of n numbers, from first.
func every[T int64 | uint64](first T, n int, k T) []T {
	list := make([]T, n)
	for i := range list {
		list[i] = first + T(i)*k
	}
	return list
}

func text[T int64 | uint64](ids []T) []string {
	list := make([]string, len(ids))
	for i, id := range ids {
		list[i] = fmt.Sprint(id)
	}
	return list
}

// TestIDs checks that every kind of ids comes back in order and is found, and nothing else
// is. Kinds with blocks have several.
func TestIDs(t *testing.T) {
	const many = 1<<16 + 5 // many blocks, and two shards
	negative := append([]int64{math.MinInt64, math.MinInt64 + 1}, every(int64(-3*many), many, 5)...)
	negative = append(negative, math.MaxInt64-1, math.MaxInt64)
	large := append(every(uint64(7), 2*many, 3), 1<<63-1, 1<<63, 1<<63+1, math.MaxUint64)
	names := []string{"", "\x00", "\x00\x00", " ", "A", "a", "a\x00", "aa", "b\tc\nd", "é", "日本", "\xff", "\xff\xff"}
	slices.Sort(names)
	var numbered []string
	for i := range many {
		numbered = append(numbered, fmt.Sprintf("v%06d", 2*i))
	}
	var long []string // two fill a block
	for i := range 42 {
		long = append(long, strings.Repeat(string(rune('a'+i/14)), 65500)+fmt.Sprintf("%035d", i))
	}

	for _, c := range []struct {
		name   string
		kind   store.IDKind
		base   int64
		ids    []string
		fill   func(*store.IDWriter) error
		absent []string
	}{
		{"from 0", store.IDBase, 0, text(every(int64(0), 3, 1)), none,
			[]string{"-1", "3", "4294967296", "x", "", "1.0", "18446744073709551615"}},
		{"from 1, many blocks", store.IDBase, 1, text(every(int64(1), many, 1)), none, []string{"0", strconv.Itoa(many + 1)}},
		{"from below 0", store.IDBase, -2, text(every(int64(-2), 5, 1)), none,
			[]string{"-3", "3", "9223372036854775807", "-9223372036854775808"}},
		{"from the least", store.IDBase, math.MinInt64, text(every(int64(math.MinInt64), 5, 1)), none,
			[]string{"0", "-1", "-9223372036854775803", "9223372036854775807"}},
		{"to the largest", store.IDBase, math.MaxInt64 - 4, text(every(int64(math.MaxInt64-4), 5, 1)), none,
			[]string{"9223372036854775802", "0", "-9223372036854775808"}},
		{"one integer", store.IDInt, 0, []string{"-7"}, ints([]int64{-7}),
			[]string{"-8", "-6", "7", "", "-7.0", "minus seven"}},
		{"integers", store.IDInt, 0, text(negative), ints(negative),
			[]string{"-9223372036854775806", "9223372036854775805", "1", "-4", "9223372036854775808", "x"}},
		{"unsigned integers", store.IDUint, 0, text(large), ints(large),
			[]string{"0", "8", "6", "9223372036854775806", "9223372036854775810", "18446744073709551614", "-1",
				"18446744073709551616"}},
		{"names", store.IDString, 0, names, texts(names),
			[]string{"B", "a\x00\x00", "\x00\x00\x00", "\xfe", "\xff\xff\xff", "zzz"}},
		{"many names", store.IDString, 0, numbered, texts(numbered),
			[]string{"", "v000001", "v", "v999999", "w", "v000000 "}},
		{"long names", store.IDString, 0, long, texts(long),
			[]string{long[7][:65534], long[7] + "0", strings.Repeat("c", 65535), "a"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := edgeless(t, filepath.Join(memoryDir(t), "g"), len(c.ids), c.kind, c.base, c.fill)
			longest := 0
			if c.kind == store.IDString {
				for _, id := range c.ids {
					longest = max(longest, len(id))
				}
			}
			if m := s.Catalogue().IDs; m.Kind != c.kind || m.MaxBytes != longest {
				t.Errorf("kind %s of at most %d bytes, want %s of %d", m.Kind, m.MaxBytes, c.kind, longest)
			}
			r := s.IDs()
			for v := 0; v < len(c.ids); {
				b, err := r.Block(uint32(v))
				if err != nil || int(b.First) != v || b.Len() == 0 {
					t.Fatalf("block of %d: %+v, %v", v, b, err)
				}
				for i := range b.Len() {
					if got := b.Text(i); got != c.ids[v] {
						t.Fatalf("id of %d is %.80q, want %.80q", v, got, c.ids[v])
					}
					v++
				}
			}
			if id, err := r.Text(uint32(len(c.ids))); !errors.Is(err, store.ErrNoVertex) {
				t.Errorf("beyond the last: %q, %v", id, err)
			}
			for _, v := range some(len(c.ids)) {
				if got, err := s.Lookup(c.ids[v]); err != nil || got != uint32(v) {
					t.Errorf("Lookup(%.80q) = %d, %v, want %d", c.ids[v], got, err, v)
				}
				if got, err := r.Text(uint32(v)); err != nil || got != c.ids[v] {
					t.Errorf("Text(%d) = %.80q, %v, want %.80q", v, got, err, c.ids[v])
				}
			}
			among := some(len(c.ids))
			for i := range 6000 { // and enough for all blocks to be read
				among = append(among, i*7919%len(c.ids))
			}
			var many []string
			for _, v := range among {
				many = append(many, c.ids[v])
			}
			found, missing, err := s.LookupAll(many, nil)
			if err != nil || missing != -1 || len(found) != len(among) {
				t.Fatalf("%d of %d ids found, missing %d: %v", len(found), len(among), missing, err)
			}
			for i, v := range among {
				if found[i] != uint32(v) {
					t.Fatalf("LookupAll has %d for %.80q, want %d", found[i], many[i], v)
				}
			}
			for _, id := range c.absent {
				at := 3 + len(id)%5
				if _, missing, err := s.LookupAll(slices.Concat(many[:at], []string{id}, many[at:], []string{id}),
					nil); !errors.Is(err, store.ErrNoVertex) || missing != at {
					t.Errorf("LookupAll with %.80q at %d: missing %d, %v", id, at, missing, err)
				}
				for _, ids := range [][]string{many, many[:2]} { // of many, and of a few that are sought one by one
					found, missing, err := s.LookupAll(slices.Concat([]string{id}, ids, []string{id}),
						func(i int) bool { return i == 0 || i == len(ids)+1 })
					if err != nil || missing != -1 || len(found) != len(ids) || found[1] != uint32(among[1]) {
						t.Errorf("LookupAll with %.80q, which may be none: %d found, missing %d, %v", id, len(found), missing, err)
					}
				}
				if v, err := s.Lookup(id); !errors.Is(err, store.ErrNoVertex) {
					t.Errorf("Lookup(%.80q) = %d, %v, want none", id, v, err)
				}
			}
		})
	}
}

// some of n numbers: both ends, some borders of blocks, and random ones.
func some(n int) []int {
	list := []int{0, n - 1, n / 2}
	for border := 1 << 12; border < n; border *= 2 {
		list = append(list, border-1, border)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 4 {
		list = append(list, rng.IntN(n))
	}
	return list
}

// TestManyBlocks checks that blocks are found in any order.
func TestManyBlocks(t *testing.T) {
	const n = 250 // of the longest names, two in a block
	name := func(v int) string { return fmt.Sprintf("%06d", v) + strings.Repeat("x", 65535-6) }
	s := edgeless(t, filepath.Join(memoryDir(t), "g"), n, store.IDString, 0, func(w *store.IDWriter) error {
		for v := range n {
			if err := w.AppendString([]byte(name(v))); err != nil {
				return err
			}
		}
		return nil
	})
	if got := len(s.Catalogue().IDs.Blocks); got < 120 {
		t.Fatalf("%d blocks are too few for this test", got)
	}
	r := s.IDs()
	first, err := r.Text(0)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range rand.New(rand.NewPCG(1, 2)).Perm(n) {
		if got, err := r.Text(uint32(v)); err != nil || got != name(v) {
			t.Fatalf("Text(%d) = %.10q, %v", v, got, err)
		}
	}
	if first != name(0) {
		t.Errorf("the text of an id has become %.10q", first)
	}
	for _, v := range []int{0, n / 3, n - 1} {
		if got, err := s.Lookup(name(v)); err != nil || got != uint32(v) {
			t.Fatalf("Lookup of %d: %d, %v", v, got, err)
		}
	}
}

// TestBlocksLeaveNoGarbage checks that blocks of any kind that are read one after another take
// the memory of one.
func TestBlocksLeaveNoGarbage(t *testing.T) {
	const n = 1 << 16
	var names []string
	for i := range n {
		names = append(names, fmt.Sprintf("%06d%s", i, strings.Repeat("x", 100)))
	}
	for kind, fill := range map[store.IDKind]func(*store.IDWriter) error{
		store.IDBase:   none,
		store.IDInt:    ints(every(int64(-n), n, 3)),
		store.IDUint:   ints(every(uint64(7), n, 3)),
		store.IDString: texts(names),
	} {
		s := edgeless(t, filepath.Join(memoryDir(t), string(kind)), n, kind, 0, fill)
		ids, blocks := s.IDs(), 0
		allocations := testing.AllocsPerRun(3, func() {
			blocks = 0
			for v := uint32(0); v < n; blocks++ {
				b, err := ids.Block(v)
				if err != nil {
					t.Fatal(err)
				}
				v = b.First + uint32(b.Len())
			}
		})
		if blocks < 16 || allocations > float64(blocks)/2 { // some are of other goroutines
			t.Errorf("ids of kind %s: %.0f allocations for %d blocks", kind, allocations, blocks)
		}
	}
}
