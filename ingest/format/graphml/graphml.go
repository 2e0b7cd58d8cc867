// Package graphml reads GraphML.
package graphml

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/garaph/garaph/ingest/format"
	"github.com/garaph/garaph/ingest/format/text"
	"github.com/garaph/garaph/ingest/read"
)

// Name is the name of the format.
const Name read.FormatName = "graphml"

// Formats lists the format.
var Formats = []*format.Format{{
	Name: Name, Doc: "GraphML, elements node and edge", Extensions: []string{".graphml"},
	Detect: func(h *read.Head) bool { return isGraphML(bytes.TrimPrefix(h.Bytes, read.BOM)) },
	Plan:   planGraphML, Input: format.Input{Text: true, Table: format.TableColumns},
	Writer: &format.Writer{
		Content: format.Content{Undirected: format.WhenHalved, Vertices: true},
		Write:   write, Text: appendAttribute, Wide: len("&#34;"),
	},
}}

// GraphML (http://graphml.graphdrawing.org): elements node and edge, as igraph, NetworkX, Gephi and
// yEd write them. The goroutine that reads goes through the XML once and hands out records: line,
// source (or node), target and weight with zero bytes between them, and a byte 1 behind them, which
// XML cannot have. Entities of the file's own are refused by encoding/xml.
type graphmlBody struct {
	graphmlHead
	layout   text.Layout // of the ids
	reversed bool        // edges are read from their targets to their sources
}

// graphmlHead describes the keys and the graph.
type graphmlHead struct {
	chosen     string   // the name of the keys of weights
	weights    []string // the ids of those that are numbers: several, where a writer has one for each type
	initial    string   // the weight of edges that have none
	other      bool     // there is such a key that is no number
	numbers    bool     // there are keys that are numbers
	graphs     int
	undirected bool
}

type graphmlKey struct {
	ID      string `xml:"id,attr"`
	For     string `xml:"for,attr"`
	Name    string `xml:"attr.name,attr"`
	Type    string `xml:"attr.type,attr"`
	Default string `xml:"default"`
}

type graphmlEdge struct {
	Graph []struct{} `xml:"graph"`
	Data  []struct {
		Key  string `xml:"key,attr"`
		Text string `xml:",chardata"`
	} `xml:"data"`
}

const adviceKey = "use --columns source,target,KEY to choose a key of numbers"

// isGraphML recognises files by their first element.
func isGraphML(text []byte) bool {
	text = bytes.TrimLeft(text, " \t\r\n")
	return bytes.HasPrefix(text, []byte("<")) && bytes.Contains(text[:min(len(text), 4096)], []byte("<graphml"))
}

// planGraphML looks for the keys and the graph, and at the first ids.
func planGraphML(p *read.Plan, h *read.Head, o read.Options) error {
	refused := func(problem, advice string) error {
		return p.Refused(problem, advice)
	}
	chosen, reversed, columns := "weight", false, o.Table.Columns
	if len(columns) > 0 {
		ends := strings.ToLower(columns[0] + "," + columns[1])
		if ends != "source,target" && ends != "target,source" {
			return refused("is GraphML, whose edges have a source and a target", adviceKey)
		}
		reversed, chosen = ends == "target,source", strings.Join(columns[2:], "")
	}
	t := &graphmlBody{reversed: reversed, layout: text.NewLayout(o)}
	var s text.Sniff
	for t.graphs == 0 {
		t.graphmlHead, s = graphmlHead{chosen: chosen}, text.Sniff{}
		err := t.each(p.Name(), bytes.NewReader(h.Bytes), func(line int, texts ...string) error {
			for _, id := range texts[:min(len(texts), 2)] {
				s.NoteID([]byte(id), int64(line))
			}
			return nil
		})
		if t.graphs == 0 && !h.More() {
			return cmp.Or(err, refused("has no <graph> element in its first 16 MiB", ""))
		}
	}
	weighted := o.Weights != read.WeightsNo
	switch {
	case t.weights != nil:
	case t.other && weighted, len(columns) == 3, o.Weights == read.WeightsYes:
		return refused(fmt.Sprintf("has no key for edges %q that is a number", chosen), adviceKey)
	case t.numbers && weighted && len(columns) == 0:
		o.Warn(p.Name() + ": no key for edges has the name weight, so each edge counts 1; " + adviceKey)
	}
	s.Whole = 0 // such ids are names here
	if err := text.ChooseIDs(p, &s, &t.layout, o); err != nil {
		return err
	}
	p.Schema.Weighted, p.Schema.Mirrored = t.weights != nil && weighted, t.undirected
	p.Adapt = func(s read.Schema) { t.layout.Adapt(p, s) }
	p.Body = t
	return nil
}

