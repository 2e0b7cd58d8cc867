package cli

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

// condition is one of --where: a column, and what its value is compared with. What has no value, an empty
// cell or null, meets none.
type condition struct {
	column, operator string
	from, to         operand // to is that of a range, and else from
}

// operand is a value: a number, where it is one. Whole numbers of any size are compared exactly with all others, so that
// no id meets the condition of its neighbour; two that have fractions, as doubles.
type operand struct {
	text   string
	number float64 // the nearest one
	whole  int64
	is     numeral
}

type numeral uint8

const (
	noNumber numeral = iota
	isWhole          // of 64 bits
	isOther
)

func newOperand(text string) operand {
	o := operand{text: text}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		o.whole, o.number, o.is = n, float64(n), isWhole
	} else if x, err := strconv.ParseFloat(text, 64); err == nil && !math.IsNaN(x) {
		o.number, o.is = x, isOther
	}
	return o
}

// compare is as that of package cmp, of two numbers.
func (o operand) compare(p operand) int {
	if o.is == isWhole && p.is == isWhole {
		return cmp.Compare(o.whole, p.whole)
	}
	if n := cmp.Compare(o.number, p.number); n != 0 || o.text == p.text {
		return n // numbers are in the order of their doubles, where these differ
	}
	x, okX := o.exact()
	y, okY := p.exact()
	if !okX || !okY || !x.IsInt() && !y.IsInt() {
		return 0
	}
	return x.Cmp(y)
}

// exact is the number itself; not of one that is infinite, or whose exponent is absurd.
func (o operand) exact() (*big.Rat, bool) {
	if o.is == isWhole {
		return new(big.Rat).SetInt64(o.whole), true
	}
	return new(big.Rat).SetString(o.text)
}

// simplest is the operand as a whole number of 64 bits, where it is one, such as 5.0: these are compared soonest.
func (o operand) simplest() operand {
	if o.is != isOther || math.Abs(o.number) > math.MaxInt64 {
		return o
	}
	if x, ok := o.exact(); ok && x.IsInt() && x.Num().IsInt64() {
		o.whole, o.is = x.Num().Int64(), isWhole
	}
	return o
}

var conditionText = regexp.MustCompile(`^\s*(.+?)\s*(!?[=<>][=!<>]*)\s*(.*?)\s*$`)

// operators are those that there are, by how they are written.
var operators = map[string]string{
	"=": "=", "==": "=", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">=",
}

// otherOperators are those that there are not, and what they mean.
var otherOperators = map[string]string{"=>": ">=", "=<": "<=", "<>": "!=", "=!": "!=", "!==": "!=", "===": "="}

// parseCondition reads "component = 5", "hops <= 3", "rank = 0.1..0.2" or "label != Basel".
func parseCondition(text string) (condition, error) {
	parts := conditionText.FindStringSubmatch(text)
	if parts == nil || parts[3] == "" {
		return condition{}, fmt.Errorf("expected a column, one of = != < <= > >=, and a value or a range such as 2..5")
	}
	operator, ok := operators[parts[2]]
	if !ok {
		return condition{}, noOperator(parts[2])
	}
	c := condition{column: parts[1], operator: operator, from: newOperand(parts[3]).simplest()}
	c.to = c.from
	if from, to, ranged := strings.Cut(parts[3], ".."); ranged && c.operator == "=" {
		low, high := newOperand(strings.TrimSpace(from)).simplest(), newOperand(strings.TrimSpace(to)).simplest()
		if low.is != noNumber && high.is != noNumber {
			if strings.HasPrefix(to, ".") {
				return condition{}, fmt.Errorf("the range %s has three dots: write it with two, and a 0 before a point", parts[3])
			}
			if low.compare(high) > 0 {
				return condition{}, fmt.Errorf("the range %s is empty: it begins behind its end", parts[3])
			}
			c.from, c.to = low, high
		}
	}
	if c.from.is == noNumber && c.operator != "=" && c.operator != "!=" {
		return condition{}, fmt.Errorf("%q is no number, and %s compares numbers", parts[3], c.operator)
	}
	return c, nil
}

// noOperator is the error of what looks like an operator.
func noOperator(text string) error {
	if meant, ok := otherOperators[text]; ok {
		return fmt.Errorf("%s is no operator, but %s is; for a value that begins so, leave a space before it", text, meant)
	}
	return fmt.Errorf("%s is no operator; expected one of = != < <= > >=", text)
}

// holds reports whether a cell meets the condition.
func (c condition) holds(cell string) bool {
	if cell == "" {
		return false
	}
	x := newOperand(cell)
	if x.is == noNumber || c.from.is == noNumber {
		return c.operator == "=" && cell == c.from.text || c.operator == "!=" && cell != c.from.text
	}
	switch below, above := x.compare(c.from), x.compare(c.to); c.operator {
	case "=":
		return below >= 0 && above <= 0
	case "!=":
		return below != 0
	case "<":
		return below < 0
	case "<=":
		return below <= 0
	case ">":
		return above > 0
	default:
		return above >= 0
	}
}

// conditionsFlag declares --where, which may be given again.
func conditionsFlag(fs *pflag.FlagSet) *[]condition {
	var list []condition
	var texts []string
	parse := func(text string) ([]condition, error) {
		c, err := parseCondition(text)
		if err == nil {
			list, texts = append(list, c), append(texts, text)
		}
		return list, err
	}
	show := func([]condition) string { return strings.Join(texts, ", ") }
	fs.Var(&checked[[]condition]{&list, "CONDITION", parse, show, ""}, "where", "what a row has: a column, one of = != < <= > >=, and a value or range; again for several that hold at once")
	return &list
}
