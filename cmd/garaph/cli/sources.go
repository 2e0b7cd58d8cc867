package cli

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/internal/bitset"
)

// manyFlag is a flag that may be given again, each time with one more value, as it is: it may have commas.
type manyFlag struct{ values *[]string }

func newManyFlag() manyFlag { return manyFlag{new([]string)} }

func (f manyFlag) Set(s string) error       { *f.values = append(*f.values, s); return nil }
func (f manyFlag) Append(s string) error    { return f.Set(s) }
func (f manyFlag) Replace(s []string) error { *f.values = s; return nil }
func (f manyFlag) GetSlice() []string       { return *f.values }
func (f manyFlag) String() string           { return strings.Join(*f.values, ", ") }
func (f manyFlag) Type() string             { return "string" }

// given is what a record has: a single value as it is, unless that would be read as a list.
func (f manyFlag) given() string {
	if list := *f.values; len(list) == 1 && !strings.HasPrefix(list[0], "[") {
		return list[0]
	}
	b, _ := json.Marshal(*f.values) // strings can be
	return string(b)
}

// onceFlag is a flag with one value: a second one is an error, and does not take the place of the first.
type onceFlag struct {
	value *string
	set   *bool
}

func newOnceFlag() onceFlag { return onceFlag{new(string), new(bool)} }

func (f onceFlag) String() string { return *f.value }
func (f onceFlag) Type() string   { return "string" }

func (f onceFlag) Set(s string) error {
	if *f.set {
		return errTwice(*f.value)
	}
	*f.value, *f.set = s, true
	return nil
}

// errTwice refuses another value of a flag that has one.
func errTwice(before string) error {
	return fmt.Errorf("it was given before, as %q, and takes one value", before)
}

// sourceFlag declares --source for one vertex; what is the vertex of this ID.
func sourceFlag(fs *pflag.FlagSet, what string) {
	vertexFlag(fs, "source", "`ID` of the vertex "+what+" (required)")
	_ = cobra.MarkFlagRequired(fs, "source") // fails for a flag that is not there
}

// vertexFlag declares a flag for the id of one vertex.
func vertexFlag(fs *pflag.FlagSet, name, usage string) { fs.Var(newOnceFlag(), name, usage) }

// idLines is what files of ids look like.
const idLines = "an id a line, in quotes or not; lines that begin with # are comments, unless the graph has that very id"

// sourcesFlags declares --source, which may be given again, and --sources.
func sourcesFlags(fs *pflag.FlagSet, what string) {
	fs.Var(newManyFlag(), "source", "`ID` of the vertex "+what+"; again for several")
	fs.Var(newPathFlag(), "sources", "`FILE` with such vertices, "+idLines)
}

// neededSources declares them for a program that needs a source.
func neededSources(fs *pflag.FlagSet, what string) {
	sourcesFlags(fs, what)
	_ = fs.SetAnnotation("source", unless, []string{"sources"}) // fails for a flag that is not there
}

// sourcesText names the sources of a run.
func sourcesText(flag *pflag.Flag) string {
	list, ok := flag.Value.(manyFlag)
	switch {
	case ok && len(list.GetSlice()) == 0:
		return "a source"
	case ok && len(list.GetSlice()) > 3:
		return fmt.Sprintf("%s and %d more", strings.Join(list.GetSlice()[:3], ", "), len(list.GetSlice())-3)
	}
	return flag.Value.String()
}

// sources are the vertices of --source and of --sources, ascending and each once. What they take in memory is held.
func (e Env) sources() ([]uint32, error) {
	all := make(bitset.Set, bitset.Words(e.Graph.Catalogue().Vertices))
	if f := e.Flags.Lookup("source"); f != nil && f.Changed {
		for _, id := range f.Value.(manyFlag).GetSlice() {
			v, err := e.Graph.Vertex(id)
			if err != nil && strings.Contains(id, ",") {
				return nil, fmt.Errorf("--source: %w; several are --source again for each, or --sources FILE", err)
			}
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
			return nil, fmt.Errorf("--sources: %w; it is the name of a file with an id on each line, and --source is for an id", err)
		}
		if err != nil {
			return nil, fmt.Errorf("--sources: %w", err)
		}
	}
	n := e.Graph.Catalogue().Vertices
	list := make([]uint32, 0, all.Count(0, n))
	for v, ok := all.Next(0, n); ok; v, ok = all.Next(v+1, n) {
		list = append(list, v)
	}
	e.held.add(4 * int64(len(list)))
	return list, e.recordSources(list)
}

// held is what a program holds on the heap beside its job.
type held struct {
	bytes      int64
	unrecorded bool // the job could not be resumed with it
}

// add lets the heap grow by so much.
func (h *held) add(bytes int64) {
	h.bytes += bytes
	if limit := debug.SetMemoryLimit(-1); limit < math.MaxInt64-bytes {
		debug.SetMemoryLimit(limit + bytes)
	}
}

// beside runs a program in the memory that what is held and these bytes leave of the budget.
func (e Env) beside(bytes int64, run func(garaph.RunOptions) (*garaph.Result, error)) (*garaph.Result, error) {
	o := e.endless()
	if e.held.unrecorded {
		o.Job = nil
	}
	bytes += e.held.bytes
	o.Memory = less(o.Memory, bytes)
	r, err := run(o)
	var job *garaph.MemoryError
	var pass *algorithms.MemoryError
	var other interface{ Hold(bytes int64) }
	switch { // to say how much would do
	case errors.As(err, &other):
		other.Hold(bytes)
	case errors.As(err, &job):
		job.Budget, job.Vertices = e.Options.Memory, job.Vertices+bytes
	case errors.As(err, &pass) && bytes > 0:
		pass.Budget, pass.Arrays = e.Options.Memory, append(pass.Arrays, algorithms.Array{Name: "the sources", Bytes: bytes})
	}
	return r, err
}

