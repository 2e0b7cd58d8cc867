package algorithms

import (
	"context"

	"github.com/garaph/garaph/internal/panics"
	"github.com/garaph/garaph/store"
)

// Visitor goes over a graph as an [Algorithm] does, and finds something else than a value for
// each vertex. It runs on the CPU.
type Visitor interface {
	Plan(g *store.Catalogue, threads int) Plan
	// Visit has an Env until it returns, and keeps what it finds itself.
	Visit(ctx context.Context, e *Env) error
}

// Visit lets a visitor go over a graph.
func Visit(ctx context.Context, s *store.Store, v Visitor, o Options) error {
	o.complete()
	e, err := readEnv(s, v, o, nil, nil)
	if err != nil {
		return err
	}
	defer e.free()
	defer e.freeIDs()
	err = panics.Guard(v, func() error { return v.Visit(ctx, e) })
	return e.endReading(err)
}
