package cli

import (
	"reflect"

	"github.com/garaph/garaph/gas/compiled"
)

// form reports how a program runs: through loops of its own or generic ones, and
// whether it has PTX. A type that embeds a compiled program has its methods
// Loops and Fragments, but they are of the other.
func form(program any) (loops, ptx string) {
	if program == nil {
		return "unknown", "unknown"
	}
	loops, ptx = "generic", "no"
	method := reflect.ValueOf(program).MethodByName("Loops")
	if !method.IsValid() || method.Type().NumIn() != 0 || method.Type().NumOut() != 1 {
		return loops, ptx
	}
	own := method.Call(nil)[0]
	if own.Kind() != reflect.Struct || !own.FieldByName("Program").IsValid() {
		return loops, ptx
	}
	if reflect.TypeOf(own.FieldByName("Program").Interface()) != reflect.TypeOf(program) {
		return loops, ptx
	}
	loops = "compiled"
	if p, ok := program.(compiled.Portable); ok && p.Fragments().Program != "" {
		ptx = "yes"
	}
	return loops, ptx
}