// Feed implements the stream body of package read.
func (t *graphmlBody) Feed(f *read.Feed, plan *read.Plan, r io.Reader) error {
	head, out := graphmlHead{chosen: t.chosen}, read.NewRecords(f, plan)
	err := head.each(plan.Name(), r, func(line int, texts ...string) error {
		return out.Append(func(b []byte) []byte { return fmt.Appendf(b, "%d\x00%s\x01", line, strings.Join(texts, "\x00")) })
	})
	if err != nil {
		return err
	}
	return out.Flush()
}

// Parse delivers the nodes and edges of one block.
func (t *graphmlBody) Parse(b *read.Block, w *read.Parser) error {
	defer func() { w.Lines = 0 }() // records have lines from the beginning of the file
	e := &w.Edge
	for record := range bytes.SplitSeq(bytes.TrimSuffix(b.Data, []byte{1}), []byte{1}) {
		if w.Batch.Full() {
			if err := w.Batch.Flush(); err != nil {
				return err
			}
		}
		texts := bytes.Split(record, []byte{0})
		line, _ := read.ParseInteger(texts[0])
		texts = texts[1:]
		if e.Count, w.Lines = min(len(texts), 2), int64(line)-1; t.reversed && e.Count > 1 {
			texts[0], texts[1] = texts[1], texts[0]
		}
		var bad *read.Bad
		for i := 0; i < e.Count && bad == nil; i++ {
			if bad = read.CheckName(texts[i]); bad == nil {
				bad = t.layout.ParseID(texts[i], i, e)
			}
		}
		if bad == nil && w.Batch.Weight != nil && e.Count > 1 {
			bad = t.layout.ParseWeight(texts[2], e)
		}
		if bad != nil {
			return &read.SyntaxError{
				File: b.Plan.Name(), Line: int64(line), Text: read.Shown(bad.Text), Expected: bad.Expected, Advice: bad.Advice,
			}
		}
		w.Batch.Add(e, t.layout.IDs)
	}
	if t.layout.IDs != read.IDString {
		return nil
	}
	return w.Batch.Flush() // names are in the block
}

// graphmlReader reads a file. It calls add with the id of every node, and with source, target and weight of every edge,
// behind their lines.
type graphmlReader struct {
	*graphmlHead
	name     string
	d        *xml.Decoder
	add      func(line int, texts ...string) error
	elements int
	open     int // open graphs
	line     int
	closed   bool // the element graphml has ended
}

// each reads a file.
func (t *graphmlHead) each(name string, r io.Reader, add func(line int, texts ...string) error) error {
	x := &graphmlReader{graphmlHead: t, name: name, d: xml.NewDecoder(r), add: add}
	x.d.CharsetReader = func(string, io.Reader) (io.Reader, error) { return nil, errors.New("xml: convert it to UTF-8") }
	for {
		token, err := x.d.Token()
		x.line, _ = x.d.InputPos()
		switch e := token.(type) {
		case xml.EndElement:
			switch e.Name.Local {
			case "graph":
				x.open--
			case "graphml":
				x.closed = true
			}
		case xml.StartElement:
			err = x.start(&e)
		}
		switch {
		case err == io.EOF:
			return nil
		case err != nil && strings.HasPrefix(strings.ToLower(err.Error()), "xml"):
			return &read.DamagedError{
				File: name, Problem: fmt.Sprintf("is no whole XML in UTF-8, in line %d: %v", x.line, err), Err: err,
			}
		case err != nil:
			return err
		}
	}
}

