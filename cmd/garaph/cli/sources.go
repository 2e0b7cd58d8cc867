package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"strings"

	"github.com/spf13/pflag"

	"github.com/garaph/garaph/internal/bitset"
)

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
