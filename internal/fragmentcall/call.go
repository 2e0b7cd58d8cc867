// Package fragmentcall calls the methods of vertex programs with arguments and
// results as bits, as fragments of PTX get and return them, so that tests can
// compare one with the other.
package fragmentcall

import (
	"math"
	"reflect"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gas/compiled"
	"github.com/garaph/garaph/kernels"
)

// Method is a method of a program, to be called with bits.
type Method struct {
	program reflect.Type
	index   int
	inputs  []compiled.Kind
}

// MethodOf returns the method of that name of a program's type, or nil.
func MethodOf(program reflect.Type, name string) *Method {
	method, ok := program.MethodByName(name)
	if !ok {
		return nil
	}
	m := &Method{program: program, index: method.Index}
	for i := range method.Type.NumIn() {
		m.inputs = kindsOf(method.Type.In(i), m.inputs)
	}
	return m
}

// Inputs are the kinds of the leaves of the program and of all parameters.
func (m *Method) Inputs() []compiled.Kind { return m.inputs }

// Call calls the method on a program with the given leaves, and returns those of
// all results.
func (m *Method) Call(inputs []uint64) (results []uint64, fault compiled.Fault) {
	defer func() {
		if r := recover(); r != nil {
			results, fault = nil, kernels.FaultOf(r)
		}
	}()
	program := reflect.New(m.program).Elem()
	if m.program.Kind() == reflect.Pointer {
		program = reflect.New(m.program.Elem())
	}
	inputs = set(program, inputs)
	method := program.Method(m.index)
	args := make([]reflect.Value, method.Type().NumIn())
	for i := range args {
		args[i] = reflect.New(method.Type().In(i)).Elem()
		inputs = set(args[i], inputs)
	}
	for _, r := range method.Call(args) {
		results = get(r, results)
	}
	return results, compiled.NoFault
}

var kinds = map[reflect.Kind]compiled.Kind{
	reflect.Bool: compiled.Bool, reflect.Int: compiled.Int64, reflect.Int8: compiled.Int8, reflect.Int16: compiled.Int16,
	reflect.Int32: compiled.Int32, reflect.Int64: compiled.Int64,
	reflect.Uint: compiled.Uint64, reflect.Uint8: compiled.Uint8, reflect.Uint16: compiled.Uint16,
	reflect.Uint32: compiled.Uint32, reflect.Uint64: compiled.Uint64,
	reflect.Float32: compiled.Float32, reflect.Float64: compiled.Float64,
}

// edge has a weight that is float32 in kernels.
var edge = reflect.TypeFor[gas.Edge]()

func kindsOf(t reflect.Type, list []compiled.Kind) []compiled.Kind {
	if t == edge {
		return append(list, compiled.Float32)
	}
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			list = kindsOf(t.Field(i).Type, list)
		}
	case reflect.Array:
		for range t.Len() {
			list = kindsOf(t.Elem(), list)
		}
	case reflect.Pointer: // a receiver
		list = kindsOf(t.Elem(), list)
	default:
		if k, ok := kinds[t.Kind()]; ok { // fields that are no plain data are left out
			list = append(list, k)
		}
	}
	return list
}

// set fills v from the first bits and returns the rest.
func set(v reflect.Value, from []uint64) []uint64 {
	if v.Type() == edge {
		v.Set(reflect.ValueOf(gas.Edge{Weight: float64(math.Float32frombits(uint32(from[0])))}))
		return from[1:]
	}
	switch v.Kind() {
	case reflect.Pointer:
		return set(v.Elem(), from)
	case reflect.Struct:
		for i := range v.NumField() {
			from = set(v.Field(i), from)
		}
		return from
	case reflect.Array:
		for i := range v.Len() {
			from = set(v.Index(i), from)
		}
		return from
	}
	if _, ok := kinds[v.Kind()]; !ok {
		return from
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(from[0] != 0)
	case reflect.Float32:
		v.Set(reflect.ValueOf(math.Float32frombits(uint32(from[0]))).Convert(v.Type()))
	case reflect.Float64:
		v.SetFloat(math.Float64frombits(from[0]))
	case reflect.Int8, reflect.Int16, reflect.Int32:
		v.SetInt(int64(int32(from[0])))
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(from[0]))
	default:
		v.SetUint(from[0])
	}
	return from[1:]
}

// get appends the bits of v.
func get(v reflect.Value, to []uint64) []uint64 {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			to = get(v.Field(i), to)
		}
		return to
	case reflect.Array:
		for i := range v.Len() {
			to = get(v.Index(i), to)
		}
		return to
	case reflect.Bool:
		if v.Bool() {
			return append(to, 1)
		}
		return append(to, 0)
	case reflect.Float32:
		return append(to, uint64(math.Float32bits(float32(v.Float()))))
	case reflect.Float64:
		return append(to, math.Float64bits(v.Float()))
	case reflect.Int8, reflect.Int16, reflect.Int32:
		return append(to, uint64(uint32(v.Int())))
	case reflect.Int, reflect.Int64:
		return append(to, uint64(v.Int()))
	default:
		return append(to, v.Uint())
	}
}
