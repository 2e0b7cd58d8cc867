package policy

import (
	"cmp"
	"math"
)

// From α = leastTried on, the GPU is tried while the CPU works alone, each time that the
// CPU has worked for triedShare times as long as the GPU would take, for a few iterations,
// the first of which is slow: it may be faster than it was.
const (
	leastTried = 0.2
	triedShare = 50
	tries      = 3
)

// leastGain is what sharing an iteration must save to be chosen: it costs an
// exchange of values.
const leastGain = 0.03

// choose says who does an iteration (Garaph, section 5.3). α is what the CPU would
// take over what the GPU would: with α ≤ 1 the CPU does it alone. To the formula of
// the paper, α = min(2fp, 1)·T_pull/T_gpu, come the values that the one or the other
// side would have to fetch first. With α > 1 the GPU does it, together with the CPU
// where that saves more than it costs.
func choose(o Observation, s State, m Method) (Device, float64, State) {
	if o.GPUs == 0 || o.Facts.PullEdges == 0 && o.Facts.Device != GPU {
		return CPU, 0, s
	}
	if !o.Open() {
		return GPU, 0, s
	}
	cpu, gpu := cpuCost(o, s, m), s.Speeds.Alone+workCost(o, s, s.Speeds.Streamed)
	toHost, toGPU := s.Speeds.Link*float64(o.HostStale), s.Speeds.Link*float64(o.GPUStale)
	// Values are fetched once, and save something in each iteration: it is done when
	// as much was missed by staying, which counts for the other side.
	missed := 0.0
	switch {
	case toGPU > 0:
		missed = max(0, s.Missed)
	case toHost > 0:
		missed = min(0, s.Missed)
	}
	s.Missed = missed + cpu - gpu
	alpha := min((cpu+toHost+max(0, missed))/max(gpu+toGPU+max(0, -missed), 1e-12), math.MaxFloat32)
	switch {
	case o.Facts.Device == GPU:
		return GPU, alpha, s
	case alpha > 1:
		s.Trying = 0
		return share(o, s, gpu, toHost), alpha, s
	case alpha < leastTried || s.Trying == 0 && s.Untried < triedShare*(gpu+toGPU):
		s.Trying = 0
		return CPU, alpha, s
	case s.Trying == 0:
		s.Trying = tries
	default:
		if s.Trying--; s.Trying == 0 {
			return CPU, alpha, s
		}
	}
	return GPU, alpha, s
}

// Open reports whether there is a choice between the CPU and the GPUs.
func (o Observation) Open() bool {
	return o.Facts.PullEdges > 0 && (o.Facts.Device != GPU || o.ResidentEdges < o.Facts.PullEdges)
}

// random is how much longer it takes to notify along an edge, somewhere in
// memory, than to look at one of a pull, as long as that was not measured.
const random = 3

// cpuCost is how long the CPU takes.
func cpuCost(o Observation, s State, m Method) float64 {
	v := s.Speeds
	cpu := v.CPU * float64(o.Facts.PullEdges)
	if o.Facts.Saturates && s.Counts.Pulled > 0 {
		cpu = v.CPU * pullCost(o, s)
	}
	if m != NotifyPull {
		return cpu
	}
	along := o.Fraction * float64(o.Facts.NotifyEdges)
	notify := random * v.CPU / s.Limit * along // 2fp·|E|, with p = 1 in memory and k out of core
	if v.Notify == 0 {
		return v.Least + notify
	}
	return min(v.Least+v.Notify*along, notify+cpu) // measured, per edge; but what follows is never more than a pull of all
}

// workCost is how long the GPU takes for the work on pages, with a speed of streaming.
func workCost(o Observation, s State, streamed float64) float64 {
	return max(s.Speeds.Resident*float64(o.ResidentEdges), streamed*float64(o.Facts.PullEdges-o.ResidentEdges))
}

// Where edges are streamed, the first iterations with a GPU show what each costs: the
// very first is slow on any device, in the second the GPU works alone, in the third
// both do, if that may be sooner at all. Both share the bandwidth of memory.
const (
	cold = iota
	warm
	shownAlone
	shownBoth
)

// streams reports whether a pull copies edges to a GPU.
func (o Observation) streams() bool { return o.ResidentEdges < o.Facts.PullEdges }

// share says whether the CPU has a part in an iteration that the GPU does sooner
// than it.
func share(o Observation, s State, gpu, toHost float64) Device {
	v := s.Speeds
	switch {
	case !o.streams():
	case s.Compared == warm:
		return GPU
	case s.Compared == shownAlone: // what a cold one showed counts no more
		v.Crowded, v.Both = 0, 0
	}
	work := workCost(o, s, cmp.Or(v.Crowded, v.Streamed))
	pull := v.Page * float64(o.Facts.PullEdges)
	together := cmp.Or(v.Both, 2*v.Alone) + max(pull*work/(pull+work), exchangeCost(o, s)) + toHost
	if pull > work*float64(o.Facts.Pages) || together > (1-leastGain)*gpu {
		return GPU
	}
	return Hybrid
}

// exchangeCost is how long it takes to copy all values.
func exchangeCost(o Observation, s State) float64 {
	return s.Speeds.Link * float64(o.Facts.ValueBytes) * float64(o.Facts.Vertices)
}

// safetyShare bounds what a GPU that fails costs: while it works alone, the host
// gets its values whenever the GPU has worked safetyShare times as long as that takes.
const safetyShare = 200

// Upkeep is what is to be done after an iteration for the sake of later ones.
type Upkeep struct {
	Fetch   bool `json:"fetch"`    // the host gets the newest values
	TimeCPU bool `json:"time_cpu"` // the CPU is measured by a page
}

// Maintain says what is due after an iteration that took so long. While the GPU
// works alone, the host gets the values now and then, and the CPU is measured:
// otherwise a measurement that was off would last for ever.
func Maintain(o Observation, s State, seconds float64) (u Upkeep, _ State) {
	if !o.Behind {
		s.Alone, s.Unseen = 0, 0
		return u, s
	}
	s.Alone += seconds
	s.Unseen += seconds
	fetch := exchangeCost(o, s)
	if fetch == 0 { // not measured
		fetch = 1.0 / safetyShare
	}
	if u.Fetch = s.Alone > safetyShare*fetch; u.Fetch {
		s.Alone = 0
	}
	page := s.Speeds.Page * float64(o.Facts.PullEdges) / float64(o.Facts.Pages)
	if u.TimeCPU = s.Unseen > safetyShare*page; u.TimeCPU {
		s.Unseen = 0
	}
	u.TimeCPU = u.TimeCPU && o.Facts.Device != GPU
	return u, s
}
