package ingest

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

// xmlReader goes through the elements of a file.
type xmlReader struct {
	name    string
	d       *xml.Decoder
	in      *tokenReader
	collect bool   // text is wanted
	text    []byte // what was collected
	skip    bool   // set by start: the elements within are passed over
}

// xmlHandler takes elements.
type xmlHandler interface {
	start(x *xmlReader, e *xml.StartElement) error
	end(x *xmlReader, name string) error
}

func newXMLReader(name string, r io.Reader) *xmlReader {
	in := &tokenReader{r: r}
	return &xmlReader{name: name, d: xml.NewDecoder(in), in: in}
}

// each calls h for every element, of which graphml is the first.
func (x *xmlReader) each(h xmlHandler) error {
	depth, skipping := 0, 0 // the depth of the element that is skipped
	for {
		token, err := x.d.Token()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return x.explain(err)
		}
		x.in.start = x.in.read
		switch e := token.(type) {
		case xml.StartElement:
			if depth++; depth > maxDepth {
				return x.refused(e.Name.Local, fmt.Sprintf("at most %d elements within each other", maxDepth), "")
			}
			if depth == 1 && e.Name.Local != "graphml" {
				return x.refused(e.Name.Local, "graphml as the first element", "")
			}
			if skipping == 0 {
				x.skip = false
				err = h.start(x, &e)
				if x.skip {
					skipping = depth
				}
			}
		case xml.EndElement:
			if skipping == 0 || skipping == depth {
				skipping = 0
				err = h.end(x, e.Name.Local)
			}
			depth--
		case xml.CharData:
			if x.collect && len(x.text) < maxNumber {
				x.text = append(x.text, e[:min(len(e), maxNumber-len(x.text))]...)
			}
		}
		if err != nil {
			return err
		}
	}
}

// explain is an error of reading as one of this package.
func (x *xmlReader) explain(err error) error {
	var syntax *xml.SyntaxError
	switch {
	case errors.Is(err, errLongToken):
		return &InputError{File: x.name, Problem: "has a tag or a text of more than 16 MiB", Advice: "is it GraphML?"}
	case x.in.err != nil && x.in.err != io.EOF:
		return x.in.err
	case errors.As(err, &syntax) && syntax.Msg == "unexpected EOF":
		return &DamagedError{File: x.name, Problem: fmt.Sprintf("is truncated: it ends in line %d within an element", syntax.Line), Err: err}
	case strings.Contains(err.Error(), "CharsetReader"):
		return &InputError{File: x.name, Problem: "is not in UTF-8", Advice: "turn it into UTF-8 with iconv, and change the encoding in its first line", Err: err}
	case errors.As(err, &syntax):
		return &DamagedError{File: x.name, Problem: fmt.Sprintf("is no XML in line %d: %s", syntax.Line, syntax.Msg), Err: err}
	}
	return &DamagedError{File: x.name, Problem: "is no XML: " + strings.TrimPrefix(err.Error(), "xml: "), Err: err}
}

func (x *xmlReader) refused(found, expected, advice string) error {
	line, _ := x.d.InputPos()
	return &SyntaxError{File: x.name, Line: int64(line), Text: shown([]byte(found)), Expected: expected, Advice: advice}
}

// tokenReader bounds the bytes of a token.
type tokenReader struct {
	r           io.Reader
	read, start int64 // bytes, in all and before the token
	err         error
}

var errLongToken = errors.New("a token is too long")

func (t *tokenReader) Read(b []byte) (int, error) {
	if t.read-t.start > maxToken {
		t.err = errLongToken
		return 0, t.err
	}
	n, err := t.r.Read(b)
	t.read += int64(n)
	if err != nil {
		t.err = err
	}
	return n, err
}
