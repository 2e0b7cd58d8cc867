package source

import (
	"fmt"
	"go/types"
)

// checkPlain refuses values and accumulators that the engine refuses, as
// hostmem.CheckPlain does when a job begins.
func (p *Program) checkPlain() error {
	for _, of := range []struct {
		what string
		t    types.Type
	}{{"value", p.V}, {"accumulator", p.A}} {
		if err := plain(of.t); err != nil {
			return fmt.Errorf("%s: %s: %s: %w", p.Position(p.Pos), p.Name, of.what, err)
		}
	}
	return nil
}

func plain(t types.Type) error {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch u.Kind() {
		case types.Bool, types.Int8, types.Int16, types.Int32, types.Int64, types.Uint8, types.Uint16,
			types.Uint32, types.Uint64, types.Float32, types.Float64:
			return nil
		}
	case *types.Array:
		return plain(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if err := plain(f.Type()); err != nil {
				return fmt.Errorf("field %s: %w", f.Name(), err)
			}
		}
		return nil
	}
	return fmt.Errorf("type %s is not plain data of fixed size: use bool, sized numbers, and arrays or structs of them",
		types.TypeString(t, (*types.Package).Name))
}
