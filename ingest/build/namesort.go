package build

import (
	"bufio"
	"bytes"
	"container/heap"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"

	"github.com/garaph/garaph/ingest/read"
	"github.com/garaph/garaph/internal/hostmem"
)

// nameSort sorts names, each with a number, within a bounded memory: what fills
// it is sorted and written to a file as a run, and the runs are merged at the
// end. The file has no name, so that it goes with the process.
type nameSort struct {
	dir   string
	room  int               // bytes of names in memory
	space func(int64) error // reports a full disk before it is one

	mu   sync.Mutex   // guards the rest, until each
	text []byte       // outside the Go heap, as is list
	list []placedName // of the names in text
	file *os.File     // nil before the first run
	end  int64        // of the file
	runs []nameRun
	err  error // the first one; each gives it
}

// placedName is a name in nameSort.text.
type placedName struct {
	at, number uint32
	len        uint16
}

// nameRun is a part of the file: for each name its number (u32), its length
// (u16) and its bytes, in the order of the names.
type nameRun struct{ from, to int64 }

const (
	placedNameBytes = 12
	nameHead        = 4 + 2
	mergeBuffer     = 64 << 10 // of each run that is merged
	leastMerged     = 16       // runs at once, however little memory there is
)

// add takes a name that was not added before.
func (s *nameSort) add(name []byte, number uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return
	}
	if s.text == nil {
		if s.err = s.allocate(); s.err != nil {
			return
		}
	}
	if len(s.list) > 0 && len(s.text)+len(name)+placedNameBytes*(len(s.list)+1) > s.room {
		s.err = s.flush()
	}
	s.list = append(s.list, placedName{uint32(len(s.text)), number, uint16(len(name))})
	s.text = append(s.text, name...)
}

// allocate takes addresses for the names in memory, of which those that are used
// take memory.
func (s *nameSort) allocate() error {
	text, err := hostmem.Bytes(int64(s.room) + read.MaxName)
	if err != nil {
		return fmt.Errorf("names: %w", err)
	}
	s.text = text[:0]
	list, err := hostmem.Slice[placedName](s.room/placedNameBytes + 1)
	if err != nil {
		return fmt.Errorf("names: %w", err)
	}
	s.list = list[:0]
	return nil
}

func (s *nameSort) free() {
	hostmem.FreeBytes(s.text[:cap(s.text)])
	hostmem.Free(s.list[:cap(s.list)])
	s.text, s.list = nil, nil
}

func (s *nameSort) name(p placedName) []byte { return s.text[p.at : p.at+uint32(p.len)] }

func (s *nameSort) sort() {
	slices.SortFunc(s.list, func(a, b placedName) int { return bytes.Compare(s.name(a), s.name(b)) })
}

// flush writes what is in memory as a run.
func (s *nameSort) flush() error {
	s.sort()
	err := s.write(int64(len(s.text)+nameHead*len(s.list)), func(put func([]byte, uint32) error) error {
		for _, p := range s.list {
			if err := put(s.name(p), p.number); err != nil {
				return err
			}
		}
		return nil
	})
	s.text, s.list = s.text[:0], s.list[:0]
	hostmem.Drop(s.text[:cap(s.text)]) // many short names may follow a few long ones
	return err
}

// write appends a run of a known size, from the names that fill puts in order.
func (s *nameSort) write(size int64, fill func(put func(name []byte, number uint32) error) error) error {
	err := s.space(size)
	if err != nil {
		return err
	}
	if s.file == nil {
		if s.file, err = os.CreateTemp(s.dir, "names-*"); err == nil {
			err = os.Remove(s.file.Name())
		}
	}
	if err == nil {
		w := bufio.NewWriterSize(io.NewOffsetWriter(s.file, s.end), 256<<10)
		err = fill(func(name []byte, number uint32) error {
			head := binary.LittleEndian.AppendUint32(w.AvailableBuffer(), number)
			head = binary.LittleEndian.AppendUint16(head, uint16(len(name)))
			if _, err := w.Write(head); err != nil {
				return err
			}
			_, err := w.Write(name)
			return err
		})
		if err == nil {
			err = w.Flush()
		}
	}
	if err != nil {
		return fmt.Errorf("write names to the file for sorting: %w", err)
	}
	s.runs = append(s.runs, nameRun{s.end, s.end + size})
	s.end += size
	return nil
}

// each calls f with every name and its number, in the order of the names, and
// ends the use of s.
func (s *nameSort) each(f func(name []byte, number uint32) error) error {
	defer s.close()
	if s.err != nil {
		return s.err
	}
	if len(s.runs) == 0 {
		s.sort()
		for _, p := range s.list {
			if err := f(s.name(p), p.number); err != nil {
				return err
			}
		}
		return nil
	}
	if err := s.flush(); err != nil {
		return err
	}
	s.free()
	for most := max(leastMerged, s.room/mergeBuffer); len(s.runs) > most; {
		some := s.runs[:min(most, len(s.runs)-most+1)]
		s.runs = s.runs[len(some):]
		var size int64
		for _, r := range some {
			size += r.to - r.from
		}
		err := s.write(size, func(put func([]byte, uint32) error) error { return s.merge(some, put) })
		if err != nil {
			return err
		}
	}
	return s.merge(s.runs, f)
}

// merge calls f with the names of the runs in order.
func (s *nameSort) merge(runs []nameRun, f func(name []byte, number uint32) error) error {
	var heads runHeap
	for _, r := range runs {
		reader := &runReader{r: bufio.NewReaderSize(io.NewSectionReader(s.file, r.from, r.to-r.from), mergeBuffer)}
		more, err := reader.next()
		if err != nil {
			return err
		}
		if more {
			heads = append(heads, reader)
		}
	}
	heap.Init(&heads)
	for len(heads) > 0 {
		least := heads[0]
		if err := f(least.name, least.number); err != nil {
			return err
		}
		more, err := least.next()
		switch {
		case err != nil:
			return err
		case more:
			heap.Fix(&heads, 0)
		default:
			heap.Pop(&heads)
		}
	}
	return nil
}

// close frees memory and file. It may be called again.
func (s *nameSort) close() {
	s.free()
	s.runs = nil
	if s.file != nil {
		_ = s.file.Close() // it has no name and is read no more
		s.file = nil
	}
}

// runReader reads a run.
type runReader struct {
	r      *bufio.Reader
	name   []byte
	number uint32
}

// next reads a name; false at the end of the run.
func (r *runReader) next() (bool, error) {
	var head [nameHead]byte
	_, err := io.ReadFull(r.r, head[:])
	if err == io.EOF {
		return false, nil
	}
	if err == nil {
		r.number = binary.LittleEndian.Uint32(head[:])
		r.name = slices.Grow(r.name[:0], int(binary.LittleEndian.Uint16(head[4:])))[:binary.LittleEndian.Uint16(head[4:])]
		_, err = io.ReadFull(r.r, r.name)
	}
	if err != nil {
		return false, fmt.Errorf("read names from the file for sorting: %w", err)
	}
	return true, nil
}

// runHeap is a heap of runs by their next names.
type runHeap []*runReader

func (h runHeap) Len() int           { return len(h) }
func (h runHeap) Less(i, j int) bool { return bytes.Compare(h[i].name, h[j].name) < 0 }
func (h runHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *runHeap) Push(x any)        { *h = append(*h, x.(*runReader)) }

func (h *runHeap) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
