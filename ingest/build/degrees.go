package build

import (
	"encoding/binary"
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/garaph/garaph/internal/hostmem"
)

// degrees counts edges by provisional number. Counting in one array from many
// goroutines takes a locked instruction an edge, each a cache miss that nothing
// overlaps; so each goroutine has a byte for the low numbers, and carries what
// overflows. When all have ended, sum adds the bytes up.
type degrees struct {
	total []uint32
	own   uint32 // numbers below it have bytes of each goroutine

	mu     sync.Mutex
	closed []*tally // guarded by mu
}

// newDegrees counts edges of n provisional numbers.
func newDegrees(own uint32, n uint64) (*degrees, error) {
	total, err := hostmem.Sparse[uint32](int64(n))
	if err != nil {
		return nil, fmt.Errorf("degrees: %w", err)
	}
	return &degrees{total: total, own: own}, nil
}

func (d *degrees) free() {
	if d != nil {
		hostmem.Free(d.total)
		d.total = nil
		d.dropAll()
	}
}

func (d *degrees) dropAll() {
	for _, t := range d.closed {
		t.drop()
	}
	d.closed = nil
}

// sumStep is the number of numbers a goroutine adds up at once.
const sumStep = 1 << 18

// sum completes the degrees, after all tallies were closed. nil is fine.
func (d *degrees) sum() error {
	if d == nil {
		return nil
	}
	top, over := uint32(0), false
	for _, t := range d.closed {
		top, over = max(top, t.top), over || t.over
	}
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	var overs atomic.Bool
	for from := uint64(0); from < uint64(top); from += sumStep { // which goes beyond 32 bits
		g.Go(func() error {
			for _, t := range d.closed {
				if to := min(from+sumStep, uint64(t.top)); from < to && addBytes(d.total[from:to], t.bytes[from:to]) {
					overs.Store(true)
				}
			}
			return nil
		})
	}
	_ = g.Wait() // none has an error
	d.dropAll()
	if over || overs.Load() {
		return fmt.Errorf("import: a vertex has more than %d edges in one direction: degrees have 32 bits",
			uint32(math.MaxUint32))
	}
	return nil
}

// addBytes adds degrees, each in a number of bytes, to totals, and reports whether one overflows.
// Totals of eight zeros take no memory where they had none.
func addBytes(totals []uint32, bytes []uint8) (over bool) {
	add := func(totals []uint32, bytes []uint8) {
		totals = totals[:len(bytes)]
		for i, n := range bytes {
			sum := totals[i] + uint32(n)
			over = over || sum < uint32(n)
			totals[i] = sum
		}
	}
	for ; len(bytes) >= 8; totals, bytes = totals[8:], bytes[8:] {
		if binary.LittleEndian.Uint64(bytes) != 0 {
			add(totals, bytes[:8])
		}
	}
	add(totals, bytes)
	return over
}

// of returns the degree of t, after sum.
func (d *degrees) of(t uint32) uint32 {
	if d == nil {
		return 0
	}
	return d.total[t]
}

// tally is the counting of one goroutine.
type tally struct {
	*degrees
	bytes []uint8
	top   uint32 // beyond the largest number counted in bytes
	over  bool   // a degree does not fit into 32 bits
}

func (d *degrees) tally() (*tally, error) {
	bytes, err := hostmem.Sparse[uint8](int64(d.own) + 1)
	if err != nil {
		return nil, fmt.Errorf("degrees: %w", err)
	}
	return &tally{degrees: d, bytes: bytes}, nil
}

// add counts one edge of each of the numbers, the largest of which is top.
func (t *tally) add(numbers []uint32, top uint32) {
	bytes := t.bytes[:t.own]
	for len(numbers) > 0 {
		n := count(bytes, numbers)
		if n == len(numbers) {
			break
		}
		t.addOne(numbers[n])
		numbers = numbers[n+1:]
	}
	t.rise(top)
}

// count counts numbers in bytes, up to the first that has none or whose byte is full: their number.
// Its loop calls nothing, so that all it needs is in registers.
func count(bytes []uint8, numbers []uint32) int {
	for i, v := range numbers {
		if v >= uint32(len(bytes)) || bytes[v] == math.MaxUint8 {
			return i
		}
		bytes[v]++
	}
	return len(numbers)
}

// addOne counts one edge of a number.
func (t *tally) addOne(v uint32) {
	if v >= t.own {
		t.carry(v, 1)
		return
	}
	t.bytes[v]++
	if t.bytes[v] == 0 {
		t.carry(v, 256)
	}
}

// rise notes that numbers up to top are counted.
func (t *tally) rise(top uint32) { t.top = max(t.top, uint32(min(uint64(t.own), uint64(top)+1))) }

// addBlock counts the destinations of a block.
func (t *tally) addBlock(data *buffer, n int, form recordForm) {
	bytes := t.bytes[:t.own]
	for i := 0; i < n; {
		var v uint32
		if i, v = countBlock(bytes, data, i, n, form); i < n {
			t.addOne(v)
			i += int(form.step)
		}
	}
}

// countBlock is like count, for the destinations of a block's bytes [i, n). It returns where it ended, and
// the destination there.
func countBlock(bytes []uint8, data *buffer, i, n int, form recordForm) (int, uint32) {
	base, low, step := form.base, uint32(1)<<form.low-1, int(form.step)
	for ; i < n; i += step {
		v := base + binary.LittleEndian.Uint32(data[i:i+4])&low
		if v >= uint32(len(bytes)) || bytes[v] == math.MaxUint8 {
			return i, v
		}
		bytes[v]++
	}
	return n, 0
}

func (t *tally) carry(v, n uint32) {
	if atomic.AddUint32(&t.total[v], n) < n {
		t.over = true
	}
}

// drop frees the tally, and forgets what it counted. nil is fine.
func (t *tally) drop() {
	if t != nil {
		hostmem.Free(t.bytes)
		t.bytes = nil
	}
}

// close ends the counting; sum will add what the bytes hold.
func (t *tally) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.degrees.closed = append(t.degrees.closed, t)
}
