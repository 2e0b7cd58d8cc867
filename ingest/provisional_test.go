package ingest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// TestTurnToMap: an id that is too large for arrays comes when several goroutines have edges
// between small ones, in the middle or at the end, when some of them get no other block.
func TestTurnToMap(t *testing.T) {
	const edges = 120_000 // some blocks of text
	for _, at := range []int{edges / 2, edges - 1} {
		for _, weighted := range []bool{false, true} {
			r := rand.New(rand.NewPCG(1, 2))
			lines, text := make([]line, edges), make([]string, edges)
			for i := range lines {
				l := line{src: strconv.Itoa(1_000_000 + r.IntN(900)), dst: strconv.Itoa(2_000_000 + r.IntN(900)), weight: 1}
				if i == at {
					l.dst = strconv.Itoa(1 << 40)
				}
				lines[i], text[i] = l, fmt.Sprintf("%s %s\n", l.src, l.dst)
				if weighted {
					text[i] = fmt.Sprintf("%s %s 1\n", l.src, l.dst)
				}
			}
			name := filepath.Join(t.TempDir(), "edges.txt")
			if err := os.WriteFile(name, []byte(joined(text)), 0o666); err != nil {
				t.Fatal(err)
			}
			o, err := Options{}.complete()
			if err != nil {
				t.Fatal(err)
			}
			rep, err := importPlanned(t.Context(), []string{name}, name+".graph", o, tinyPlan(3, 50))
			if err != nil {
				t.Fatal(err)
			}
			checkStored(t, name+".graph", o, rep, lines, byNumber, weighted)
		}
	}
}
