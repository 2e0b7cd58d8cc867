package gpuengine

import (
	"fmt"
	"unsafe"

	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/kernels"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packed"
)

// checks verifies packed sides that stay on a device. Once they are copied, and before another
// kernel reads them, the device checks the numbers in their blocks and their codes, which would
// take the host half of the time of loading. The host checks the rest ([hostCheck]).
type checks struct {
	results device.Pointer // kernels.CheckPackedResult, one for each side
	shards  []int          // of the sides
	args    []kernels.CheckPackedArgs
}

const resultBytes = int64(unsafe.Sizeof(kernels.CheckPackedResult{}))

// hostCheck is the [store.Check] for sides that are read for a device.
func hostCheck(s shard.Side, vertices uint32) error {
	if p, ok := s.(*packed.Side); ok {
		return p.CheckTables(vertices)
	}
	return s.CheckValues(vertices)
}

// open allocates memory for the results.
func (c *checks) open(r *resources, a *arrays) (err error) {
	n := a.plan.kept.checks
	if n == 0 {
		return nil
	}
	if c.results, err = r.alloc(n); err != nil {
		return err
	}
	if err = a.main.Fill(c.results, 0, n); err != nil {
		return err
	}
	return a.main.Sync()
}

// add queues the check of a side at an address of the device, in a graph of n vertices.
func (c *checks) add(s *packed.Side, at device.Pointer, n uint32) {
	p := s.Layout.Places()
	a := kernels.CheckPackedArgs{
		Heads: at + device.Pointer(p.Heads), Data: at + device.Pointer(p.Data),
		Result: c.results + device.Pointer(resultBytes*int64(len(c.shards))),
		Blocks: uint32(s.Layout.Blocks), N: n, Vertices: uint32(s.Layout.Vertices), Bits: uint32(s.Layout.Bits),
		Entries: uint32(s.Layout.Entries),
	}
	if s.Layout.Weighted {
		a.Codes, a.Code = at+device.Pointer(p.Codes), uint32(s.Layout.CodeBytes())
	}
	c.shards, c.args = append(c.shards, int(s.Layout.Index)), append(c.args, a)
}

// launch launches the checks added since the last call.
func (c *checks) launch(k kernels.CheckPacked, s device.Stream) error {
	for i := range c.args {
		if err := k.Launch(s, &c.args[i]); err != nil {
			return err
		}
	}
	c.args = c.args[:0]
	return nil
}

// verdict returns the error of the first invalid side, when all checks are done. The host checks
// that side again to describe the error.
func (c *checks) verdict(a *arrays, pages Pages) error {
	found := make([]kernels.CheckPackedResult, len(c.shards))
	left := hostmem.AsBytes(found)
	err := a.staging.toHost(a.main, len(left), c.results, func(part []byte) { left = left[copy(left, part):] })
	if err != nil {
		return err
	}
	for k, i := range c.shards {
		if found[k].Wrong == 0 && found[k].Edges == a.plan.cat.SideEdges(shard.In, i) {
			continue
		}
		if err := pages.Recheck(shard.In, i); err != nil {
			return err
		}
		return fmt.Errorf("shard %d: the GPU reports damage that the host does not find; GPU memory may be faulty", i)
	}
	return nil
}
