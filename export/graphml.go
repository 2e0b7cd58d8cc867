package export

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// GraphML: nodes with the ids of all vertices, then edges, whose weights are data of the key "weight".

const (
	graphmlHead = `<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
`
	graphmlWeight = `<key id="weight" for="edge" attr.name="weight" attr.type="double"/>
`
	graphmlTail = `</graph>
</graphml>
`
)

// writeGraphML writes the file.
func (x *writer) writeGraphML(ctx context.Context, w io.Writer) error {
	head, direction := graphmlHead, "directed"
	if x.weighted {
		head += graphmlWeight
	}
	if x.half != whole {
		direction = "undirected"
	}
	head += fmt.Sprintf("<graph edgedefault=%q>\n", direction)
	if _, err := io.WriteString(w, head); err != nil {
		return err
	}
	n := x.names(nil, x.store.IDs()) // one block of ids after another
	if err := n.writeAll(ctx, x.store, w, `<node id="`, "\"/>\n"); err != nil {
		return err
	}
	if err := x.visitRows(ctx); err != nil {
		return err
	}
	_, err := io.WriteString(w, graphmlTail)
	return err
}

// attribute appends a name as XML has it within quotes.
func attribute(dst []byte, name string) ([]byte, error) {
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
