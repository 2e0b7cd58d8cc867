package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/spf13/pflag"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/ingest"
	"github.com/garaph/garaph/internal/bitset"
)

// idsAtOnce is the number of ids of a file that are looked up together, and bytesAtOnce their total length, about.
const (
	idsAtOnce   = 1 << 16
	bytesAtOnce = 2 << 20
)

// eachVertexOfFile calls add with the vertices of a file of ids, some at a time. The file has at least one.
func eachVertexOfFile(g *garaph.Graph, path string, add func([]uint32) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return eachVertexIn(g, f, path, add)
}

// eachVertexOfInput is like eachVertexOfFile, for standard input.
func eachVertexOfInput(g *garaph.Graph, stdin io.Reader, add func([]uint32) error) error {
	return eachVertexIn(g, stdin, "standard input", add)
}

// eachVertexIn is like eachVertexOfFile, for an open file.
func eachVertexIn(g *garaph.Graph, file io.Reader, path string, add func([]uint32) error) error {
	in, done, err := unpacked(file)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	defer done()
	any := false
	l := newLookUp(g, path, func(list []uint32) error {
		any = true
		return add(list)
	})
	err = eachID(in, path, l.addMaybe)
	if err == nil {
		err = l.flush()
	}
	if err == nil && !any {
		err = fmt.Errorf("%s has no vertex: give the id of one on each line", path)
	}
	return err
}

// pairs returns the pairs of vertices in the file that a flag names. Their memory is held.
func (e Env) pairs(flag string) (pairs [][2]uint32, err error) {
	path, from := e.Flags.Lookup(flag).Value.String(), e.stdin
	if path == ingest.StdinName {
		path = "standard input"
	} else {
		file, err := os.Open(path)
		if err != nil {
			return nil, fmt.Errorf("--%s: %w", flag, err)
		}
		defer file.Close()
		from = file
	}
	in, done, err := unpacked(from)
	if err != nil {
		return nil, fmt.Errorf("--%s: %s: %w", flag, path, err)
	}
	defer done()
	var flat []uint32
	l := newLookUp(e.Graph, path, func(list []uint32) error {
		flat = append(flat, list...)
		return nil
	})
	lines, number := bufio.NewScanner(in), 0
	for lines.Scan() && err == nil {
		number++
		text := strings.TrimPrefix(lines.Text(), "\ufeff")
		ids, ok := fieldsOf(text)
		if ok && len(ids) == 0 || strings.HasPrefix(strings.TrimSpace(text), "#") {
			continue
		}
		if !ok || len(ids) != 2 {
			return nil, fmt.Errorf("--%s: %s:%d: %.60q: expected two ids", flag, path, number, lines.Text())
		}
		for _, id := range ids {
			err = errors.Join(err, l.addMaybe(id, number, false))
		}
	}
	if err = errors.Join(err, lines.Err()); err == nil {
		err = l.flush()
	}
	if err == nil && len(flat) == 0 {
		err = fmt.Errorf("%s has no pair: give two ids on each line", path)
	}
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", flag, err)
	}
	for ; len(flat) > 0; flat = flat[2:] {
		pairs = append(pairs, [2]uint32(flat))
	}
	e.held.add(12 * int64(len(pairs)))
	return pairs, nil
}

// fieldsOf returns the ids of a line, with blanks or commas between, in quotes or not; false: a quote does not end.
func fieldsOf(line string) (ids []string, ok bool) {
	const between = " \t,\r"
	for line = strings.TrimLeft(line, between); line != ""; line = strings.TrimLeft(line, between) {
		end := strings.IndexAny(line+" ", between)
		if line[0] == '"' {
			for end = 1; end < len(line) && (line[end] != '"' || strings.HasPrefix(line[end+1:], `"`)); end++ {
				if line[end] == '"' {
					end++ // of two, which are one
				}
			}
			end = min(end+1, len(line))
		}
		id, ok := unquoted(line[:end])
		if !ok {
			return nil, false
		}
		ids, line = append(ids, id), line[end:]
	}
	return ids, true
}

// unpacked returns a reader of the text of a file, which may be compressed with gzip or zstd.
func unpacked(file io.Reader) (io.Reader, func(), error) {
	in := bufio.NewReaderSize(file, 1<<20)
	head, _ := in.Peek(4)
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		z, err := gzip.NewReader(in)
		return z, func() {}, err
	case bytes.Equal(head, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		z, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(256<<20))
		return z, z.Close, err
	}
	return in, func() {}, nil
}

// lookUp finds the vertices of the ids of a file, many at a time.
type lookUp struct {
	graph *garaph.Graph
	path  string
	place func(path string, at int) string // how a line, or a row, is named
	found func([]uint32) error
	ids   []string
	bytes int    // of these
	at    []int  // their lines, or rows
	maybe []bool // ids that may be no vertices: they are comments then
}

func newLookUp(g *garaph.Graph, path string, found func([]uint32) error) *lookUp {
	return &lookUp{graph: g, path: path, place: placeOfLine, found: found}
}

func placeOfLine(path string, line int) string { return fmt.Sprintf("%s:%d", path, line) }

