package store

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/dgraph-io/badger/v4"

	"github.com/garaph/garaph/shard"
)

// The directory says, of each shard and of each block of ids, what it holds and
// where its blob lies in the payload. Records of it have up to so many entries.
const (
	shardsInRecord = 512
	blocksInRecord = 1 << 12

	shardEntryBytes = 64
	sideEntryBytes  = 24 // behind it, for each further side
	blockEntryBytes = 20
)

// stored is the catalogue as Badger has it: what grows with the graph stands in the
// directory.
type stored struct {
	*Catalogue
	Directory struct {
		Shards int `json:"shards"`
		Blocks int `json:"id_blocks"`
	} `json:"directory"`
}

func shardsKey(record int) []byte {
	return binary.BigEndian.AppendUint32([]byte("shards/"), uint32(record))
}

func blocksKey(record int) []byte {
	return binary.BigEndian.AppendUint32([]byte("blocks/"), uint32(record))
}

// besides are the sides behind Out, in the order of their entries.
func (c *Catalogue) besides() []shard.Direction {
	return slices.DeleteFunc(c.Sides(), func(d shard.Direction) bool { return d < shard.InRows })
}

// writeDirectory puts the catalogue and the directory into an empty Badger.
func writeDirectory(put func(key, value []byte) error, c *Catalogue) error {
	le := binary.LittleEndian
	var b []byte
	besides := c.besides()
	for i := range c.Shards {
		s := &c.Shards[i]
		for _, x := range [...]uint32{s.First, uint32(s.Vertices), s.In, s.Out, s.InSum, s.OutSum} {
			b = le.AppendUint32(b, x)
		}
		for _, e := range s.Blobs {
			b = le.AppendUint64(le.AppendUint64(b, uint64(e.Off)), uint64(e.Bytes))
		}
		b = le.AppendUint32(le.AppendUint32(b, s.degrees[0]), s.degrees[1])
		for _, dir := range besides {
			e := c.beside[dir-shard.InRows][i]
			b = le.AppendUint32(le.AppendUint64(le.AppendUint64(b, uint64(e.Off)), uint64(e.Bytes)), e.sum)
			b = le.AppendUint32(b, 0)
		}
		if last := i+1 == len(c.Shards); last || (i+1)%shardsInRecord == 0 {
			if err := put(shardsKey(i/shardsInRecord), seal(kindShards, b)); err != nil {
				return err
			}
			b = b[:0]
		}
	}
	for i, first := range c.IDs.Blocks {
		e := c.IDs.places[i]
		b = le.AppendUint64(le.AppendUint64(le.AppendUint32(b, first), uint64(e.Off)), uint64(e.Bytes))
		if last := i+1 == len(c.IDs.Blocks); last || (i+1)%blocksInRecord == 0 {
			if err := put(blocksKey(i/blocksInRecord), seal(kindBlocks, b)); err != nil {
				return err
			}
			b = b[:0]
		}
	}
	head := *c
	head.Shards, head.IDs.Blocks = nil, nil
	out := stored{Catalogue: &head}
	out.Directory.Shards, out.Directory.Blocks = len(c.Shards), len(c.IDs.Blocks)
	b, err := json.Marshal(&out)
	if err != nil {
		return fmt.Errorf("encode the catalogue: %w", err)
	}
	return put(catalogueKey, seal(kindCatalogue, b))
}

