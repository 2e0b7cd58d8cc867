package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/internal/bitset"
)

// sourceFlag declares --source for one vertex; what is the vertex of this ID.
func sourceFlag(fs *pflag.FlagSet, what string) {
	vertexFlag(fs, "source", "`ID` of the vertex "+what+" (required)")
	_ = cobra.MarkFlagRequired(fs, "source") // fails for a flag that is not there
}

// vertexFlag declares a flag for the id of one vertex.
func vertexFlag(fs *pflag.FlagSet, name, usage string) { fs.Var(newOnceFlag(), name, usage) }

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
