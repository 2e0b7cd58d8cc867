package tables

import (
	"context"
	"slices"

	"github.com/garaph/garaph/dispatcher"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/results"
)

// CheckFinite returns an error for results of a job that are NaN or infinite, unless they are null or the first value
// of their vertex.
func CheckFinite[V, A any](
	ctx context.Context, p gas.Program[V, A], columns []Column[V], job *dispatcher.Job[V, A],
) error {
	columns = slices.DeleteFunc(
		slices.Clone(columns), func(c Column[V]) bool { return c.Kind != results.Float32 && c.Kind != results.Float64 },
	)
	if len(columns) == 0 {
		return nil
	}
	return job.Refuse(ctx, func(from, to uint32, wrong func(uint32)) error {
		var x results.Values
		return job.ValuesOf(from, to, func(vs []gas.Vertex, values []V) error {
			for _, c := range columns {
				x.Empty()
				c.numbers(&x, vs, values)
				for i, f := range x.F32 {
					if f-f != 0 && c.refuses(p, vs[i], values[i], float64(f)) {
						wrong(vs[i].ID)
					}
				}
				for i, f := range x.F64 {
					if f-f != 0 && c.refuses(p, vs[i], values[i], f) {
						wrong(vs[i].ID)
					}
				}
			}
			return nil
		})
	})
}

// refuses reports whether a result that is not finite is an error.
func (c *Column[V]) refuses(p interface{ Init(v gas.Vertex) (V, bool) }, v gas.Vertex, value V, result float64) bool {
	if c.Null != nil && c.Null(v, value) {
		return false
	}
	var first results.Values
	begun, _ := p.Init(v)
	c.numbers(&first, []gas.Vertex{v}, []V{begun})
	return !slices.Contains(first.F64, result) && !slices.Contains(first.F32, float32(result))
}
