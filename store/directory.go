package store

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/dgraph-io/badger/v4"

	"github.com/garaph/garaph/shard"
)

// The directory has, for each shard and each block of ids, its size and
// where its blob lies in the payload. Its records have limited numbers of entries.
const (
	shardsInRecord = 512
	blocksInRecord = 1 << 12

	shardEntryBytes = 64
	sideEntryBytes  = 24 // behind it, for each further side
	blockEntryBytes = 20
)

var catalogueKey = []byte("catalogue")

// stored is the catalogue as Badger has it: the parts that grow with the graph are in the
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

// besides returns the sides behind Out, in the order of their entries.
func (c *Catalogue) besides() []shard.Direction {
	return slices.DeleteFunc(c.Sides(), func(d shard.Direction) bool { return d < shard.InRows })
}

// directoryBytes returns the size of all entries.
func (c *Catalogue) directoryBytes() int64 {
	return int64(len(c.Shards))*int64(shardEntryBytes+len(c.besides())*sideEntryBytes) +
		int64(len(c.IDs.Blocks))*blockEntryBytes
}

// writeDirectory puts the catalogue and the directory into an empty Badger.
func writeDirectory(put func(key, value []byte) error, c *Catalogue) error {
	le := binary.LittleEndian
	besides := c.besides()
	err := putRecords(put, len(c.Shards), shardsInRecord, shardsKey, kindShards, func(b []byte, i int) []byte {
		s := &c.Shards[i]
		for _, x := range [...]uint32{s.First, uint32(s.Vertices), s.In, s.Out, s.InSum, s.OutSum} {
			b = le.AppendUint32(b, x)
		}
		for _, e := range s.Blobs {
			b = e.append(b)
		}
		b = le.AppendUint32(le.AppendUint32(b, s.degrees[0]), s.degrees[1])
		for _, dir := range besides {
			e := s.beside[dir-shard.InRows]
			b = le.AppendUint32(le.AppendUint32(e.append(b), e.sum), 0)
		}
		return b
	})
	if err == nil {
		err = putRecords(put, len(c.IDs.Blocks), blocksInRecord, blocksKey, kindBlocks, func(b []byte, i int) []byte {
			return c.IDs.places[i].append(le.AppendUint32(b, c.IDs.Blocks[i]))
		})
	}
	if err != nil {
		return err
	}
	out := stored{Catalogue: c}
	out.Directory.Shards, out.Directory.Blocks = len(c.Shards), len(c.IDs.Blocks)
	b, err := json.Marshal(&out)
	if err != nil {
		return fmt.Errorf("encode the catalogue: %w", err)
	}
	kind := uint32(kindCatalogue)
	if c.Order() != ByInput {
		kind = kindOrdered
	}
	return put(catalogueKey, seal(kind, b))
}

// putRecords puts n entries into records.
func putRecords(put func(key, value []byte) error, n, inRecord int, key func(int) []byte, kind uint32,
	entry func(b []byte, i int) []byte) error {
	var b []byte
	for at := 0; at < n; at += inRecord {
		b = b[:0]
		for i := at; i < min(n, at+inRecord); i++ {
			b = entry(b, i)
		}
		if err := put(key(at/inRecord), seal(kind, b)); err != nil {
			return err
		}
	}
	return nil
}

