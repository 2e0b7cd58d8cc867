package dispatcher

import (
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gpuengine/device"
)

// Values calls yield for all vertices and their values.
func (j *Job[V, A]) Values(yield func(vs []gas.Vertex, values []V) error) error {
	return j.ValuesOf(0, j.plan.shape.cat.Vertices, yield)
}

// SetOpen lets a job open its device otherwise.
func (o *Options) SetOpen(open func(name string) (device.Device, error)) { o.hooks.open = open }

// ShareEvenly has both devices work in every iteration of a hybrid job, on pages
// of a shard each.
func (o *Options) ShareEvenly() { o.hooks.speeds, o.hooks.pageBytes = evenly, 1 }

// DivideFrontiers divides frontiers of any graph among several GPUs, those with more than small edges.
func (o *Options) DivideFrontiers(small uint64) { o.hooks.smallFrontier = small }

// Generically makes a job run through the generic loops even if the program is compiled, to compare them.
func (o *Options) Generically() { o.hooks.generic = true }
