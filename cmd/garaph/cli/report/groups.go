package report

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/garaph/garaph/cmd/garaph/cli/show"
	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/internal/results"
)

// largestFirst orders groups, whose value is their size.
func largestFirst(a, b scored[int64]) bool {
	return a.value > b.value || a.value == b.value && a.v < b.v
}

func showInt(n int64) valueText { return valueText(strconv.FormatInt(n, 10)) }

// topComponents selects the vertices that are the value of most vertices. They
// are counted in an array of four bytes a vertex: the job has given back as
// much, for the degrees, when its results are there.
func topComponents(t results.Table, k int) (TopRows, error) {
	sizes, err := hostmem.Slice[uint32](int(t.Rows()))
	if err != nil {
		return TopRows{}, err
	}
	defer hostmem.Free(sizes)
	err = t.Vertices(0, func(values []uint32) error {
		for _, v := range values {
			if int64(v) >= t.Rows() {
				return fmt.Errorf("the result of a vertex is no vertex: dense id %d of %d", v, t.Rows())
			}
			sizes[v]++
		}
		return nil
	})
	if err != nil {
		return TopRows{}, err
	}
	var groups results.Summary
	first, err := newRanked(k, t.Room()-4*t.Rows(), largestFirst, func(yield func(scored[int64])) error {
		for v, n := range sizes {
			if n > 0 {
				groups.Add(float64(n))
				yield(scored[int64]{int64(n), uint32(v)})
			}
		}
		return nil
	})
	rows := topVertices(t, first, showInt)
	rows.groups = &groups
	return rows, err
}

// topLabels selects the numbers that most vertices have. All are sorted, in
// eight bytes a vertex; a label is identified by its first place.
func topLabels(t results.Table, k int) (TopRows, error) {
	free, need := 2*t.Room(), 8*t.Rows() // no ids are read
	if need > free {
		return TopRows{}, fmt.Errorf("%w: to count the labels of %s takes %s, and %s are left",
			hostmem.ErrBudget, show.Counted(t.Rows(), "vertex", "vertices"), show.Bytes(need), show.Bytes(free))
	}
	labels, err := hostmem.Slice[int64](int(t.Rows()))
	if err != nil {
		return TopRows{}, err
	}
	n := 0
	err = t.Batches(func(b *results.Batch) error {
		values := &b.Columns[0]
		for i, x := range values.I64 {
			if len(values.Null) == 0 || !values.Null[i] {
				labels[n] = x
				n++
			}
		}
		return nil
	})
	slices.Sort(labels[:n])
	var first []scored[int64]
	groups := results.Summary{Null: t.Rows() - int64(n)}
	if err == nil {
		first, err = newRanked(k, free-need, largestFirst, runsOf(labels[:n], &groups))
	}
	if err != nil {
		hostmem.Free(labels)
		return TopRows{}, err
	}
	return TopRows{
		groups: &groups,
		each: func(yield func(topRow) error) error {
			for i, g := range first {
				if err := yield(topRow{Rank: i + 1, ID: labels[g.v], Value: showInt(g.value)}); err != nil {
					return err
				}
			}
			return nil
		},
		Close: func() {
			freeRanked(first)
			hostmem.Free(labels)
		},
	}, nil
}

// runsOf yields the lengths of the runs of equal labels, by their first places, and adds them to a summary.
func runsOf(labels []int64, lengths *results.Summary) func(yield func(scored[int64])) error {
	return func(yield func(scored[int64])) error {
		for from := 0; from < len(labels); {
			to := from + 1
			for to < len(labels) && labels[to] == labels[from] {
				to++
			}
			lengths.Add(float64(to - from))
			yield(scored[int64]{int64(to - from), uint32(from)})
			from = to
		}
		return nil
	}
}
