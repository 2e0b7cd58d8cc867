package read

import (
	"fmt"
	"io"
	"sync/atomic"
)

// Plan says how an input is read, by its beginning.
type Plan struct {
	Input  *Input
	Schema Schema
	Body   Body

	dense   bool  // ids are dense, unless the user says otherwise
	FirstID int64 // of dense ids

	SkipBytes int64 // the beginning that body does not get: BOM, header
	SkipLines int64 // the lines in it

	Promised int64 // edges that the header promises and that are counted; -1 if there is none
	AtLine   int64 // the line of that promise

	Vertices bool   // the input has vertices and no edges
	Beside   string // another file that is read too; "" if there is none

	planOpen
	planProgress
}

// planOpen has the properties that a beginning without edges does not show: the input agrees with any other.
type planOpen struct {
	OpenIDs, OpenWeights bool
	Adapt                func(Schema) // If not nil, it is called with the final schema.
}

// planProgress counts while an input is read.
type planProgress struct {
	firstSeq     int64        // the first block; set when reading begins
	entries, bad atomic.Int64 // edges found; bad lines passed over
}

// NewPlan returns the plan of an input of which nothing but the format is known.
func NewPlan(h *Head, f FormatName, dense bool, firstID int64) *Plan {
	return &Plan{
		Input: h.Input, Promised: -1, dense: dense, FirstID: firstID,
		Schema: Schema{Format: f, Vertices: -1},
	}
}

// Name returns the name of the input.
func (p *Plan) Name() string { return p.Input.Name }

// Empty completes the plan of an input without a single byte.
func (p *Plan) Empty(o Options, weighted bool) {
	if o.Vertices == 0 { // a graph of vertices without edges is asked for, else
		o.Warn(p.Name() + ": the file is empty")
	}
	p.OpenIDs, p.OpenWeights = true, true
	p.TakeIDs(o.IDs)
	p.Schema.Weighted = o.Weights == WeightsYes || o.Weights != WeightsNo && weighted
	p.Body = nothing{}
}

// nothing is the body of an empty input.
type nothing struct{}

func (nothing) Feed(*Feed, *Plan, io.Reader) error { return nil }
func (nothing) Parse(*Block, *Parser) error        { return nil }

// TakeIDs decides the kind of ids by a mode where the content of the input does not.
func (p *Plan) TakeIDs(m IDMode) {
	s := &p.Schema
	switch s.Base = 0; {
	case m == IDsInt:
		s.IDs = IDInt
	case m == IDsString:
		s.IDs = IDString
	case m == IDsDense || p.dense:
		s.IDs, s.Base = IDDense, p.FirstID
	default:
		s.IDs = IDInt
	}
}

// decideSchema joins the schemas of all inputs, and refuses inputs of
// different kinds. Empty inputs count only if all are.
func decideSchema(plans []*Plan) (Schema, error) {
	var live []*Plan
	for _, p := range plans {
		if p.Body != (nothing{}) {
			live = append(live, p)
		}
	}
	if len(live) == 0 {
		live = plans[:1]
	}
	s := live[0].Schema
	ids, weights := live[0], live[0]
	for _, p := range live {
		if ids.OpenIDs {
			ids = p
		}
		if weights.OpenWeights {
			weights = p
		}
	}
	s.IDs, s.Weighted, s.Base = ids.Schema.IDs, weights.Schema.Weighted, ids.Schema.Base
	for _, p := range live {
		if err := agree(live[0], ids, weights, p); err != nil {
			return s, err
		}
	}
	for _, p := range live[1:] {
		if min(s.Vertices, p.Schema.Vertices) < 0 {
			s.Vertices = -1
		} else {
			s.Vertices = max(s.Vertices, p.Schema.Vertices)
		}
		s.Both = s.Both && p.Schema.Both
	}
	for _, p := range live {
		if p.Adapt != nil {
			p.Adapt(s)
		}
	}
	return s, nil
}

// agree refuses p when it is of another kind than the inputs that decided the
// format, the ids and the weights.
func agree(format, ids, weights, p *Plan) error {
	a, b := format.Schema, p.Schema
	switch {
	case a.Format != b.Format:
		return p.differs(format, "format", string(a.Format), string(b.Format),
			"name the format of all with --format, or import files of one kind")
	case a.Mirrored != b.Mirrored:
		names := map[bool]string{true: "symmetric", false: "general"}
		return p.differs(format, "symmetry", names[a.Mirrored], names[b.Mirrored], "import files of one kind")
	case !p.OpenIDs && ids.Schema.IDs != b.IDs:
		return p.differs(ids, "kind of ids", ids.Schema.IDs.Name(), b.IDs.Name(),
			"use --ids string to take the ids of both as text")
	case !p.OpenWeights && weights.Schema.Weighted != b.Weighted:
		names := map[bool]string{true: "weights", false: "none"}
		return p.differs(weights, "weights", names[!b.Weighted], names[b.Weighted], "use --weights no to pass over weights")
	}
	return nil
}

// differs returns the error of an input that is of another kind than an earlier one.
func (p *Plan) differs(first *Plan, what, there, here, advice string) error {
	problem := fmt.Sprintf("differs from %s in the %s: %s here, %s there", first.Name(), what, here, there)
	return p.Refused(problem, advice)
}

// Name returns the name of a kind of ids in errors.
func (k IDKind) Name() string {
	switch k {
	case IDDense:
		return "dense numbers"
	case IDString:
		return "text"
	}
	return "integers"
}
