package frontier

import (
	"context"
	"sync"
)

// Pool shares n tasks out to goroutines: it calls f(worker, i) for every i below n, and
// waits. Workers are numbered from 0; one calls f at a time. The error of a task, or the end
// of the context, ends the others. The Env of an algorithm is one.
type Pool interface {
	Each(ctx context.Context, n int, f func(worker, i int) error) error
}

const (
	// chunk is the number of members that are one task.
	chunk = 64
	// cheap is how many are where a member costs one call.
	cheap = 1 << 10
	// longest is the longest row that is part of a task. Of a longer one, as many edges
	// are a task.
	longest = 1 << 11
)

// The operators call their functions from many goroutines at once, and add what joins to the
// frontier to. It may be the one whose list is from. After an error, to has the members that
// it had before.

// Advance goes from vertices along the edges of their rows: the far ends for which join
// returns true are added. Short rows are done by chunks, and when these are done, the long
// ones, which are hubs', in parts.
func Advance(ctx context.Context, p Pool, rows *Rows, from []uint32, to *Frontier[uint32],
	join func(src, dst uint32, edge uint64) bool) error {
	along := func(r part, lane *Lane[uint32]) {
		for e := r.begin; e < r.end; e++ {
			if dst := rows.To(e); join(r.v, dst, e) {
				lane.Add(dst)
			}
		}
	}
	var mu sync.Mutex // guards hubs
	var hubs []part
	to.begin()
	err := tasks(ctx, p, (len(from)+chunk-1)/chunk, to, func(i int, lane *Lane[uint32]) {
		for _, v := range from[i*chunk : min((i+1)*chunk, len(from))] {
			r := part{v, rows.Off[v], rows.Off[v+1]}
			if r.end-r.begin <= longest {
				along(r, lane)
				continue
			}
			mu.Lock()
			for at := r.begin; at < r.end; at += longest {
				hubs = append(hubs, part{v, at, min(at+longest, r.end)})
			}
			mu.Unlock()
		}
	})
	if err == nil {
		err = tasks(ctx, p, len(hubs), to, func(i int, lane *Lane[uint32]) { along(hubs[i], lane) })
	}
	return to.end(err)
}

// part is some edges of a vertex's row.
type part struct {
	v          uint32
	begin, end uint64
}

// Filter adds the members of a list for which keep returns true.
func Filter[T ID](ctx context.Context, p Pool, from []T, to *Frontier[T], keep func(T) bool) error {
	return eachChunk(ctx, p, len(from), cheap, to, func(begin, end int, lane *Lane[T]) {
		for _, x := range from[begin:end] {
			if keep(x) {
				lane.Add(x)
			}
		}
	})
}

// FilterAll is [Filter] of all n vertices or edges.
func FilterAll[T ID](ctx context.Context, p Pool, n int, to *Frontier[T], keep func(T) bool) error {
	return eachChunk(ctx, p, n, 16*cheap, to, func(begin, end int, lane *Lane[T]) {
		for i := range end - begin {
			if x := T(begin + i); keep(x) {
				lane.Add(x)
			}
		}
	})
}

// Expand calls f for each member of a list. f adds what it wants to the lane: from edges to
// those of their triangles, say.
func Expand[T, U ID](ctx context.Context, p Pool, from []T, to *Frontier[U], f func(x T, lane *Lane[U])) error {
	return eachChunk(ctx, p, len(from), chunk, to, func(begin, end int, lane *Lane[U]) {
		for _, x := range from[begin:end] {
			f(x, lane)
		}
	})
}

// Compute calls f for each member of a list.
func Compute[T ID](ctx context.Context, p Pool, from []T, f func(T)) error {
	return p.Each(ctx, (len(from)+cheap-1)/cheap, func(_, i int) error {
		for _, x := range from[i*cheap : min((i+1)*cheap, len(from))] {
			f(x)
		}
		return nil
	})
}

// eachChunk calls f for chunks of n members.
func eachChunk[U ID](ctx context.Context, p Pool, n, size int, to *Frontier[U],
	f func(begin, end int, lane *Lane[U])) error {
	to.begin()
	return to.end(tasks(ctx, p, (n+size-1)/size, to, func(i int, lane *Lane[U]) {
		f(i*size, min((i+1)*size, n), lane)
	}))
}

// tasks are calls of f, each with the lane of its goroutine, until one has no room.
func tasks[U ID](ctx context.Context, p Pool, n int, to *Frontier[U], f func(i int, lane *Lane[U])) error {
	return p.Each(ctx, n, func(worker, i int) error {
		lane := to.lanes[worker]
		f(i, lane)
		return lane.err
	})
}
