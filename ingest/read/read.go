// Package read reads inputs of any format: files, folders, pipes and compressed streams are cut into blocks, which
// goroutines parse; errors name their place.
package read

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
)

// Options say how inputs are to be read. The zero value reads anything as
// it appears to be.
type Options struct {
	Format       FormatName // "" or Auto: from content and name
	IDs          IDMode     // "" is IDsAuto
	Weights      WeightMode // "" is WeightsAuto
	Table        TableOptions
	Vertices     int64 // of raw edges, whose ids are dense; if 0, the largest id + 1
	SkipBadLines bool  // text formats: count and pass over lines that do not parse
	Threads      int   // goroutines that parse; if 0, GOMAXPROCS
	BlockBytes   int   // bytes of a block, if 0, 1 MiB; Threads+3 blocks are held at once

	// Progress is called with the bytes of the (compressed) inputs that were consumed;
	// total is -1 when unknown. Warn is called with messages for the user.
	// Both are called by the goroutine that called Read, and may be nil.
	Progress func(done, total int64)
	Warn     func(msg string)

	// Window is the number of bytes a zstd stream may ask for; if 0, 128 MiB.
	Window int64
	// RowBytes is the memory for reading files of columns; if 0, 256 MiB.
	RowBytes int64
	// Reserve, if not nil, is asked before memory is taken that grows with the
	// number of vertices; its error, which begins with the name of the memory, ends the
	// reading.
	Reserve func(bytes int64, what string) error

	Stdin io.Reader // for the input named "-"
}

// Stats counts the edges and bytes that were read.
type Stats struct {
	Entries  int64 // edges delivered
	BadLines int64 // lines passed over
	Unsigned bool  // IDInt: there are ids above the range of int64, hence none below 0
}

// MaxLine is the length of the longest line, its end included.
const MaxLine = 16 << 20

// defaultRowBytes is the memory for rows if none is given.
const defaultRowBytes = 256 << 20

// The size of a block. A line is never longer than the largest.
const (
	defaultBlock = 1 << 20
	minBlock     = 16
)

// withDefaults replaces zero values.
func (o Options) withDefaults() Options {
	o.Format, o.IDs, o.Weights = cmp.Or(o.Format, Auto), cmp.Or(o.IDs, IDsAuto), cmp.Or(o.Weights, WeightsAuto)
	if o.Threads <= 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	if o.BlockBytes <= 0 {
		o.BlockBytes = defaultBlock
	}
	o.BlockBytes = min(max(o.BlockBytes, minBlock), MaxLine)
	if o.Progress == nil {
		o.Progress = func(int64, int64) {}
	}
	if o.Window <= 0 || o.Window > maxWindow {
		o.Window = maxWindow
	}
	if o.RowBytes <= 0 {
		o.RowBytes = defaultRowBytes
	}
	if o.Reserve == nil {
		o.Reserve = func(int64, string) error { return nil }
	}
	if o.Warn == nil {
		o.Warn = func(string) {}
	}
	return o
}

// ReaderBlocks is the number of blocks one goroutine that parses has, with its share of those that are being read.
const ReaderBlocks = 4

// Files reads the inputs, which are files of one kind, folders of such, or the
// single name "-", into sink, and returns the arguments of sink.Begin. The workers of the sink are
// closed only when everything was read without an error.
//
// Of several errors it reports the first in the order of the inputs: an
// [*InputError], [*SyntaxError] or [*DamagedError], an error of the sink, or that of ctx. When ctx ends, it
// returns at once; where it was waiting for a pipe or standard input, that one
// Read goes on until it gets something.
func Files(ctx context.Context, inputs []string, o Options, plan Planner, sink Sink) (Schema, Stats, error) {
	o = o.withDefaults()
	ins, err := openInputs(inputs, o)
	if err != nil {
		return Schema{}, Stats{}, err
	}
	return Inputs(ctx, ins, o, plan, sink)
}

// Planner recognises an input by its beginning, and plans how it is read.
type Planner func(h *Head, o Options) (*Plan, error)

// Inputs implements [Files] for inputs that were found.
func Inputs(ctx context.Context, ins []*Input, o Options, plan Planner, sink Sink) (Schema, Stats, error) {
	o = o.withDefaults()
	if err := o.Table.Check(o.Weights); err != nil {
		return Schema{}, Stats{}, err
	}
	progress := &Progress{notify: o.Progress}
	plans, err := planAll(ctx, ins, o, plan, progress)
	defer func() {
		for _, p := range plans {
			p.Input.drop()
		}
	}()
	if err != nil {
		return Schema{}, Stats{}, err
	}
	schema, err := decideSchema(plans)
	if err != nil {
		return schema, Stats{}, err
	}
	if err := sink.Begin(schema); err != nil {
		return schema, Stats{}, err
	}
	if schema.Columnar {
		if err := o.Reserve(max(0, o.RowBytes-int64(o.Threads)*ReaderBlocks*int64(o.BlockBytes)),
			"pages of "+string(schema.Format)+" files take"); err != nil {
			return schema, Stats{}, &InputError{File: plans[0].Name(), Problem: err.Error(), Err: err}
		}
	}
	progress.total = totalSize(plans)
	p := &readPipeline{plans: plans, schema: schema, opts: o}
	stats, err := p.run(ctx, sink, progress)
	return schema, stats, err
}

// planAll recognises the inputs, and those that belong to them. The plans made
// before an error are returned with it, so that they can be dropped.
func planAll(ctx context.Context, ins []*Input, o Options, plan Planner, progress *Progress) ([]*Plan, error) {
	var plans []*Plan
	add := func(ins []*Input) error {
		for _, in := range ins {
			p, err := planOne(ctx, in, o, plan, progress)
			if err != nil {
				in.drop()
				return err
			}
			plans = append(plans, p)
		}
		return nil
	}
	if err := add(ins); err != nil {
		return plans, err
	}
	if !slices.ContainsFunc(plans, func(p *Plan) bool { return !p.Vertices }) {
		o.Warn(fmt.Sprintf("%s has vertices only; name the .e file with the edges too", plans[0].Name()))
	}
	for _, p := range plans[:len(ins)] {
		if p.Beside == "" ||
			slices.ContainsFunc(plans, func(q *Plan) bool { return q.Vertices && Stem(q.Name()) == Stem(p.Beside) }) {
			continue
		}
		in, err := Open(p.Beside, nil)
		if err != nil {
			return plans, err
		}
		o.Warn(fmt.Sprintf("%s stands beside %s and is read too, for vertices without edges", p.Beside, p.Name()))
		if err := add([]*Input{in}); err != nil {
			return plans, err
		}
	}
	return plans, nil
}

// planOne recognises one input.
func planOne(ctx context.Context, in *Input, o Options, plan Planner, progress *Progress) (*Plan, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	in.window = o.Window
	h, err := in.readHead(ctx, progress)
	if err != nil {
		return nil, err
	}
	defer h.close()
	return plan(h, o)
}

// totalSize returns the stored size of all inputs, or -1.
func totalSize(plans []*Plan) int64 {
	total := int64(0)
	for _, p := range plans {
		if p.Input.Size < 0 {
			return -1
		}
		total += p.Input.Size
	}
	return total
}
