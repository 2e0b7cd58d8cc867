package algorithms

import (
	"context"
	"fmt"
	"time"

	"github.com/garaph/garaph/kernels"
)

// RunGPU has all rows on the device, and peels edges there.
func (Truss) RunGPU(ctx context.Context, e *Env, g *GPUEnv) ([]int64, error) {
	values, err := Make[int64](e, int(e.Graph.Vertices))
	if err != nil {
		return nil, err
	}
	kernel, err := kernels.LoadTruss(g.Device)
	if err != nil {
		return nil, err
	}
	a, rows, err := g.allocTruss(e)
	if err != nil {
		return nil, err
	}
	err = g.Synced(g.Stream.Fill(a.Best, 0, 8*int64(a.N)))
	if err == nil {
		err = ToDevice(g.DeviceMemory, a.State, []kernels.TrussState{{Units: a.N}})
	}
	if err == nil {
		err = g.CopyRows(ctx, e, rows...)
	}
	if err == nil {
		err = g.peelTruss(ctx, e, kernel, a)
	}
	if err == nil {
		err = ToHost(g.DeviceMemory, values, a.Best) // their bits, which are counts
	}
	largest := int64(0)
	for _, k := range values {
		largest = max(largest, k)
	}
	e.Total("kmax", largest)
	return values, err
}

// allocTruss allocates the arrays of kernel truss, and returns where rows of the graph are to be.
func (g *GPUEnv) allocTruss(e *Env) (*kernels.TrussArgs, []DeviceRows, error) {
	c, n := e.Graph, int64(e.Graph.Vertices)
	_, edges := undirected(c)
	if edges >= kernels.MostTrussEdges {
		return nil, nil, fmt.Errorf("%d edges: a GPU peels fewer than %d", edges, int64(kernels.MostTrussEdges))
	}
	arrays := append([]Array{{"the values", 8 * n}, {"sizes of rows", 4 * n}, {"a state", 56},
		{"ends of edges", 8 * edges}, {"numbers of edges", 4 * int64(c.Edges)}}, RowArrays(c)...)
	if c.Symmetric {
		arrays = append(arrays, Array{"the supports", 4 * edges}, Array{"the frontiers", 4 * edges})
	} else {
		arrays[4].Bytes *= 2
		arrays = append(append(arrays, RowArrays(c)...), Array{"edges in both directions", 8 * edges})
	}
	at, err := g.AllocAll(arrays...)
	if err != nil {
		return nil, nil, err
	}
	a := &kernels.TrussArgs{Best: at[0], Size: at[1], State: at[2], Ends: at[3], Edge: at[4], InOff: at[5], In: at[6],
		N: c.Vertices, Milliseconds: sliceMilliseconds}
	if c.Symmetric {
		a.Nbr, a.Support, a.List = a.In, at[7], at[8]
		return a, []DeviceRows{{a.InOff, a.In}}, nil
	}
	a.OutOff, a.Out, a.Nbr = at[7], at[8], at[9]
	a.Support, a.List = a.In, a.Out // edges are numbered when these are merged
	return a, []DeviceRows{{a.InOff, a.In}, {a.OutOff, a.Out}}, nil
}

// mostQueued is the number of launches that are queued at once, while they are short.
const mostQueued = 16

// peelTruss launches the kernel until no edge is left.
func (g *GPUEnv) peelTruss(ctx context.Context, e *Env, k kernels.Truss, a *kernels.TrussArgs) error {
	state := make([]kernels.TrussState, 1)
	for queued := 1; state[0].Stage != kernels.TrussDone; {
		if err := ctx.Err(); err != nil {
			return err
		}
		begin := time.Now()
		err := g.Timed(func() (err error) {
			for i := 0; i < queued && err == nil; i++ {
				err = k.Launch(g.Stream, a)
			}
			return err
		})
		if err == nil {
			err = ToHost(g.DeviceMemory, state, a.State)
		}
		if err != nil {
			return err
		}
		if queued = min(2*queued, mostQueued); time.Since(begin) > sliceMilliseconds*time.Millisecond/2 {
			queued = 1
		}
		switch s := state[0]; {
		case s.Stage < kernels.TrussCount:
			e.Progress("rows", int64(min(s.Next, uint64(a.N))), int64(a.N))
		case s.Stage < kernels.TrussPeel:
			e.Progress("counting triangles", int64(min(s.Next, uint64(s.Units))), int64(s.Edges))
		default:
			e.Progress("peeling edges", int64(s.From), int64(s.Edges))
		}
	}
	return nil
}
