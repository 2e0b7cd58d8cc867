package gpuengine

import (
	"errors"
	"math"
	"time"
	"unsafe"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/kernels"
)

// Team advances frontiers on one device or on several. All have the values of all vertices and the active set. The
// first device has the rows of all vertices, and goes on alone while frontiers are small. With a large one, each
// follows the edges to the vertices of its own interval, and sends their new values and active bits to the others.
type Team[V, A any] struct {
	first   *Advancer[V, A]
	others  []*Engine[V, A]   // of the other devices
	members []*Advancer[V, A] // by device, with the rows of their intervals; if nil, the first device is always alone
	most    uint64            // edges of a small frontier
	ahead   bool              // the first device has newer values than the others, or a newer active set
}

// NewTeam returns a Team of the device of an Advancer and others, which are connected. Until Divide, the first one
// advances all frontiers.
func NewTeam[V, A any](a *Advancer[V, A], others []*Engine[V, A]) *Team[V, A] {
	return &Team[V, A]{first: a, others: others, most: math.MaxUint64}
}

// Small returns up to how many edges a frontier is small: a device alone is done with it before several would have
// sent each other the values of their intervals.
func Small(vertices uint32, valueBytes int) uint64 {
	const atLeast = 1 << 23
	return max(atLeast, uint64(vertices)*uint64(valueBytes)/2)
}

// Divide lets the other devices advance frontiers with more than most edges too. The interval of device k begins at
// vertex firsts[k], a multiple of 32. Vertices of large frontiers do not look for active ones. After an error, device k
// has failed.
func (t *Team[V, A]) Divide(firsts []uint32, most uint64, how Advancing) (k int, err error) {
	a := t.first
	d := divider[V, A]{a: a, resources: resources{device: a.resources.device}}
	defer func() { err = errors.Join(err, d.resources.close()) }()
	if err := d.open(); err != nil {
		return 0, err
	}
	t.members = make([]*Advancer[V, A], 1+len(t.others))
	for k, e := range append([]*Engine[V, A]{a.engine}, t.others...) {
		m := &Advancer[V, A]{} // the first device, in its own interval
		if *m = *a; k == 0 {
			m.resources = resources{device: a.resources.device}
		} else {
			m, err = e.newAdvancer(how, a.args.Weighted != 0, a.edges)
		}
		if t.members[k] = m; err != nil {
			t.members = t.members[:k+1]
			return k, err
		}
	}
	t.most = most
	for k, m := range t.members {
		from, end := firsts[k], a.args.N
		if k < len(t.others) {
			end = firsts[k+1]
		}
		m.from, m.to = from, end
		n, err := d.count(from, end)
		if err != nil {
			return 0, err
		}
		if m.args.Out, err = m.allocRows(n); err != nil {
			return k, err
		}
		if err := d.fill(m); err != nil {
			return 0, err
		}
		m.args.In = kernels.AdvanceRows{}
	}
	return 0, nil
}

// allocRows allocates rows of all vertices with the given number of edges.
func (a *Advancer[V, A]) allocRows(edges uint64) (to kernels.AdvanceRows, err error) {
	to.Resident = edges
	if to.Off, err = a.resources.alloc(8 * (int64(a.args.N) + 1)); err == nil {
		to.Near, err = a.resources.alloc(a.edgeBytes(max(1, edges)))
	}
	return to, err
}

// divider gives each device the edges of the first device's rows that lead to its vertices.
type divider[V, A any] struct {
	a         *Advancer[V, A]
	kernel    kernels.Divide
	args      kernels.DivideArgs
	resources resources
	state     []byte // pinned
}

func (d *divider[V, A]) open() (err error) {
	a := &d.a.args
	d.args = kernels.DivideArgs{Off: a.Out.Off, Edges: a.Out.Near, N: a.N, Weighted: a.Weighted}
	if d.kernel, err = kernels.LoadDivide(d.resources.device); err != nil {
		return err
	}
	if d.state, err = d.resources.pin(int64(unsafe.Sizeof(kernels.DivideState{}))); err == nil {
		d.args.State, err = d.resources.alloc(int64(len(d.state)))
	}
	return err
}

// count returns the number of edges that lead to the vertices [from, end).
func (d *divider[V, A]) count(from, end uint32) (uint64, error) {
	d.args.From, d.args.End, d.args.ToOff = from, end, 0
	err := d.launch()
	return (*kernels.DivideState)(unsafe.Pointer(&d.state[0])).Kept, err
}

func (d *divider[V, A]) launch() error {
	main := d.a.engine.arrays.main
	return errors.Join(main.Fill(d.args.State, 0, int64(len(d.state))), d.kernel.Launch(main, &d.args),
		main.ToHost(d.state, d.args.State), main.Sync())
}

// fill makes the rows of m, for which there is room, of the edges that were counted.
func (d *divider[V, A]) fill(m *Advancer[V, A]) (err error) {
	to := &m.args.Out
	d.args.ToOff, d.args.To, d.args.Room = to.Off, to.Near, to.Resident
	if m.resources.device == d.resources.device {
		return d.launch()
	}
	near := resources{device: d.resources.device} // until they are sent
	defer func() { err = errors.Join(err, near.close()) }()
	n, edges := 8*(int64(d.args.N)+1), m.edgeBytes(max(1, to.Resident))
	if d.args.ToOff, err = near.alloc(n); err == nil {
		d.args.To, err = near.alloc(edges)
	}
	if err == nil {
		err = d.launch()
	}
	if err != nil {
		return err
	}
	main := d.a.engine.arrays.main
	return errors.Join(main.ToPeer(m.resources.device, to.Off, d.args.ToOff, n),
		main.ToPeer(m.resources.device, to.Near, d.args.To, edges), main.Sync())
}

