package cli

import (
	"context"
	"fmt"
	"math"

	"github.com/garaph/garaph/internal/results"
)

// watched is a table that counts the values that pass and are not finite.
type watched struct {
	results.Table
	read     bool // all rows have passed
	infinite int64
}

func (w *watched) Batches(yield func(*results.Batch) error) error {
	n := int64(0)
	err := w.Table.Batches(func(b *results.Batch) error {
		n += notFinite(b.F32) + notFinite(b.F64)
		return yield(b)
	})
	if err == nil {
		w.read, w.infinite = true, n
	}
	return err
}

func notFinite[F float32 | float64](values []F) (n int64) {
	for _, x := range values {
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			n++
		}
	}
	return n
}

// tellInfinite warns of values that are not finite, once.
func (t *task) tellInfinite(ctx context.Context, a *app, w *watched) error {
	if !w.read { // nobody wanted the rows
		if err := (cancellable{w, ctx}).Batches(func(*results.Batch) error { return nil }); err != nil {
			return err
		}
	}
	if w.infinite > 0 {
		a.console.log.Warn(fmt.Sprintf("%s of %s values of %s are not finite, and the others mean little: %s",
			countText(float64(w.infinite)), countText(float64(w.Rows())), t.program.Name, t.program.Finite))
	}
	return nil
}
