package ingest

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/garaph/garaph/checkpoint"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packed"
	"github.com/garaph/garaph/store"
)

// UpgradeOptions of an upgrade.
type UpgradeOptions struct {
	Force    bool  // also where jobs that can be resumed go with the old graph
	Rows     bool  // store rows of in-edges too, also of a packed graph: see [Options]
	Threads  int   // 0: GOMAXPROCS
	Memory   int64 // bytes of resident memory for the whole process; 0: half of what is available
	Progress func(Progress)
	Log      *zap.Logger // nil: silent
}

// Errors of an upgrade that a caller may test for.
var (
	// ErrPacked: the graph has the layout and the store version of an upgraded one.
	ErrPacked = errors.New("is packed already")
	// ErrResumable: jobs could not be resumed any more.
	ErrResumable = errors.New("has jobs that can be resumed, and not over the upgraded graph")
)

// Upgrade rewrites the graph at path as [store.Packed], in the store version of today.
// Vertices keep their ids and numbers, shards their borders: each side of a shard is read,
// and packed as an import would have done it. Of a packed graph, sides are copied, and rows
// of in-edges may be added. The new graph takes the place of the old one
// when it is whole; after an error, or when the process is killed, the old one stands there
// as it was. The jobs of the old one go with it.
func Upgrade(ctx context.Context, path string, o UpgradeOptions) (r Report, err error) {
	start := time.Now()
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	old, err := store.Open(path)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, old.Close()) }()
	if err = checkUpgrade(old.Catalogue(), old.Current(), path, o); err == nil && !o.Force {
		err = checkResumable(path)
	}
	if err != nil {
		store.Tidy(path)
		return r, err
	}
	plan, err := planMemory(Options{Storage: StorageOptions{Layout: store.Packed}, Threads: o.Threads, Memory: o.Memory})
	if err != nil {
		return r, fmt.Errorf("upgrade: %w", err)
	}
	w, err := store.Create(path, true)
	if err != nil {
		return r, fmt.Errorf("upgrade: %w", err)
	}
	w.Warn = func(msg string) { o.Log.Warn(msg) }
	plan.dir, plan.space = w.Dir(), w.CheckSpace
	u := &upgrade{opt: o, plan: plan, old: old, out: w}
	w.Ready = func() error { // jobs may have run meanwhile
		if !o.Force {
			if err := checkResumable(path); err != nil {
				return err
			}
		}
		reportJobs("upgrade", path, o.Log)
		return nil
	}
	if err = old.InPlace(func() error { return nil }); err == nil { // no other import can replace it from now on
		r, err = u.rewrite(ctx)
	}
	if err != nil {
		return r, errors.Join(fmt.Errorf("upgrade: %w", err), w.Abort())
	}
	r.Duration = time.Since(start)
	r.Seconds = r.Duration.Seconds()
	return r, nil
}

// checkUpgrade refuses a graph that cannot be upgraded. It may have the store version of
// today.
func checkUpgrade(c *store.Catalogue, current bool, path string, o UpgradeOptions) error {
	switch c.Layout {
	case store.Packed:
		whole := !c.Weighted || c.RowWeights
		if _, has := c.RowsOf(shard.In); o.Rows && !has {
			if !whole {
				return fmt.Errorf("graph %s has no weights of out-edges, as a version before this one left it: import it again, with --rows", path)
			}
			return nil
		}
		if !current && whole {
			return nil
		}
		return fmt.Errorf("graph %s %w", path, ErrPacked)
	case store.CSC, "":
	default:
		return fmt.Errorf("graph %s has the layout %s, which an upgrade does not read: import it again", path, c.Layout)
	}
	for i, x := range c.Shards {
		if x.Vertices > packed.MaxVertices {
			return fmt.Errorf("graph %s: shard %d has %d vertices, a packed one at most %d; a new import makes smaller ones", path, i, x.Vertices, packed.MaxVertices)
		}
	}
	return nil
}

// checkResumable refuses a graph with jobs that can be resumed: their epochs are of its
// fingerprint.
func checkResumable(path string) error {
	list, err := checkpoint.List(filepath.Join(path, store.JobsDir))
	if err != nil {
		return fmt.Errorf("list the jobs of graph %s: %w", path, err)
	}
	i := slices.IndexFunc(list, func(l checkpoint.Listed) bool { return l.Unfinished() })
	if i < 0 {
		return nil
	}
	return fmt.Errorf("graph %s %w, such as job %d (%s, %s): resume them first, or remove them with `garaph jobs rm`", path, ErrResumable, list[i].ID, list[i].Name, list[i].Status)
}
