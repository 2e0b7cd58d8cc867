package ptx_test

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"
)

// generator writes a random vertex program of the subset as Go source. It keeps
// away from constant expressions, which the Go compiler would refuse when they
// overflow, and from the sign and payload of NaN.
type generator struct {
	t       *rapid.T
	name    string
	out     strings.Builder
	helpers []helper
	vars    []variable
	fresh   int
	depth   int // of loops
}

type variable struct {
	name, kind string
	length     int // of arrays of kind, or 0
	fixed      bool
}

type helper struct {
	name, kind string
	parameters []string
}

var (
	integerKinds = []string{"int32", "uint32", "int64", "uint64", "int", "uint", "int8", "uint8", "int16", "uint16"}
	numberKinds  = append([]string{"float32", "float64", "float32", "float64", "int32", "uint32", "uint32"},
		integerKinds...)
	scalarKinds = append([]string{"bool"}, numberKinds...)
	dataKinds   = []string{"float32", "float64", "int32", "uint32", "int64", "uint64", "bool", "int8", "uint16"}
)

func (g *generator) n(most int) int         { return rapid.IntRange(0, most-1).Draw(g.t, "n") }
func (g *generator) one(of []string) string { return of[g.n(len(of))] }

func (g *generator) printf(format string, args ...any) { fmt.Fprintf(&g.out, format, args...) }

func (g *generator) next(prefix string) string {
	g.fresh++
	return fmt.Sprintf("%s%d", prefix, g.fresh)
}

// Program writes a type called name, and all that it needs.
func program(name string) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		g := &generator{t: t, name: name}
		var fields []variable
		g.printf("type %s struct {\n", name)
		for i := range g.n(4) {
			f := variable{name: fmt.Sprintf("p.F%d", i), kind: g.one(dataKinds), length: 3 * g.n(2) * g.n(2), fixed: true}
			g.printf("\tF%d %s\n", i, f.typeName())
			fields = append(fields, f)
		}
		g.printf("}\n\n")
		v, vLeaves := g.dataType("V", 6)
		a, aLeaves := g.dataType("A", 2)
		for range g.n(3) {
			g.helper()
		}
		vertex := []variable{{"v.ID", "uint32", 0, true}, {"v.N", "uint32", 0, true}, {"v.In", "uint32", 0, true},
			{"v.Out", "uint32", 0, true}}
		step := []variable{{"s.Iteration", "int", 0, true}, {"s.Aggregate", "float64", 0, true}}
		of := func(name string, leaves []variable) (list []variable) {
			for _, l := range leaves {
				l.name = name + l.name
				list = append(list, l)
			}
			return list
		}
		g.printf("func (p %s) Init(gas.Vertex) (value %s, active bool) { return }\n\n", g.name, v)
		g.method("Zero() "+a, a, aLeaves, fields)
		g.method("Gather(src "+v+", e gas.Edge, dst "+v+") "+a, a, aLeaves, fields, of("src", vLeaves), of("dst", vLeaves),
			[]variable{{"e.Weight", "float64", 0, true}})
		g.method("Sum(a, b "+a+") "+a, a, aLeaves, fields, of("a", aLeaves), of("b", aLeaves))
		g.method("Apply(v gas.Vertex, old "+v+", acc "+a+", s gas.Step) "+v, v, vLeaves, fields, vertex, of("old", vLeaves),
			of("acc", aLeaves), step)
		g.method("Activate(v gas.Vertex, old, new "+v+") bool", "bool", []variable{{"", "bool", 0, false}}, fields, vertex,
			of("old", vLeaves), of("new", vLeaves))
		return g.out.String()
	})
}

func (v variable) typeName() string {
	if v.length > 0 {
		return fmt.Sprintf("[%d]%s", v.length, v.kind)
	}
	return v.kind
}

// dataType declares the type of values or accumulators, and returns its name and
// its parts.
func (g *generator) dataType(suffix string, most int) (string, []variable) {
	if g.n(2) == 0 {
		k := g.one(dataKinds)
		return k, []variable{{"", k, 0, false}}
	}
	name := g.name + suffix
	g.printf("type %s struct {\n", name)
	var parts []variable
	for i := range 1 + g.n(most) {
		part := variable{name: fmt.Sprintf(".X%d", i), kind: g.one(dataKinds)}
		if most > 2 && g.n(4) == 0 {
			part.kind, part.length = "int16", 1+g.n(4)
		}
		g.printf("\tX%d %s\n", i, part.typeName())
		parts = append(parts, part)
	}
	g.printf("}\n\n")
	return name, parts
}

// helper writes a function that methods may call.
func (g *generator) helper() {
	h := helper{name: fmt.Sprintf("%sh%d", strings.ToLower(g.name), len(g.helpers)), kind: g.one(scalarKinds)}
	g.vars = nil
	var list []string
	for i := range 1 + g.n(3) {
		k := g.one(scalarKinds)
		h.parameters = append(h.parameters, k)
		list = append(list, fmt.Sprintf("x%d %s", i, k))
		g.vars = append(g.vars, variable{fmt.Sprintf("x%d", i), k, 0, false})
	}
	g.printf("func %s(%s) %s {\n", h.name, strings.Join(list, ", "), h.kind)
	g.block(2, func() { g.printf("return %s\n", g.expression(h.kind, 3)) })
	g.printf("return %s\n}\n\n", g.expression(h.kind, 3))
	g.helpers = append(g.helpers, h)
}

