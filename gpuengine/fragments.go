package gpuengine

import (
	"fmt"
	"reflect"
	"strings"
	"unsafe"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gas/compiled"
	"github.com/garaph/garaph/kernels"
)

// FragmentsOf returns the fragments of a program. If it cannot run on a GPU, the error is an
// [ErrUnfit].
func FragmentsOf[V, A any](p gas.Program[V, A]) (compiled.Fragments, error) {
	unfit := func(format string, args ...any) (compiled.Fragments, error) {
		return compiled.Fragments{}, fmt.Errorf("program %T: %w: %s", p, ErrUnfit, fmt.Sprintf(format, args...))
	}
	portable, ok := p.(compiled.Portable)
	if !ok {
		return unfit("it was not compiled: run `garaph compile` on its package")
	}
	f := portable.Fragments()
	t := reflect.TypeOf(p)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if name := typeName(t); f.Program != name {
		return unfit("its fragments are those of %s, not of %s: run `garaph compile` on its package", f.Program, name)
	}
	var v V
	var a A
	if f.Value.Size != int(unsafe.Sizeof(v)) || f.Accumulator.Size != int(unsafe.Sizeof(a)) ||
		f.Parameters.Size != int(t.Size()) {
		return unfit("its fragments are out of date: run `garaph compile` on its package")
	}
	if f.Accumulator.Size > kernels.MaxAccumulator {
		return unfit("its accumulators have %d bytes, and the kernels fold at most %d", f.Accumulator.Size,
			kernels.MaxAccumulator)
	}
	if f.Value.Size == 0 || f.Accumulator.Size == 0 {
		return unfit("its values or accumulators have no bytes")
	}
	return f, nil
}

// typeName returns the name of a type in [compiled.Fragments].
func typeName(t reflect.Type) string {
	return strings.ReplaceAll(strings.ReplaceAll(t.Name(), ",", ", "), ",  ", ", ")
}

// parameters lays the fields of a program out as its kernels read them.
func parameters(program any, layout compiled.Layout) []byte {
	v := reflect.ValueOf(program)
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	own := reflect.New(v.Type()) // where its bytes can be read
	own.Elem().Set(v)
	from := unsafe.Slice((*byte)(own.UnsafePointer()), v.Type().Size())
	block := make([]byte, max(layout.Size, 1))
	for _, l := range layout.Leaves {
		copy(block[l.Offset:l.Offset+l.Kind.Size()], from[l.Offset:])
	}
	return block
}
