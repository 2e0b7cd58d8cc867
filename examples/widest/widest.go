package main

import (
	"math"

	"github.com/garaph/garaph/gas"
)

//go:generate go run github.com/garaph/garaph/cmd/garaph-compile

// Widest gives how wide a load can travel from Source to each vertex: the
// largest w such that there is a path whose edges all have weights ≥ w.
type Widest struct{ Source uint32 } // dense id

// Init lets anything through at the source, and nothing elsewhere.
func (p Widest) Init(v gas.Vertex) (width float32, active bool) {
	if v.ID == p.Source {
		return float32(math.Inf(1)), true
	}
	return 0, false
}

// Zero is no way.
func (Widest) Zero() float32 { return 0 }

// Gather is the narrowest place on the way over src.
func (Widest) Gather(src float32, e gas.Edge, _ float32) float32 { return min(src, float32(e.Weight)) }

// Sum takes the wider one.
func (Widest) Sum(a, b float32) float32 { return max(a, b) }

// Apply keeps the widest so far.
func (Widest) Apply(_ gas.Vertex, old, acc float32, _ gas.Step) float32 { return max(old, acc) }

// Activate reports any change.
func (Widest) Activate(_ gas.Vertex, old, new float32) bool { return old != new }

// Idempotent reports that Apply keeps the wider of two: a vertex need not gather again
// when only its own value has changed.
func (Widest) Idempotent() bool { return true }

// Monotone reports that widths only grow: vertices whose width has grown may push it along
// their edges, and no others need gather.
func (Widest) Monotone() bool { return true }
