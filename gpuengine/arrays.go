package gpuengine

import (
	"unsafe"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/bitset"
	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/internal/vertices"
	"github.com/garaph/garaph/kernels"
)

// arrays holds the arrays over vertices on the device, and the kernels that compute on them.
type arrays struct {
	plan    *plan
	kernels *kernels.Set
	at      [arrayCount]device.Pointer
	main    device.Stream // copies and kernels outside of batches
	staging staging
	head    []byte    // pinned: the results of an iteration
	sums    []float64 // by shard: its aggregate in the last iteration that did it
	cleared device.Event
}

// hostArrays gives access to the host's arrays as bytes.
type hostArrays interface {
	next(v interval) []byte
	rising() bitset.Set
}

// arraysOf implements hostArrays for a type of values.
type arraysOf[V any] struct{ *vertices.Arrays[V] }

func (a arraysOf[V]) next(v interval) []byte { return hostmem.AsBytes(a.Next[v.from:v.to]) }
func (a arraysOf[V]) rising() bitset.Set     { return a.Rising }

func newArrays(r *resources, p *plan, k *kernels.Set) (a arrays, err error) {
	a = arrays{plan: p, kernels: k}
	for i, n := range p.sizes {
		if n > 0 {
			if a.at[i], err = r.alloc(n); err != nil {
				return a, err
			}
		}
	}
	if p.async {
		a.at[nextValues] = a.at[values]
	}
	if p.degrees.sameIn {
		a.at[inDegree] = a.at[degree]
	}
	if p.degrees.sameOut {
		a.at[outDegree] = a.at[degree]
	}
	if a.main, err = r.stream(device.Normal); err != nil {
		return a, err
	}
	if err = r.newEvents(&a.cleared); err != nil {
		return a, err
	}
	if a.staging, err = newStaging(r, p.sizes[values]); err != nil {
		return a, err
	}
	if p.sums {
		a.sums = make([]float64, len(p.cat.Shards))
	}
	a.head, err = r.pin(p.sizes[results])
	return a, err
}

// fill copies the host's arrays that the device needs, and zeroes the accumulators.
func (a *arrays) fill(current []byte, host [arrayCount][]byte) error {
	if err := a.main.ToDevice(a.at[values], current); err != nil {
		return err
	}
	for i, b := range host {
		if a.plan.sizes[i] == 0 { // the device does not read it
			continue
		}
		if err := a.staging.toDevice(a.main, a.at[i], b); err != nil {
			return err
		}
	}
	if err := a.main.Fill(a.at[results], 0, headBytes); err != nil {
		return err
	}
	args := kernels.ZeroArgs{Acc: a.at[accumulators], Parameters: a.at[parameterBlock], Fault: a.fault(),
		N: a.plan.cat.Vertices}
	if err := a.kernels.Zero.Launch(a.main, &args); err != nil {
		return err
	}
	return a.main.Sync()
}

// fault returns the address where kernels report a [compiled.Fault].
func (a *arrays) fault() device.Pointer {
	return a.at[results] + device.Pointer(unsafe.Sizeof(kernels.Totals{}))
}

// valueBytes returns the size of the values of n vertices.
func (a *arrays) valueBytes(vertices uint32) int64 {
	return int64(vertices) * int64(a.plan.value)
}

// valuesAt returns the address of the value of vertex v in an array of values.
func (a *arrays) valuesAt(array int, v uint32) device.Pointer {
	return a.at[array] + device.Pointer(a.valueBytes(v))
}

// expand queues the expansion of the destinations of some chunks.
func (a *arrays) expand(l *lane, chunks int) error {
	if chunks == 0 {
		return nil
	}
	return a.kernels.Expand.Launch(l.stream, chunks, &l.args.expand)
}

