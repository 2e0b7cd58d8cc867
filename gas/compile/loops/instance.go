package loops

import (
	"fmt"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"github.com/garaph/garaph/gas/compile/source"
	"github.com/garaph/garaph/shard/packed"
)

// instance is a program as the templates see it.
type instance struct {
	program *source.Program
	namer   *namer
	imports map[string]*types.Package

	names
	traits
	held
	FragmentsName, Fragments string // variable and literal; empty without
}

// names are those that the loops of an instance are written with.
type names struct {
	Gas, Compiled, Packed string // packages
	Name                  string // of the type that has the loops as methods
	Type                  string // of the program, with its arguments
	V, A                  string
	Loops                 string // compiled.Loops, with its arguments
	// Aliases are declarations of types whose names variables of the loops have.
	Aliases []string
}

// held is how the loops hold the program: by value, or by a pointer to a copy of its type.
type held struct {
	Held, Hold, Whole string // type, expression that makes it of p, and the program of it
	Fields            string // name of the copied type; empty without
	Copies            []string
	copied            map[string]*body // methods that were copied, by name
	// Narrow is the name of a copy of Gather for float32 weights; empty without.
	Narrow, NarrowCopy string
}

// traits describe a program's methods. Its loops depend on them.
type traits struct {
	UsesEdge, UsesDst                 bool // by Gather
	Saturable, Settleable, Aggregable bool
	Monotone, Prioritized             bool
	Unchanged                         string // comparison of g and a after which Sum(a, g) is a; empty without
	ApplyVertex                       vertex // for Apply and Activate
	AggregateVertex                   vertex
	PushVertex                        vertex // for Apply and Activate, of any vertex
}

// vertex is the gas.Vertex of a loop: the fields that the methods read.
type vertex struct {
	Gas            string // name of package gas
	At             string // variable with its number in the block
	ID, N, In, Out bool
}

// vertexOf reports which fields some methods read of their first parameter.
func (x *instance) vertexOf(at string, methods ...string) vertex {
	v := vertex{Gas: x.Gas, At: at}
	for i, read := range []*bool{&v.ID, &v.N, &v.In, &v.Out} {
		for _, m := range methods {
			*read = *read || usesField(x.program.Methods[m], 1, i)
		}
	}
	return v
}

// HasDegree reports whether the vertex needs its degree from the block.
func (v vertex) HasDegree() bool { return v.In || v.Out }

// Literal returns the text between its braces.
func (v vertex) Literal() string {
	var list []string
	add := func(read bool, field string) {
		if read {
			list = append(list, field)
		}
	}
	add(v.ID, "ID: b.ID(uint32("+v.At+"))")
	add(v.N, "N: b.N")
	add(v.In, "In: d")
	add(v.Out, "Out: d")
	return strings.Join(list, ", ")
}

// variant is a loop of an instance, over edges without weights, with float32 ones or with wide ones.
type variant struct {
	*instance
	HasWeight bool // float32
	HasWide   bool
	Order     bool // a push in the order of priorities
}

// Level returns the push of a level.
func (x variant) Level() variant { x.Order = false; return x }

// Ordered returns the push in the order of priorities.
func (x variant) Ordered() variant { x.Order = true; return x }

// Loop returns the name of a push.
func (x variant) Loop() string {
	if x.Order {
		return "relax"
	}
	return "push"
}

// GatherRow is Gather along the edge e, or the k-th, of a row.
func (x variant) GatherRow(src string) string {
	if x.HasWeight {
		return x.gather(src, "e.Weight")
	}
	return x.GatherAt(src)
}

// Unweighted returns the variant without weights, or for both if it does not matter.
func (x *instance) Unweighted() variant { return variant{instance: x} }

// Variants returns the variants for edges without and with weights, if they differ.
func (x *instance) Variants() []variant {
	if !x.UsesEdge {
		return []variant{x.Unweighted()}
	}
	return []variant{x.Unweighted(), {instance: x, HasWeight: true}, {instance: x, HasWide: true}}
}

// Suffix ends the names of a variant's loops.
func (x variant) Suffix() string {
	switch {
	case x.HasWeight:
		return "Weighted"
	case x.HasWide:
		return "Wide"
	}
	return ""
}

// Numbers reports whether loops number the edges of a row.
func (x variant) Numbers() bool { return x.HasWeight || x.HasWide }

// GatherAt is Gather along the k-th edge of a row.
func (x variant) GatherAt(src string) string {
	switch {
	case !x.UsesEdge:
		return x.call(src, x.Gas+".Edge{}")
	case x.HasWide:
		return x.call(src, x.Gas+".Edge{Weight: weight[k]}")
	case x.HasWeight:
		return x.gather(src, "weight[k]")
	default:
		return x.call(src, x.Gas+".Edge{Weight: 1}")
	}
}

func (x *instance) call(src, edge string) string {
	return "p.Gather(" + src + ", " + edge + ", dst)"
}

// gather is Gather along an edge with a float32 weight.
func (x *instance) gather(src, weight string) string {
	if x.Narrow != "" {
		return x.Narrow + "(p, " + src + ", " + x.Compiled + ".NarrowEdge{Weight: " + weight + "}, dst)"
	}
	return x.call(src, x.Gas+".Edge{Weight: float64("+weight+")}")
}

