package ingest

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"
)

// inputPlan is what the beginning of an input shows: how the rest is to be read.
type inputPlan struct {
	src    *readInput
	schema Schema
	body   inputBody

	dense   bool  // ids are dense, unless the user says otherwise
	firstID int64 // of dense ids

	skipBytes int64 // the beginning that body does not get: BOM, header
	skipLines int64 // the lines in it

	promised int64 // edges that the header promises and that are counted; -1: none
	atLine   int64 // the line of that promise

	header   []string // the names of columns that are taken by their places; nil if there are none
	vertices bool     // the input has vertices and no edges
	beside   string   // another file that is read too; "" if there is none

	// The beginning did not show these, for want of edges: the input agrees
	// with any other, and adapt passes to body what was decided.
	openIDs, openWeights bool
	adapt                func(Schema)

	firstSeq     int64        // the first block; set when reading begins
	entries, bad atomic.Int64 // edges found; bad lines passed over
}

// newPlan returns the plan of an input of which nothing but the format is known.
func newPlan(h *inputHead, f Format, dense bool, firstID int64) *inputPlan {
	return &inputPlan{
		src: h.in, promised: -1, dense: dense, firstID: firstID,
		schema: Schema{Format: f, Vertices: -1, Edges: -1},
	}
}

func (p *inputPlan) name() string { return p.src.name }

// empty completes the plan of an input without a single byte.
func (p *inputPlan) empty(o ReadOptions, weighted bool) {
	if o.Vertices == 0 { // a graph of vertices without edges is asked for, else
		o.Warn(p.name() + ": the file is empty")
	}
	p.openIDs, p.openWeights = true, true
	p.takeIDs(o.IDs)
	p.schema.Weighted = o.Weights == WeightsYes || o.Weights != WeightsNo && weighted
	p.body = nothing{}
}

// nothing is the body of an empty input.
type nothing struct{}

func (nothing) feed(*blockFeed, *inputPlan, io.Reader) error { return nil }
func (nothing) parse(*readBlock, *parseWorker) error         { return nil }

// takeIDs decides the kind of ids by a mode where the content of the input does not.
func (p *inputPlan) takeIDs(m IDMode) {
	s := &p.schema
	switch s.Base = 0; {
	case m == IDsInt:
		s.IDs = IDInt
	case m == IDsString:
		s.IDs = IDString
	case m == IDsDense || p.dense:
		s.IDs, s.Base = IDDense, p.firstID
	default:
		s.IDs = IDInt
	}
}

// decideSchema makes one schema of those of all inputs, and refuses inputs of
// different kinds. Empty inputs have no say, unless there is nothing else.
func decideSchema(plans []*inputPlan) (Schema, error) {
	var live []*inputPlan
	for _, p := range plans {
		if p.body != (nothing{}) {
			live = append(live, p)
		}
	}
	if len(live) == 0 {
		live = plans[:1]
	}
	s := live[0].schema
	ids, weights := live[0], live[0]
	for _, p := range live {
		if ids.openIDs {
			ids = p
		}
		if weights.openWeights {
			weights = p
		}
	}
	s.IDs, s.Weighted, s.Base = ids.schema.IDs, weights.schema.Weighted, ids.schema.Base
	for _, p := range live {
		if err := agree(live[0], ids, weights, p); err != nil {
			return s, err
		}
	}
	if err := checkHeaders(live); err != nil {
		return s, err
	}
	for _, p := range live[1:] {
		s.Vertices = joinPromises(s.Vertices, p.schema.Vertices, func(a, b int64) int64 { return max(a, b) })
		s.Edges = joinPromises(s.Edges, p.schema.Edges, func(a, b int64) int64 { return a + b })
		s.Both = s.Both && p.schema.Both
	}
	for _, p := range live {
		if p.adapt != nil {
			p.adapt(s)
		}
	}
	return s, nil
}

// agree refuses p when it is of another kind than the inputs that decided the
// format, the ids and the weights.
func agree(format, ids, weights, p *inputPlan) error {
	a, b := format.schema, p.schema
	refused := func(first *inputPlan, what string, inFirst, inSecond any, advice string) error {
		return &MismatchError{First: first.name(), Second: p.name(), What: what, InFirst: fmt.Sprint(inFirst), InSecond: fmt.Sprint(inSecond), Advice: advice}
	}
	switch {
	case a.Format != b.Format:
		return refused(format, "format", a.Format, b.Format, "name the format of all with --format, or import files of one kind")
	case a.Mirrored != b.Mirrored:
		names := map[bool]string{true: "symmetric", false: "general"}
		return refused(format, "symmetry", names[a.Mirrored], names[b.Mirrored], "import files of one kind")
	case !p.openIDs && ids.schema.IDs != b.IDs:
		return refused(ids, "kind of ids", ids.schema.IDs.name(), b.IDs.name(), "use --ids string to take the ids of both as text")
	case !p.openWeights && weights.schema.Weighted != b.Weighted:
		names := map[bool]string{true: "weights", false: "none"}
		return refused(weights, "weights", names[!b.Weighted], names[b.Weighted], "use --weights no to pass over weights")
	}
	return nil
}

// checkHeaders refuses a header that has an id column of an earlier file at another place, where these are taken by their places.
func checkHeaders(plans []*inputPlan) error {
	var first *inputPlan
	for _, p := range plans {
		switch {
		case p.header == nil:
		case first == nil:
			first = p
		case moved(first.header, p.header) || moved(p.header, first.header):
			return &MismatchError{
				First: first.name(), Second: p.name(), What: "order of columns",
				InFirst: strings.Join(first.header, ","), InSecond: strings.Join(p.header, ","),
				Advice: "use --columns to take them by their names",
			}
		}
	}
	return nil
}

// moved reports whether the name of an id column is that of another column in another header.
func moved(names, other []string) bool {
	for i, name := range names[:min(len(names), 2)] {
		at := slices.IndexFunc(other, func(s string) bool { return plainName(s) == plainName(name) })
		if at >= 0 && at != i && (i >= len(other) || plainName(other[i]) != plainName(name)) {
			return true
		}
	}
	return false
}

// joinPromises joins what two headers promise; -1, unknown, stays unknown, and
// so is what does not fit.
func joinPromises(a, b int64, join func(a, b int64) int64) int64 {
	if a < 0 || b < 0 {
		return -1
	}
	return max(join(a, b), -1)
}

// name is what errors call a kind of ids.
func (k IDKind) name() string {
	switch k {
	case IDDense:
		return "dense numbers"
	case IDString:
		return "text"
	}
	return "integers"
}
