package bench

import (
	"context"
	"math"
	"time"

	"github.com/garaph/garaph/store"
)

const (
	// leastPasses and leastTime are how often and how long a pass is repeated,
	// at least; mostPasses at most.
	leastPasses = 5
	mostPasses  = 200
	leastTime   = 200 * time.Millisecond
	// gatherShare is the part of the machine's memory that the edges of the
	// gather-only ceiling may take.
	gatherShare = 4
	// diskBytes is how much is read from disk.
	diskBytes = 1 << 30
)

// Ceiling is a speed of the machine, measured once a round.
type Ceiling struct {
	Name  string  `json:"name"`
	Unit  string  `json:"unit"`            // edges/s or bytes/s
	Speed *Spread `json:"speed,omitempty"` // nil: cannot be measured here, see Note
	Note  string  `json:"note,omitempty"`
}

// The ceilings, in the order in which they are measured.
const (
	gather4 = iota // gather-only with values of 4 bytes
	gather8        // of 8 bytes
	memoryCopy
	diskRead
	ceilings // how many there are
)

var ceilingNames = [ceilings]string{"gather-only, 4-byte values", "gather-only, 8-byte values", "stream copy", "sequential disk read"}

var ceilingUnits = [ceilings]string{"edges/s", "edges/s", "bytes/s", "bytes/s"}

// speed repeats a pass over so much, after one that warms up, and gives the
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

// measureCeilings measures each ceiling once. One that cannot be had is NaN, and
// the reason is noted.
func (m *measurement) measureCeilings(ctx context.Context) (speeds [ceilings]float64, err error) {
	s, threads := m.graph.Store(), m.opt.Threads
	m.begin(ceilingNames[gather4])
	e, err := loadEdges(ctx, s, threads, m.edgeBytes)
	if err != nil {
		return speeds, err
	}
	defer e.free()
	m.gathered = e.shards
	if speeds[gather4], err = gatherSpeed[float32](ctx, e, s.Catalogue().Vertices, threads); err != nil {
		return speeds, err
	}
	m.begin(ceilingNames[gather8])
	if speeds[gather8], err = gatherSpeed[float64](ctx, e, s.Catalogue().Vertices, threads); err != nil {
		return speeds, err
	}
	m.begin(ceilingNames[memoryCopy])
	if speeds[memoryCopy], err = copySpeed(ctx, m.machine.copyBytes(), threads); err != nil {
		return speeds, err
	}
	m.begin(ceilingNames[diskRead])
	speeds[diskRead] = m.diskSpeed(s)
	return speeds, ctx.Err()
}

// diskSpeed is NaN on a file system that cannot be read past the page cache.
func (m *measurement) diskSpeed(s *store.Store) float64 {
	v, err := s.SequentialRead(diskBytes)
	switch {
	case err != nil:
		m.diskNote = "cannot be measured: " + err.Error()
		return math.NaN()
	case v == 0:
		m.diskNote = "cannot be measured: the graph is too small"
		return math.NaN()
	}
	return v
}
