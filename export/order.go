package export

import (
	"context"
	"errors"
	"fmt"

	"github.com/garaph/garaph/internal/scratch"
	"github.com/garaph/garaph/store"
	"github.com/garaph/garaph/subgraph"
)

// inOrder calls write with a temporary copy of a graph, in the folder of the system for such files, that has its
// vertices in the order of their ids: so has the file to be written.
func inOrder(
	ctx context.Context, s *store.Store, o Options, write func(*store.Store) (Report, error),
) (r Report, err error) {
	scratch.RemoveKilled("", nil)
	dir, err := scratch.New("")
	if err != nil {
		return r, fmt.Errorf("export of graph %s: a copy in the order of its ids: %w", s.Name(), err)
	}
	defer func() { err = errors.Join(err, dir.Remove()) }()
	all, err := subgraph.NewSet(s)
	if err != nil {
		return r, err
	}
	all.AddAll()
	_, err = subgraph.Make(ctx, s, all, dir.Graph(), subgraph.Options{Threads: o.Threads, Memory: o.Memory})
	all.Free()
	if err != nil {
		return r, err
	}
	ordered, err := store.OpenNamed(dir.Graph(), s.Name())
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, ordered.Close()) }()
	return write(ordered)
}