// less is what is left of a budget; 0 is none.
func less(budget, bytes int64) int64 {
	if budget == 0 {
		return 0
	}
	return max(1, budget-bytes)
}

// mostRecorded is the longest text of sources in a record, which has a mebibyte at most.
const mostRecorded = 768 << 10

// recordSources puts the ids of sources into the record of a job, in the place of the file that has them: that may be a pipe, or another
// file when the job is resumed. Very many stay in their file; from a pipe, the job has no record.
func (e Env) recordSources(list []uint32) error {
	job := e.Options.Job
	f := e.Flags.Lookup("sources")
	if job == nil || f == nil || !f.Changed {
		return nil
	}
	text, err := e.sourcesForRecord(list)
	if err != nil {
		return err
	}
	if text != "" {
		s := job.Record().Spec
		s.Flags = maps.Clone(s.Flags)
		s.Flags["source"] = text
		delete(s.Flags, "sources")
		job.SetSpec(s)
		return nil
	}
	if info, err := os.Stat(f.Value.String()); err == nil && info.Mode().IsRegular() {
		return nil
	}
	const why = "is no file that could be read again, and its sources are too many for the record of a job"
	if e.Options.Checkpoints.Wanted() {
		return Usagef("--sources: %s %s: write them to a file, or leave out checkpoints", f.Value, why)
	}
	e.Log.Info(fmt.Sprintf("the run could not be resumed after a crash: %s %s", f.Value, why))
	e.held.unrecorded = true
	return nil
}

// sourcesForRecord are the ids of sources as a record has them; "" if they are too many.
func (e Env) sourcesForRecord(list []uint32) (string, error) {
	ids, all, size := e.Graph.Store().IDs(), newManyFlag(), 0
	for _, v := range list {
		id, err := ids.Text(v)
		if err != nil {
			return "", fmt.Errorf("--sources: %w", err)
		}
		if size += len(id); size > mostRecorded {
			return "", nil
		}
		_ = all.Append(id)
	}
	text := all.given()
	if b, _ := json.Marshal(text); len(b) > mostRecorded {
		return "", nil
	}
	return text, nil
}

// firstAndMore divides sources as programs have them.
func (e Env) firstAndMore() (first uint32, more []uint32, err error) {
	list, err := e.sources()
	if err != nil {
		return 0, nil, err
	}
	if len(list) == 0 { // of a command line, that was found before
		return 0, nil, Usagef("expected --source ID, or --sources FILE")
	}
	return list[0], list[1:], nil
}

// idsAtOnce is how many ids of a file are looked up together, and bytesAtOnce how long they are, about.
const (
	idsAtOnce   = 1 << 16
	bytesAtOnce = 2 << 20
)

// eachVertexOfFile calls add with the vertices of a file of ids, some at a time. It has at least one.
func eachVertexOfFile(g *garaph.Graph, path string, add func([]uint32) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return eachVertexIn(g, f, path, add)
}

// eachVertexOfInput is eachVertexOfFile for standard input.
func eachVertexOfInput(g *garaph.Graph, stdin io.Reader, add func([]uint32) error) error {
	if stdin == nil {
		return errors.New("there is no standard input")
	}
	return eachVertexIn(g, stdin, "standard input", add)
}

// eachVertexIn is eachVertexOfFile for what is open, compressed or not.
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

func (l *lookUp) add(id string, at int) error { return l.addMaybe(id, at, false) }

func (l *lookUp) addMaybe(id string, at int, maybe bool) error {
	l.bytes += len(id)
	if l.ids, l.at, l.maybe = append(l.ids, strings.Clone(id)), append(l.at, at), append(l.maybe, maybe); len(l.ids) < idsAtOnce && l.bytes < bytesAtOnce {
		return nil
	}
	return l.flush()
}

// flush looks up what is left.
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

// eachID calls f with the ids of a list, an id a line, in quotes or not, as export writes them. Blank lines are passed over. A line that begins
// with # may be an id, for results as tsv have such ids without quotes, or a comment. A byte order mark may stand first.
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
		if err != nil && lines.Err() == nil { // else the line is what an error left of one
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

// unquoted is what stands between the quotes of an id that begins with one; false: it does not end so.
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

// pathFlag is a file to be read, which is recorded with its whole path.
type pathFlag struct{ onceFlag }

func newPathFlag() pathFlag { return pathFlag{newOnceFlag()} }

func (f pathFlag) given() string { return absolute(*f.value) }

func (f pathFlag) Set(s string) error {
	if s == "" || s == "-" {
		return errors.New("expected the name of a file; standard input has the name /dev/stdin")
	}
	return f.onceFlag.Set(s)
}

// checkRecordedSources refuses to read sources where only a record says so, unless that is surely the
// file that the user named.
func checkRecordedSources(job *garaph.Job, flags map[string]string) error {
	path, there := flags["sources"]
	if !there {
		return nil
	}
	err := job.CheckOwn()
	if info, failed := os.Stat(path); err == nil && (failed != nil || !info.Mode().IsRegular()) {
		err = errors.New("that is no file")
	}
	if err != nil {
		return fmt.Errorf("job %d would read its sources, too many for its record, from %q, but %w: begin again with `garaph run`", job.ID(), path, err)
	}
	return nil
}

// recordedList reads the values of a list flag in a record; an older one has a single value as it is.
func recordedList(text string) []string {
	var values []string
	if json.Unmarshal([]byte(text), &values) != nil {
		return []string{text}
	}
	return values
}
