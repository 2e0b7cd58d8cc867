package page

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packedrows"
	"github.com/garaph/garaph/shard/rowweights"
	"github.com/garaph/garaph/store"
)

// StoredRows are the rows of a graph where they do not fit into memory: those of active
// vertices are read from the store, a run of rows at once ([packedrows.DecodeHead]), and
// verified. In memory are the indexes, which say where runs are and have their checksums,
// and frames for what is read ahead and worked on, each for a shard. Each shard has its share of
// the memory for runs that stay.
//
// A shard of one vertex may have no runs: it is read whole. Which of these stay is decided
// once, evenly over the graph.
type StoredRows struct {
	WholeRows
	// Once says that vertices are active once, as a rule: rows need not stay that were given.
	Once bool
	// Direct says that rows are read past the system's page cache. [StoredRows.Reserve] sets it where that has no room
	// for them.
	Direct bool

	store  *store.Store
	cat    *store.Catalogue
	whole  bool            // shards are read whole
	shards [][]*storedBlob // by shard: the rows of each side, and behind them their weights
	blobs  []*storedBlob   // of all shards
	frame  frameSize
	owned  [][]byte
	frames chan *ActiveRows
	level  uint32 // how often [StoredRows.Read] was called
	stay   bool   // rows are needed again after this level

	read, needed atomic.Int64
}

// frameSize is what the frames have room for.
type frameSize struct {
	blobs int64 // bytes of the blobs of a shard
	list  int64 // edges of a row that is unpacked
	arcs  int64 // bytes of the weights of a row
}

// bytes returns the memory of a frame.
func (f frameSize) bytes() int64 { return f.blobs + 4*(f.list+unpackSlack) + f.arcs }

// storedBlob is the rows of a side of a shard, or their weights. One goroutine at a time
// uses it.
type storedBlob struct {
	dir       shard.Direction
	bytes     int64   // of the blob
	headBytes int64   // of its head; if 0, it is read whole
	runs      int     // how many it has
	head      []byte  // memory for that
	side      runSide // without memory for runs; if nil, the head was not read yet
	stays     int64   // memory for what stays of it
	kept      keptRuns
	memory    []byte     // where a blob stays that is read whole; if nil, it does not
	whole     shard.Side // in it
}

// runSide is a side that is read by runs.
type runSide interface {
	Run(v int) (i int, from, to int64)
	CheckRun(i int, n uint32) error
	AppendRun(to []byte, i int, drop uint8) ([]byte, bool)
}

const (
	// nearBytes is how much may lie between two runs that are read at once: copying that takes no longer than another
	// read. Past the page cache a read of nearDirect takes no longer than two.
	nearBytes  = 512
	nearDirect = 8 << 10
	// blobBytes is about what a storedBlob takes beside its head.
	blobBytes = 512
	// unpackSlack is room behind a list that a row is unpacked to, in edges.
	unpackSlack = 8
)