func (l *lookUp) addMaybe(id string, at int, maybe bool) error {
	l.bytes += len(id)
	l.ids, l.at, l.maybe = append(l.ids, strings.Clone(id)), append(l.at, at), append(l.maybe, maybe)
	if len(l.ids) < idsAtOnce && l.bytes < bytesAtOnce {
		return nil
	}
	return l.flush()
}

// flush looks up the remaining ids.
func (l *lookUp) flush() error {
	list, missing, err := l.graph.Store().LookupAll(l.ids, func(i int) bool { return l.maybe[i] })
	if err != nil && missing >= 0 {
		return fmt.Errorf("%s: %w", l.place(l.path, l.at[missing]), err)
	}
	if err == nil && len(list) > 0 {
		err = l.found(list)
	}
	clear(l.ids) // which holds their text
	l.ids, l.at, l.maybe, l.bytes = l.ids[:0], l.at[:0], l.maybe[:0], 0
	return err
}

// eachID calls f with the ids of a list, an id a line, in quotes or not, as export writes them.
// Blank lines are skipped. A line that begins with # may be an id, for tsv results have such ids
// without quotes, or a comment.
func eachID(in io.Reader, name string, f func(id string, line int, maybe bool) error) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	number := 0
	for lines.Scan() {
		number++
		text := lines.Text()
		if number == 1 {
			text = strings.TrimPrefix(text, "\ufeff")
		}
		id := strings.TrimSpace(text)
		if id == "" {
			continue
		}
		maybe := strings.HasPrefix(id, "#")
		id, ok := unquoted(id)
		err := fmt.Errorf("%s:%d: %.60q: expected an id, or one in quotes, where \"\" is a quote", name, number, id)
		if ok {
			err = f(id, number, maybe)
		}
		if err != nil && lines.Err() == nil { // after an error, the line may be a part of one
			return err
		}
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return fmt.Errorf("%s:%d: expected an id, not a line of more than a mebibyte", name, number+1)
	} else if err != nil {
		return fmt.Errorf("%s behind line %d: %w", name, number, err)
	}
	return nil
}

// unquoted returns the text between the quotes of an id. It returns false if the id does not end with a quote.
func unquoted(id string) (string, bool) {
	inside, quoted := strings.CutPrefix(id, `"`)
	if !quoted {
		return id, true
	}
	inside, ends := strings.CutSuffix(inside, `"`)
	if !ends || strings.Contains(strings.ReplaceAll(inside, `""`, ""), `"`) {
		return id, false
	}
	return strings.ReplaceAll(inside, `""`, `"`), true
}

// sourcesText names the sources of a run.
func sourcesText(flag *pflag.Flag) string {
	text := flag.Value.String()
	if list, ok := flag.Value.(pflag.SliceValue); ok {
		ids := list.GetSlice()
		if text = strings.Join(ids[:min(3, len(ids))], ", "); len(ids) > 3 {
			text += fmt.Sprintf(" and %d more", len(ids)-3)
		}
	}
	return cmp.Or(text, "a source")
}

// sources returns the vertices of --source and of --sources, ascending and each once. Their memory is held.
func (e Env) sources() ([]uint32, error) {
	n := e.Graph.Catalogue().Vertices
	all := make(bitset.Set, bitset.Words(n))
	if f := e.Flags.Lookup("source"); f != nil && f.Changed {
		for _, id := range f.Value.(pflag.SliceValue).GetSlice() {
			v, err := e.Graph.Vertex(id)
			if err != nil {
				return nil, fmt.Errorf("--source: %w", err)
			}
			all.Add(v)
		}
	}
	if f := e.Flags.Lookup("sources"); f != nil && f.Changed {
		err := eachVertexOfFile(e.Graph, f.Value.String(), func(list []uint32) error {
			for _, v := range list {
				all.Add(v)
			}
			return nil
		})
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("--sources: %w; --source takes an id", err)
		}
		if err != nil {
			return nil, fmt.Errorf("--sources: %w", err)
		}
	}
	list := make([]uint32, 0, all.Count(0, n))
	for v, ok := all.Next(0, n); ok; v, ok = all.Next(v+1, n) {
		list = append(list, v)
	}
	e.held.add(4 * int64(len(list)))
	return list, e.recordSources(list)
}

// mostRecorded is the longest text of sources in a record, which has a mebibyte at most.
const mostRecorded = 768 << 10

// recordSources replaces the file of sources in the record of a job by their ids: the file may be a pipe,
// or have changed when the job is resumed. If the ids are too long for a record, it keeps the file.
func (e Env) recordSources(list []uint32) error {
	job, f := e.Options.Job, e.Flags.Lookup("sources")
	if job == nil || f == nil || !f.Changed {
		return nil
	}
	ids, texts, size := e.Graph.Store().IDs(), make([]string, 0, len(list)), 0
	for _, v := range list {
		id, err := ids.Text(v)
		if err != nil {
			return fmt.Errorf("--sources: %w", err)
		}
		if size += len(id); size > mostRecorded {
			return nil
		}
		texts = append(texts, id)
	}
	b, err := json.Marshal(texts)
	if err != nil || len(b) > mostRecorded {
		return err
	}
	s := job.Record().Spec
	s.Flags = maps.Clone(s.Flags)
	s.Flags["source"] = string(b)
	delete(s.Flags, "sources")
	job.SetSpec(s)
	return nil
}
