package source

import (
	"fmt"
	"go/types"
	"slices"
)

// most is the largest number of instances of a generic program.
const most = 64

// combinations returns the lists of type arguments that the terms of the
// parameters' constraints make, the last parameter varying fastest.
func combinations(params *types.TypeParamList) ([][]types.Type, error) {
	all := [][]types.Type{nil}
	for param := range params.TypeParams() {
		terms, finite := termsOf(param.Constraint())
		if !finite || len(terms) == 0 {
			return nil, fmt.Errorf("type parameter %s of a vertex program is constrained by %s, which lists no types; write "+
				"the types that it may be, as in [%s float32 | float64]",
				param.Obj().Name(), types.TypeString(param.Constraint(), types.RelativeTo(param.Obj().Pkg())), param.Obj().Name())
		}
		var longer [][]types.Type
		for _, args := range all {
			for _, t := range terms {
				longer = append(longer, append(args[:len(args):len(args)], t))
			}
		}
		if all = longer; len(all) > most {
			return nil, fmt.Errorf(
				"the type parameters of a vertex program have more than %d instances; write fewer types in their constraints",
				most,
			)
		}
	}
	return all, nil
}

// termsOf lists the types of a constraint's union, in the order in which they
// are written; ~T counts as T. It is not finite if any type at all is allowed.
func termsOf(constraint types.Type) (terms []types.Type, finite bool) {
	switch t := constraint.Underlying().(type) {
	case *types.Interface:
		for embedded := range t.EmbeddedTypes() {
			some, ok := termsOf(embedded)
			switch {
			case !ok:
			case !finite:
				terms, finite = some, true
			default:
				terms = intersection(terms, some)
			}
		}
		return terms, finite
	case *types.Union:
		for term := range t.Terms() {
			some := []types.Type{term.Type()}
			if types.IsInterface(term.Type()) {
				var ok bool
				if some, ok = termsOf(term.Type()); !ok {
					return nil, false
				}
			}
			terms = append(terms, without(some, terms)...)
		}
		return terms, true
	default:
		return []types.Type{constraint}, true
	}
}

func intersection(a, b []types.Type) []types.Type { return without(a, without(a, b)) }

// without returns those of a that are not in b.
func without(a, b []types.Type) []types.Type {
	return slices.DeleteFunc(slices.Clone(a), func(t types.Type) bool {
		return slices.ContainsFunc(b, func(x types.Type) bool { return types.Identical(x, t) })
	})
}