// PlanRows returns rows to be read from the store on demand, without memory. The error says why
// they cannot be.
func (w WholeRows) PlanRows(s *store.Store) (*StoredRows, error) {
	cat := s.Catalogue()
	r := &StoredRows{WholeRows: w, store: s, cat: cat, shards: make([][]*storedBlob, len(cat.Shards))}
	for _, dir := range w.Sides {
		is, ok := cat.RowsOf(dir)
		switch {
		case cat.Encoding(is) != packedrows.Version || w.Weighted && len(w.stored(cat, dir)) < 2:
			return nil, errors.New("they are not stored as packed rows")
		case !ok:
			return nil, fmt.Errorf("it has no rows of in-edges; garaph subgraph %s --all --rows makes a graph with them",
				s.Name())
		}
	}
	for i := range cat.Shards {
		if err := r.plan(i); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// plan sees what shard i takes.
func (r *StoredRows) plan(i int) error {
	blobs := int64(0)
	for _, dir := range r.Sides {
		edges := int64(r.cat.SideEdges(dir, i))
		if is, _ := r.cat.RowsOf(dir); r.cat.Shards[i].Vertices > 1 || r.cat.Bytes(is, i) < 4*edges {
			r.frame.list = max(r.frame.list, edges)
		}
		if r.Weighted {
			r.frame.arcs = max(r.frame.arcs, edges*int64(r.cat.WeightBytes()))
		}
		for k, is := range r.stored(r.cat, dir) {
			b := &storedBlob{dir: is, bytes: r.cat.Bytes(is, i)}
			if r.cat.Shards[i].Vertices > 1 {
				n, err := r.headBytes(is, i, k > 0)
				if err != nil {
					return err
				}
				b.headBytes, b.runs = n, packedrows.Runs(r.cat.Shards[i].Vertices)
			}
			blobs = place(blobs, b.bytes) + b.bytes
			r.shards[i], r.blobs = append(r.shards[i], b), append(r.blobs, b)
		}
	}
	r.frame.blobs = max(r.frame.blobs, blobs)
	return nil
}

// headBytes reads the header of a blob, and says how long its head is.
func (r *StoredRows) headBytes(dir shard.Direction, i int, weights bool) (n int64, err error) {
	var header [shard.HeaderBytes]byte
	if err := r.store.ReadHeader(dir, i, header[:]); err != nil {
		return 0, err
	}
	if weights {
		n, err = rowweights.HeadBytes(header[:], r.cat.Bytes(dir, i))
	} else {
		n, err = packedrows.HeadBytes(header[:], r.cat.Bytes(dir, i))
	}
	if err != nil {
		return 0, r.store.ShardError(dir, i, err)
	}
	return n, nil
}

// localSample is the number of shards whose edges show whether these stay in their shards.
const localSample = 8

// Local reports whether most edges lead to vertices of the same shard, as in grids and roads, by a sample. It reports
// false after an error, which comes again where the rows are needed.
func (r *StoredRows) Local() bool {
	buf, err := hostmem.Bytes(r.frame.bytes())
	if err != nil {
		return false
	}
	defer hostmem.FreeBytes(buf)
	inside, all := 0, 0
	n := min(localSample, len(r.shards))
	for k := range n {
		i := k * len(r.shards) / n
		b, info := r.shards[i][0], r.cat.Shards[i]
		side, err := r.store.ReadShard(b.dir, i, buf[:b.bytes:b.bytes])
		if err != nil {
			return false
		}
		list := shard.Buffer{List: shard.View[uint32](buf, r.frame.blobs, int(r.frame.list+unpackSlack))}
		for v := range info.Vertices {
			row := side.(shard.Rows).Row(v, &list)
			for _, u := range row {
				if u-info.First < uint32(info.Vertices) {
					inside++
				}
			}
			all += len(row)
		}
	}
	return 2*inside > all
}

// ReadWhole has all rows of a shard read at once where some are needed: those will lead to others of them. There are
// no indexes in memory then.
func (r *StoredRows) ReadWhole() {
	r.whole = true
	for _, b := range r.blobs {
		b.headBytes, b.runs = 0, 0
	}
}

// Whole reports whether shards are read whole.
func (r *StoredRows) Whole() bool { return r.whole }

// Memory returns the memory of the rows with a number of frames.
func (r *StoredRows) Memory(frames int) int64 { return r.indexBytes() + int64(frames)*r.frame.bytes() }

// indexBytes returns the memory of all indexes.
func (r *StoredRows) indexBytes() (n int64) {
	for _, b := range r.blobs {
		n += b.headBytes + runPlaceBytes*int64(b.runs) + blobBytes
	}
	return n
}

// Symmetric reports whether vertices gather along the same rows.
func (r *StoredRows) Symmetric() bool { return r.cat.SameRows() }

// Wide reports whether weights are wide.
func (r *StoredRows) Wide() bool { return r.cat.Wide }

// Frames returns the number of frames that fit into memory: at least one, and no more than keep
// readers and engine busy.
func (r *StoredRows) Frames(bytes int64) int {
	return int(max(1, min((bytes-r.indexBytes())/r.frame.bytes(), int64(max(1, r.Threads)+Readers))))
}

// Reserve allocates frames, and stay bytes for blobs that stay.
func (r *StoredRows) Reserve(frames int, stay int64) error {
	r.frames = make(chan *ActiveRows, frames)
	r.Direct = r.Direct || !cacheable(r.StoredBytes(), r.Memory(frames)+stay)
	for range frames {
		b, err := r.bytes(r.frame.bytes())
		if err != nil {
			return err
		}
		f := r.frame
		p := &ActiveRows{rows: r, blobs: b[:f.blobs:f.blobs]}
		p.buffer.List = shard.View[uint32](b, f.blobs, int(f.list+unpackSlack))
		p.weights = b[f.blobs+4*(f.list+unpackSlack):]
		r.frames <- p
	}
	heads, err := r.bytes(max(1, r.indexBytes()))
	if err != nil {
		return err
	}
	for _, b := range r.blobs {
		b.head, heads = heads[:b.headBytes:b.headBytes], heads[b.headBytes:]
		b.kept.place = shard.View[uint32](heads, 0, b.runs)
		heads = heads[runPlaceBytes*b.runs:]
	}
	return r.reserveKept(stay)
}

// reserveKept divides the memory for what stays among the blobs, by what they need.
func (r *StoredRows) reserveKept(stay int64) error {
	var seen, kept int64
	share := min(1, float64(stay)/float64(max(1, r.KeptBytes())))
	for _, b := range r.blobs {
		if seen += b.keptBytes(); b.runs > 0 {
			b.stays = int64(share * float64(b.keptBytes()))
		} else if float64(kept+b.bytes) <= float64(seen)*share {
			b.stays = b.bytes
		}
		kept += b.stays
	}
	memory, err := r.bytes(kept)
	for _, b := range r.blobs {
		if b.runs > 0 {
			b.kept.log = memory[:0:b.stays]
		} else if b.stays > 0 {
			b.memory = memory[:b.stays:b.stays]
		}
		memory = memory[b.stays:]
	}
	return err
}

// keptBytes returns the memory in which all of a blob stays.
func (b *storedBlob) keptBytes() int64 { return b.bytes - b.headBytes + entryBytes*int64(b.runs) }

// KeptBytes returns the memory in which all rows can stay.
func (r *StoredRows) KeptBytes() (n int64) {
	for _, b := range r.blobs {
		n += b.keptBytes()
	}
	return n
}

// StoredBytes returns the size of all rows in the store.
func (r *StoredRows) StoredBytes() (n int64) {
	for _, b := range r.blobs {
		n += b.bytes
	}
	return n
}

// bytes takes memory that Close returns.
func (r *StoredRows) bytes(n int64) ([]byte, error) {
	b, err := hostmem.Bytes(n)
	if err == nil {
		r.owned = append(r.owned, b)
	}
	return b, err
}

// Close frees the memory. No reader may be in use.
func (r *StoredRows) Close() {
	for _, b := range r.owned {
		hostmem.FreeBytes(b)
	}
	r.owned, r.shards, r.blobs = nil, nil, nil
}

// Counts returns the number of bytes read from the store, and the size of the rows returned.
func (r *StoredRows) Counts() (read, needed int64) { return r.read.Load(), r.needed.Load() }
