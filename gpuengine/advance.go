package gpuengine

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unsafe"

	"github.com/garaph/garaph/frontier"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/bitset"
	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/kernels"
)

// Advancing holds the options by which frontiers are advanced.
type Advancing struct {
	Policy    kernels.Policy
	Filter    kernels.Filter
	Cull      bool // the filter is fused into the advance
	Direction kernels.Direction
}

// AdvanceNames lists the ways to divide the rows of a frontier; -cull fuses the filter into the
// advance.
var AdvanceNames = []string{"auto", "thread", "twc", "lb", "lb-light", "all-edges", "lonestar", "lb-cull",
	"lb-light-cull"}

// FilterNames and DirectionNames list the filters and the directions.
var (
	FilterNames    = []string{"exact", "none", "bitmask", "warp", "history", "label"}
	DirectionNames = []string{"auto", "push", "pull"}
)

// Names returns the names that ParseAdvancing parses as a.
func (a Advancing) Names() (advance, filter, direction string) {
	advance = AdvanceNames[a.Policy]
	if a.Cull {
		advance += "-cull"
	}
	return advance, FilterNames[a.Filter], DirectionNames[a.Direction]
}

// ParseAdvancing parses names from AdvanceNames, FilterNames and DirectionNames. An empty name is
// the first of its list.
func ParseAdvancing(advance, filter, direction string) (how Advancing, err error) {
	name, cull := strings.CutSuffix(advance, "-cull")
	var at [3]int
	for i, x := range []struct {
		what, name string
		names      []string
	}{{"advance", name, AdvanceNames}, {"filter", filter, FilterNames}, {"direction", direction, DirectionNames}} {
		if at[i] = slices.Index(x.names, cmp.Or(x.name, x.names[0])); at[i] < 0 || cull &&
			!slices.Contains(AdvanceNames, advance) {
			return how, fmt.Errorf("%s %q: expected %s", x.what, x.name, strings.Join(x.names, ", "))
		}
	}
	return Advancing{kernels.Policy(at[0]), kernels.Filter(at[1]), cull, kernels.Direction(at[2])}, nil
}

const (
	// smallEdges bounds small frontiers, by their edges: a level then takes as long as its blocks
	// wait for each other, and a scan of degrees would double that.
	smallEdges = 1 << 16
	// Vertices look for a frontier with more than 1/pushShare of the edges of vertices not yet
	// active. One with fewer than 1/seekShare of the vertices pushes again.
	pushShare = 15
	seekShare = 18
)

// Advancer runs iterations from frontier to frontier on a device. The edges of its rows are on the
// device as far as they fit. It shares values, degrees and the active set with its Engine.
type Advancer[V, A any] struct {
	engine    *Engine[V, A]
	kernel    kernels.Advance
	resources resources
	args      kernels.AdvanceArgs
	edges     uint64 // along which vertices push
	from, to  uint32 // the vertices that change on the device
	head      []byte // pinned: the state's
	spans     [2]device.Event
}

// Advanced reports the work of a call of Advance.
type Advanced struct {
	kernels.AdvanceResults
	Seconds float64 // on the device
}

// AdvancerBytes returns the device memory that an Advancer takes besides edges.
func AdvancerBytes(vertices uint32, directed bool) int64 {
	offsets := 8 * (int64(vertices) + 1)
	if directed {
		offsets *= 2
	}
	return offsets + 24*int64(vertices) + 2*8*int64(bitset.Words(vertices)) +
		int64(unsafe.Sizeof(kernels.AdvanceState{})) + 16*device.Alignment
}