func (x *graphmlReader) refused(found, expected string) error {
	return &read.SyntaxError{File: x.name, Line: int64(x.line), Text: read.Shown([]byte(found)), Expected: expected}
}

// start takes an element.
func (x *graphmlReader) start(e *xml.StartElement) error {
	if x.closed {
		return x.refused(e.Name.Local, "nothing behind the element graphml")
	}
	if x.elements++; x.elements == 1 && e.Name.Local != "graphml" {
		return x.refused(e.Name.Local, "graphml as the first element")
	}
	switch e.Name.Local {
	case "key":
		var k graphmlKey
		if err := x.d.DecodeElement(&k, e); err != nil {
			return err
		}
		x.key(&k)
	case "graph":
		if x.open++; x.open == 1 {
			x.graphs++
		}
		direction := attribute(e, "edgedefault")
		undirected := direction == "undirected"
		if !undirected && direction != "directed" || x.graphs > 1 || x.open > 1 && undirected != x.undirected {
			return x.refused(cmp.Or(direction, "graph without edgedefault"),
				`one graph in the file, with one edgedefault, "directed" or "undirected"`)
		}
		x.undirected = undirected
	case "node":
		return x.add(x.line, attribute(e, "id"))
	case "edge":
		texts, err := x.edge(e)
		if err != nil {
			return err
		}
		return x.add(x.line, texts...)
	case "hyperedge":
		return x.refused("hyperedge", "edges between two nodes")
	case "data":
		return x.d.Skip() // it is not of the graph
	}
	return nil
}

// edge reads an edge, and returns its source, target and weight.
func (x *graphmlReader) edge(e *xml.StartElement) ([]string, error) {
	var edge graphmlEdge
	if err := x.d.DecodeElement(&edge, e); err != nil {
		return nil, err
	}
	source, target, directed := attribute(e, "source"), attribute(e, "target"), attribute(e, "directed")
	weight, ok := x.weight(&edge)
	switch {
	case len(edge.Graph) > 0:
		return nil, x.refused("graph", "edges without graphs in them")
	case directed != "" && (directed == "false" || directed == "0") != x.undirected:
		return nil, x.refused("directed="+directed, "edges that are all directed or all undirected, as edgedefault says")
	case !ok:
		return nil, x.refused(source+" → "+target, "one weight of an edge")
	}
	return []string{source, target, weight}, nil
}

// key takes a key into account.
func (t *graphmlHead) key(k *graphmlKey) {
	number, chosen := slices.Contains([]string{"int", "long", "float", "double"}, k.Type), t.chosen != "" &&
		k.Name == t.chosen
	if !slices.Contains([]string{"edge", "all", ""}, k.For) {
		return
	}
	t.numbers, t.other = t.numbers || number, t.other || chosen && !number
	if chosen && number {
		t.weights, t.initial = append(t.weights, k.ID), cmp.Or(strings.TrimSpace(k.Default), t.initial)
	}
}

// weight returns the weight of an edge; false: it has several.
func (t *graphmlHead) weight(x *graphmlEdge) (weight string, ok bool) {
	weight, own := t.initial, 0
	for _, data := range x.Data {
		if slices.Contains(t.weights, data.Key) {
			weight = strings.TrimSpace(data.Text)
			own++
		}
	}
	return weight, own <= 1
}

// attribute returns the value of an attribute without a namespace, "" without one.
func attribute(e *xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Space == "" && a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}
