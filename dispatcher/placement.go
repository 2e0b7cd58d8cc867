package dispatcher

import (
	"github.com/garaph/garaph/dispatcher/handout"
	"github.com/garaph/garaph/page"
)

const host = handout.CPU

// placement says which worker made the newest values of each shard, and which
// workers have them. Every shard has a version, which rises with each new one.
type placement struct {
	owner  []int    // by shard: the worker that made its newest values
	newest []uint64 // by shard: their version
	has    [][]uint64
	// active is the worker with the newest active set.
	active int
}

// newPlacement returns a placement in which all workers have all values.
func newPlacement(workers, shards int) *placement {
	p := &placement{owner: make([]int, shards), newest: make([]uint64, shards)}
	for range workers {
		p.has = append(p.has, make([]uint64, shards))
	}
	return p
}

// wrote notes that a worker made new values of a shard, which no other has.
func (p *placement) wrote(worker, shard int) {
	p.newest[shard]++
	p.owner[shard] = worker
	p.has[worker][shard] = p.newest[shard]
}

// wroteAll notes that a worker made new values of all shards and has the active set, which no other
// has.
func (p *placement) wroteAll(worker int) {
	for i := range p.newest {
		p.wrote(worker, i)
	}
	p.active = worker
}

// copied notes that a worker has got the newest values of a shard.
func (p *placement) copied(worker, shard int) { p.has[worker][shard] = p.newest[shard] }

// shared notes that a worker made new values of a shard, and that all have them.
func (p *placement) shared(worker, shard int) {
	p.wrote(worker, shard)
	for w := range p.has {
		p.copied(w, shard)
	}
}

// current reports whether a worker has the newest values of a shard.
func (p *placement) current(worker, shard int) bool {
	return p.has[worker][shard] == p.newest[shard]
}

// stale lists the spans of shards of which a worker does not have the newest values.
func (p *placement) stale(worker int) (list []page.Span) {
	for i := range p.newest {
		switch n := len(list); {
		case p.current(worker, i):
		case n > 0 && list[n-1].To == i:
			list[n-1].To++
		default:
			list = append(list, page.Span{From: i, To: i + 1})
		}
	}
	return list
}

// behind reports whether a GPU has newer values, or a newer active set, than the host.
func (p *placement) behind() bool { return p.active != host }

// rewind makes the host's values and active set the newest ones: those of a lost GPU are gone.
func (p *placement) rewind() {
	for i := range p.newest {
		if !p.current(host, i) {
			p.wrote(host, i)
		}
	}
	p.active = host
}