// NewAdvancer returns an Advancer. Vertices push along rows; if in is not nil, they also look for
// active neighbours along in, which may be the same as rows. Up to the given number of bytes of
// edges are copied to the device; the rest is read from the host's memory, which must be pinned.
func (e *Engine[V, A]) NewAdvancer(rows, in *frontier.Rows, edges int64, how Advancing) (*Advancer[V, A], error) {
	a, err := e.newAdvancer(how, len(rows.Arcs) > 0, rows.Off[e.plan.cat.Vertices])
	if err == nil {
		a.args.Out, err = a.copy(rows, &edges)
	}
	switch {
	case err != nil:
	case in == rows:
		a.args.In = a.args.Out
	case in != nil:
		a.args.In, err = a.copy(in, &edges)
	}
	if err != nil {
		return nil, errors.Join(e.named("advancing frontiers on", err), a.Close())
	}
	return a, nil
}

// newAdvancer returns an Advancer without rows, for rows with the given number of edges. After an error, it is to be
// closed.
func (e *Engine[V, A]) newAdvancer(how Advancing, weighted bool, edges uint64) (a *Advancer[V, A], err error) {
	a = &Advancer[V, A]{engine: e, resources: resources{device: e.resources.device}, edges: edges}
	r, n := &a.resources, e.plan.cat.Vertices
	if a.kernel, err = kernels.LoadAdvance(r.device, e.program, e.fragments); err != nil {
		return a, err
	}
	at := &e.arrays.at
	a.args.AdvanceGraph = kernels.AdvanceGraph{
		Degree: at[degree], DIn: at[inDegree], DOut: at[outDegree], IDs: at[vertexIDs], Parameters: at[parameterBlock],
	}
	a.args.Fault, a.args.N, a.args.Small = e.arrays.fault(), n, smallEdges
	a.args.PushShare, a.args.SeekShare = pushShare, seekShare
	a.to = n
	if weighted {
		a.args.Weighted = 1
	}
	a.Set(how)
	a.args.Bits[0] = at[active]
	bits := 8 * int64(bitset.Words(n))
	for _, x := range []struct {
		to *device.Pointer
		n  int64
	}{
		{&a.args.Queue[0], 4 * int64(n)}, {&a.args.Queue[1], 4 * int64(n)}, {&a.args.Rest, 4 * int64(n)},
		{&a.args.Prefix, 8 * int64(n)},
		{&a.args.Labels, 4 * int64(n)}, {&a.args.Bits[1], bits}, {&a.args.Later, bits},
		{&a.args.State, int64(unsafe.Sizeof(kernels.AdvanceState{}))},
	} {
		if *x.to, err = r.alloc(x.n); err != nil {
			return a, err
		}
	}
	if a.head, err = r.pin(kernels.AdvanceHead); err != nil {
		return a, err
	}
	return a, r.newEvents(&a.spans[0], &a.spans[1])
}

// copy copies rows to the device, and as many of their edges as fit into bytes.
func (a *Advancer[V, A]) copy(rows *frontier.Rows, bytes *int64) (to kernels.AdvanceRows, err error) {
	r, arrays := &a.resources, &a.engine.arrays
	off, edges := hostmem.AsBytes(rows.Off), rows.Bytes()
	size := int64(4)
	if len(rows.Arcs) > 0 {
		size = 8
	}
	to.Resident = uint64(min(int64(len(edges)), max(0, *bytes)) / size)
	near := int64(to.Resident) * size
	*bytes -= near
	if to.Off, err = r.alloc(int64(len(off))); err == nil {
		err = arrays.staging.toDevice(arrays.main, to.Off, off)
	}
	if err == nil {
		to.Near, err = r.alloc(max(near, device.Alignment))
	}
	if err == nil {
		err = arrays.staging.toDevice(arrays.main, to.Near, edges[:near])
	}
	if err == nil && near < int64(len(edges)) {
		to.Far, err = r.device.Mapped(edges)
	}
	return to, err
}

// levels describe the work of a launch: iterations from a step on, until the frontier is empty, has more
// than most edges, or a limit of levels or time is reached.
type levels struct {
	step  gas.Step
	width float64 // of the priorities of vertices that are processed together; if 0, all are
	count int
	limit time.Duration
	most  uint64
	least float64 // the limit of priorities that are done first
}

