package columnread

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// literal parses the Python literals that headers have.
type literal struct {
	s     string // what is left
	depth int
}

var errLiteral = fmt.Errorf("%w: it is no Python literal that is known here", ErrDamaged)

// parseLiteral parses a header in Latin-1, which is in UTF-8 since version 3.
func parseLiteral(b []byte, latin1 bool) (any, error) {
	p := &literal{s: string(b)}
	if latin1 {
		runes := make([]rune, len(b))
		for i, c := range b {
			runes[i] = rune(c)
		}
		p.s = string(runes)
	}
	v, err := p.value()
	if err == nil && p.peek() != 0 {
		err = errLiteral
	}
	return v, err
}

// peek is the next byte that is no space; 0 at the end.
func (p *literal) peek() byte {
	if p.s = strings.TrimLeft(p.s, " \t\r\n"); p.s == "" {
		return 0
	}
	return p.s[0]
}

// take passes over a byte, if it is next.
func (p *literal) take(c byte) bool {
	if p.peek() != c {
		return false
	}
	p.s = p.s[1:]
	return true
}

var npyWord = regexp.MustCompile(`^(True|False|None|-?\d{1,19}L?)\b`)

// value is a string, an int64, a bool, nil, a list of values for a tuple or list, or a map for a dictionary.
func (p *literal) value() (any, error) {
	if p.depth++; p.depth > 8 {
		return nil, errLiteral
	}
	defer func() { p.depth-- }()
	switch c := p.peek(); c {
	case '\'', '"':
		return p.text(c)
	case '(':
		return p.list(')')
	case '[':
		return p.list(']')
	case '{':
		return p.dictionary()
	}
	word := npyWord.FindString(p.s)
	p.s = p.s[len(word):]
	switch word {
	case "":
		return nil, errLiteral
	case "True", "False":
		return word == "True", nil
	case "None":
		return nil, nil
	}
	n, err := strconv.ParseInt(strings.TrimSuffix(word, "L"), 10, 64)
	if err != nil {
		return nil, errLiteral
	}
	return n, nil
}

// list is what stands up to the bracket at its end.
func (p *literal) list(end byte) (any, error) {
	p.s = p.s[1:]
	list := []any{}
	for !p.take(end) {
		v, err := p.value()
		if err != nil {
			return nil, err
		}
		if list = append(list, v); !p.take(',') && p.peek() != end {
			return nil, errLiteral
		}
	}
	return list, nil
}

func (p *literal) dictionary() (any, error) {
	p.s = p.s[1:]
	dict := map[string]any{}
	for !p.take('}') {
		key, err := p.value()
		if err != nil {
			return nil, err
		}
		name, ok := key.(string)
		if !ok || !p.take(':') {
			return nil, errLiteral
		}
		if dict[name], err = p.value(); err != nil {
			return nil, err
		}
		if !p.take(',') && p.peek() != '}' {
			return nil, errLiteral
		}
	}
	return dict, nil
}

// text is a string in quotes. Its escapes are those of Go.
func (p *literal) text(quote byte) (any, error) {
	var text []rune
	for p.s = p.s[1:]; p.s != ""; {
		if p.s[0] == quote {
			p.s = p.s[1:]
			return string(text), nil
		}
		r, _, rest, err := strconv.UnquoteChar(p.s, quote)
		if err != nil {
			return nil, errLiteral
		}
		text, p.s = append(text, r), rest
	}
	return nil, errLiteral
}
