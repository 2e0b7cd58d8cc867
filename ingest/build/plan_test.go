package build

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/ingest/read"
	"github.com/garaph/garaph/store"
)

var enough = regexp.MustCompile(`--memory (\d+)MiB is enough`)

// TestLeastBudget checks that a budget that an error names is enough.
func TestLeastBudget(t *testing.T) {
	for arrays := int64(1 << 20); arrays < 1<<40; arrays *= 3 {
		for i, threads := range []int{1, 1, 2, 2, 16, 16, 128, 128} {
			layout := []store.Layout{store.CSC, store.Packed}[i%2]
			p, err := planMemory(Options{Storage: StorageOptions{Layout: layout}, Memory: 256 << 20, Threads: threads})
			if err != nil {
				t.Fatal(err)
			}
			b := &Builder{plan: p}
			found := enough.FindStringSubmatch(b.tooSmall("", arrays).Error())
			mib, _ := strconv.ParseInt(found[1], 10, 64)
			if p, err = planMemory(Options{
				Storage: StorageOptions{Layout: layout}, Memory: mib << 20, Threads: threads,
			}); err != nil || p.arrays < arrays {
				t.Errorf("%d threads: %d MiB have %d bytes for arrays that take %d, %v", threads, mib, p.arrays, arrays, err)
			}
		}
	}
}

// TestLeastBudgetOfRows checks this where rows are read, which take a part
// of every budget. What was refused is let in with it, and the number of vertices alone may refuse it again.
func TestLeastBudgetOfRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := Options{
			Storage: StorageOptions{Layout: rapid.SampledFrom([]store.Layout{store.CSC, store.Packed}).Draw(t, "layout")},
		}
		o.Threads = rapid.SampledFrom([]int{1, 2, 3, 16, 128}).Draw(t, "threads")
		o.Memory = LeastMemory(o.Storage.Layout) + rapid.Int64Range(0, 16<<30).Draw(t, "more")
		vertices := rapid.Int64Range(1, 1<<36).Draw(t, "bytes of vertices")
		begin := func() *Builder {
			p, err := planMemory(o)
			if err != nil {
				t.Fatal(err)
			}
			return &Builder{plan: p, schema: read.Schema{Columnar: true}}
		}
		needs := func(b *Builder) error { return b.reserve(b.plan.rowArrays()+vertices, "") }
		err := needs(begin())
		if err == nil {
			return
		}
		mib, _ := strconv.ParseInt(enough.FindStringSubmatch(err.Error())[1], 10, 64)
		if mib<<20 <= o.Memory {
			t.Fatalf("%d bytes are too few, and %d MiB are enough", o.Memory, mib)
		}
		o.Memory = mib << 20
		if err := needs(begin()); err != nil {
			t.Fatal(err)
		}
	})
}

// TestAvailable checks that without a budget, an import takes half of what is available, and is
// refused where that is less than the least budget.
func TestAvailable(t *testing.T) {
	defer func(f func() int64) { available = f }(available)
	for _, c := range []struct {
		available, want int64
		layout          store.Layout
	}{
		{0, 188 << 20, store.Packed}, {188<<20 - 1, 0, store.Packed}, {188 << 20, 188 << 20, store.Packed},
		{1 << 30, 512 << 20, store.Packed}, {128<<20 - 1, 0, store.CSC}, {128 << 20, 128 << 20, store.CSC},
	} {
		available = func() int64 { return c.available }
		p, err := planMemory(Options{Storage: StorageOptions{Layout: c.layout}})
		if (err != nil) != (c.want == 0) || err == nil && p.total != c.want {
			t.Errorf("%d bytes are available, layout %s: a plan of %d and %v, want %d",
				c.available, c.layout, p.total, err, c.want)
		}
		if err != nil && (!errors.Is(err, ErrMemory) || !strings.Contains(err.Error(), "are available")) {
			t.Errorf("%v", err)
		}
		if _, err := planMemory(Options{Storage: StorageOptions{Layout: c.layout}, Memory: 188 << 20}); err != nil {
			t.Errorf("with a budget: %v", err)
		}
	}
}
