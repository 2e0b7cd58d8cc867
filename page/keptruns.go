package page

import (
	"encoding/binary"

	"github.com/garaph/garaph/shard/packedrows"
)

// keptRuns are runs of a blob that were read and stay, in a log of limited size. One goroutine
// at a time uses them.
//
// When the log is full, runs make room that no level has used for the longest time, but not
// those that this level or the one before has used: where every level uses more than there is
// room for, some stay, and the others are read again.
type keptRuns struct {
	log    []byte   // entries one after another
	place  []uint32 // by run: behind where its entry begins; if 0, it has none
	tidied uint32   // the level in which the log was tidied last
}

const (
	// entryBytes are before the bytes of a run: how many these are, the last level that used
	// it, its number, and which of its rows are not there.
	entryBytes = 4 + 4 + 2 + 2
	// runPlaceBytes is the memory for the place of a run.
	runPlaceBytes = 4
	// oldestLevels is the number of levels that are distinguished.
	oldestLevels = 63
	// allRows of a run.
	allRows = 1<<packedrows.RunVertices - 1
)

// find returns the bytes of a run if the rows in need are there. After this level, rows in done
// need not stay.
func (k *keptRuns) find(run int, need, done uint8, level uint32) []byte {
	if k.place[run] == 0 {
		return nil
	}
	e := k.entry(int(k.place[run]) - 1)
	gone := e[10]
	if gone&need != 0 {
		return nil
	}
	binary.LittleEndian.PutUint32(e[4:], level)
	e[10] = gone | done
	if gone|done == allRows {
		k.place[run] = 0
	}
	return e[entryBytes:]
}

// add keeps a run if there is room for what write appends, up to a capacity, and replaces what
// was kept of it.
func (k *keptRuns) add(run int, done uint8, level uint32, write func(to []byte) ([]byte, bool)) {
	k.place[run] = 0
	if done == allRows || cap(k.log) == 0 {
		return
	}
	begin := len(k.log)
	if !k.append(write) {
		if k.tidied == level {
			return
		}
		k.tidy(level)
		if begin = len(k.log); !k.append(write) {
			return
		}
	}
	e := entry(k.log[begin:])
	binary.LittleEndian.PutUint32(e, uint32(len(e)-entryBytes))
	binary.LittleEndian.PutUint32(e[4:], level)
	binary.LittleEndian.PutUint16(e[8:], uint16(run))
	e[10], e[11] = done, 0
	k.place[run] = uint32(begin + 1)
}

// append appends an entry without its head, and reports whether there was room.
func (k *keptRuns) append(write func(to []byte) ([]byte, bool)) bool {
	begin := len(k.log)
	if begin+entryBytes > cap(k.log) {
		return false
	}
	log, fits := write(k.log[:begin+entryBytes])
	if fits {
		k.log = log
	}
	return fits
}

// tidy removes entries that are not in use, and the oldest others until a quarter of the log is free.
func (k *keptRuns) tidy(level uint32) {
	k.tidied = level
	var bytes [oldestLevels + 1]int // by age
	k.each(func(e entry) { bytes[e.age(level)] += len(e) })
	oldest, sum := 1, bytes[0]+bytes[1]
	for oldest < oldestLevels && sum+bytes[oldest+1] <= cap(k.log)/4*3 {
		oldest++
		sum += bytes[oldest]
	}
	end := 0
	k.each(func(e entry) {
		if e.age(level) > oldest {
			k.place[e.run()] = 0
			return
		}
		k.place[e.run()] = uint32(end + 1)
		end += copy(k.log[end:], e)
	})
	k.log = k.log[:end]
}

// each calls f for all entries that are in use, which may move to where others were.
func (k *keptRuns) each(f func(e entry)) {
	for at := 0; at < len(k.log); {
		e := k.entry(at)
		next := at + len(e)
		if k.place[e.run()] == uint32(at+1) {
			f(e)
		}
		at = next
	}
}

// entry returns the entry that begins at a place.
func (k *keptRuns) entry(at int) entry {
	e := k.log[at:]
	return e[:entryBytes+int(binary.LittleEndian.Uint32(e))]
}

// entry is a run in the log.
type entry []byte

func (e entry) run() int { return int(binary.LittleEndian.Uint16(e[8:])) }

// age returns the number of levels since its last use.
func (e entry) age(level uint32) int {
	return int(min(level-binary.LittleEndian.Uint32(e[4:]), oldestLevels))
}
