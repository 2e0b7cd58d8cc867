package ingest

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
)

// GraphML (http://graphml.graphdrawing.org): elements node and edge, as igraph, NetworkX, Gephi and yEd write them. The
// goroutine that reads goes through the XML once and hands out records. Entities of the file's own are refused by encoding/xml, so none can
// grow; how long one token may be, and how deep elements may lie in each other, has limits.

const (
	maxDepth  = 1000     // elements within elements
	maxToken  = 16 << 20 // bytes of a tag or text
	maxNumber = 128      // bytes of a weight
)

// graphmlBody reads one file.
type graphmlBody struct {
	undirected bool
	reversed   bool     // edges are read from their targets to their sources
	chosen     string   // the name of the keys of weights
	weightKeys []string // their ids: several, where a writer has one for each type
	initial    string   // the weight of edges that have none
	toInitial  string   // how to have one, for errors
	ids        IDKind
	weights    bool // wanted
}

// isGraphML recognises files by their first element.
func isGraphML(text []byte) bool {
	text = bytes.TrimLeft(text, " \t\r\n")
	return bytes.HasPrefix(text, []byte("<")) && bytes.Contains(text[:min(len(text), 4096)], []byte("<graphml"))
}

// planGraphML looks for the keys and the graph, and at the first ids.
func planGraphML(p *inputPlan, h *inputHead, o ReadOptions) (*inputPlan, error) {
	if err := checkText(h, GraphML, o.Format == GraphML); err != nil {
		return nil, err
	}
	t := &graphmlBody{chosen: "weight"}
	if err := t.choose(p.name(), o.Table.Columns); err != nil {
		return nil, err
	}
	var keys []string
	var other string
	for {
		s := &graphmlStart{graphmlBody: t}
		x := newXMLReader(p.name(), bytes.NewReader(h.bytes))
		err := x.each(s)
		if s.graph == 0 {
			if h.more() {
				continue
			}
			if err == nil || h.err == nil {
				err = &InputError{File: p.name(), Problem: "has no element graph in its first 16 MiB", Advice: "is it GraphML?"}
			}
			return nil, err
		}
		keys, other = s.keys, s.other
		p.openIDs = o.IDs == IDsAuto && s.ints+s.texts == 0
		switch {
		case o.IDs != IDsAuto:
			p.schema.IDs = defaultIDs(GraphML, o.IDs)
		case s.texts > 0:
			p.schema.IDs = IDString
		default:
			p.schema.IDs = IDInt
		}
		break
	}
	if err := t.checkWeights(p.name(), keys, other, o); err != nil {
		return nil, err
	}
	if t.weightKeys == nil && len(keys) > 0 && o.Weights == WeightsAuto && len(o.Table.Columns) == 0 {
		o.Warn(p.name() + ": no key for edges has the name weight, so each edge counts 1; " + adviseKeys(keys) + ", or --weights no")
	}
	if plainKey.MatchString(t.chosen) {
		t.toInitial = h.pasted(fmt.Sprintf(weightByDefault, t.chosen, shellWord(p.name()))) + "; or "
	}
	p.schema.Weighted = t.weightKeys != nil && o.Weights != WeightsNo
	p.schema.Mirrored = t.undirected
	p.adapt = func(s Schema) { t.ids, t.weights = s.IDs, s.Weighted }
	p.body = t
	return p, nil
}

// checkWeights refuses a file without the weights that are asked for; other is the type of a key that has their name.
func (t *graphmlBody) checkWeights(file string, keys []string, other string, o ReadOptions) error {
	if t.weightKeys != nil {
		return nil
	}
	if other != "" && o.Weights != WeightsNo {
		e := &InputError{File: file, Problem: fmt.Sprintf("has a key for edges %q of type %s, which is no weight", t.chosen, other)}
		if e.Advice = `where its values are numbers, write it with attr.type="double", or `; len(o.Table.Columns) == 3 {
			e.Advice += adviseKeys(keys)
		} else {
			e.Advice += "use --weights no to leave it out"
		}
		return e
	}
	if len(o.Table.Columns) == 3 {
		return &InputError{File: file, Problem: fmt.Sprintf("has no key for edges %q", t.chosen), Advice: adviseKeys(keys)}
	}
	if o.Weights == WeightsYes {
		return &InputError{File: file, Problem: `has no weights: no key for edges is a number and has attr.name="weight"`, Advice: "leave out --weights yes"}
	}
	return nil
}

