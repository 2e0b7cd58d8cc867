package algorithms

import (
	"context"
	"fmt"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/kernels"
)

// hubEdges is the number of edges from which all blocks of the GPU count the labels of a vertex together.
const hubEdges = 1 << 15

// RunGPU has all rows on the device, and launches a kernel for each iteration.
func (c CDLP) RunGPU(ctx context.Context, e *Env, g *GPUEnv) ([]gas.VertexID, error) {
	n := int64(e.Graph.Vertices)
	var labels, marks []gas.VertexID
	if err := makeAll(e, into(&labels, int(n)), into(&marks, int(n))); err != nil {
		return nil, err
	}
	kernel, err := kernels.LoadCDLP(g.Device)
	if err != nil {
		return nil, err
	}
	rows := RowArrays(e.Graph)
	if !e.Graph.Symmetric {
		rows = append(rows, rows...)
	}
	hubs := 2*int64(e.Graph.Edges)/hubEdges + 1
	at, err := g.AllocAll(append([]Array{{"the labels", 4 * n}, {"new labels", 4 * n}, {"counts of labels", 4 * n},
		{"hubs", 4 * hubs}, {"their labels", 8 * hubs}, {"a counter", 24}}, rows...)...)
	if err != nil {
		return nil, err
	}
	a := kernels.CDLPArgs{Labels: at[0], Next: at[1], Votes: at[2], Hubs: at[3], Best: at[4], State: at[5],
		InOff: at[6], In: at[7], N: e.Graph.Vertices, Hub: hubEdges}
	to := []DeviceRows{{a.InOff, a.In}}
	if !e.Graph.Symmetric {
		a.OutOff, a.Out = at[8], at[9]
		to = append(to, DeviceRows{a.OutOff, a.Out})
	}
	for v := range labels {
		labels[v] = gas.VertexID(e.ID(uint32(v)))
	}
	if err = g.Stream.Fill(a.Votes, 0, 4*n); err == nil {
		err = g.Synced(g.Stream.Fill(a.Best, 0, 8*hubs))
	}
	if err == nil {
		err = ToDevice(g.DeviceMemory, a.Labels, labels)
	}
	if err == nil {
		err = g.CopyRows(ctx, e, to...)
	}
	done := 0
	if err == nil {
		done, err = c.iterate(ctx, e, g, kernel, &a)
	}
	if err == nil {
		err = ToHost(g.DeviceMemory, labels, a.Labels)
	}
	if err != nil {
		return nil, err
	}
	e.Total("iterations", int64(done))
	e.Total("communities", countLabels(labels, marks))
	return labels, nil
}

// iterate launches iterations, after which the labels are in a.Labels, and returns their number.
func (c CDLP) iterate(
	ctx context.Context, e *Env, g *GPUEnv, kernel kernels.CDLP, a *kernels.CDLPArgs,
) (done int, err error) {
	n, state := int64(e.Graph.Vertices), []kernels.CDLPState{{Changed: 1}}
	for ; err == nil && state[0].Changed != 0 && (c.Iterations == 0 || done < c.Iterations); done++ {
		if err = ctx.Err(); err != nil {
			return done, err
		}
		if err = ToDevice(g.DeviceMemory, a.State, []kernels.CDLPState{{}}); err == nil {
			err = g.Timed(func() error { return kernel.Launch(g.Stream, a) })
		}
		if err == nil {
			err = ToHost(g.DeviceMemory, state, a.State)
		}
		a.Labels, a.Next = a.Next, a.Labels
		e.Progress(fmt.Sprintf("iteration %d", done+1), n, n)
	}
	return done, err
}
