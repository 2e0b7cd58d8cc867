package ptx

import (
	"fmt"
	"go/types"

	"github.com/garaph/garaph/gas/compiled"
)

// invalid is the kind of a leaf that no fragment can use: a string among the
// fields of a program, say.
const invalid compiled.Kind = 0

// mostLeaves is the largest number of scalars of a value, which lie in registers.
const mostLeaves = 64

// sizes are Go's sizes on 64-bit machines, which the device has too.
var sizes = types.SizesFor("gc", "amd64")

var basics = map[types.BasicKind]compiled.Kind{
	types.Bool: compiled.Bool, types.UntypedBool: compiled.Bool,
	types.Int: compiled.Int64, types.Int8: compiled.Int8, types.Int16: compiled.Int16,
	types.Int32: compiled.Int32, types.Int64: compiled.Int64,
	types.Uint: compiled.Uint64, types.Uint8: compiled.Uint8, types.Uint16: compiled.Uint16,
	types.Uint32: compiled.Uint32, types.Uint64: compiled.Uint64,
	types.Float32: compiled.Float32, types.Float64: compiled.Float64,
}

// kindOf is the kind of a scalar type, or invalid.
func kindOf(t types.Type) compiled.Kind {
	if basic, ok := t.Underlying().(*types.Basic); ok {
		return basics[basic.Kind()]
	}
	return invalid
}

// leafCount is the number of scalars of a type, counted up to a little more
// than mostLeaves.
func leafCount(t types.Type) int {
	n := 0
	switch t := t.Underlying().(type) {
	case *types.Struct:
		for field := range t.Fields() {
			if n += leafCount(field.Type()); n > mostLeaves {
				break
			}
		}
		return n
	case *types.Array:
		if t.Len() == 0 {
			return 0
		}
		n = leafCount(t.Elem())
		if t.Len() > mostLeaves && n > 0 {
			return mostLeaves + 1
		}
		return n * int(t.Len())
	default:
		return 1
	}
}

// layout flattens a type. What is no plain data becomes an invalid leaf.
func layout(t types.Type) compiled.Layout {
	l := compiled.Layout{Size: int(sizes.Sizeof(t)), Align: int(sizes.Alignof(t))}
	if leafCount(t) <= mostLeaves {
		flatten(&l, t, "", 0)
	}
	return l
}

func flatten(l *compiled.Layout, t types.Type, name string, offset int) {
	switch u := t.Underlying().(type) {
	case *types.Struct:
		var fields []*types.Var
		for field := range u.Fields() {
			fields = append(fields, field)
		}
		for i, at := range sizes.Offsetsof(fields) {
			path := fields[i].Name()
			if name != "" {
				path = name + "." + path
			}
			flatten(l, fields[i].Type(), path, offset+int(at))
		}
	case *types.Array:
		size := int(sizes.Sizeof(u.Elem()))
		for i := range int(u.Len()) {
			flatten(l, u.Elem(), fmt.Sprintf("%s[%d]", name, i), offset+i*size)
		}
	default:
		l.Leaves = append(l.Leaves, compiled.Leaf{Name: name, Kind: kindOf(t), Offset: offset})
	}
}

// kindsOf are the kinds of a type's leaves.
func kindsOf(t types.Type) []compiled.Kind {
	l := layout(t)
	kinds := make([]compiled.Kind, len(l.Leaves))
	for i, leaf := range l.Leaves {
		kinds[i] = leaf.Kind
	}
	return kinds
}

// unsupported returns the part of a type that cannot live in registers, or is
// empty. Allowing pointers allows one at the top.
func unsupported(t types.Type) (construct, instead string) {
	if leafCount(t) > mostLeaves {
		return fmt.Sprintf("a value of type %s, of more than %d scalars", name(t), mostLeaves), "a smaller array or struct"
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if basics[u.Kind()] != invalid {
			return "", ""
		}
		switch {
		case u.Info()&types.IsString != 0:
			return "a string", "a number"
		case u.Info()&types.IsComplex != 0:
			return "a complex number", "a struct of two floats"
		case u.Kind() == types.UntypedNil:
			return "nil", "a value"
		}
		return "a value of type " + name(t), "an integer of 32 or 64 bits"
	case *types.Struct:
		for field := range u.Fields() {
			if construct, instead = unsupported(field.Type()); construct != "" {
				return construct + ", field " + field.Name() + " of " + name(t) + ",", instead
			}
		}
	case *types.Array:
		return unsupported(u.Elem())
	case *types.Pointer:
		return "a pointer in a variable", "the value itself, or an index"
	case *types.Slice:
		return "a slice", "an array of fixed size"
	case *types.Map:
		return "a map", "an array of fixed size"
	case *types.Chan:
		return "a channel", "a method that only calculates"
	case *types.Interface:
		return "a value of interface type " + name(t), "a value of a concrete type"
	case *types.Signature:
		return "a function value", "a direct call of a function of the package"
	default:
		return "a value of type " + name(t), "a number, or an array or struct of numbers"
	}
	return "", ""
}

// name is a type as a reader of its package writes it.
func name(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string { return p.Name() })
}

// signed, float and width distinguish kinds; width is the width of the register.
func signed(k compiled.Kind) bool { return k >= compiled.Int8 && k <= compiled.Int64 }
func float(k compiled.Kind) bool  { return k >= compiled.Float32 }
func narrow(k compiled.Kind) bool { return !float(k) && k != compiled.Bool && k.Size() < 4 }
func width(k compiled.Kind) int   { return max(32, 8*k.Size()) }

// suffix is a kind as the type of a PTX instruction.
func suffix(k compiled.Kind) string {
	switch {
	case float(k):
		return fmt.Sprintf("f%d", width(k))
	case signed(k):
		return fmt.Sprintf("s%d", width(k))
	default:
		return fmt.Sprintf("u%d", width(k))
	}
}

// untyped is the type of a PTX instruction that only moves bits.
func untyped(k compiled.Kind) string { return fmt.Sprintf("b%d", width(k)) }
