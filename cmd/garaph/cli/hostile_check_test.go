package cli

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode"
	"unicode/utf8"
)

// badWords are of a panic, whether it ended the process or came to be an error.
var badWords = regexp.MustCompile(`(?m)^panic:|^fatal error:|goroutine \d+ \[|runtime error|nil ` +
	`pointer|panicked|fault address|index out of range|slice bounds|makeslice|(?i:assert)|unexpected EOF in|badger\.`)

// check returns what is wrong with how a command ended and with what it left.
func (c *hostileCase) check(line []string, e ended) (wrong []string) {
	add := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	if e.hung {
		add("hang: longer than %v", e.took.Round(time.Second))
	}
	if e.stayed {
		add("stays: SIGTERM does not end it")
	}
	if e.signal != 0 {
		add("signal: %v", e.signal)
	} else if e.code > exitUsage && !e.hung {
		add("exit code: %d", e.code)
	}
	if m := badWords.FindString(e.stderr); m != "" {
		add("panic: %q in %.900s", m, e.stderr)
	}
	for _, text := range []string{e.stdout, e.stderr} {
		if i := unprintable(text); i >= 0 && !c.printsTable(line) {
			add("control characters: %q", text[max(0, i-60):min(len(text), i+60)])
		}
	}
	if len(e.stderr) > 1<<20 {
		add("talk: %d bytes: %.300q", len(e.stderr), e.stderr)
	}
	if e.code != 0 && e.code != -1 && strings.TrimSpace(e.stderr) == "" {
		add("silent: exit code %d without a word", e.code)
	}
	if limit := c.limit(line); e.peak > limit {
		add("memory: %d MiB, the limit is %d MiB", e.peak>>20, limit>>20)
	}
	wrong = append(wrong, c.outside()...)
	wrong = append(wrong, c.lost()...)
	if e.code == exitDone {
		wrong = append(wrong, c.results(line)...)
	}
	return wrong
}

// unprintable is where a text has a character that a terminal may act upon, or no
// character at all; -1 where it has none.
func unprintable(text string) int {
	for i, r := range text {
		if r == utf8.RuneError && !strings.HasPrefix(text[i:], string(utf8.RuneError)) ||
			r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
			return i
		}
	}
	return -1
}

// printsTable reports whether a command prints what is in the graph to be read by
// a program: JSON escapes what terminals act upon by itself, apart from C1, and results
// that a job has for standard output are escaped on a terminal alone.
func (c *hostileCase) printsTable(line []string) bool {
	if line[0] == "resume" && len(line) > 2 {
		record, _ := os.ReadFile(filepath.Join(c.path(), "jobs", line[2], "JOB"))
		return bytes.Contains(record, []byte(`"output":"-"`))
	}
	return slices.Contains(line, "--json") || line[0] == "neighbors" || line[0] == "path"
}

// limit is the memory that a command may take: a tenth above its budget, or what
// it takes on the sound graph and a few times what lies on disk.
func (c *hostileCase) limit(line []string) int64 {
	kind := line[0]
	peak, known := c.graph.peaks[kind]
	if !known {
		peak = c.h.peakOf(c.graph, kind)
		c.graph.peaks[kind] = peak
	}
	if i := slices.Index(line, "--memory"); i >= 0 {
		n, _ := strconv.ParseInt(strings.TrimSuffix(line[i+1], "MiB"), 10, 64)
		return max(n<<20/10*11, peak/10*12)
	}
	return peak/10*12 + 32<<20 + 6*c.onDisk()
}

func (c *hostileCase) onDisk() (n int64) {
	_ = filepath.WalkDir(c.path(), func(_ string, e fs.DirEntry, err error) error {
		if err == nil {
			if info, err := e.Info(); err == nil {
				n += info.Sys().(*syscall.Stat_t).Blocks * 512
			}
		}
		return nil
	})
	return n
}

// peakOf is the memory that a command takes on the sound graph. The case is put
// aside meanwhile.
func (h *hostile) peakOf(g *soundGraph, kind string) int64 {
	line := map[string][]string{
		"run": {"run", "pagerank", "g.graph", "--memory", "64MiB"}, "resume": {"resume", "g.graph", "--memory", "64MiB",
			"--device", "cpu", "--output", "out/again.tsv"}, "verify": {"verify", "g.graph"},
		"info": {"info", "g.graph"},
		"jobs": {"jobs", "g.graph"}, "import": {"import", "--force", "edges.txt", "g.graph", "--memory", "192MiB"},
		"export":    {"export", "g.graph", "--output", "out/edges.txt"},
		"neighbors": {"neighbors", "g.graph", g.vertex(0)}, "path": {"path", "g.graph", g.vertex(0), g.vertex(0)},
		"subgraph": {"subgraph", "g.graph", "--source", g.vertex(0), "--output", "out/sub"},
	}[kind]
	var e ended
	h.onSound(g, func() { e = h.execute(line, time.Minute) })
	if e.code != exitDone {
		h.t.Fatalf("%v on the sound graph %s: exit code %d\n%s", line, g.name, e.code, e.stderr)
	}
	const least = 32 << 20 // of a process, some of which end before anybody looks at them
	return max(e.peak, least)
}