// weightByDefault writes a copy in which the key of that name has a default; keys that are closed at once are opened for that.
const weightByDefault = `give the edges without a weight the weight 1: sed -e 's|\(<key [^>]*[^/>]\) */>|\1></key>|g' ` +
	`-e 's|\(<key [^>]*attr.name=[^a-zA-Z]%s[^a-zA-Z0-9_][^>]*\)>|\1><default>1</default>|g' %s > weighted.graphml, and import weighted.graphml`

// choose takes the columns that a user chose: the ends of edges, and the key of their weights.
func (t *graphmlBody) choose(file string, columns []string) error {
	if len(columns) == 0 {
		return nil
	}
	switch strings.ToLower(columns[0] + "," + columns[1]) {
	case "source,target":
	case "target,source":
		t.reversed = true
	default:
		return &InputError{File: file, Problem: "is GraphML, whose edges have a source and a target", Advice: "use --columns source,target, with the name of a key behind them for weights"}
	}
	if t.chosen = ""; len(columns) == 3 {
		t.chosen = columns[2]
	}
	return nil
}

// adviseKeys says which keys of weights there are.
func adviseKeys(keys []string) string {
	const most = 20
	if len(keys) == 0 {
		return "use --columns source,target, for no key for edges is a number"
	}
	if len(keys) > most {
		keys = append(keys[:most:most], fmt.Sprintf("and %d more", len(keys)-most))
	}
	return "use --columns source,target,KEY to choose among " + strings.Join(keys, ", ")
}

// graphmlStart learns from the beginning of a file, which may be cut anywhere.
type graphmlStart struct {
	*graphmlBody
	graph       int
	inKey       bool     // a key of weights is being read
	keys        []string // that are numbers
	other       string   // the type of a key of the name of weights that is no number
	ints, texts int
}

func (s *graphmlStart) start(x *xmlReader, e *xml.StartElement) error {
	switch e.Name.Local {
	case "key":
		s.inKey = false
		if !slices.Contains([]string{"edge", "all", ""}, attribute(e, "for")) {
			return nil
		}
		name, is, id := attribute(e, "attr.name"), attribute(e, "attr.type"), attribute(e, "id")
		number, chosen := slices.Contains([]string{"int", "long", "float", "double"}, is), name != "" && name == s.chosen
		if number {
			s.keys = append(s.keys, shown([]byte(name))+" ("+is+")")
		}
		switch {
		case chosen && number:
			s.inKey, s.weightKeys = true, append(s.weightKeys, id)
		case chosen:
			s.other = cmp.Or(shown([]byte(is)), "string") // the default, which NetworkX takes
		}
	case "default":
		x.text, x.collect = x.text[:0], s.inKey
	case "graph":
		if s.graph > 0 {
			return nil
		}
		switch direction := attribute(e, "edgedefault"); direction {
		case "directed", "undirected":
			s.undirected, s.graph = direction == "undirected", 1
		default:
			return x.refused(cmp.Or(direction, "graph without edgedefault"), `edgedefault="directed" or "undirected"`, "")
		}
	case "node":
		s.note(attribute(e, "id"))
	case "edge":
		s.note(attribute(e, "source"))
		s.note(attribute(e, "target"))
	}
	return nil
}

func (s *graphmlStart) note(id string) {
	if _, kind := parseInteger([]byte(id)); kind != notInteger && kind != hugeInteger && isCanonical([]byte(id)) {
		s.ints++
	} else {
		s.texts++
	}
}

func (s *graphmlStart) end(x *xmlReader, name string) error {
	if name == "default" && x.collect {
		s.initial, x.collect = strings.TrimSpace(string(x.text)), false
	}
	if name == "key" {
		s.inKey = false
	}
	return nil
}

// graphmlFeed is the state of reading one file.
type graphmlFeed struct {
	*graphmlBody
	out            *namedRecords
	graphs, nested int // graphs at the top; those that are open
	inEdge         bool
	source, target string
	weight         string
	hasWeight      bool // the edge has one of its own
}

// feed is [streamBody].
func (t *graphmlBody) feed(f *blockFeed, plan *inputPlan, r io.Reader) error {
	s := &graphmlFeed{graphmlBody: t, out: &namedRecords{f: f, plan: plan}}
	if err := newXMLReader(plan.name(), r).each(s); err != nil {
		return err
	}
	return s.out.flush()
}

