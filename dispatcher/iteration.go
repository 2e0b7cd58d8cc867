package dispatcher

import (
	"time"

	"github.com/garaph/garaph/cpuengine"
	"github.com/garaph/garaph/dispatcher/handout"
	"github.com/garaph/garaph/dispatcher/policy"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gpuengine"
	"github.com/garaph/garaph/page"
)

// iteration is one in hand, and what its report will say.
type iteration struct {
	Iteration
	step     gas.Step
	ends     bool // it is the last one that the options allow
	alone    bool // one GPU does it, and the others do not get its values
	began    time.Time
	worked   time.Time // when its work began
	read     int64     // bytes of pages read before it
	streamed int64     // and before the GPUs began
	measured policy.Measurement

	loaded   int64 // bytes of rows for frontiers
	requests []page.Request
	work     *handout.Handout // nil if the CPU does all of it
	byHost   cpuengine.Stats
	byGPUs   gpuengine.Stats
	times    []PageWork     // of the CPU, beside GPUs
	scan     policy.Scanned // likewise
	lost     bool           // a GPU was lost in it
}

// addGPU adds what a GPU did.
func (x *iteration) addGPU(s gpuengine.Stats) {
	sum := &x.byGPUs
	sum.Edges += s.Edges
	sum.Vertices += s.Vertices
	sum.Activated += s.Activated
	sum.Degrees += s.Degrees
	sum.Aggregate += s.Aggregate
	sum.Pages += s.Pages
	sum.Back += s.Back
}
