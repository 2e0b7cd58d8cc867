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

	skipBytes int64 // the beginning that body does not get: BOM, header
	skipLines int64 // the lines in it

	promised int64 // edges that the header promises and that are counted; -1: none
	atLine   int64 // the line of that promise

	// The beginning did not show these, for want of edges: the input agrees
	// with any other, and adapt passes to body what was decided.
	openIDs, openWeights bool
	adapt                func(Schema)

	firstSeq     int64        // the first block; set when reading begins
	entries, bad atomic.Int64 // edges found; bad lines passed over
}

func (p *inputPlan) name() string { return p.src.name }

// planInput makes the plan of one input from its beginning.
func planInput(h *inputHead, o ReadOptions) (*inputPlan, error) {
	format := o.Format
	if format == Auto {
		if format = detectFormat(h); format == Text && !o.Table.isSet() {
			if err := checkForeign(h, o.Weights); err != nil {
				return nil, err
			}
		}
	}
	if err := o.Table.fit(h.in.name, format); err != nil {
		return nil, err
	}
	p := &inputPlan{src: h.in, promised: -1, schema: Schema{Format: format, Vertices: -1, Edges: -1}}
	if o.Vertices > 0 {
		if err := o.checkVertices(h.in.name, format); err != nil {
			return nil, err
		}
		o.IDs, p.schema.Vertices = IDsDense, o.Vertices
	}
	if len(h.bytes) == 0 {
		if h.err != io.EOF {
			return nil, h.err
		}
		if !format.hasColumns() {
			return planEmpty(p, o)
		}
	}
	switch format {
	case Parquet:
		return planParquet(p, h, o)
	case Arrow:
		return planArrow(p, h, o)
	case MatrixMarket:
		return planMatrixMarket(p, h, o)
	case DIMACS:
		return planDIMACS(p, h, o)
	case METIS:
		return planMETIS(p, h, o)
	case GraphML:
		return planGraphML(p, h, o)
	case Ligra:
		return planLigra(p, h, o)
	case SG, WSG:
		return planSG(p, h, o)
	case Raw, RawW:
		return planRaw(p, h, o)
	}
	return planText(p, h, o)
}

// checkVertices refuses a number of vertices that cannot be, or for another format.
func (o *ReadOptions) checkVertices(name string, f Format) error {
	switch {
	case f != Raw && f != RawW:
		return &InputError{File: name, Problem: fmt.Sprintf("is in format %s: a number of vertices is for raw edges", f), Advice: "leave out --vertices"}
	case o.IDs == IDsInt || o.IDs == IDsString:
		return &InputError{File: name, Problem: "is read with a number of vertices, and so its ids are dense", Advice: "leave out --ids, or --vertices"}
	case o.Vertices > maxDense+1:
		return &InputError{File: name, Problem: fmt.Sprintf("is said to have %d vertices: at most %d are possible", o.Vertices, int64(maxDense)+1), Advice: "correct --vertices"}
	}
	return nil
}

// planEmpty is the plan of an input without a single byte.
func planEmpty(p *inputPlan, o ReadOptions) (*inputPlan, error) {
	if o.Vertices == 0 { // a graph of vertices without edges is asked for, else
		o.Warn(p.name() + ": the file is empty")
	}
	p.openIDs, p.openWeights = true, true
	p.schema.IDs = defaultIDs(p.schema.Format, o.IDs)
	p.schema.Base = baseOf(p.schema.Format, p.schema.IDs)
	p.schema.Weighted = o.Weights == WeightsYes || o.Weights != WeightsNo && alwaysWeighted(p.schema.Format)
	p.body = nothing{}
	return p, nil
}

// nothing is the body of an empty input.
type nothing struct{}

func (nothing) feed(*blockFeed, *inputPlan, io.Reader) error { return nil }
func (nothing) parse(*readBlock, *parseWorker) error         { return nil }

// defaultIDs is the kind of ids of a format whose content does not decide.
func defaultIDs(f Format, m IDMode) IDKind {
	switch {
	case m == IDsInt:
		return IDInt
	case m == IDsString:
		return IDString
	case m == IDsDense, f == MatrixMarket, f == DIMACS, f == EL, f == WEL, f == SG, f == WSG, f == METIS, f == Ligra:
		return IDDense
	}
	return IDInt
}

// baseOf is the user's id of dense vertex 0.
func baseOf(f Format, k IDKind) int64 {
	if k == IDDense && (f == MatrixMarket || f == DIMACS || f == METIS) {
		return 1
	}
	return 0
}

// alwaysWeighted reports whether every file of a format has weights.
func alwaysWeighted(f Format) bool {
	return f == WEL || f == WSG || f == RawW || f == DIMACS
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
	var header []string
	for _, p := range plans {
		t, ok := p.body.(*lineBody)
		switch {
		case !ok || t.header == nil || t.layout.pick != nil:
		case first == nil:
			first, header = p, t.header
		case moved(header, t.header) || moved(t.header, header):
			return &MismatchError{
				First: first.name(), Second: p.name(), What: "order of columns", InFirst: strings.Join(header, ","), InSecond: strings.Join(t.header, ","),
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
