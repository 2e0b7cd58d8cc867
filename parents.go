package garaph

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/checkpoint"
	"github.com/garaph/garaph/dispatcher"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/hostmem"
)

// ParentColumn names the column of parents.
const ParentColumn = "parent"

// RunWithParents is [Run] of a program whose values are lengths of shortest paths ([gas.Paths]); its result has one column more,
// the vertex before each one on a shortest path: null for sources and for what is not reached. It is the smallest of the
// nearer ones, as [algorithms.Parents] says in full, and the same however the job ran. Parents are found in a pass over the
// edges after the job. [PathTo] follows them. Progress may be nil.
func RunWithParents[V, A any](ctx context.Context, g *Graph, p gas.Program[V, A], o RunOptions, progress func(algorithms.Progress)) (r *Result, err error) {
	if err := g.beginUseIn(ctx); err != nil {
		return nil, errors.Join(err, giveBack(o.Job))
	}
	defer g.endUse(&err)
	defer ofContext(ctx, &err)
	if p == nil {
		return nil, errors.Join(errNoProgram, giveBack(o.Job))
	}
	paths, ok := p.(gas.Paths[V])
	if !ok {
		return nil, errors.Join(nameProgram(fmt.Errorf("program %T has no paths, and so no parents: they are those of shortest paths (gas.Paths)", p), p, o.Name), giveBack(o.Job))
	}
	if err := checkParents(g, p, o); err != nil {
		return nil, errors.Join(err, giveBack(o.Job))
	}
	r, err = Run(ctx, g, p, o)
	if err != nil {
		return r, err
	}
	if err := r.addParents(ctx, g, paths, o, progress); err != nil {
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
		Over:    func(src V, weight float32, length V) bool { return p.Over(src, gas.Edge{Weight: weight}, length) },
	}
}

// checkParents refuses a budget that has no room for the parents, before the job.
func checkParents[V, A any](g *Graph, p gas.Program[V, A], o RunOptions) error {
	if o.Memory == 0 {
		return nil
	}
	plan := algorithms.Parents[V]{Weights: g.Catalogue().Weighted}
	var least *algorithms.MemoryError
	_, err := algorithms.Run(context.Background(), g.store, plan, algorithms.Options{Threads: o.Threads, Memory: 1, Log: o.Log})
	if !errors.As(err, &least) {
		return err
	}
	o = continued(o)
	held := dispatcher.HeldBytes[V](g.Catalogue().Vertices, checkpoint.Policy(o.Checkpoints))
	need := least.Least() + held
	if need <= o.Memory {
		return nil
	}
	return noRoomForParents(least, o.Memory, max(need, leastOfJob(g, p, o, need)))
}

// leastOfJob is the smallest budget for a job, where that is more than another need; else 0.
func leastOfJob[V, A any](g *Graph, p gas.Program[V, A], o RunOptions, need int64) int64 {
	o.Memory, o.Job = need, nil
	if o.Iterations == Forever {
		o.Iterations = 0
	}
	job, err := dispatcher.New(g.store, p, o.job())
	var least *MemoryError
	switch {
	case err == nil:
		job.Close()
	case errors.As(err, &least):
		return least.Least()
	}
	return 0 // what else is wrong is said when the job begins
}

// noRoomForParents is the error of a budget in which the search for parents, beside what the job holds, does not fit.
func noRoomForParents(least *algorithms.MemoryError, budget, enough int64) error {
	return &parentsMemoryError{least, budget, enough}
}

type parentsMemoryError struct {
	least          *algorithms.MemoryError
	budget, enough int64
}

func (e *parentsMemoryError) Error() string {
	return fmt.Sprintf("graph %s: %v: to find parents takes %d MiB beside the values, with --memory of %d MiB; the smallest budget for it is %dMiB",
		e.least.Graph, ErrMemory, (e.least.Least()-hostmem.Process+1<<20-1)>>20, e.budget>>20, (e.enough+1<<20-1)>>20)
}

func (e *parentsMemoryError) Is(target error) bool { return target == ErrMemory }

// Hold counts memory that the caller holds in the budget that was given and in the one that is enough.
func (e *parentsMemoryError) Hold(bytes int64) { e.budget, e.enough = e.budget+bytes, e.enough+bytes }

// addParents adds the column of parents to the result of a job.
func (r *Result) addParents(ctx context.Context, g *Graph, paths any, o RunOptions, progress func(algorithms.Progress)) error {
	t, ok := r.table.(interface {
		parents(context.Context, any, algorithms.Options) (free func(), err error)
	})
	if !ok {
		return fmt.Errorf("results of type %T have no parents", r.table)
	}
	free, err := t.parents(ctx, paths, algorithms.Options{Threads: o.Threads, Memory: o.Memory, Log: o.Log, Progress: progress})
	if err != nil {
		return fmt.Errorf("find the parents: %w", err)
	}
	closeJob := r.close
	r.close = func() {
		free()
		closeJob()
	}
	return nil
}

// parents finds the parents of the paths and adds them as a column.
func (t *table[V]) parents(ctx context.Context, paths any, o algorithms.Options) (free func(), err error) {
	budget := o.Memory
	if budget > 0 { // what the job holds counts
		o.Memory = min(budget, max(1, t.memory+hostmem.Process))
	}
	out, err := algorithms.Run(ctx, t.graph.store, pathsOf(t.graph, paths.(gas.Paths[V]), t.values), o)
	var least *algorithms.MemoryError
	if errors.As(err, &least) {
		return nil, noRoomForParents(least, budget, least.Least()+budget-o.Memory)
	}
	if err != nil {
		return nil, err
	}
	c := vertexColumn(func(v gas.Vertex, _ V) gas.VertexID { return out.Values[v.ID] })
	c.Name, c.Nullable = ParentColumn, true
	c.null = func(v gas.Vertex, _ V) bool { return out.Values[v.ID] == algorithms.NoParent }
	t.columns = append(t.columns, c)
	t.parent = out.Values
	if t.memory < math.MaxInt64 {
		t.memory = out.Free
	}
	return out.Close, nil
}

// ErrNoPath: no path leads to a vertex.
var ErrNoPath = errors.New("no path leads there")

// PathTo is a shortest path from a source to a vertex, both included, and the length of the path to each vertex of it. The
// result is one of [RunWithParents]; where no path leads to the vertex, the error is an [ErrNoPath].
func PathTo[V any](r *Result, to uint32) (path []uint32, lengths []V, err error) {
	if r == nil || r.table == nil || !r.uses.begin() {
		return nil, nil, errNoValues
	}
	defer r.uses.end(&err)
	t, ok := r.table.(*table[V])
	if !ok || t.parent == nil {
		return nil, nil, fmt.Errorf("the result has no paths of lengths of type %T; it is not one of RunWithParents", *new(V))
	}
	if to >= uint32(len(t.parent)) {
		return nil, nil, fmt.Errorf("vertex %d: %w", to, ErrNoVertex)
	}
	if paths := t.source.(gas.Paths[V]); paths.Null(gas.Vertex{ID: to}, t.values[to]) {
		return nil, nil, ErrNoPath
	}
	for v := gas.VertexID(to); v != algorithms.NoParent; v = t.parent[v] {
		path, lengths = append(path, uint32(v)), append(lengths, t.values[v])
		if len(path) > len(t.parent) {
			return nil, nil, errors.New("the parents lead in a circle")
		}
	}
	slices.Reverse(path)
	slices.Reverse(lengths)
	return path, lengths, nil
}
