package cli

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestForgedIDs: blocks of ids that are larger than any can be, or do not follow one
// another, are damage under right checksums too: nobody takes the memory for them.
func TestForgedIDs(t *testing.T) {
	h := &hostile{t: t, dir: t.TempDir()}
	c := &hostileCase{h: h}
	h.must(os.MkdirAll(h.in("work"), 0o777))
	edges := h.in("edges.txt")
	var b bytes.Buffer
	for v := range 8192 {
		fmt.Fprintf(&b, "v%05d v%05d\n", v, (7*v+1)%8192)
	}
	h.must(os.WriteFile(edges, b.Bytes(), 0o666))
	le := binary.LittleEndian
	forge := func(change func(directory []byte, g *content)) {
		g := readContent(c.path())
		key := recordKey("blocks", 0)
		directory := bytes.Clone(g.values[key])
		g.settled = true
		change(directory, g)
		g.values[key] = sealEnvelope(directory)
		h.must(g.write(c.path(), nil))
		h.must(c.sumGraph(g.version))
	}
	size := func(n int64) func([]byte, *content) {
		return func(directory []byte, g *content) {
			at := len(directory) - blockEntry
			le.PutUint64(directory[at+4:], uint64(len(g.payload)+4095)&^4095)
			le.PutUint64(directory[at+12:], uint64(n))
		}
	}
	longest := func(n int) func([]byte, *content) {
		return func(_ []byte, g *content) {
			g.change(func(x map[string]any) { x["ids"].(map[string]any)["max_bytes"] = n })
		}
	}
	for name, forged := range map[string]func([]byte, *content){
		"3 GiB": size(3 << 30),
		"4 TiB": size(4 << 40),
		"other order": func(directory []byte, _ *content) {
			x, y := directory[36:52], directory[36+blockEntry:52+blockEntry]
			first := bytes.Clone(x)
			copy(x, y)
			copy(y, first)
		},
		"longest below 0":        longest(-1 << 40),
		"longest of 2^62":        longest(1 << 62),
		"longest that is longer": longest(3),
	} {
		t.Run(name, func(t *testing.T) {
			h.must(os.RemoveAll(c.path()))
			if p := newProcess(t, "import", edges, c.path(), "-q"); p.Run() != nil {
				t.Fatal(p.stderr.String())
			}
			forge(forged)
			if strings.HasSuffix(name, "iB") {
				if err := os.Truncate(c.path("payload"), 1<<43); err != nil {
					t.Skip(err)
				}
			}
			for _, args := range [][]string{{"verify", c.path()}, {"run", "wcc", c.path(), "--memory", "64MiB", "--output", filepath.Join(h.dir, "out.tsv")}} {
				p := newProcess(t, args...)
				_ = p.Run()
				text := p.stderr.String()
				damaged := strings.Contains(text, "damaged") || name == "other order" && args[0] == "run" // runs as it is
				if code := p.ProcessState.ExitCode(); code > 1 || !damaged || strings.Contains(text, "goroutine ") {
					t.Errorf("%s: exit %d: %.500s", args[0], code, text)
				}
			}
		})
	}
}
