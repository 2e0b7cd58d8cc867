package graphml

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/garaph/garaph/ingest/format"
)

const (
	fileHead = `<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
`
	weightKey = `<key id="weight" for="edge" attr.name="weight" attr.type="double"/>
`
	fileTail = `</graph>
</graphml>
`
)

var (
	plainEdges    = format.Lines(`<edge source="`, `" target="`, "", "\"/>\n")
	weightedEdges = format.Lines(`<edge source="`, `" target="`, `"><data key="weight">`, "</data></edge>\n")
)

// write writes nodes with the ids of all vertices, then edges, whose weights are data of the key "weight".
func write(ctx context.Context, g *format.Graph, walk format.Walk, w io.Writer) error {
	head, direction, edges := fileHead, "directed", plainEdges
	if g.Weighted {
		head, edges = head+weightKey, weightedEdges
	}
	if g.Half != format.Whole {
		direction = "undirected"
	}
	if _, err := fmt.Fprintf(w, "%s<graph edgedefault=%q>\n", head, direction); err != nil {
		return err
	}
	if err := walk.Names(ctx, `<node id="`, "\"/>\n"); err != nil {
		return err
	}
	if err := walk.Rows(ctx, g.Side, g.Weighted, edges); err != nil {
		return err
	}
	_, err := io.WriteString(w, fileTail)
	return err
}

// appendAttribute appends a name as XML has it within quotes.
func appendAttribute(dst []byte, name string) ([]byte, error) {
	switch {
	case !utf8.ValidString(name):
		return dst, fmt.Errorf("the id %.60q is no UTF-8, which GraphML is", name)
	case strings.ContainsFunc(name, notXML):
		return dst, fmt.Errorf("the id %.60q has a character that XML cannot have", name)
	}
	b := bytes.NewBuffer(dst)
	err := xml.EscapeText(b, []byte(name))
	return b.Bytes(), err
}

// notXML reports whether XML 1.0 has no such character.
func notXML(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xfffe || r == 0xffff
}