// method writes a method that computes the parts of a result.
func (g *generator) method(signature, result string, parts []variable, groups ...[]variable) {
	g.vars = nil
	for _, vars := range groups {
		g.vars = append(g.vars, vars...)
	}
	g.printf("func (p %s) %s {\n\tvar out %s\n", g.name, signature, result)
	for _, p := range parts {
		p.name = "out" + p.name
		g.vars = append(g.vars, p)
	}
	back := func() { g.printf("return out\n") }
	g.block(3, back)
	for _, p := range parts {
		if p.length == 0 {
			g.printf("out%s = %s\n", p.name, g.expression(p.kind, 3))
		}
	}
	back()
	g.printf("}\n\n")
}

// block writes statements; variables that it declares end with it.
func (g *generator) block(depth int, back func()) {
	n := len(g.vars)
	for range g.n(4) {
		g.statement(depth, back)
	}
	g.vars = g.vars[:n]
}

func (g *generator) assignable() *variable {
	var list []*variable
	for i := range g.vars {
		if !g.vars[i].fixed {
			list = append(list, &g.vars[i])
		}
	}
	if len(list) == 0 {
		return nil
	}
	return list[g.n(len(list))]
}

func (g *generator) statement(depth int, back func()) {
	switch c := g.n(12); {
	case c < 3:
		name, k := g.next("t"), g.one(scalarKinds)
		g.printf("%s := %s\n_ = %s\n", name, g.variableExpression(k), name)
		g.vars = append(g.vars, variable{name, k, 0, false})
	case c < 4:
		v := variable{g.next("arr"), g.one(scalarKinds), 1 + g.n(5), false}
		g.printf("var %s %s\n_ = %s\n", v.name, v.typeName(), v.name)
		g.vars = append(g.vars, v)
	case c < 8:
		v := g.assignable()
		if v == nil {
			return
		}
		target := v.name
		if v.length > 0 {
			target += "[" + g.index(v.length) + "]"
		}
		g.printf("%s = %s\n", target, g.expression(v.kind, 3))
	case c == 8 && depth > 0:
		g.printf("if %s {\n", g.expression("bool", 2))
		g.block(depth-1, back)
		switch {
		case g.n(5) == 0:
			back()
		case g.depth > 0 && g.n(3) == 0:
			g.printf("%s\n", g.one([]string{"break", "continue"}))
		}
		if g.n(2) == 0 {
			g.printf("} else {\n")
			g.block(depth-1, back)
		}
		g.printf("}\n")
	case c == 9 && depth > 0:
		k := g.one(integerKinds)
		g.printf("switch %s & 3 {\n", g.variableExpression(k))
		for i := range 1 + g.n(3) {
			g.printf("case %d:\n", i)
			saved := g.depth
			g.depth = 0 // a break would be the switch's
			g.block(depth-1, back)
			g.depth = saved
			if g.n(4) == 0 && i == 0 {
				g.printf("fallthrough\ncase 7:\n")
			}
		}
		if g.n(2) == 0 {
			g.printf("default:\n")
			back()
		}
		g.printf("}\n")
	case depth > 0 && g.depth < 2:
		g.loop(depth, back)
	}
}

// loop writes one of several forms of loops, which end.
func (g *generator) loop(depth int, back func()) {
	i, k := g.next("i"), g.one(integerKinds)
	n := len(g.vars)
	switch g.n(6) {
	case 0:
		g.printf("for %s := %s(0); %s < %s&7; %s++ {\n", i, k, i, g.parenthesised(k), i)
	case 1:
		g.printf("for %s := %s(%d); %s > 0; %s-- {\n", i, k, g.n(6), i, i)
	case 2:
		g.printf("for %s := range %d {\n", i, g.n(5))
		k = "int"
	case 3:
		g.printf("for %s := %s(1); %d >= %s; %s += 2 {\n", i, k, g.n(8), i, i)
	case 4:
		g.printf("for %s := %s & 63; %s != 0; %s /= 2 {\n", i, g.parenthesised(k), i, i)
	default:
		arr := g.array()
		if arr == nil {
			return
		}
		x := g.next("x")
		g.printf("for %s, %s := range %s {\n_ = %s\n", i, x, arr.name, x)
		g.vars = append(g.vars, variable{x, arr.kind, 0, false})
		k = "int"
	}
	if k == "" {
		k = "int"
	}
	g.printf("_ = %s\n", i)
	g.vars = append(g.vars, variable{i, k, 0, true})
	g.depth++
	g.block(depth-1, back)
	g.depth--
	g.printf("}\n")
	g.vars = g.vars[:n]
}

func (g *generator) array() *variable {
	var list []*variable
	for i := range g.vars {
		if g.vars[i].length > 0 {
			list = append(list, &g.vars[i])
		}
	}
	if len(list) == 0 {
		return nil
	}
	return list[g.n(len(list))]
}
