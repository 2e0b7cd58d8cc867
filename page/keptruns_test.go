package page

import (
	"bytes"
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// kept is an empty log of so many bytes, for so many runs.
func kept(runs, size int) *keptRuns {
	return &keptRuns{place: make([]uint32, runs), log: make([]byte, 0, size)}
}

// put adds what a run has.
func (k *keptRuns) put(run int, done uint8, level uint32, content []byte) {
	k.add(run, done, level, func(to []byte) ([]byte, bool) {
		if len(to)+len(content) > cap(to) {
			return to, false
		}
		return append(to, content...), true
	})
}

// TestKeptRuns: what is found of a run is what was added last, with rows that did not go, and
// the log keeps its size.
func TestKeptRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const runs = 20
		size := rapid.IntRange(0, 900).Draw(t, "size")
		k := kept(runs, size)
		content, gone := map[int][]byte{}, map[int]uint8{}
		for level := range uint32(rapid.IntRange(1, 100).Draw(t, "levels")) {
			for _, run := range rapid.SliceOfN(rapid.IntRange(0, runs-1), 1, 10).Draw(t, "runs") {
				need := rapid.Uint8Range(1, allRows).Draw(t, "needed")
				done := need * uint8(rapid.IntRange(0, 1).Draw(t, "once"))
				if got := k.find(run, need, done, level); got != nil {
					if gone[run]&need != 0 || !bytes.Equal(got, content[run]) {
						t.Fatalf("run %d, rows %b: found %q, want %q without %b", run, need, got, content[run], gone[run])
					}
					gone[run] |= done
					continue
				}
				content[run] = fmt.Appendf(nil, "%d in %d%*s", run, level, rapid.IntRange(0, 60).Draw(t, "bytes"), "")
				gone[run] = done
				k.put(run, done, level, content[run])
			}
		}
		if cap(k.log) != size {
			t.Fatalf("the log has room for %d bytes, it had for %d", cap(k.log), size)
		}
	})
}

// TestKeptLately: the runs of the last levels stay while others come once each, and of runs that
// every level uses, more than have room, the same ones stay.
func TestKeptLately(t *testing.T) {
	const size = 64
	content := make([]byte, size)
	k := kept(1000, 40*(entryBytes+size))
	for level := range uint32(900) {
		for run := int(level); run < int(level)+8; run++ {
			found := k.find(run, 1, 0, level) != nil
			if want := level > 0 && run < int(level)+7; found != want {
				t.Fatalf("level %d: run %d was found: %v", level, run, found)
			}
			if !found {
				k.put(run, 0, level, content)
			}
		}
	}
	for level := uint32(1000); level < 1010; level++ {
		found := 0
		for run := range 100 {
			if k.find(run, 1, 0, level) != nil {
				found++
			} else {
				k.put(run, 0, level, content)
			}
		}
		if level > 1001 && found < 30 {
			t.Errorf("level %d: of 100 runs, with room for 40, %d were found", level, found)
		}
	}
}
