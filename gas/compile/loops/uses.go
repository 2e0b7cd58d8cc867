package loops

import "golang.org/x/tools/go/ssa"

// uses reports whether a method's result may depend on one of its parameters,
// which are counted from the receiver, 0. It looks through calls, so that the
// wrapper of a promoted method uses the same as the method.
func uses(f *ssa.Function, param int) bool {
	return (&usage{field: whole}).of(f, param)
}

// usesField asks the same about a field of a parameter that is a struct.
func usesField(f *ssa.Function, param, field int) bool {
	return (&usage{field: field}).of(f, param)
}

// usage is a search for uses of a parameter.
type usage struct {
	field int // of it that counts, or whole
	seen  map[*ssa.Parameter]bool
}

const whole = -1

// other reports whether a field is not the one that counts.
func (s *usage) other(field int) bool { return s.field != whole && s.field != field }

func (s *usage) of(f *ssa.Function, param int) bool {
	if f.Blocks == nil {
		return true // it may do anything
	}
	p := f.Params[param]
	if s.seen[p] {
		return false // answered by who asked first
	}
	if s.seen == nil {
		s.seen = map[*ssa.Parameter]bool{}
	}
	s.seen[p] = true
	return s.value(p)
}

func (s *usage) value(v ssa.Value) bool {
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef:
		case *ssa.Field:
			if !s.other(r.Field) {
				return true
			}
		case *ssa.Store: // a parameter in a variable of its own
			a, ok := r.Addr.(*ssa.Alloc)
			if !ok || r.Val != v || s.loaded(a, r) {
				return true
			}
		case *ssa.Call:
			if s.call(r, v) {
				return true
			}
		default:
			return true
		}
	}
	return false
}

// loaded reports whether anything but the store uses a variable.
func (s *usage) loaded(a *ssa.Alloc, store *ssa.Store) bool {
	for _, r := range *a.Referrers() {
		if load, ok := r.(*ssa.UnOp); ok && !s.value(load) {
			continue
		}
		if at, ok := r.(*ssa.FieldAddr); ok && s.other(at.Field) {
			continue
		}
		if r != ssa.Instruction(store) {
			return true
		}
	}
	return false
}

func (s *usage) call(c *ssa.Call, v ssa.Value) bool {
	f := c.Common().StaticCallee()
	if f == nil {
		return true
	}
	for i, arg := range c.Common().Args {
		if arg == v && (i >= len(f.Params) || s.of(f, i)) {
			return true
		}
	}
	return false
}
