package ingest

import (
	"encoding/binary"
	"fmt"
	"math"
	"sync/atomic"

	"github.com/garaph/garaph/internal/hostmem"
)

// degrees counts edges by provisional number. Counting in one array from many
// goroutines takes a locked instruction an edge, each a cache miss that nothing
// overlaps; so each goroutine has a byte for the low numbers, and carries what
// overflows.
type degrees struct {
	total []uint32
	own   uint32 // numbers below it have bytes of each goroutine
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
	}
}

// of is the degree of t, after all tallies were closed.
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
func (t *tally) rise(top uint32) { t.top = max(t.top, min(t.own, top+1)) }

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

// countBlock is count for the destinations of a block's bytes [i, n). It returns where it ended, and
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

// close adds what the bytes hold to the totals.
func (t *tally) close() error {
	for v, n := range t.bytes[:t.top] {
		if n > 0 {
			t.carry(uint32(v), uint32(n))
		}
	}
	t.drop()
	if t.over {
		return fmt.Errorf("import: a vertex has more than %d edges in one direction: degrees have 32 bits", uint32(math.MaxUint32))
	}
	return nil
}
