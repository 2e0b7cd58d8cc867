package cli

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/dustin/go-humanize"

	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/internal/results"
)

// largestFirst orders groups, of which the value is the size.
func largestFirst(a, b scored[int64]) bool {
	return a.value > b.value || a.value == b.value && a.v < b.v
}

func showSize(n int64) valueText { return valueText(strconv.FormatInt(n, 10)) }

// topComponents selects the vertices that are the value of most vertices. They
// are counted in an array of four bytes a vertex: the job has given back as
// much, for the degrees, when its results are there.
func topComponents(t results.Table, k int) (topRows, error) {
	sizes, err := hostmem.Slice[uint32](int(t.Rows()))
	if err != nil {
		return topRows{}, err
	}
	err = t.Vertices(0, func(values []uint32) error {
		for _, v := range values {
			if int64(v) >= t.Rows() {
				return fmt.Errorf("the result of a vertex is no vertex: dense id %d of %d", v, t.Rows())
			}
			sizes[v]++
		}
		return nil
	})
	each := func(yield func(scored[int64])) error {
		for v, n := range sizes {
			if n > 0 {
				yield(scored[int64]{int64(n), uint32(v)})
			}
		}
		return nil
	}
	var r *ranked[int64]
	if err == nil {
		r, err = newRanked(k, max(leastRoom, t.Room()-4*t.Rows()), largestFirst, each)
	}
	if err != nil {
		hostmem.Free(sizes)
		return topRows{}, err
	}
	return topRows{
		each: func(yield func(topRow) error) error { return eachVertex(t, r, showSize, yield) },
		close: func() {
			r.close()
			hostmem.Free(sizes)
		},
	}, nil
}

// topLabels selects the numbers that most vertices have. All are sorted, in
// eight bytes a vertex; a label is known by where it is first.
func topLabels(t results.Table, k int) (topRows, error) {
	free := 2 * t.Room() // no ids are read
	if need := 8 * t.Rows(); need > free {
		return topRows{}, fmt.Errorf("%w: to count the labels of %s vertices takes %s, and %s are left; give the run %s more --memory",
			hostmem.ErrBudget, humanize.Comma(t.Rows()), humanize.IBytes(uint64(need)), humanize.IBytes(uint64(free)), humanize.IBytes(uint64(need-free)+1<<20))
	}
	labels, err := hostmem.Slice[int64](int(t.Rows()))
	if err != nil {
		return topRows{}, err
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
	var r *ranked[int64]
	if err == nil {
		r, err = newRanked(k, max(leastRoom, free-8*t.Rows()), largestFirst, runsOf(labels[:n]))
	}
	if err != nil {
		hostmem.Free(labels)
		return topRows{}, err
	}
	rows := func(yield func(topRow) error) error {
		rank := 0
		return r.parts(func(list []scored[int64]) error {
			for _, g := range list {
				rank++
				if err := yield(topRow{Rank: rank, ID: labels[g.v], Value: showSize(g.value)}); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return topRows{
		each: rows,
		close: func() {
			r.close()
			hostmem.Free(labels)
		},
	}, nil
}

// runsOf gives the lengths of the runs of equal labels, by where they begin.
func runsOf(labels []int64) func(yield func(scored[int64])) error {
	return func(yield func(scored[int64])) error {
		for from := 0; from < len(labels); {
			to := from + 1
			for to < len(labels) && labels[to] == labels[from] {
				to++
			}
			yield(scored[int64]{int64(to - from), uint32(from)})
			from = to
		}
		return nil
	}
}
