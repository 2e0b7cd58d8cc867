package dispatcher

import "github.com/garaph/garaph/page"

// The sides that have values: the host, and the GPUs, all of which have the same.
const (
	host = iota
	onGPUs
)

// placement says which side lacks the newest values of a shard, and the newest active set: at first, none.
type placement struct {
	lacks  [2][]bool // by shard
	behind bool      // GPUs have newer values, or a newer active set, than the host
}

// wrote notes that a side made new values of a shard, which the other one lacks.
func (p *placement) wrote(side, shard int) {
	p.lacks[side][shard], p.lacks[1-side][shard] = false, true
}

// wroteAll notes that the GPUs made new values of all shards, and have the active set.
func (p *placement) wroteAll() {
	for i := range p.lacks[host] {
		p.wrote(onGPUs, i)
	}
	p.behind = true
}

// share notes that both sides have the values of a shard.
func (p *placement) share(shard int) { p.lacks[host][shard], p.lacks[onGPUs][shard] = false, false }

// stale lists the spans of shards of which a side lacks the newest values.
func (p *placement) stale(side int) (list []page.Span) {
	for i, lacks := range p.lacks[side] {
		switch n := len(list); {
		case !lacks:
		case n > 0 && list[n-1].To == i:
			list[n-1].To++
		default:
			list = append(list, page.Span{From: i, To: i + 1})
		}
	}
	return list
}

// rewind makes the host's values and active set the newest ones: those of lost GPUs are gone.
func (p *placement) rewind() {
	for i, lacks := range p.lacks[host] {
		if lacks {
			p.wrote(host, i)
		}
	}
	p.behind = false
}