func (s *graphmlFeed) start(x *xmlReader, e *xml.StartElement) error {
	switch e.Name.Local {
	case "graph":
		if s.nested++; s.nested == 1 {
			s.graphs++
		}
		if s.graphs > 1 {
			return x.refused("graph", "one graph in the file", "write each graph to a file of its own")
		}
		if direction := attribute(e, "edgedefault"); (direction == "undirected") != s.undirected {
			return x.refused(cmp.Or(direction, "graph without edgedefault"), "the same edgedefault as that of the first graph", "")
		}
	case "node":
		id, err := s.id(x, e, "id")
		if err != nil {
			return err
		}
		return s.out.add(id, "", 0, true)
	case "edge":
		return s.edge(x, e)
	case "hyperedge":
		return x.refused("hyperedge", "edges between two nodes", "a hyperedge has no place in a graph of edges: leave it out")
	case "data":
		x.text, x.collect = x.text[:0], s.inEdge && s.weights && slices.Contains(s.weightKeys, attribute(e, "key"))
		x.skip = true // what is within is not of the graph
	}
	return nil
}

func (s *graphmlFeed) edge(x *xmlReader, e *xml.StartElement) (err error) {
	if s.source, err = s.id(x, e, "source"); err != nil {
		return err
	}
	if s.target, err = s.id(x, e, "target"); err != nil {
		return err
	}
	if s.reversed {
		s.source, s.target = s.target, s.source
	}
	if d := attribute(e, "directed"); d != "" && (d == "false" || d == "0") != s.undirected {
		return x.refused("directed="+d, "edges that are all directed or all undirected, as edgedefault says", "write a directed graph, with undirected edges in both directions")
	}
	s.inEdge, s.weight, s.hasWeight = true, s.initial, false
	return nil
}

// id is an attribute that is the id of a node.
func (s *graphmlFeed) id(x *xmlReader, e *xml.StartElement, name string) (string, error) {
	id := attribute(e, name)
	if id == "" || len(id) > maxName {
		return "", x.refused(cmp.Or(id, e.Name.Local+" without "+name), fmt.Sprintf("an id of at most %d bytes as %s of the %s", maxName, name, e.Name.Local), "")
	}
	if s.ids == IDString {
		return id, nil
	}
	v, kind := parseInteger([]byte(id))
	switch {
	case s.ids == IDDense && (kind != plainInteger || v > maxDense):
		return "", x.refused(id, "a vertex number", "use --ids string to take ids as text")
	case kind == notInteger || kind == hugeInteger || !isCanonical([]byte(id)):
		return "", x.refused(id, "an integer of 64 bits, as the first ids are", "use --ids string to take ids as text")
	}
	return id, nil
}

func (s *graphmlFeed) end(x *xmlReader, name string) error {
	switch {
	case name == "graph":
		s.nested--
	case name == "data" && x.collect:
		if s.hasWeight {
			return x.refused(s.between(), "one weight of the edge, not two", "")
		}
		s.weight, s.hasWeight, x.collect = strings.TrimSpace(string(x.text)), true, false
	case name == "edge" && s.inEdge:
		s.inEdge = false
		w := float32(0)
		if s.weights {
			var kind weightKind
			if s.weight == "" {
				advice := adviceNoWeights
				if !s.hasWeight {
					advice = s.toInitial + advice
				}
				return x.refused(s.between(), fmt.Sprintf("a weight of the edge, as %s promises", s.promise()), advice)
			}
			if w, kind = parseWeight([]byte(s.weight)); kind != goodWeight {
				return x.refused(s.weight, kind.expected(), adviceNoWeights)
			}
		}
		return s.out.add(s.source, s.target, w, false)
	}
	return nil
}

// between is the edge that is being read, for errors.
func (s *graphmlFeed) between() string { return s.source + " → " + s.target }

// promise is what says that edges have weights, for errors.
func (s *graphmlFeed) promise() string {
	if len(s.weightKeys) == 1 {
		return "the key " + s.weightKeys[0]
	}
	return "each of the keys " + strings.Join(s.weightKeys, ", ")
}

// attribute is the value of an attribute, "" without one.
func attribute(e *xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}
