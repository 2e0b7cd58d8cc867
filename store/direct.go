package store

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/garaph/garaph/shard"
)

// directBlock is the unit of reads past the page cache, in the file and in memory.
const directBlock = 4096

const cacheLine = 64

// place is where a blob lies on disk. The zero place is unknown.
type place struct {
	file *os.File
	off  int64
}

// StreamShard is [Store.ReadShard] for shards that are read again and again
// because they don't stay in memory: it reads past the system's page cache,
// which a graph larger than memory would only churn, at the price of neither a
// page fault nor a second copy in memory. Where the system cannot do that, it
// reads as ReadShard does.
func (s *Store) StreamShard(dir shard.Direction, i int, dst []byte) (shard.Side, error) {
	p := s.placeOf(dir, i)
	if p.file == nil || !p.read(dst) {
		return s.ReadShard(dir, i, dst) // meets the error again, or not
	}
	side, err := shard.Decode(dst)
	if err == nil {
		_, sum := s.shardKey(dir, i)
		err = s.matches(side, i, binary.LittleEndian.Uint32(dst[60:]), sum)
	}
	if err != nil {
		return shard.Side{}, s.shardError(dir, i, err)
	}
	return side, nil
}

// edges are memory for the blocks at both ends of a blob, of which it has a part
// only: three, with room to begin at a block.
var edges = sync.Pool{New: func() any { return new([4 * directBlock]byte) }}

// read fills dst from the place, and reports whether it could. The system reads
// whole blocks into whole blocks: those inside dst come in one request with the
// edges, then move by less than a block to where they belong.
func (p place) read(dst []byte) bool {
	e := edges.Get().(*[4 * directBlock]byte)
	defer edges.Put(e)
	lead := int(p.off % directBlock)
	head := min((directBlock-lead)%directBlock, len(dst)) // before the first whole block
	from := min(head+toMultiple(dst, head, directBlock), len(dst))
	inner := (len(dst) - from) &^ (directBlock - 1)
	tail := len(dst) - head - inner
	first := e[toMultiple(e[:], 0, directBlock):][:3*directBlock]
	last := first[directBlock:]
	var into [][]byte
	if head > 0 {
		into = append(into, first[:directBlock])
	}
	if inner > 0 {
		into = append(into, dst[from:from+inner])
	}
	if tail > 0 {
		into = append(into, last[:(tail+directBlock-1)&^(directBlock-1)])
	}
	n, err := unix.Preadv(int(p.file.Fd()), into, p.off-int64(lead))
	if err != nil || n < lead+len(dst) {
		return false
	}
	// A long copy to where no cache line begins takes four times as long.
	some := min(inner, toMultiple(dst, head, cacheLine))
	copy(dst[head:], dst[from:from+some])
	copy(dst[head+some:], dst[from+some:from+inner])
	copy(dst[:head], first[lead:])
	copy(dst[head+inner:], last)
	return true
}

// toMultiple is how many bytes behind b[at:] an address is a multiple of size, a
// power of two.
func toMultiple(b []byte, at, size int) int {
	return -int(uintptr(unsafe.Pointer(unsafe.SliceData(b)))+uintptr(at)) & (size - 1)
}

func (s *Store) placeOf(dir shard.Direction, i int) place {
	s.find()
	if s.cat.Symmetric {
		dir = shard.In
	}
	if s.places[dir] == nil {
		return place{}
	}
	return s.places[dir][i]
}

func (s *Store) find() {
	s.locate.Do(func() {
		if err := s.findPlaces(); err != nil {
			s.places = [2][]place{} // read through the page cache
		}
	})
}

// findPlaces learns where the blobs lie. Badger tells no offsets, but gives
// large values as windows into its mapped files, and the system knows which
// file is mapped where.
func (s *Store) findPlaces() error {
	sides := []shard.Direction{shard.In, shard.Out}
	if s.cat.Symmetric {
		sides = sides[:1]
	}
	for _, dir := range sides {
		s.places[dir] = make([]place, len(s.cat.Shards))
		for i := range s.places[dir] {
			err := s.view(shardKey(dir, i), func(b []byte) error {
				if m := s.mappingOf(b); m != nil {
					s.places[dir][i] = place{m.file, m.offset(b)}
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// mapping is a value log in the process's memory.
type mapping struct {
	from, to uintptr
	off      int64
	file     *os.File
}

// offset is where b, which lies in the mapping, lies in the file.
func (m *mapping) offset(b []byte) int64 { return int64(address(b)-m.from) + m.off }

func address(b []byte) uintptr { return uintptr(unsafe.Pointer(&b[0])) }

// mappingOf is the mapping that holds b, a value of this store; nil for a value
// in a table.
func (s *Store) mappingOf(b []byte) *mapping {
	for i := range s.mapped {
		if m := &s.mapped[i]; address(b) >= m.from && address(b)+uintptr(len(b)) <= m.to {
			return m
		}
	}
	return nil
}

// mappings opens the mapped value logs of this store past the page cache.
func (s *Store) mappings() ([]mapping, error) {
	dir, err := filepath.EvalSymlinks(filepath.Join(s.path, dbDir))
	if err == nil {
		dir, err = filepath.Abs(dir)
	}
	if err != nil {
		return nil, err
	}
	f, err := os.Open("/proc/self/maps")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var list []mapping
	for lines := bufio.NewScanner(f); lines.Scan(); {
		name := lines.Text()
		if at := strings.IndexByte(name, '/'); at < 0 || filepath.Dir(name[at:]) != dir || !strings.HasSuffix(name, ".vlog") {
			continue
		}
		m, err := parseMapping(lines.Text())
		if err != nil {
			return nil, err
		}
		name = name[strings.IndexByte(name, '/'):]
		if m.file, err = os.OpenFile(name, os.O_RDONLY|unix.O_DIRECT, 0); err != nil {
			return nil, err
		}
		s.opened = append(s.opened, m.file)
		list = append(list, m)
	}
	return list, nil
}

// parseMapping reads "from-to perms offset device inode path", in hexadecimal.
func parseMapping(line string) (m mapping, err error) {
	fields := strings.Fields(line)
	if len(fields) < 6 {
		return m, fmt.Errorf("unexpected line %q in the list of mappings", line)
	}
	from, to, _ := strings.Cut(fields[0], "-")
	var errs [3]error
	var a, b uint64
	a, errs[0] = strconv.ParseUint(from, 16, 64)
	b, errs[1] = strconv.ParseUint(to, 16, 64)
	m.off, errs[2] = strconv.ParseInt(fields[2], 16, 64)
	m.from, m.to = uintptr(a), uintptr(b)
	return m, errors.Join(errs[:]...)
}
