package page

import (
	"github.com/garaph/garaph/internal/bitset"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packedrows"
	"github.com/garaph/garaph/shard/rows"
	"github.com/garaph/garaph/shard/rowweights"
)

// ActiveRows holds the rows of the active vertices of a shard, in a frame. It is valid until
// Release.
type ActiveRows struct {
	rows     *StoredRows
	from, to uint32     // vertices of the shard
	active   bitset.Set // as their rows were read, from the word of the first one on
	blobs    []byte     // memory for those that do not stay
	sides    []shard.Rows
	codes    []*rowweights.Side // of sides; if nil, none
	buffer   shard.Buffer
	runs     []neededRun
	weights  []byte // room for those of a row
}

// neededRun is a run with rows of active vertices.
type neededRun struct {
	run  int
	done uint8  // rows that need not stay
	kept []byte // what stayed of it; if nil, it was read
}

// Release returns the frame.
func (p *ActiveRows) Release() {
	p.buffer.Side = nil // it may have other bytes the next time
	p.rows.frames <- p
}

// next returns the first active vertex from v on.
func (p *ActiveRows) next(v uint32) (uint32, bool) {
	first := p.from &^ 63
	v, ok := p.active.Next(v-first, p.to-first)
	return first + v, ok
}

// Each calls row with the rows of active vertices, one of each side. The lists are valid until the
// next call; weights are empty if the rows have none.
func (p *ActiveRows) Each(row func(v uint32, list []uint32, weights shard.Plane)) {
	needed := 0
	for v, ok := p.next(p.from); ok; v, ok = p.next(v + 1) {
		needed += p.rowsTo(v, row)
	}
	p.rows.needed.Add(int64(needed))
}

// Drain removes the vertices of the shard from a set, until it has none, and calls row with the rows of each. Others
// may add vertices meanwhile. Shards must be read whole.
func (p *ActiveRows) Drain(active bitset.Set, row func(v uint32, list []uint32, weights shard.Plane)) {
	needed := 0
	for v, ok := active.NextNow(p.from, p.to); ok; {
		active.Remove(v)
		needed += p.rowsTo(v, row)
		if v, ok = active.NextNow(v+1, p.to); !ok {
			v, ok = active.NextNow(p.from, p.to)
		}
	}
	p.rows.needed.Add(int64(needed))
}

// rowsTo calls row with the rows of a vertex, and returns how many bytes these have.
func (p *ActiveRows) rowsTo(v uint32, row func(v uint32, list []uint32, weights shard.Plane)) (needed int) {
	for k, side := range p.sides {
		list := side.Row(int(v-p.from), &p.buffer)
		bytes, before := p.buffer.At-p.buffer.From, p.buffer.Before // of its run
		if _, plain := side.(*rows.Side); plain {
			bytes, before = 4*len(list), 0
		}
		needed += bytes
		var weights shard.Plane
		if codes := p.codes[k]; codes != nil {
			weights = shard.ViewPlane(p.weights, 0, len(list), p.rows.cat.WeightBytes())
			if p.to-p.from > 1 {
				i, _, _ := codes.Run(int(v - p.from))
				before += codes.First(i)
			}
			codes.Fill(weights, before)
			needed += len(list) * codes.CodeBytes()
		}
		row(v, list, weights)
	}
	return needed
}

// fill reads what is missing of the rows of a shard's active vertices. If there are none, it leaves active empty.
func (p *ActiveRows) fill(i int, active bitset.Set) error {
	r := p.rows
	info := &r.cat.Shards[i]
	p.from, p.to = info.First, info.First+uint32(info.Vertices)
	p.active = active.AppendPart(p.active[:0], p.from, p.to)
	if _, some := p.next(p.from); !some {
		p.active = p.active[:0]
		return nil
	}
	p.sides, p.codes = p.sides[:0], p.codes[:0]
	at := int64(0)
	for _, b := range r.shards[i] {
		memory := b.memory
		if memory == nil {
			at = place(at, b.bytes)
			memory = p.blobs[at:][:b.bytes:b.bytes]
			at += b.bytes
		}
		side, err := p.readBlob(b, i, memory)
		if err != nil {
			return err
		}
		switch side := side.(type) {
		case shard.Rows:
			p.sides, p.codes = append(p.sides, side), append(p.codes, nil)
		case *rowweights.Side:
			p.codes[len(p.codes)-1] = side
		}
	}
	return nil
}

