// Package format has the registry of formats of edge lists: how each is recognised, read and written.
package format

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/garaph/garaph/ingest/read"
)

// Format is a format of edge lists: how its files are recognised, read and written.
type Format struct {
	Name       read.FormatName
	Doc        string   // the content of a file, in a few words
	Extensions []string // of files, in lower case, the usual one first
	// Detect, if not nil, reports whether an input is in the format whatever its name.
	Detect func(h *read.Head) bool
	// Plan completes the plan of an input by its beginning. If nil, the format is not read.
	Plan func(p *read.Plan, h *read.Head, o read.Options) error
	Input
	Writer *Writer // If nil, the format is not written.
}

// Input has the options of an input in a format.
type Input struct {
	Dense    bool     // ids are dense, unless the user says otherwise
	FirstID  int64    // of dense ids
	Numbers  bool     // ids are numbers and cannot be taken as strings
	Weighted bool     // every file has weights
	Without  bool     // no file has weights
	Vertices bool     // the number of vertices may be given, for dense ids
	Table    TableUse // which of [read.TableOptions] apply
	Text     bool     // files are text; others are refused before Plan
	Empty    bool     // Plan takes files without a byte, too
}

// TableUse says which of [read.TableOptions] apply to a format.
type TableUse uint8

// The uses.
const (
	NoTable      TableUse = iota
	TableColumns          // columns are chosen by name
	TableLines            // all of them
)

var registered []*Format

// Register adds formats to those that are recognised, in the order in which they are listed.
func Register(list ...*Format) { registered = append(registered, list...) }

// All returns the formats in the order in which they were registered.
func All() []*Format { return registered }

// Find returns the format of a name, or nil if there is none.
func Find(name read.FormatName) *Format {
	i := slices.IndexFunc(registered, func(f *Format) bool { return f.Name == name })
	if i < 0 {
		return nil
	}
	return registered[i]
}

// Names lists the names of all formats that are read, [read.Auto] excepted.
func Names() (names []read.FormatName) {
	for _, f := range registered {
		if f.Plan != nil {
			names = append(names, f.Name)
		}
	}
	return names
}

// Read reads inputs in formats that are registered into sink, see [read.Files].
func Read(ctx context.Context, inputs []string, o read.Options, sink read.Sink) (read.Schema, read.Stats, error) {
	if o.Format = cmp.Or(o.Format, read.Auto); o.Format != read.Auto {
		f := Find(o.Format)
		if f == nil || f.Plan == nil {
			return read.Schema{}, read.Stats{}, fmt.Errorf("unknown format %q: expected auto, %s",
				string(o.Format), WordList(Names()))
		}
		if err := f.check("the input", &o); err != nil {
			return read.Schema{}, read.Stats{}, err
		}
	}
	return read.Files(ctx, inputs, o, Plan, sink)
}

// WordList joins names as they stand in advice to a user.
func WordList(names []read.FormatName) string {
	var words []string
	for _, f := range names {
		words = append(words, string(f))
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

// detect recognises the format of an input by its content, then its name. What is no other format
// is text, the first one.
func detect(h *read.Head) *Format {
	for _, f := range registered {
		if f.Detect != nil && f.Detect(h) {
			return f
		}
	}
	for _, f := range registered {
		if f.Plan != nil && slices.Contains(f.Extensions, read.Extension(h.Input.Name)) {
			return f
		}
	}
	return registered[0]
}

// Plan makes the plan of one input from its beginning.
func Plan(h *read.Head, o read.Options) (*read.Plan, error) {
	f := Find(o.Format)
	if f == nil {
		f = detect(h)
	}
	if err := f.check(h.Input.Name, &o); err != nil {
		return nil, err
	}
	p := read.NewPlan(h, f.Name, f.Dense, f.FirstID)
	if o.Vertices > 0 {
		o.IDs, p.Schema.Vertices = read.IDsDense, o.Vertices
	}
	if len(h.Bytes) == 0 && h.Err != io.EOF {
		return nil, h.Err
	}
	if len(h.Bytes) == 0 && !f.Empty {
		p.Empty(o, f.Weighted)
		return p, nil
	}
	if f.Text {
		known := o.Format == f.Name || f.Detect != nil && f.Detect(h)
		if err := read.CheckText(h, f.Name, known); err != nil {
			return nil, err
		}
	}
	return p, f.Plan(p, h, o)
}

// check refuses options that are not for the format.
func (f *Format) check(name string, o *read.Options) error {
	refused := func(advice, format string, args ...any) error {
		return &read.InputError{
			File: name, Problem: fmt.Sprintf("is in format %s", f.Name) + fmt.Sprintf(format, args...), Advice: advice,
		}
	}
	lines := o.Table.Delimiter != 0 || o.Table.Header != read.HeaderAuto
	switch {
	case f.Table == NoTable && o.Table.IsSet():
		return refused("leave these options out", ", which has no delimiter, header or columns to choose")
	case f.Table == TableColumns && lines:
		return refused("leave these options out", ", which has no delimiter or header to choose")
	case f.Numbers && o.IDs == read.IDsString:
		return refused("leave out --ids string", ", whose ids are numbers and no strings")
	case f.Without && o.Weights == read.WeightsYes:
		return refused("leave out --weights yes", ", which has no weights")
	case o.Vertices <= 0:
	case !f.Vertices:
		return refused("leave out --vertices", ": a number of vertices is for raw edges")
	case o.IDs == read.IDsInt || o.IDs == read.IDsString:
		return refused("leave out --ids, or --vertices", ", and with a number of vertices its ids are dense")
	case o.Vertices > read.MaxDense+1:
		return refused("correct --vertices", ", and %d vertices are more than the %d that are possible", o.Vertices,
			int64(read.MaxDense)+1)
	}
	return nil
}
