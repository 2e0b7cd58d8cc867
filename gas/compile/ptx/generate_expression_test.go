package ptx_test

import "fmt"

func isFloat(k string) bool  { return k == "float32" || k == "float64" }
func isSigned(k string) bool { return k[0] == 'i' }

// index is an index of an array: constant, cut to the length, or any number.
func (g *generator) index(length int) string {
	switch g.n(6) {
	case 0, 1:
		return fmt.Sprint(g.n(length))
	case 2:
		return g.variableExpression(g.one(integerKinds))
	default:
		return fmt.Sprintf("uint(%s)%%%d", g.variableExpression(g.one(integerKinds)), length)
	}
}

func (g *generator) parenthesised(k string) string { return "(" + g.variableExpression(k) + ")" }

// variableExpression is an expression that is not constant.
func (g *generator) variableExpression(k string) string { return g.read(k, 2) }

// literal is a constant of kind k.
func (g *generator) literal(k string) string {
	switch {
	case k == "bool":
		return g.one([]string{"true", "false"})
	case isFloat(k):
		return g.one([]string{"1", "0.5", "3", "0.1", "2.5e-3", "1e10", "7"})
	default:
		return g.one([]string{"1", "2", "3", "5", "7", "31", "100", "127"})
	}
}

// read is a variable, or what was made of one by a conversion.
func (g *generator) read(k string, depth int) string {
	var list []string
	for _, v := range g.vars {
		if v.kind == k {
			if v.length > 0 {
				list = append(list, v.name+"["+fmt.Sprint(g.n(v.length))+"]")
			} else {
				list = append(list, v.name)
			}
		}
	}
	if len(list) > 0 && g.n(4) > 0 {
		return list[g.n(len(list))]
	}
	if arr := g.array(); arr != nil && arr.kind == k && g.n(2) == 0 && depth > 0 {
		return arr.name + "[" + g.index(arr.length) + "]"
	}
	if k == "bool" {
		return fmt.Sprintf("(%s > %s)", g.read("float64", depth-1), g.literal("float64"))
	}
	// Of any number.
	for range 4 {
		if len(g.vars) == 0 {
			break
		}
		v := g.vars[g.n(len(g.vars))]
		if v.kind == "bool" || v.kind == k {
			continue
		}
		name := v.name
		if v.length > 0 {
			name += "[" + fmt.Sprint(g.n(v.length)) + "]"
		}
		return fmt.Sprintf("%s(%s)", k, name)
	}
	return fmt.Sprintf("opaque[%s](%s)", k, g.literal(k))
}

// expression is any expression of kind k.
func (g *generator) expression(k string, depth int) string {
	if depth <= 0 {
		if g.n(4) == 0 {
			return k + "(" + g.literal(k) + ")"
		}
		return g.read(k, 0)
	}
	if len(g.helpers) > 0 && g.n(8) == 0 {
		h := g.helpers[g.n(len(g.helpers))]
		call := h.name + "("
		for i, p := range h.parameters {
			if i > 0 {
				call += ", "
			}
			call += g.expression(p, depth-1)
		}
		call += ")"
		if h.kind == k {
			return call
		}
		if h.kind != "bool" && k != "bool" {
			return k + "(" + call + ")"
		}
	}
	a := g.read(k, depth)
	b := g.expression(k, depth-1)
	switch {
	case k == "bool":
		return g.boolean(a, b, depth)
	case isFloat(k):
		return g.floating(k, a, b, depth)
	default:
		return g.integral(k, a, b, depth)
	}
}

func (g *generator) boolean(a, b string, depth int) string {
	k := g.one(numberKinds)
	x, y := g.read(k, depth), g.expression(k, depth-1)
	switch g.n(5) {
	case 0:
		return "!" + a
	case 1:
		return fmt.Sprintf("(%s %s %s)", a, g.one([]string{"&&", "||", "==", "!="}), b)
	case 2:
		return fmt.Sprintf("math.IsNaN(%s)", g.expression("float64", depth-1))
	default:
		return fmt.Sprintf("(%s %s %s)", x, g.one([]string{"<", "<=", ">", ">=", "==", "!="}), y)
	}
}

func (g *generator) floating(k, a, b string, depth int) string {
	switch g.n(8) {
	case 0:
		return "-" + a
	case 1:
		return fmt.Sprintf("%s(%s, %s)", g.one([]string{"min", "max"}), a, b)
	case 2:
		return fmt.Sprintf("%s(math.%s(float64(%s)))", k, g.one([]string{"Abs", "Sqrt", "Floor", "Ceil", "Trunc"}), a)
	case 3:
		return fmt.Sprintf("%s(math.%s(float64(%s), float64(%s)))", k, g.one([]string{"Min", "Max"}), a, b)
	case 4:
		return fmt.Sprintf("%s(%s)", k, g.read(g.one(numberKinds), depth))
	case 5:
		if k == "float64" {
			return fmt.Sprintf("math.FMA(%s, %s, %s)", a, b, g.expression(k, depth-1))
		}
		fallthrough
	default:
		return fmt.Sprintf("(%s %s %s)", a, g.one([]string{"+", "-", "*", "/"}), b)
	}
}

func (g *generator) integral(k, a, b string, depth int) string {
	switch g.n(9) {
	case 0:
		return g.one([]string{"-", "^"}) + a
	case 1:
		return fmt.Sprintf("%s(%s, %s)", g.one([]string{"min", "max"}), a, b)
	case 2:
		return fmt.Sprintf("%s(%s)", k, g.read(g.one(numberKinds), depth))
	case 3:
		distance := g.one(integerKinds)
		by := g.read(distance, depth)
		if isSigned(distance) && g.n(4) > 0 {
			by = "(" + by + "&127)"
		}
		return fmt.Sprintf("(%s %s %s)", a, g.one([]string{"<<", ">>"}), by)
	case 4:
		return fmt.Sprintf("(%s %s %s)",
			a, g.one([]string{"<<", ">>"}), g.one([]string{"1", "7", "31", "32", "63", "64", "100"}))
	case 5:
		divisor := g.read(k, depth)
		if g.n(2) == 0 {
			divisor = "(" + divisor + "|1)"
		}
		return fmt.Sprintf("(%s %s %s)", a, g.one([]string{"/", "%"}), divisor)
	case 6:
		if k == "int" {
			return fmt.Sprintf("bits.%s", g.one([]string{
				"LeadingZeros32(" + g.read("uint32", depth) + ")", "TrailingZeros64(" + g.read("uint64", depth) + ")",
				"OnesCount64(" + g.read("uint64", depth) + ")", "TrailingZeros32(" + g.read("uint32", depth) + ")",
			}))
		}
		return fmt.Sprintf("(%s %s %s)", a, g.one([]string{"/", "%"}), g.literal(k))
	default:
		return fmt.Sprintf("(%s %s %s)", a, g.one([]string{"+", "-", "*", "&", "|", "^", "&^"}), b)
	}
}
