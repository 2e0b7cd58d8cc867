package export

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/garaph/garaph/shard"
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
	if err := x.writeNodes(ctx, w); err != nil {
		return err
	}
	if err := x.visitRows(ctx); err != nil {
		return err
	}
	_, err := io.WriteString(w, graphmlTail)
	return err
}

// writeNodes writes a node for every vertex.
func (x *writer) writeNodes(ctx context.Context, w io.Writer) (err error) {
	n := x.names(nil, x.store.IDs()) // one block of ids after another
	var b []byte
	for v := range x.cat.Vertices {
		b = append(b, `<node id="`...)
		if b, err = n.append(b, v); err != nil {
			return fmt.Errorf("graph %s: %w", x.store.Name(), err)
		}
		b = append(b, "\"/>\n"...)
		if len(b) < bufferBytes && v+1 < x.cat.Vertices {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, err := w.Write(b); err != nil {
			return err
		}
		b = b[:0]
	}
	return nil
}

// appendGraphML appends edges as elements.
func (p *piece) appendGraphML(v uint32, list []uint32, weights []float32) {
	if p.own, p.err = p.names.append(p.own[:0], v); p.err != nil {
		return
	}
	b := p.buf
	for i, u := range list {
		if p.other, p.err = p.names.append(p.other[:0], u); p.err != nil {
			return
		}
		source, target := p.own, p.other
		if p.dir == shard.In && !p.cat.Symmetric { // the row has what leads to v
			source, target = target, source
		}
		b = append(append(b, `<edge source="`...), source...)
		b = append(append(b, `" target="`...), target...)
		if weights == nil {
			b = append(b, "\"/>\n"...)
			continue
		}
		b = appendWeight(append(b, `"><data key="weight">`...), weights[i])
		b = append(b, "</data></edge>\n"...)
	}
	p.buf = b
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