// readDirectory reads what writeDirectory wrote, of a graph with a payload of so
// many bytes and a Badger of so many.
func readDirectory(txn *badger.Txn, payload, db int64) (*Catalogue, error) {
	in := stored{Catalogue: new(Catalogue)}
	b, err := record(txn, catalogueKey, kindCatalogue, nil)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(b, &in); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	c := in.Catalogue
	c.IDs.Blocks = nil
	le := binary.LittleEndian
	besides := c.besides()
	size := shardEntryBytes + len(besides)*sideEntryBytes
	c.Shards = make([]ShardInfo, 0, max(0, min(in.Directory.Shards, int(db)/size))) // at once: a slice that grows leaves garbage
	err = records(txn, in.Directory.Shards, shardsInRecord, size, shardsKey, kindShards, func(b []byte) error {
		s := ShardInfo{
			First: le.Uint32(b), Vertices: int(le.Uint32(b[4:])), In: le.Uint32(b[8:]), Out: le.Uint32(b[12:]),
			InSum: le.Uint32(b[16:]), OutSum: le.Uint32(b[20:]),
			degrees: [2]uint32{le.Uint32(b[56:]), le.Uint32(b[60:])},
		}
		extent := func(at int) Extent { return Extent{int64(le.Uint64(b[at:])), int64(le.Uint64(b[at+8:]))} }
		s.Blobs[shard.In], s.Blobs[shard.Out] = extent(24), extent(40)
		for k, dir := range besides {
			at, list := shardEntryBytes+k*sideEntryBytes, &c.beside[dir-shard.InRows]
			*list = append(*list, sidePlace{extent(at), le.Uint32(b[at+16:])})
		}
		c.Shards = append(c.Shards, s)
		return nil
	})
	if err == nil {
		err = records(txn, in.Directory.Blocks, blocksInRecord, blockEntryBytes, blocksKey, kindBlocks, func(b []byte) error {
			c.IDs.Blocks = append(c.IDs.Blocks, le.Uint32(b))
			c.IDs.places = append(c.IDs.places, Extent{int64(le.Uint64(b[4:])), int64(le.Uint64(b[12:]))})
			return c.IDs.places[len(c.IDs.places)-1].check(payload)
		})
	}
	if err == nil {
		err = c.check()
	}
	if err == nil {
		err = c.checkPlaces(payload)
	}
	return c, err
}

// checkPlaces reports shards whose blobs cannot be where the directory says.
func (c *Catalogue) checkPlaces(payload int64) error {
	for i := range c.Shards {
		s := &c.Shards[i]
		for _, dir := range c.Sides() {
			e, edges := c.Blob(dir, i), c.SideEdges(dir, i)
			if dir >= shard.InRows { // without degrees
				if err := e.check(payload); err != nil || e.Bytes > mostBytes(s.Vertices, edges) {
					return fmt.Errorf("shard %d (%s side): %w", i, dir, cmp.Or(err, fmt.Errorf("%w: the directory has %d bytes for %d vertices and %d edges", ErrDamaged, e.Bytes, s.Vertices, edges)))
				}
				continue
			}
			behind := int64(s.degrees[dir])
			err := e.check(payload)
			if err == nil && behind > payload-e.end() {
				err = fmt.Errorf("%w: the directory has %d bytes of degrees at %d, and %s has %d", ErrDamaged, behind, e.end(), payloadFile, payload)
			}
			if err == nil && (e.Bytes > mostBytes(s.Vertices, edges) || behind <= degreesHead || behind > degreesBytes(s.Vertices, edges)) {
				err = fmt.Errorf("%w: the directory has %d and %d bytes for %d vertices and %d edges", ErrDamaged, e.Bytes, behind, s.Vertices, edges)
			}
			if err != nil {
				return fmt.Errorf("shard %d (%s side): %w", i, dir, err)
			}
		}
	}
	return nil
}

// mostBytes is more than any encoding takes, so that a forged directory makes nobody
// take the memory for a blob that cannot be: it is decoded after it was read.
func mostBytes(vertices int, edges uint32) int64 {
	return 4<<10 + 4*int64(vertices) + 24*int64(edges)
}

// records calls read for each of n entries of a fixed size, in order.
func records(txn *badger.Txn, n, inRecord, size int, key func(int) []byte, kind uint32, read func(b []byte) error) error {
	buffer := make([]byte, envelopeBytes+inRecord*size)
	for at := 0; at < n; at += inRecord {
		b, err := record(txn, key(at/inRecord), kind, buffer)
		if err != nil {
			return err
		}
		if want := min(inRecord, n-at) * size; len(b) != want {
			return fmt.Errorf("%w: %q has %d bytes, expected %d", ErrDamaged, key(at/inRecord), len(b), want)
		}
		for ; len(b) > 0; b = b[size:] {
			if err := read(b); err != nil {
				return err
			}
		}
	}
	return nil
}

// record reads a value of Badger's into a buffer, which may be nil, and opens its envelope.
func record(txn *badger.Txn, key []byte, kind uint32, buffer []byte) ([]byte, error) {
	item, err := txn.Get(key)
	if errors.Is(err, badger.ErrKeyNotFound) {
		return nil, fmt.Errorf("%w: no %q in the store", ErrDamaged, key)
	}
	if err != nil {
		return nil, err
	}
	b, err := item.ValueCopy(buffer)
	if err != nil {
		return nil, err
	}
	return unseal(kind, b) // Badger gives an empty slice for what it cannot read
}