// readBlob returns a blob in memory, with what active vertices need of it.
func (p *ActiveRows) readBlob(b *storedBlob, i int, memory []byte) (any, error) {
	r := p.rows
	if b.headBytes == 0 {
		if b.whole != nil {
			return b.whole, nil
		}
		side, err := r.store.ReadShard(b.dir, i, memory)
		r.read.Add(b.bytes)
		if b.memory != nil && err == nil {
			b.whole = side
		}
		return side, err
	}
	if b.side == nil {
		if err := r.readHead(b, i); err != nil {
			return nil, err
		}
	}
	var side runSide
	switch x := b.side.(type) {
	case *packedrows.Side:
		side = x.In(memory)
	case *rowweights.Side:
		side = x.In(memory)
	}
	return side, p.readRuns(b, i, side, memory)
}

// readHead reads the index of a blob.
func (r *StoredRows) readHead(b *storedBlob, i int) error {
	err := r.store.ReadPart(b.dir, i, 0, b.head, false)
	if err != nil {
		return err
	}
	if !r.Direct { // others of its rows will be needed
		r.store.Prefetch(b.dir, i, b.bytes)
	}
	r.read.Add(b.headBytes)
	var side shard.Side
	if b.dir >= shard.OutWeights {
		var x *rowweights.Side
		x, err = rowweights.DecodeHead(b.head, b.bytes)
		b.side, side = x, x
	} else {
		var x *packedrows.Side
		x, err = packedrows.DecodeHead(b.head, b.bytes)
		b.side, side = x, x
	}
	if err == nil {
		err = r.store.Catalogue().Matches(b.dir, i, side.Header())
	}
	if err != nil {
		b.side = nil
		return r.store.ShardError(b.dir, i, err)
	}
	return nil
}

// readRuns brings the runs of active vertices to their places: it reads those that are not
// kept, near ones at once, checks them, and keeps them.
func (p *ActiveRows) readRuns(b *storedBlob, i int, side runSide, memory []byte) error {
	r := p.rows
	var begin, end int64
	near, block := int64(nearBytes), int64(1)
	if r.Direct {
		near, block = nearDirect, blockBytes
	}
	read := func() error {
		r.read.Add(end - begin)
		return r.store.ReadPart(b.dir, i, begin, memory[begin:end], r.Direct)
	}
	p.runs = p.runs[:0]
	for v, ok := p.next(p.from); ok; {
		run, from, to := side.Run(int(v - p.from))
		rows, none := p.rowsOf(run)
		x := neededRun{run: run}
		if !r.stay {
			x.done = rows | none
		}
		x.kept = b.kept.find(run, rows, x.done, r.level)
		p.runs = append(p.runs, x)
		if x.kept == nil {
			from, to = from&^(block-1), min((to+block-1)&^(block-1), b.bytes)
			if end > begin && from-end > near {
				if err := read(); err != nil {
					return err
				}
				end = begin
			}
			if end == begin {
				begin = from
			}
			end = to
		}
		next := uint32(run+1) * packedrows.RunVertices
		if next >= p.to-p.from {
			break
		}
		v, ok = p.next(p.from + next)
	}
	if end > begin {
		if err := read(); err != nil {
			return err
		}
	}
	return p.placeRuns(b, i, side, memory)
}

// rowsOf returns which rows of a run are those of active vertices, and which the last run lacks.
func (p *ActiveRows) rowsOf(run int) (rows, none uint8) {
	first := p.from + uint32(run)*packedrows.RunVertices
	for k := range uint32(packedrows.RunVertices) {
		switch v := first + k; {
		case v >= p.to:
			none |= 1 << k
		case p.active.Has(v - p.from&^63):
			rows |= 1 << k
		}
	}
	return rows, none
}

// placeRuns copies what was kept to its place, and checks and keeps what was read.
func (p *ActiveRows) placeRuns(b *storedBlob, i int, side runSide, memory []byte) error {
	r := p.rows
	for _, x := range p.runs {
		if x.kept != nil {
			_, from, _ := side.Run(x.run * packedrows.RunVertices)
			copy(memory[from:], x.kept)
		}
	}
	for _, x := range p.runs {
		if x.kept != nil {
			continue
		}
		if err := side.CheckRun(x.run, r.cat.Vertices); err != nil {
			return r.store.ShardError(b.dir, i, err)
		}
		b.kept.add(x.run, x.done, r.level, func(to []byte) ([]byte, bool) { return side.AppendRun(to, x.run, x.done) })
	}
	return nil
}