// pull queues the pull kernels over a lane's work.
func (a *arrays) pull(l *lane) error {
	w := &l.work
	for k, n := range w.counts {
		if n == 0 {
			continue
		}
		l.args.pull = kernels.PullArgs{
			Chunks: w.lists[k], Values: a.at[values], Acc: a.at[accumulators],
			Parameters: a.at[parameterBlock], Fault: a.fault(),
		}
		var err error
		if k < rowKeys {
			err = a.kernels.Pull[k/2].Launch(l.stream, n, w.shared[k], &l.args.pull)
		} else {
			err = a.kernels.Packed.Launch(l.stream, n, w.shared[k], &l.args.pull)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// apply queues the apply kernel over the vertices of a lane's work.
func (a *arrays) apply(l *lane, step gas.Step) error {
	w := &l.work
	v := a.plan.interval(w.from, w.to)
	if v.from == v.to {
		return nil
	}
	l.args.apply = kernels.ApplyArgs{
		ApplyArrays: kernels.ApplyArrays{
			Acc: a.at[accumulators], Values: a.at[values], Next: a.at[nextValues],
			In: a.at[inDegree], Out: a.at[outDegree], IDs: a.at[vertexIDs],
			Degree: a.at[degree], Parameters: a.at[parameterBlock],
		},
		ApplyResults: kernels.ApplyResults{Active: a.at[active], Totals: a.at[results], Fault: a.fault()},
		Iteration:    int64(step.Iteration), Aggregate: step.Aggregate,
		First: v.from, Count: v.to - v.from, N: a.plan.cat.Vertices,
	}
	if a.plan.sums {
		l.args.apply.Sums = a.at[results] + device.Pointer(headBytes+8*int64(a.plan.sumAt[w.from]))
	}
	return a.kernels.Apply.Launch(l.stream, &l.args.apply)
}

// launchSums returns where the aggregates of a lane's vertices lie behind the head of results: one
// for each block of its launch, from the place of its first shard on.
func (a *arrays) launchSums(l *lane) (from, to int64) {
	if v := a.plan.interval(l.work.from, l.work.to); a.plan.sums && v.from < v.to {
		from = headBytes + 8*int64(a.plan.sumAt[l.work.from])
		to = from + 8*int64(kernels.Blocks(v.to-v.from))
	}
	return from, to
}

// bringSums queues the copy of these aggregates to the host.
func (a *arrays) bringSums(l *lane) error {
	from, to := a.launchSums(l)
	if from == to {
		return nil
	}
	return l.stream.ToHost(a.head[from:to], a.at[results]+device.Pointer(from))
}

// sum adds them, each to the shard in which its block begins: shards are whole blocks, unless they are small.
func (a *arrays) sum(l *lane) {
	from, to := a.launchSums(l)
	if from == to {
		return
	}
	blocks := unsafe.Slice((*float64)(unsafe.Pointer(&a.head[from])), (to-from)/8)
	first := a.plan.cat.Shards[l.work.from].First
	for i := l.work.from; i < l.work.to; i++ {
		end := max(first, a.plan.interval(l.work.from, i+1).to)
		n := min(len(blocks), kernels.Blocks(end-first))
		var four [4]float64 // additions need not wait for each other
		for k, x := range blocks[:n] {
			four[k%4] += x
		}
		a.sums[i] = four[0] + four[1] + (four[2] + four[3])
		blocks, first = blocks[n:], first+uint32(n*kernels.BlockVertices)
	}
}

// clear zeroes the results and the active set, and makes the streams of slots wait for that.
func (a *arrays) clear(slots []*slot) error {
	if err := a.main.Fill(a.at[results], 0, headBytes); err != nil {
		return err
	}
	if err := a.main.Fill(a.at[active], 0, a.plan.sizes[active]); err != nil {
		return err
	}
	if err := a.main.Record(a.cleared); err != nil {
		return err
	}
	for _, s := range slots {
		if err := s.stream.Wait(a.cleared); err != nil {
			return err
		}
	}
	return nil
}

// collect copies the results of an iteration to the host, when its kernels are done.
func (a *arrays) collect() error {
	if err := a.main.ToHost(a.head[:headBytes], a.at[results]); err != nil {
		return err
	}
	return a.main.Sync()
}
