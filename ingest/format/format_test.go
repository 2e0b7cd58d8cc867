package format_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/garaph/garaph/export"
	"github.com/garaph/garaph/ingest"
	"github.com/garaph/garaph/ingest/format"
	"github.com/garaph/garaph/ingest/format/text"
	"github.com/garaph/garaph/ingest/read"
	"github.com/garaph/garaph/store"
)

// tiny is a format of the test: "tiny VERTICES EDGES", then a line "u v" for each edge, from 1.
var tiny = &format.Format{
	Name: "tiny", Doc: "a format of a test", Extensions: []string{".tiny"}, Plan: planTiny,
	Detect: func(h *read.Head) bool { return bytes.HasPrefix(h.Bytes, []byte("tiny ")) },
	Input:  format.Input{Dense: true, FirstID: 1},
	Writer: &format.Writer{
		Content: format.Content{Labels: format.FromOne, Counted: true, Vertices: true},
		Header:  func(g *format.Graph, edges uint64) string { return fmt.Sprintf("tiny %d %d\n", g.Vertices, edges) },
		Append:  format.Lines("", " ", " ", "\n"),
	},
}

func planTiny(p *read.Plan, h *read.Head, o read.Options) error {
	lines := read.LinesOf(h)
	line, words, err := lines.Words('#', "a header")
	if err != nil {
		return err
	}
	n, ok := read.ParseCounts(words[1:])
	if !ok || len(n) != 2 {
		return lines.Refused(line, "tiny VERTICES EDGES", "")
	}
	return text.Counted{Rows: n[0], Cols: n[0], Edges: n[1], Comment: "#", Source: "source", Target: "target"}.Plan(p,
		lines, o)
}

// TestNewFormat checks that a format that is registered is imported and exported.
func TestNewFormat(t *testing.T) {
	format.Register(tiny)
	const want = "tiny 4 3\n1 2\n1 3\n3 1\n"
	folder := t.TempDir()
	file, graph := filepath.Join(folder, "edges"), filepath.Join(folder, "graph")
	if err := os.WriteFile(file, []byte(want), 0o666); err != nil {
		t.Fatal(err)
	}
	r, err := ingest.Import(t.Context(), []string{file}, graph, ingest.Options{})
	if err != nil || r.Format != "tiny" || r.Vertices != 4 || r.Edges != 3 {
		t.Fatalf("%+v, %v", r, err)
	}
	s, err := store.Open(graph)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	f, err := export.FormatOf("x.tiny")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if _, err := export.Write(t.Context(), s, &b, export.Options{Format: f}); err != nil || b.String() != want {
		t.Fatalf("%q, %v", b.String(), err)
	}
}