// begin queues a launch.
func (a *Advancer[V, A]) begin(l levels) error {
	arrays, main := &a.engine.arrays, a.engine.arrays.main
	a.args.Values = arrays.at[values]
	a.args.Iteration, a.args.Aggregate, a.args.Width = int64(l.step.Iteration), l.step.Aggregate, l.width
	a.args.Levels, a.args.Nanoseconds, a.args.Most = uint32(min(l.count, 1<<31)), uint64(max(1, l.limit)), l.most
	a.args.Limit = l.least
	err := main.Fill(a.args.State, 0, kernels.AdvanceHead)
	if err == nil && a.args.Append != 0 && a.args.Filter.NeedsLabels() {
		err = main.Fill(a.args.Labels, 0, 4*int64(a.args.N))
	}
	for _, do := range []func() error{
		func() error { return main.Record(a.spans[0]) },
		func() error { return a.kernel.Launch(main, &a.args) },
		func() error { return main.Record(a.spans[1]) },
		func() error { return main.ToHost(a.head, a.args.State) },
		func() error { return main.ToHost(arrays.head[:headBytes], arrays.at[results]) },
	} {
		if err == nil {
			err = do()
		}
	}
	return err
}

// end waits for a launch, and returns its counts. The last frontier is in the active set, in the words of the
// vertices that change on the device.
func (a *Advancer[V, A]) end() (done Advanced, err error) {
	main := a.engine.arrays.main
	if err = main.Sync(); err == nil {
		err = a.engine.fault()
	}
	done.AdvanceResults = *(*kernels.AdvanceResults)(unsafe.Pointer(&a.head[0]))
	if err == nil && done.Current == 1 {
		at := device.Pointer(4 * (a.from / 32))
		err = main.Copy(a.args.Bits[0]+at, a.args.Bits[1]+at, 4*(int64(a.to+31)/32-int64(a.from)/32))
	}
	if err == nil {
		done.Seconds, err = a.spans[1].Since(a.spans[0])
	}
	if err == nil {
		span := Span{Name: "advance", Page: -1, Edges: done.Edges}
		err = a.engine.pipeline.retirer.tracer.span(span, a.spans[0], a.spans[1])
	}
	a.args.Unseen = done.Unseen
	return done, err
}

// Close frees the advancer's memory on the device.
func (a *Advancer[V, A]) Close() error { return a.resources.close() }

// Saturates reports whether a vertex that looks for active neighbours can stop at the first.
func (e *Engine[V, A]) Saturates() bool {
	return e.fragments.Saturated.Text != "" && e.fragments.Settled.Text != ""
}

// Prioritizes reports whether the program has priorities that the device can compute.
func (e *Engine[V, A]) Prioritizes() bool { return e.fragments.Priority.Text != "" }

// Activate copies the active set of the host's arrays to the device.
func (e *Engine[V, A]) Activate() error {
	return e.synced("copying the active set to", e.arrays.staging.toDevice(e.arrays.main, e.arrays.at[active],
		hostmem.AsBytes(e.host.Active)))
}

// Set changes how frontiers are advanced. The edges may all be active again.
func (a *Advancer[V, A]) Set(how Advancing) {
	a.args.Policy, a.args.Filter, a.args.Direction, a.args.Append = how.Policy, how.Filter, how.Direction, 0
	if how.Cull || how.Filter != kernels.ExactFilter {
		a.args.Append = 1
	}
	a.args.Unseen = a.edges
}

// widthEdges is the mean degree of a graph whose width is the mean length of an edge.
const widthEdges = 32

// Width returns a width for [Advancer.Advance]: how much the priorities of vertices processed
// together may differ. mean is the mean length of an edge.
func Width(mean float64, edges uint64, vertices uint32) float64 {
	return mean * widthEdges / max(1, float64(edges)/float64(max(1, vertices)))
}
