package dispatcher

import (
	"cmp"

	"github.com/garaph/garaph/gpuengine"
	"github.com/garaph/garaph/page"
)

// planEmulated limits the memory of emulated GPUs, which is that of the process, where
// that has a budget, and returns what they take together. They have what they need at
// least. Of what then is left beside the least pages, pages have half, and what no GPU
// wants.
func (j *Job[V, A]) planEmulated(m memoryPlan) (bytes int64, err error) {
	emulated := j.emulated()
	if emulated == 0 || j.opt.Memory == 0 {
		return 0, nil
	}
	least, most, err := j.emulatedBytes()
	if err != nil {
		return 0, err
	}
	pages := page.Least(j.store, m.page)
	rest := j.opt.Memory - m.fixed - m.checkpoints - pages - emulated*least
	if rest < 0 {
		return 0, &MemoryError{Graph: j.store.Name(), Budget: j.opt.Memory, Vertices: m.fixed - processBytes, Pages: pages, Checkpoints: m.checkpoints, GPUs: emulated * least}
	}
	j.gpuShare = min(most, least+rest/2/emulated)
	return emulated * j.gpuShare, nil
}

// emulated is how many of the job's GPUs are emulated.
func (j *Job[V, A]) emulated() (n int64) {
	for _, d := range j.devices {
		if d.Info().OnHost {
			n++
		}
	}
	return n
}

// emulatedBytes is what a GPU takes at least, and when all that the job reads stays there:
// no more than its limit.
func (j *Job[V, A]) emulatedBytes() (least, most int64, err error) {
	need, err := j.leastGPU()
	if err != nil {
		return 0, 0, err
	}
	least, most = need.Least(), need.Arrays+need.All
	if cmp.Or(j.front.unfit, j.gpuUnfit()) == nil {
		arrays, edges := j.gpuFrontierBytes()
		if j.opt.Method == Frontier {
			least += arrays
		}
		most = max(most+arrays+edges, 2*(arrays+edges)) // they have half of the memory
	}
	limit := j.gpuLimit()
	return min(least, limit), min(most, limit), nil
}

// gpuLimit is how much of a device's memory the job may take.
func (j *Job[V, A]) gpuLimit() int64 {
	limit := gpuengine.MemoryLimit(j.devices[0].Info(), j.opt.GPU.Memory)
	if j.gpuShare > 0 {
		limit = min(limit, j.gpuShare)
	}
	return limit
}
