package build

import (
	"errors"
	"fmt"
	"hash/maphash"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// TestNameTable numbers names from several goroutines: one number for each name,
// and all of them in order at the end, whatever the room in memory is.
func TestNameTable(t *testing.T) {
	dir := t.TempDir()
	free := func(int64) error { return nil }
	rapid.Check(t, func(rt *rapid.T) {
		names := rapid.SliceOfN(rapid.StringOfN(rapid.SampledFrom([]rune("ab\x00é")), 0, 6, -1), 1, 400).Draw(rt, "names")
		room := rapid.SampledFrom([]int64{1, 20, 200, 1 << 20}).Draw(rt, "room")
		x := newNameTable(maphash.MakeSeed(), dir, room, free)
		defer x.close()
		numbers := make([][]uint32, 3)
		var wg sync.WaitGroup
		for i := range numbers {
			numbers[i] = make([]uint32, len(names))
			wg.Go(func() {
				for k, name := range names {
					number, err := x.number([]byte(name))
					if err != nil {
						t.Error(err)
					}
					numbers[i][k] = number
				}
			})
		}
		wg.Wait()
		byName, byNumber := map[string]uint32{}, map[uint32]string{}
		for i := range numbers {
			for k, name := range names {
				number := numbers[i][k]
				if old, known := byName[name]; known && old != number {
					rt.Fatalf("%q has the numbers %d and %d", name, old, number)
				}
				if old, known := byNumber[number]; known && old != name {
					rt.Fatalf("%q and %q have the number %d", old, name, number)
				}
				byName[name], byNumber[number] = number, name
			}
		}
		m, err := x.numbering()
		if err != nil || int(m.n) != len(byName) {
			rt.Fatalf("%d names, want %d, error %v", m.n, len(byName), err)
		}
		var got []string
		err = m.names.each(func(name []byte, number uint32) error {
			if byNumber[number] != string(name) {
				rt.Fatalf("%q has number %d, which is that of %q", name, number, byNumber[number])
			}
			got = append(got, string(name))
			return nil
		})
		if err != nil || !slices.IsSorted(got) || len(got) != len(byName) {
			rt.Fatalf("%q, error %v", got, err)
		}
	})
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, error %v", left, err)
	}
}

// TestNameSortFull checks that a disk without room for names ends the import with that
// error, and leaves nothing behind.
func TestNameSortFull(t *testing.T) {
	full := errors.New("full")
	x := newNameTable(maphash.MakeSeed(), t.TempDir(), 100, func(int64) error { return full })
	defer x.close()
	for i := range 1000 {
		if _, err := x.number(fmt.Appendf(nil, "name %d", i)); err != nil {
			t.Fatal(err)
		}
	}
	m, err := x.numbering()
	if err != nil {
		t.Fatal(err)
	}
	if err := m.names.each(func([]byte, uint32) error { return nil }); !errors.Is(err, full) {
		t.Errorf("got %v", err)
	}
}

// TestNamesBounded checks that the memory of a table does not grow with the length of
// names, nor for a name beyond what is planned for it.
func TestNamesBounded(t *testing.T) {
	const n, room = 500_000, 1 << 20
	x := newNameTable(maphash.MakeSeed(), t.TempDir(), room, func(int64) error { return nil })
	defer x.close()
	long := strings.Repeat("x", 200)
	for i := range n {
		if _, err := x.number(fmt.Appendf(nil, "%d%s", i, long[:i%200])); err != nil {
			t.Fatal(err)
		}
		if held := len(x.sort.text) + placedNameBytes*len(x.sort.list); held > room {
			t.Fatalf("%d bytes of names are in memory, %d allowed", held, room)
		}
		if i%1000 != 0 || i < 100_000 {
			continue
		}
		held := int64(0)
		for k := range x.stripe {
			held += 4*int64(len(x.stripe[k].cells)) + namePrintBytes*int64(x.stripe[k].n)
		}
		if most := stripeBytes(namePrintBytes) * int64(i+1); held > most*21/20 { // stripes differ
			t.Fatalf("%d names take %d bytes, %d are planned", i+1, held, most)
		}
	}
}