// GatherSlot is Gather along the edge in a slot of a block.
func (x *instance) GatherSlot() string {
	if !x.UsesEdge {
		return x.call("src", x.Gas+".Edge{}")
	}
	return x.gather("src", "weight")
}

// Widths returns the widths of packed blocks.
func (x *instance) Widths() []int { return packed.AllWidths() }

// Destinations returns the widths of destinations in packed blocks.
func (x *instance) Destinations() []int { return []int{14, 16} }

// GroupSlots returns the numbers of a group's slots.
func (x *instance) GroupSlots() int { return packed.GroupSlots }

func newInstance(p *source.Program, n *namer) *instance {
	x := &instance{program: p, namer: n, imports: map[string]*types.Package{}}
	gas := gasPackage(p)
	x.Gas = n.importName(gas)
	x.Compiled = n.importName(compiledPackage)
	x.Packed = n.importName(packedPackage)
	for _, p := range []*types.Package{gas, compiledPackage, packedPackage, embedPackage} {
		x.imports[p.Path()] = p
	}
	x.Type = n.typeString(p.Type, x.imports)
	if p.Pointer {
		x.Type = "*" + x.Type
	}
	x.V, x.A = n.typeString(p.V, x.imports), n.typeString(p.A, x.imports)
	x.alias("Program", &x.Type)
	x.alias("Value", &x.V)
	x.alias("Accumulator", &x.A)
	x.Loops = fmt.Sprintf("%s.Loops[%s, %s]", x.Compiled, x.V, x.A)
	x.Name = n.unique(identifier(p.Name) + "Loops")

	x.UsesEdge, x.UsesDst = uses(p.Methods["Gather"], 2), uses(p.Methods["Gather"], 3)
	x.Saturable, x.Settleable, x.Aggregable = p.Methods["Saturated"] != nil, p.Methods["Settled"] != nil,
		p.Methods["Aggregate"] != nil
	x.Monotone, x.Prioritized = p.Methods["Monotone"] != nil, p.Methods["Priority"] != nil
	x.Unchanged = unchanged(p)
	x.ApplyVertex = x.vertexOf("u", "Apply", "Activate")
	x.PushVertex = x.vertexOf("v", "Apply", "Activate")
	if x.Aggregable {
		x.AggregateVertex = x.vertexOf("i", "Aggregate")
	}
	return x
}

// alias sets another name for a type if a variable of the loops has its own.
func (x *instance) alias(what string, t *string) {
	if !slices.ContainsFunc(
		own, func(name string) bool { return regexp.MustCompile(`\b` + name + `\b`).MatchString(*t) },
	) {
		return
	}
	name := x.namer.unique(identifier(x.program.Name) + what)
	x.Aliases = append(x.Aliases, name+" = "+*t)
	*t = name
}

// gasPackage is package gas as the program's package imports it; Init's
// parameter is of it.
func gasPackage(p *source.Program) *types.Package {
	init := p.Methods["Init"].Signature
	return types.Unalias(init.Params().At(0).Type()).(*types.Named).Obj().Pkg()
}

// newGroup describes the method Loops of a type.
func newGroup(p *source.Program, n *namer) (*group, error) {
	named := types.Unalias(p.Type).(*types.Named)
	origin := named.Origin()
	g := &group{TypeName: p.TypeName, Generic: origin.TypeParams().Len() > 0}
	for _, name := range []string{"Loops", "Fragments"} {
		obj, index, _ := types.LookupFieldOrMethod(types.NewPointer(origin), true, p.Pkg.Types, name)
		if obj != nil && len(index) == 1 {
			return nil,
				fmt.Errorf("%s: %s has a field or method %s already: garaph compile writes a method of this name; give it another",
					p.Position(obj.Pos()), p.TypeName, name)
		}
	}
	var t types.Type = origin
	if g.Generic {
		params := make([]types.Type, origin.TypeParams().Len())
		for i := range params {
			params[i] = origin.TypeParams().At(i)
		}
		var err error
		if t, err = types.Instantiate(types.NewContext(), origin, params, false); err != nil {
			return nil, fmt.Errorf("%s: %w", p.Position(p.Pos), err)
		}
	}
	used := map[string]*types.Package{} // the same as of the instances
	result := func(method string) string {
		obj, _, _ := types.LookupFieldOrMethod(t, true, p.Pkg.Types, method)
		return n.typeString(obj.(*types.Func).Signature().Results().At(0).Type(), used)
	}
	g.Compiled = n.importName(compiledPackage)
	var err error
	if g.Files, g.Hash, err = sourcesOf(p); err != nil {
		return nil, err
	}
	g.Sources = n.unique(identifier(p.TypeName) + "Sources")
	g.Embed = n.importName(embedPackage)
	g.Result = fmt.Sprintf("%s.Loops[%s, %s]", g.Compiled, result("Apply"), result("Zero"))
	g.Receiver = p.TypeName
	if g.Generic {
		g.Receiver += "["
		for i := range origin.TypeParams().Len() {
			if i > 0 {
				g.Receiver += ", "
			}
			g.Receiver += origin.TypeParams().At(i).Obj().Name()
		}
		g.Receiver += "]"
	}
	if p.Pointer {
		g.Receiver = "*" + g.Receiver
	}
	return g, nil
}