// edgeBytes returns the size of edges of rows.
func (a *Advancer[V, A]) edgeBytes(n uint64) int64 { return 4 * int64(n) * int64(1+a.args.Weighted) }

// Advance runs iterations from step s on, until the frontier is empty or a limit of levels or time
// is reached. Vertices whose priorities differ by at most width are processed together; if width is
// 0, all are. Before it, the first device has the active set, and all have the values; after it, all
// have both. After an error, device k has failed, and the values on all are undefined.
func (t *Team[V, A]) Advance(s gas.Step, width float64, count int, limit time.Duration) (
	sum Advanced, k int, err error) {
	began := time.Now()
	t.ahead, sum.Limit = true, math.Inf(-1)
	rest := func(most uint64) levels {
		return levels{gas.Step{Iteration: s.Iteration + int(sum.Levels), Aggregate: s.Aggregate}, width,
			count - int(sum.Levels), limit - time.Since(began), most, sum.Limit}
	}
	defer func() {
		e := t.first.engine
		if k > 0 {
			e = t.members[k].engine
		}
		err = e.named("advancing frontiers on", err)
	}()
	for {
		done, k, err := t.launch([]*Advancer[V, A]{t.first}, rest(t.most))
		if err != nil {
			return sum, k, err
		}
		t.ahead = t.ahead || done.Levels > 0
		sum.add(done)
		large := done.Widest > t.most && time.Since(began) < limit
		if k, err = t.spread(); err != nil || !large {
			return sum, k, err
		}
		for large && count > int(sum.Levels) && time.Since(began) < limit {
			l := rest(math.MaxUint64)
			l.count = 1
			if done, k, err = t.launch(t.members, l); err == nil {
				k, err = t.exchange()
			}
			if err != nil {
				return sum, k, err
			}
			sum.add(done)
			large = done.Widest > t.most/2
		}
	}
}

func (x *Advanced) add(done Advanced) {
	done.Edges, done.Vertices, done.Seconds = x.Edges+done.Edges, x.Vertices+done.Vertices, x.Seconds+done.Seconds
	done.Levels, done.Sought = x.Levels+done.Levels, x.Sought+done.Sought
	*x = done
}

// launch runs levels on some of the devices at once. After an error, device k has failed.
func (t *Team[V, A]) launch(on []*Advancer[V, A], l levels) (sum Advanced, k int, err error) {
	for k, a := range on {
		if err := a.begin(l); err != nil {
			return sum, k, err
		}
	}
	for k, a := range on {
		done, err := a.end()
		if err != nil {
			return sum, k, err
		}
		if k > 0 {
			done.Edges, done.Seconds = done.Edges+sum.Edges, max(done.Seconds, sum.Seconds)
			if done.Sought > 0 { // otherwise all went along the rows of the same vertices
				done.Vertices += sum.Vertices
			}
		}
		sum = done
	}
	for _, a := range t.members {
		a.args.Unseen = sum.Unseen
	}
	t.first.args.Unseen = sum.Unseen
	return sum, 0, nil
}

// spread sends the values and the active set of the first device to the others, if they are newer.
func (t *Team[V, A]) spread() (k int, err error) {
	if len(t.others) == 0 || !t.ahead {
		return 0, nil
	}
	a := t.first
	for _, e := range t.others {
		if err := a.send(e, 0, a.args.N); err != nil {
			return 0, err
		}
	}
	t.ahead = false
	return 0, a.engine.arrays.main.Sync()
}

// exchange sends the values that each device has computed to the others.
func (t *Team[V, A]) exchange() (k int, err error) {
	for k, a := range t.members {
		for _, m := range t.members {
			if m == a || a.from == a.to {
				continue
			}
			if err := a.send(m.engine, a.from, a.to); err != nil {
				return k, err
			}
		}
	}
	for k, a := range t.members {
		if err := a.engine.arrays.main.Sync(); err != nil {
			return k, err
		}
	}
	return 0, nil
}

// send queues the copies of values and of bits of the vertices [from, end) to a peer, which uses neither.
func (a *Advancer[V, A]) send(e *Engine[V, A], from, end uint32) error {
	x, y := &a.engine.arrays, &e.arrays
	to, at := e.resources.device, device.Pointer(4*(from/32))
	return errors.Join(x.main.ToPeer(to, y.at[active]+at, x.at[active]+at, 4*(int64(end+31)/32-int64(from)/32)),
		x.main.ToPeer(to, y.valuesAt(values, from), x.valuesAt(values, from), x.valueBytes(end-from)))
}

// Close frees the memory of the team on all devices.
func (t *Team[V, A]) Close() error {
	errs := []error{t.first.Close()}
	for _, m := range t.members {
		errs = append(errs, m.Close())
	}
	return errors.Join(errs...)
}
