package page

import (
	"bytes"
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// kept returns an empty log with a size and a number of runs.
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

// TestKeptRuns checks that what is found of a run is what was added last, with rows that did not
// go, and the log keeps its size.
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