// onSound does something with the sound graph in the place of the case's.
func (h *hostile) onSound(g *soundGraph, do func()) {
	aside := filepath.Join(h.dir, "aside")
	h.must(os.Rename(h.root(), aside))
	h.setUp(g)
	do()
	h.must(os.RemoveAll(h.root()))
	h.must(os.Rename(aside, h.root()))
}

// outside returns what is not as it was outside of the graph and of its output.
func (c *hostileCase) outside() (wrong []string) {
	after := c.h.snapshot()
	say := func(what, path string) {
		rel, _ := filepath.Rel(c.h.root(), path)
		wrong = append(wrong, fmt.Sprintf("outside: %s %q", what, rel))
	}
	for path, was := range c.before {
		if is, there := after[path]; !there {
			say("removed", path)
		} else if is != was {
			say("changed", path)
		}
	}
	for path := range after {
		if _, there := c.before[path]; !there && path != c.h.in("work", ".g.graph.lock") {
			say("made", path)
		}
	}
	entries, _ := os.ReadDir(c.h.in("work", "out"))
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") && e.Name() != ".sub.lock" {
			say("left", c.h.in("work", "out", e.Name()))
		}
	}
	slices.Sort(wrong)
	return wrong
}

// find returns the texts of the user's files that look like ours and are there, by name.
func (c *hostileCase) find() map[string]string {
	there := map[string]string{}
	_ = filepath.WalkDir(c.h.root(), func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			if _, mine := c.mine[e.Name()]; mine {
				b, _ := os.ReadFile(path)
				there[e.Name()] = string(b)
			}
		}
		return nil
	})
	return there
}

// lost returns those of them that are gone.
func (c *hostileCase) lost() (wrong []string) {
	if len(c.mine) == 0 {
		return nil
	}
	there := c.find()
	for name, text := range c.mine {
		if there[name] != text {
			wrong = append(wrong, "lost: the user's file "+name)
		}
	}
	slices.Sort(wrong)
	return wrong
}

// results compares what a command wrote with what it writes over the sound graph,
// unless that was given other content.
func (c *hostileCase) results(line []string) (wrong []string) {
	if c.another {
		return nil
	}
	entries, _ := os.ReadDir(c.h.in("work", "out"))
	for _, e := range entries {
		var like []string
		tolerance := 1e-5
		switch e.Name() {
		case "result.tsv":
			i := slices.IndexFunc(killed, func(k struct {
				program, args string
				gpu, async    float64
			}) bool {
				return k.program == line[1]
			})
			like = append([]string{"run", line[1], "g.graph", "--device", "cpu"}, c.graph.arguments(killed[i].args)...)
			if slices.Contains(line, "async") {
				tolerance = max(tolerance, killed[i].async)
			}
		case "two.tsv", "three.tsv", "four.tsv", "again.tsv": // of 32 or 64 bits, which is no matter here
			like = []string{"run", "pagerank", "g.graph", "--device", "cpu", "--iterations", "9", "--precision", "64"}
		default:
			continue
		}
		got, err := os.ReadFile(c.h.in("work", "out", e.Name()))
		if want := c.graph.expected(c.h, like); err != nil || want != nil && !nearNames(got, want, tolerance) {
			wrong = append(wrong, fmt.Sprintf("wrong result: %s is not what %q writes: %.200q", e.Name(), like, got))
		}
	}
	return wrong
}

// expected is what a run over the sound graph writes; nil where it fails.
func (g *soundGraph) expected(h *hostile, line []string) []byte {
	key := strings.Join(line, " ")
	if want, known := g.results[key]; known {
		return want
	}
	var want []byte
	h.onSound(g, func() {
		if e := h.execute(append(line, "--output", "out/result.tsv"), time.Minute); e.code == exitDone {
			want, _ = os.ReadFile(h.in("work", "out", "result.tsv"))
		}
	})
	g.results[key] = want
	return want
}

// nearNames is near for results that may have names in them.
func nearNames(got, want []byte, tolerance float64) bool {
	a, b := strings.Fields(string(got)), strings.Fields(string(want))
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] && !near([]byte(a[i]), []byte(b[i]), tolerance) {
			return false
		}
	}
	return true
}
