// Package gas is the vertex-program model of garaph: gather, apply, scatter, as
// in PowerGraph (Gonzalez et al., OSDI 2012) and Garaph (Ma et al., USENIX ATC
// 2017, section 2). It holds the types that the author of a program sees, and
// nothing else: package gas/compiled has the types that generated code provides to
// the engines.
//
// A program gives every vertex a value V. In each iteration a vertex gathers
// one contribution A along each of its in-edges, the contributions are folded
// with Sum, and Apply turns the old value and the fold into a new value. A
// vertex whose value changed significantly is active: in the next iteration it
// gathers again, and makes its out-neighbours do so. A job ends when no vertex is active,
// or after a given number of iterations.
//
// V and A are fixed-size plain data: numbers, bools, flat structs and arrays of
// these, without pointers, strings or slices. An engine copies them with the
// page, to the device and into checkpoints as bytes, and refuses other types.
//
// # Rules of a program
//
//   - Sum is commutative and associative up to rounding, and Zero is its
//     identity. Engines fold in an order of their own; in sync mode that order
//     is the same for any number of threads, so results are the same bits.
//   - Methods are pure: they read their arguments and the program's fields, and
//     change neither. They are called from many goroutines at once.
//   - A vertex may be skipped or applied again, as the engine finds cheaper, when
//     neither it nor an in-neighbour is active, so Apply must give the same value
//     again when nothing that it read has changed. What Apply reads from
//     [Step.Aggregate] is accounted for: when the aggregate changes, every
//     vertex is applied. For an [Idempotent] program the vertex's own activity
//     does not count.
//
// Everything beyond [Program] is optional: a program has an ability when it has
// the method, for example [Saturable] or [Settleable].
package gas

// Program is a vertex program over values V and accumulators A.
type Program[V, A any] interface {
	// Init returns the value of v before the first iteration, and whether v is
	// active in the first iteration. It always runs on the CPU.
	Init(v Vertex) (value V, active bool)
	// Zero is the identity of Sum, and the sum of a vertex without in-edges.
	Zero() A
	// Gather is the contribution of one in-edge, from its source's value.
	Gather(src V, e Edge, dst V) A
	// Sum folds two contributions.
	Sum(a, b A) A
	// Apply returns the new value of v.
	Apply(v Vertex, old V, acc A, s Step) V
	// Activate reports whether the change from old to new is significant, so
	// that v's out-neighbours have to gather again.
	Activate(v Vertex, old, new V) bool
}

// Vertex describes a vertex to a program, besides its value.
type Vertex struct {
	ID  uint32 // dense id, 0 ≤ ID < N; not the user's id
	N   uint32 // number of vertices of the graph
	In  uint32 // in-degree, parallel edges and self-loops counted
	Out uint32 // out-degree, counted in the same way
}

// Edge describes an edge to a program.
type Edge struct {
	Weight float64 // ≥ 0; 1 on a graph without weights
}

// Step is the state of the job during one iteration.
type Step struct {
	Iteration int // 0 in the first iteration
	// Σ [Aggregable.Aggregate] over all values as they stood before this iteration; 0 without the
	// ability
	Aggregate float64
}

// Saturable is the ability of an accumulator to be full: once Saturated
// reports true, no further edge can change the result of Apply, and the
// CPU stops gathering for the vertex. A pull of a GPU does not ask: it gathers every
// edge, with the same result. So the method need not compile to PTX.
type Saturable[A any] interface {
	Saturated(acc A, s Step) bool
}

// Settleable is the ability of a vertex to be done: once Settled reports true
// for a value, it stays true, and the vertex is neither gathered nor applied
// any more. On a GPU it is not applied, and keeps its value; its edges may still
// be gathered, for nothing.
type Settleable[V any] interface {
	Settled(value V, s Step) bool
}

// Aggregable is a global sum over all vertices, computed after each iteration
// and handed to the next one as [Step.Aggregate].
type Aggregable[V any] interface {
	Aggregate(v Vertex, value V) float64
}

// Overflowable is the ability to report values that are wrong because numbers
// left their range. Overflowed is asked about every value when the job is done:
// if it reports any, the job fails and has no results. A program whose sums can
// leave the range of their type needs it, and values that show it: a vertex that
// is not reached must differ from one that is too far.
type Overflowable[V any] interface {
	Overflowed(value V) bool
}

// Checked is the ability to refuse a run before it begins: when fields of the program were not set, or
// name a vertex ≥ vertices. The error names it.
type Checked interface {
	Check(vertices uint32) error
}

// Endless is the ability to go on for ever: a job may never end by itself, as where iterations are the
// time of a simulation. One without a number of iterations is then refused. The method reports whether it is so.
type Endless interface {
	Endless() bool
}

// Idempotent is the ability to do without a second look at earlier contributions: with
// the values around it as they were, a vertex that is applied again keeps the
// value of the first time. That is so where Gather does not read dst and Apply
// either does not read old or only keeps the better of old and acc. Then an active
// vertex makes its out-neighbours gather again, but not itself, which saves
// notify-pull edges. The method reports whether it is so; a type that embeds a
// program inherits it together with Gather and Apply.
type Idempotent interface {
	Idempotent() bool
}

// Monotone is the ability to do with news: values only get better, Sum keeps the better
// of two contributions and Apply the better of old and acc, Activate reports every
// change, and a vertex that is not active at the start contributes nothing. What a
// vertex contributed once then changes nothing any more while it is not active, so
// that engines may leave out edges from vertices that are not. Gather does not read
// dst, and neither it nor Apply depends on the step. The method reports whether it is so; package
// gas/gastest checks it in a test.
type Monotone interface {
	Monotone() bool
}

// Prioritized is the ability of a [Monotone] program to order vertices:
// vertices with low priorities are done first. The target of an edge has no lower
// priority than its source, so that the value of the one with the lowest is final: the
// distance of a shortest path has it, as Dijkstra showed. The engine does vertices of
// about the same priority at once (delta-stepping; Meyer and Sanders, 2003). Without the
// ability, and where iterations are limited, all active vertices are done at once. The
// result is the same, also where a priority does fall along an edge; it takes longer then.
type Prioritized[V any] interface {
	Priority(value V) float64
}

// Direction is the direction of the edges along which a program gathers.
type Direction uint8

// The directions. With Out, a vertex gathers from its out-neighbours; with
// Both, from its in-neighbours and then its out-neighbours. The store keeps
// weights with the in-edges only: along out-edges [Edge.Weight] is 1. On an
// undirected graph In, Out and Both are the same.
const (
	In Direction = iota
	Out
	Both
)

func (d Direction) String() string {
	return [...]string{"in", "out", "both"}[d]
}

// Directed is the ability to gather along other than in-edges.
type Directed interface {
	Direction() Direction
}

// Sourced is the ability of a program to return the text it was made of: its own
// file, embedded. A job is resumed with the same text only. Without it, the
// executable has to be the same build.
type Sourced interface {
	SourceText() string
}

// DirectionOf returns the direction in which program gathers: In, unless it is
// [Directed].
func DirectionOf(program any) Direction {
	if d, ok := program.(Directed); ok {
		return d.Direction()
	}
	return In
}
