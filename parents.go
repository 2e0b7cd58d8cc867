package garaph

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/dispatcher"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/internal/tables"
)

// RunWithParents is [Run] of a program whose values are lengths of shortest paths ([gas.Paths]);
// its result has one column more, the vertex before each one on a shortest path: null for sources
// and for vertices that are not reached. It is the smallest of the nearer ones, as [algorithms.Parents] says
// in full, and the same however the job ran. Parents are found in a pass over the edges after the
// job. [PathTo] follows them. Progress may be nil.
func RunWithParents[V, A any](
	ctx context.Context, g *Graph, p gas.Program[V, A], o RunOptions,
	progress func(algorithms.Progress),
) (r *Result, err error) {
	if err := g.begin(); err != nil {
		return nil, errors.Join(err, giveBack(o.Job))
	}
	defer g.end(ctx, &err)
	paths, ok := p.(gas.Paths[V])
	if ok {
		err = checkParents[V](g, o)
	} else {
		err = nameProgram(fmt.Errorf("program %T has no shortest paths (gas.Paths), and so no parents", p), p, o.Name)
	}
	if err != nil {
		return nil, errors.Join(err, giveBack(o.Job))
	}
	r, err = Run(ctx, g, p, o)
	if err != nil {
		return r, err
	}
	if err := addParents(ctx, r, paths, o, progress); err != nil {
		r.Lose(err)
		return r, errors.Join(err, r.Close())
	}
	return r, nil
}

// pathsOf are parents that are to be found from values.
func pathsOf[V any](g *Graph, p gas.Paths[V], values []V) algorithms.Parents[V] {
	return algorithms.Parents[V]{
		Values: values, Weights: g.Catalogue().Weighted,
		Reached: func(v uint32) bool { return !p.Null(gas.Vertex{ID: v}, values[v]) },
		Begins:  p.Begins,
		Nearer:  p.Nearer,
		Over:    func(src V, weight float64, length V) bool { return p.Over(src, gas.Edge{Weight: weight}, length) },
	}
}

// checkParents refuses a budget that has no room for the parents, before the job.
func checkParents[V any](g *Graph, o RunOptions) error {
	if o.Memory == 0 {
		return nil
	}
	plan := algorithms.Parents[V]{Weights: g.Catalogue().Weighted}
	var least *algorithms.MemoryError
	_, err := algorithms.Run(context.Background(), g.store, plan,
		algorithms.Options{Threads: o.Threads, Memory: 1, Log: o.Log})
	if !errors.As(err, &least) {
		return err
	}
	need := least.Least() + dispatcher.HeldBytes[V](g.Catalogue(), continued(o).Checkpoints)
	if need <= o.Memory {
		return nil
	}
	return &parentsMemoryError{least, o.Memory, need}
}

// parentsMemoryError is the error of a budget in which the search for parents, beside the job's arrays, does not fit.
type parentsMemoryError struct {
	least          *algorithms.MemoryError
	budget, enough int64
}

func (e *parentsMemoryError) Error() string {
	return fmt.Sprintf("graph %s: %v: to find parents takes %d MiB beside the values, with --memory of %d MiB; the "+
		"smallest budget for it is %dMiB",
		e.least.Graph, ErrMemory, (e.least.Least()-hostmem.Process+1<<20-1)>>20, e.budget>>20, (e.enough+1<<20-1)>>20)
}

func (e *parentsMemoryError) Is(target error) bool { return target == ErrMemory }

// Hold counts memory that the caller holds in the budget that was given and in the one that is enough.
func (e *parentsMemoryError) Hold(bytes int64) { e.budget, e.enough = e.budget+bytes, e.enough+bytes }

// addParents finds the parents of the paths and adds their column to the result of a job.
func addParents[V any](
	ctx context.Context, r *Result, paths gas.Paths[V], o RunOptions, progress func(algorithms.Progress),
) error {
	t := r.table.(*tables.Table[V])
	budget := o.Memory
	if budget > 0 { // the job's arrays count
		o.Memory = min(budget, max(1, t.Memory+hostmem.Process))
	}
	out, err := algorithms.Run(ctx, r.graph.store, pathsOf(r.graph, paths, t.Values),
		algorithms.Options{Threads: o.Threads, Memory: o.Memory, Log: o.Log, Progress: progress})
	var least *algorithms.MemoryError
	if errors.As(err, &least) {
		err = &parentsMemoryError{least, budget, least.Least() + budget - o.Memory}
	}
	if err != nil {
		return fmt.Errorf("find the parents: %w", err)
	}
	c := tables.VertexColumn(func(v gas.Vertex, _ V) gas.VertexID { return out.Values[v.ID] })
	c.Name, c.Nullable = ParentColumn, true
	c.Null = func(v gas.Vertex, _ V) bool { return out.Values[v.ID] == algorithms.NoParent }
	t.Results = append(t.Results, c)
	t.Parents = out.Values
	if t.Memory < math.MaxInt64 {
		t.Memory = out.Free
	}
	closeJob := r.close
	r.close = func() {
		out.Close()
		closeJob()
	}
	return nil
}

// PathTo returns a shortest path from a source to a vertex, both included, and the length of the
// path to each vertex of it. The result is one of [RunWithParents]; where no path leads to the
// vertex, the error is an [ErrNoPath].
func PathTo[V any](r *Result, to uint32) (path []uint32, lengths []V, err error) {
	if r.table == nil || !r.uses.Begin() {
		return nil, nil, errNoValues
	}
	defer r.uses.End()
	t, ok := r.table.(*tables.Table[V])
	if !ok || t.Parents == nil {
		return nil, nil, fmt.Errorf("the result has no paths of lengths of type %T; it is not one of RunWithParents", *new(V))
	}
	if to >= uint32(len(t.Parents)) {
		return nil, nil, fmt.Errorf("vertex %d: %w", to, ErrNoVertex)
	}
	if paths := t.Source.(gas.Paths[V]); paths.Null(gas.Vertex{ID: to}, t.Values[to]) {
		return nil, nil, ErrNoPath
	}
	for v := gas.VertexID(to); v != algorithms.NoParent; v = t.Parents[v] {
		path, lengths = append(path, uint32(v)), append(lengths, t.Values[v])
		if len(path) > len(t.Parents) {
			return nil, nil, errors.New("the parents lead in a circle")
		}
	}
	slices.Reverse(path)
	slices.Reverse(lengths)
	return path, lengths, nil
}
