package cli

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/garaph/garaph/internal/testsize"
)

// TestHostile changes whole folders of graphs as one would who wants to harm the
// receiver of a graph, and runs commands over them: with each mutation once (in the
// short form of tests, with every eighth), or for as long as GARAPH_HOSTILE says.
// GARAPH_HOSTILE_CASE is a case to be run alone, GARAPH_HOSTILE_SEED begins a long run elsewhere.
func TestHostile(t *testing.T) {
	t.Parallel()
	h := newHostile(t)
	if text := os.Getenv("GARAPH_HOSTILE_CASE"); text != "" {
		d, err := parseDraw(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, what := range h.try(d, true) {
			t.Errorf("%s: %s", d, what)
		}
		return
	}
	long, err := time.ParseDuration(cmp.Or(os.Getenv("GARAPH_HOSTILE"), "0s"))
	if err != nil {
		t.Fatal(err)
	}
	seed := uint64(1)
	if long > 0 {
		seed = uint64(time.Now().Unix()) << 20 // as many cases before the next
	}
	if text := os.Getenv("GARAPH_HOSTILE_SEED"); text != "" {
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("GARAPH_HOSTILE_SEED=%d", seed)
	begin, found := time.Now(), 0
	for n := range uint64(1 << 40) {
		if long == 0 && n >= uint64(len(mutations)) || long > 0 && time.Since(begin) > long {
			break
		}
		if long == 0 && !testsize.Long && n%8 != 0 {
			continue
		}
		d := draw{seed: seed + n, first: int(n) % len(mutations)}
		if what := h.try(d, false); len(what) > 0 {
			found++
			t.Errorf("GARAPH_HOSTILE_CASE=%s\n\t%s\n\t%s\n", d, strings.Join(h.last, "\n\t"), strings.Join(what, "\n\t"))
		}
	}
	t.Logf("%v: %d runs, %d mutations, %d failed; exit codes %v",
		time.Since(begin).Round(time.Second), h.runs, h.mutated, found, h.codes)
}

// draw is a case: the seed of all that is random in it, and its first mutation.
type draw struct {
	seed  uint64
	first int // in mutations
}

func (d draw) String() string { return fmt.Sprintf("%d/%d", d.seed, d.first) }

func parseDraw(text string) (d draw, err error) {
	_, err = fmt.Sscanf(text, "%d/%d", &d.seed, &d.first)
	return d, err
}

// maxMutations are in one case.
const maxMutations = 5

// hostile runs cases in a folder of its own, where each of them finds
//
//	case/work/g.graph   the graph
//	case/work/out/      where its commands write to
//	case/work/edges.txt what `import --force` imports
//	case/user/          files of a user that nobody may touch
//	case/tmp/           for temporary files
type hostile struct {
	t      *testing.T
	dir    string
	graphs []*soundGraph

	runs, mutated int
	codes         map[int]int
	last          []string // what the last case was
}

func newHostile(t *testing.T) *hostile {
	h := &hostile{t: t, dir: memoryDir(t), codes: map[int]int{}}
	h.graphs = h.soundGraphs()
	return h
}

func (h *hostile) root() string           { return filepath.Join(h.dir, "case") }
func (h *hostile) in(of ...string) string { return filepath.Join(append([]string{h.root()}, of...)...) }

// hostileCase is one case while it is made and run.
type hostileCase struct {
	h     *hostile
	graph *soundGraph
	did   []string // the mutations, in words
	// another: a job was given other content, under its right checksum: results may be
	// other ones.
	another bool
	job     string            // the last one that was mutated
	mine    map[string]string // files of a user that look like ours: text by base name
	before  map[string]fileState
}

func (c *hostileCase) path(of ...string) string {
	return c.h.in(append([]string{"work", "g.graph"}, of...)...)
}

// try makes and runs a case, and returns what was wrong with it.
func (h *hostile) try(d draw, verbose bool) (wrong []string) {
	r := rand.New(rand.NewPCG(d.seed, 1))
	c := &hostileCase{h: h, graph: h.graphs[r.IntN(len(h.graphs))], mine: map[string]string{}}
	h.setUp(c.graph)
	n := 1 + r.IntN(maxMutations)
	kinds := []mutation{mutations[d.first]}
	seeds := []uint64{r.Uint64()}
	for range n - 1 {
		kinds, seeds = append(kinds, mutations[r.IntN(len(mutations))]), append(seeds, r.Uint64())
	}
	for i, m := range kinds {
		if what := m.do(c, rand.New(rand.NewPCG(seeds[i], 3))); what != "" {
			c.did = append(c.did, m.name+": "+what)
			h.mutated++
		}
	}
	line := c.commandLine(rand.New(rand.NewPCG(d.seed, 2)))
	c.mine = c.find() // a later mutation may have removed one
	c.before = h.snapshot()
	h.runs++
	e := h.execute(line, tooLong+tooLong*time.Duration(c.onDisk()>>25)) // reading takes its time
	h.codes[e.code]++
	wrong = c.check(line, e)
	h.last = append(slices.Clone(c.did), "on "+c.graph.name, "$ garaph "+strings.Join(line, " "))
	if verbose {
		h.t.Logf("%s\nexit code %d after %v, %d MiB\n%s\n%s",
			strings.Join(h.last, "\n"), e.code, e.took.Round(time.Millisecond), e.peak>>20, e.stdout[:min(len(e.stdout), 2000)],
			e.stderr[:min(len(e.stderr), 5000)])
	}
	return wrong
}