// readDirectory reads the output of writeDirectory, of a graph with a payload and a Badger of the given sizes.
func readDirectory(txn *badger.Txn, payload, db int64) (*Catalogue, error) {
	in := stored{Catalogue: new(Catalogue)}
	b, err := record(txn, catalogueKey, kindCatalogue, nil)
	if ordered, e := record(txn, catalogueKey, kindOrdered, nil); e == nil {
		b, err = ordered, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(b, &in); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	c := in.Catalogue
	le := binary.LittleEndian
	besides := c.besides()
	size := shardEntryBytes + len(besides)*sideEntryBytes
	// at once: a slice that grows leaves garbage
	c.Shards = make([]ShardInfo, 0, max(0, min(in.Directory.Shards, int(db)/size)))
	err = records(txn, in.Directory.Shards, shardsInRecord, size, shardsKey, kindShards, func(b []byte) {
		s := ShardInfo{
			First: le.Uint32(b), Vertices: int(le.Uint32(b[4:])), In: le.Uint32(b[8:]), Out: le.Uint32(b[12:]),
			InSum: le.Uint32(b[16:]), OutSum: le.Uint32(b[20:]),
			degrees: [2]uint32{le.Uint32(b[56:]), le.Uint32(b[60:])},
		}
		s.Blobs[shard.In], s.Blobs[shard.Out] = extentOf(b[24:]), extentOf(b[40:])
		if len(besides) > 0 {
			s.beside = new([shard.Sides - shard.InRows]sidePlace)
		}
		for k, dir := range besides {
			b := b[shardEntryBytes+k*sideEntryBytes:]
			s.beside[dir-shard.InRows] = sidePlace{extentOf(b), le.Uint32(b[16:])}
		}
		c.Shards = append(c.Shards, s)
	})
	if err == nil {
		err = records(txn, in.Directory.Blocks, blocksInRecord, blockEntryBytes, blocksKey, kindBlocks, func(b []byte) {
			c.IDs.Blocks, c.IDs.places = append(c.IDs.Blocks, le.Uint32(b)), append(c.IDs.places, extentOf(b[4:]))
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

// checkPlaces reports blobs that cannot be where the directory says.
func (c *Catalogue) checkPlaces(payload int64) error {
	for i := range c.Shards {
		s := &c.Shards[i]
		for _, dir := range c.Sides() {
			e, behind := c.Blob(dir, i), int64(0)
			err := e.check(payload)
			if dir < shard.InRows { // others have no degrees
				behind = int64(s.degrees[dir])
				if err == nil && (behind <= degreesHead || behind > payload-e.end()) {
					err = fmt.Errorf("%w: the directory has %d bytes of degrees at %d, and %s has %d", ErrDamaged, behind, e.end(),
						payloadFile, payload)
				}
			}
			// More than any encoding or degrees use: such memory is not allocated.
			if most := 4<<10 + 4*int64(s.Vertices) + 24*int64(c.SideEdges(dir, i)); err == nil && max(e.Bytes, behind) > most {
				err = fmt.Errorf("%w: the directory has %d and %d bytes for %d vertices and %d edges", ErrDamaged, e.Bytes,
					behind, s.Vertices, c.SideEdges(dir, i))
			}
			if err != nil {
				return fmt.Errorf("shard %d (%s side): %w", i, dir, err)
			}
		}
	}
	for _, e := range slices.Concat(c.IDs.places, c.Ordering.Blocks) {
		if err := e.check(payload); err != nil {
			return err
		}
	}
	return nil
}

// records calls read for each of n entries of a fixed size, in order.
func records(txn *badger.Txn, n, inRecord, size int, key func(int) []byte, kind uint32, read func(b []byte)) error {
	buffer := make([]byte, envelopeBytes+inRecord*size)
	for at := 0; at < n; at += inRecord {
		b, err := record(txn, key(at/inRecord), kind, buffer)
		if err != nil {
			return err
		}
		if want := min(inRecord, n-at) * size; len(b) != want {
			return fmt.Errorf("%w: %q has %d bytes, expected %d", ErrDamaged, key(at/inRecord), len(b), want)
		}
		for entry := range slices.Chunk(b, size) {
			read(entry)
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
	return unseal(kind, b) // Badger returns an empty slice for a value that it cannot read
}

// An envelope carries the blobs that are not shards: 32 bytes of header, then
// the payload. docs/format-store.md draws it.
const (
	envelopeBytes   = 32
	envelopeVersion = 1
)

var envelopeMagic = [8]byte{'G', 'A', 'R', 'A', 'P', 'H', 'B', 'L'}

// seal puts a payload of the given kind into an envelope.
func seal(kind uint32, payload []byte) []byte {
	b := make([]byte, envelopeBytes, envelopeBytes+len(payload))
	copy(b, envelopeMagic[:])
	le := binary.LittleEndian
	le.PutUint32(b[8:], envelopeVersion)
	le.PutUint32(b[12:], kind)
	le.PutUint64(b[16:], uint64(len(payload)))
	le.PutUint32(b[24:], shard.Checksum(payload))
	le.PutUint32(b[28:], shard.Checksum(b[:28]))
	return append(b, payload...)
}

// unseal checks an envelope and returns the payload, a window into b.
func unseal(kind uint32, b []byte) ([]byte, error) {
	le := binary.LittleEndian
	switch {
	case len(b) < envelopeBytes:
		return nil, fmt.Errorf("%w: %d bytes are too few for a header", ErrDamaged, len(b))
	case [8]byte(b[:8]) != envelopeMagic:
		return nil, fmt.Errorf("%w: it begins with %q", ErrDamaged, b[:8])
	case shard.Checksum(b[:28]) != le.Uint32(b[28:]):
		return nil, fmt.Errorf("%w: checksum mismatch in the header", ErrDamaged)
	case le.Uint32(b[8:]) != envelopeVersion:
		return nil, fmt.Errorf("%w: version %d, this program reads version %d", ErrDamaged, le.Uint32(b[8:]), envelopeVersion)
	case le.Uint32(b[12:]) != kind || le.Uint64(b[16:]) != uint64(len(b)-envelopeBytes):
		return nil, fmt.Errorf("%w: kind %d of %d bytes, expected kind %d of %d bytes", ErrDamaged,
			le.Uint32(b[12:]), le.Uint64(b[16:]), kind, len(b)-envelopeBytes)
	}
	payload := b[envelopeBytes:]
	if shard.Checksum(payload) != le.Uint32(b[24:]) {
		return nil, fmt.Errorf("%w: checksum mismatch in the payload", ErrDamaged)
	}
	return payload, nil
}
