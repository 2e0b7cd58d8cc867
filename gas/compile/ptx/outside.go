package ptx

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// outside describes instructions that are refused whatever they work on.
func outside(i ssa.Instruction) (construct, instead string) {
	switch i := i.(type) {
	case *ssa.MakeMap, *ssa.MapUpdate:
		return "a map", "an array of fixed size"
	case *ssa.Lookup:
		if _, ok := i.X.Type().Underlying().(*types.Map); ok {
			return "a map", "an array of fixed size"
		}
		return "a string", "a number"
	case *ssa.MakeSlice, *ssa.Slice, *ssa.SliceToArrayPointer:
		return "a slice", "an array of fixed size"
	case *ssa.MakeChan, *ssa.Send, *ssa.Select:
		return "a channel", "a method that only calculates"
	case *ssa.UnOp:
		if i.Op == token.ARROW {
			return "a channel", "a method that only calculates"
		}
	case *ssa.Go:
		return "a go statement", "a method that only calculates"
	case *ssa.Defer:
		return "a defer statement", "the call where it is due"
	case *ssa.MakeClosure:
		return "a function literal that captures variables", "a function of the package with parameters"
	case *ssa.ChangeInterface:
		return "a conversion to interface type " + name(i.Type()), "code for the concrete type"
	case *ssa.TypeAssert:
		return "a type assertion", "a type parameter"
	case *ssa.Range:
		if _, ok := i.X.Type().Underlying().(*types.Map); ok {
			return "a range over a map", "an array of fixed size and a loop over its indices"
		}
		return "a range over a string", "an array of fixed size and a loop over its indices"
	case *ssa.MultiConvert:
		return "a conversion between types of a type parameter", "a conversion for each type"
	}
	return "", ""
}

// at is the position of an instruction; some that stand for no expression of
// their own have the position of their user, or of their operand, or of the instruction
// before.
func at(f *ssa.Function, i ssa.Instruction) token.Pos {
	if i.Pos().IsValid() {
		return i.Pos()
	}
	if v, ok := i.(ssa.Value); ok && v.Referrers() != nil {
		for _, r := range *v.Referrers() {
			if _, phi := r.(*ssa.Phi); !phi && r.Pos().IsValid() {
				return r.Pos()
			}
		}
	}
	for _, x := range i.Operands(nil) {
		if made, ok := (*x).(ssa.Instruction); ok && made.Pos().IsValid() {
			return made.Pos()
		}
	}
	before := f.Pos()
	for _, x := range i.Block().Instrs {
		if x == i && before != f.Pos() {
			break
		}
		if _, variable := x.(*ssa.Alloc); !variable && x.Pos().IsValid() {
			before = x.Pos()
		}
	}
	return before
}
