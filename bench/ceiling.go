package bench

import (
	"context"
	"errors"
	"math"
	"time"
)

const (
	// leastPasses and leastTime are how often and how long a pass is repeated,
	// at least; mostPasses at most.
	leastPasses = 5
	mostPasses  = 200
	leastTime   = 100 * time.Millisecond
	// gatherShare is the part of the machine's memory that the edges of the
	// gather-only ceiling may take.
	gatherShare = 4
	// diskBytes is how much is read from disk.
	diskBytes = 1 << 30
)

// The ceilings, in the order of the report.
const (
	gather4 = iota // gather-only with values of 4 bytes
	gather8        // of 8 bytes
	memoryCopy
	diskRead
	ceilings // how many there are
)

var ceilingNames = [ceilings]string{"gather-only, 4-byte values", "gather-only, 8-byte values", "stream copy", "sequential disk read"}

var ceilingUnits = [ceilings]string{"edges/s", "edges/s", "bytes/s", "bytes/s"}

// speed repeats a pass over an amount, after one that warms up, and returns the
// median of the speeds in units per second.
func speed(ctx context.Context, amount float64, pass func() error) (float64, error) {
	if err := pass(); err != nil {
		return 0, err
	}
	var speeds []float64
	for begin := time.Now(); len(speeds) < mostPasses && (len(speeds) < leastPasses || time.Since(begin) < leastTime); {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		start := time.Now()
		if err := pass(); err != nil {
			return 0, err
		}
		speeds = append(speeds, amount/time.Since(start).Seconds())
	}
	return median(speeds), nil
}

// measureCeiling measures a ceiling once more. One that cannot be had is NaN, and
// the reason is noted.
func (m *measurement) measureCeiling(ctx context.Context, ceiling int) (err error) {
	m.begin(ceilingNames[ceiling])
	v := math.NaN()
	switch ceiling {
	case gather4:
		v, err = gatherCeiling[float32](ctx, m)
	case gather8:
		v, err = gatherCeiling[float64](ctx, m)
	case memoryCopy:
		v, err = copySpeed(ctx, m.machine.copyBytes(), m.opt.Threads)
	case diskRead:
		var cannot error
		if v, cannot = m.graph.Store().SequentialRead(diskBytes, m.opt.Threads); cannot != nil {
			v, m.diskNote = math.NaN(), "cannot be measured: "+cannot.Error()
		}
	}
	m.speeds[ceiling] = append(m.speeds[ceiling], v)
	return errors.Join(err, ctx.Err())
}

// gatherCeiling loads edges for the time of the measurement only, so that the
// programs have the memory.
func gatherCeiling[F float32 | float64](ctx context.Context, m *measurement) (float64, error) {
	e, err := loadEdges(ctx, m.graph.Store(), m.opt.Threads, m.edgeBytes)
	if err != nil {
		return 0, err
	}
	defer e.free()
	m.gathered = e.shards
	return gatherSpeed[F](ctx, e, m.graph.Catalogue().Vertices, m.opt.Threads)
}

// latest is the ceiling as last measured.
func (m *measurement) latest(ceiling int) float64 {
	return m.speeds[ceiling][len(m.speeds[ceiling])-1]
}
