package algorithms

import (
	"context"
	"math"

	"github.com/spf13/pflag"
	"go.uber.org/zap"

	"github.com/garaph/garaph/internal/flags"
	"github.com/garaph/garaph/shard"
)

// gather sets to[v] to the sum of from over the row of v in a direction, and own times from[v], for every vertex v. It
// normalizes to, and returns the norm that it had.
func gather(ctx context.Context, e *Env, dir shard.Direction, own float64, from, to []float64) (float64, error) {
	err := e.Rows().Each(ctx, func(_ int, b *Block) error {
		for i := range b.Len {
			v := b.Vertex(i)
			to[v] = sumAt(from, b.Row(dir, i)) + own*from[v]
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	return normalize(ctx, e, to)
}

// sumAt returns the sum of x at some vertices. It adds up four sums at a time, because an addition waits for the one
// before.
func sumAt(x []float64, vertices []uint32) float64 {
	var a, b, c, d float64
	for len(vertices) >= 4 {
		four := (*[4]uint32)(vertices)
		a, b, c, d = a+x[four[0]], b+x[four[1]], c+x[four[2]], d+x[four[3]]
		vertices = vertices[4:]
	}
	for _, v := range vertices {
		a += x[v]
	}
	return a + b + (c + d)
}

// normalize scales x to a Euclidean norm of 1, and returns the norm that it had. It leaves zeros.
func normalize(ctx context.Context, e *Env, x []float64) (float64, error) {
	squares, err := e.Sum(ctx, len(x), func(from, to int) (sum float64) {
		for _, f := range x[from:to] {
			sum += f * f
		}
		return sum
	})
	norm := math.Sqrt(squares)
	if norm == 0 || err != nil {
		return norm, err
	}
	return norm, e.Ranges(ctx, len(x), func(_, from, to int) {
		for i := range x[from:to] {
			x[from+i] /= norm
		}
	})
}

// distance returns the Euclidean distance of x and y.
func distance(ctx context.Context, e *Env, x, y []float64) (float64, error) {
	squares, err := e.Sum(ctx, len(x), func(from, to int) (sum float64) {
		for i := from; i < to; i++ {
			sum += (x[i] - y[i]) * (x[i] - y[i])
		}
		return sum
	})
	return math.Sqrt(squares), err
}

// iterate calls step until it returns a change below the tolerance, or as often as iterations says. An error of step
// leaves the arrays, which are the state of the run.
func iterate(
	ctx context.Context, e *Env, iterations int, tolerance float64, arrays []any, step func() (change float64, err error),
) error {
	done, change := 0, 0.
	err := e.Steps(ctx, State{Done: &done, Arrays: arrays}, func() (again bool, err error) {
		if change, err = step(); err != nil {
			return false, err
		}
		done++
		e.Progress("iterations", int64(done), int64(iterations))
		return change >= tolerance && (iterations == 0 || done < iterations), nil
	})
	e.Total("iterations", int64(done))
	if err == nil && change >= tolerance && tolerance > 0 {
		e.Log.Warn("not converged: more --iterations are needed", zap.Float64("change", change))
	}
	return err
}

// fill sets all of x to a value.
func fill(x []float64, value float64) {
	for i := range x {
		x[i] = value
	}
}

// powerTolerance is the default of the flag --tolerance of power iterations.
const powerTolerance = 1e-8

func toleranceFlag(fs *pflag.FlagSet) *float64 {
	return flags.Number(fs, "tolerance", powerTolerance, 0,
		"change of all values together (Euclidean, where their norm is 1) in an iteration below which the run ends; 0: none")
}

// powerIterations is the limit of iterations of a power iteration without --iterations.
const powerIterations = 100

// endless refuses a power iteration that nothing ends.
func endless(iterations int, tolerance float64) error {
	if iterations == 0 && tolerance == 0 {
		return flags.Usagef("--iterations 0 --tolerance 0: expected one of them above 0, for the run to end")
	}
	return nil
}
