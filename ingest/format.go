package ingest

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
)

// EdgeFormat describes a format of edge lists, and reads it.
type EdgeFormat struct {
	Name       Format
	Extensions []string // of files in the format, in lower case; others than the first are read alone
	// Detect, if not nil, reports whether an input is in the format whatever its name.
	Detect func(h *inputHead) bool
	// Plan completes the plan of an input by its beginning. If nil, the format is not read.
	Plan func(p *inputPlan, h *inputHead, o ReadOptions) error
	Input
}

// Input says what a user may choose about an input in a format.
type Input struct {
	Dense    bool     // ids are dense, unless the user says otherwise
	FirstID  int64    // of dense ids
	Weighted bool     // every file has weights
	Vertices bool     // the number of vertices may be given, for dense ids
	Table    TableUse // which of [TableOptions] apply
	Empty    bool     // Plan takes files without a byte, too
}

// TableUse says which of [TableOptions] apply to a format.
type TableUse uint8

// The uses.
const (
	NoTable      TableUse = iota
	TableColumns          // columns are chosen by name
	TableLines            // all of them
)

var registered []*EdgeFormat

// Register adds formats to those that are recognised, in the order in which they are listed.
func Register(list ...*EdgeFormat) { registered = append(registered, list...) }

// Find returns the format of a name, or nil if there is none.
func Find(name Format) *EdgeFormat {
	i := slices.IndexFunc(registered, func(f *EdgeFormat) bool { return f.Name == name })
	if i < 0 {
		return nil
	}
	return registered[i]
}

// Formats lists the names of all formats that are read, [Auto] excepted.
func Formats() (names []Format) {
	for _, f := range registered {
		if f.Plan != nil {
			names = append(names, f.Name)
		}
	}
	return names
}

// Read reads inputs in formats that are registered into sink, see [ReadFiles].
func Read(ctx context.Context, inputs []string, o ReadOptions, sink Sink) (Schema, ReadStats, error) {
	if o.Format = cmp.Or(o.Format, Auto); o.Format != Auto {
		f := Find(o.Format)
		if f == nil || f.Plan == nil {
			return Schema{}, ReadStats{}, fmt.Errorf("unknown format %q: expected auto, %s", string(o.Format), wordList(Formats()))
		}
		if err := f.check("the input", &o); err != nil {
			return Schema{}, ReadStats{}, err
		}
	}
	return ReadFiles(ctx, inputs, o, planInput, sink)
}

// wordList joins names as they stand in advice to a user.
func wordList(names []Format) string {
	var words []string
	for _, f := range names {
		words = append(words, string(f))
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

// detect recognises the format of an input by its content, then its name. What is no other format is text, the first one.
func detect(h *inputHead) *EdgeFormat {
	for _, f := range registered {
		if f.Detect != nil && f.Detect(h) {
			return f
		}
	}
	for _, f := range registered {
		if f.Plan != nil && slices.Contains(f.Extensions, extension(h.in.name)) {
			return f
		}
	}
	return registered[0]
}

// planInput makes the plan of one input from its beginning.
func planInput(h *inputHead, o ReadOptions) (*inputPlan, error) {
	f := Find(o.Format)
	if f == nil {
		f = detect(h)
	}
	if err := f.check(h.in.name, &o); err != nil {
		return nil, err
	}
	p := newPlan(h, f.Name, f.Dense, f.FirstID)
	if o.Vertices > 0 {
		o.IDs, p.schema.Vertices = IDsDense, o.Vertices
	}
	if len(h.bytes) == 0 && h.err != io.EOF {
		return nil, h.err
	}
	if len(h.bytes) == 0 && !f.Empty {
		p.empty(o, f.Weighted)
		return p, nil
	}
	return p, f.Plan(p, h, o)
}

// check refuses options that are not for the format.
func (f *EdgeFormat) check(name string, o *ReadOptions) error {
	refused := func(advice, format string, args ...any) error {
		return &InputError{File: name, Problem: fmt.Sprintf("is in format %s", f.Name) + fmt.Sprintf(format, args...), Advice: advice}
	}
	lines := o.Table.Delimiter != 0 || o.Table.Header != HeaderAuto
	switch {
	case f.Table == NoTable && o.Table.isSet():
		return refused("leave these options out", ", which has no delimiter, header or columns to choose")
	case f.Table == TableColumns && lines:
		return refused("leave these options out", ", which has no delimiter or header to choose")
	case o.Vertices <= 0:
	case !f.Vertices:
		return refused("leave out --vertices", ": a number of vertices is for raw edges")
	case o.IDs == IDsInt || o.IDs == IDsString:
		return refused("leave out --ids, or --vertices", ", and with a number of vertices its ids are dense")
	case o.Vertices > maxDense+1:
		return refused("correct --vertices", ", and %d vertices are more than the %d that are possible", o.Vertices, int64(maxDense)+1)
	}
	return nil
}
