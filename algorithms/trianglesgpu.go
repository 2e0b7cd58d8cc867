package algorithms

import (
	"context"
	"math"

	"github.com/garaph/garaph/kernels"
)

// RunGPU has all rows on the device, orients them there, and looks the rows of neighbours up in hash tables.
func (Triangles) RunGPU(ctx context.Context, e *Env, g *GPUEnv) ([]int64, error) {
	values, err := Make[int64](e, int(e.Graph.Vertices))
	if err != nil {
		return nil, err
	}
	a, err := g.triangles(ctx, e, false)
	if err == nil {
		err = ToHost(g.DeviceMemory, values, a.Counts)
	}
	total := int64(0)
	for _, n := range values {
		total += n
	}
	e.Total("triangles", total/3)
	return values, err
}

// RunGPU counts triangles as those of Triangles, and in a directed graph edges in both directions.
func (LCC) RunGPU(ctx context.Context, e *Env, g *GPUEnv) ([]float64, error) {
	var values []float64
	var degrees []uint32
	n := int(e.Graph.Vertices)
	if err := makeAll(e, into(&values, n), into(&degrees, n)); err != nil {
		return nil, err
	}
	a, err := g.triangles(ctx, e, !e.Graph.Symmetric)
	if err == nil {
		err = ToHost(g.DeviceMemory, values, a.Counts) // their bits, which are counts
	}
	if err == nil {
		err = ToHost(g.DeviceMemory, degrees, a.Degree)
	}
	if err != nil {
		return nil, err
	}
	pairs := uint64(1)
	if e.Graph.Symmetric {
		pairs = 2
	}
	sum, err := e.Sum(ctx, len(values), func(from, to int) (sum float64) {
		for v := from; v < to; v++ {
			x := math.Float64bits(values[v]) * pairs
			if values[v] = 0; degrees[v] > 1 {
				d := float64(degrees[v])
				values[v] = float64(x) / (d * (d - 1))
			}
			sum += values[v]
		}
		return sum
	})
	e.TotalFloat("mean coefficient", sum/float64(len(values)))
	return values, err
}

// sliceMilliseconds is how long a launch takes, so that a run ends soon after its context.
const sliceMilliseconds = 100

// triangles counts the triangles at each vertex, and returns where on the device they are.
func (g *GPUEnv) triangles(ctx context.Context, e *Env, weighted bool) (*kernels.TrianglesArgs, error) {
	kernel, err := kernels.LoadTriangles(g.Device)
	if err != nil {
		return nil, err
	}
	c, n := e.Graph, int64(e.Graph.Vertices)
	arrays, sides := RowArrays(c), int64(1)
	if !c.Symmetric {
		arrays, sides = append(append(arrays, RowArrays(c)...), Array{"edges in both directions",
			kernels.TwiceBytes(int64(c.Edges))}), 3
	}
	arrays = append([]Array{{"the counts", 8 * n}, {"the degrees", 4 * n}, {"sizes of rows", 4 * sides * n},
		{"a counter", 8}}, arrays...)
	at, err := g.AllocAll(arrays...)
	if err != nil {
		return nil, err
	}
	a := &kernels.TrianglesArgs{Counts: at[0], Degree: at[1], Rows: at[2], Next: at[3], InOff: at[4], In: at[5],
		N: c.Vertices, Milliseconds: sliceMilliseconds}
	rows := []DeviceRows{{a.InOff, a.In}}
	err = g.Stream.Fill(a.Counts, 0, 8*n)
	if weighted {
		a.Weighted = 1
	}
	if !c.Symmetric {
		a.OutOff, a.Out, a.Twice = at[6], at[7], at[8]
		rows = append(rows, DeviceRows{a.OutOff, a.Out})
		err = g.Synced(err)
		if err == nil {
			err = g.Stream.Fill(a.Twice, 0, kernels.TwiceBytes(int64(c.Edges)))
		}
	}
	if err == nil {
		err = g.CopyRows(ctx, e, rows...)
	}
	for a.Stage = 0; err == nil && a.Stage < kernels.TriangleStages; a.Stage++ {
		err = g.triangleStage(ctx, e, kernel, a)
	}
	return a, err
}

// triangleStage launches a stage until it has all vertices.
func (g *GPUEnv) triangleStage(ctx context.Context, e *Env, k kernels.Triangles, a *kernels.TrianglesArgs) error {
	next := []uint64{0}
	err := ToDevice(g.DeviceMemory, a.Next, next)
	for err == nil && next[0] < uint64(a.N) {
		if err = ctx.Err(); err != nil {
			break
		}
		if err = g.Timed(func() error { return k.Launch(g.Stream, a) }); err == nil {
			err = ToHost(g.DeviceMemory, next, a.Next)
		}
		e.Progress([kernels.TriangleStages]string{
			"degrees", "rows", "looking rows up", "looking long rows up",
		}[a.Stage], int64(min(next[0], uint64(a.N))), int64(a.N))
	}
	return err
}
