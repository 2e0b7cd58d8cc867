package garaph

import (
	"io"
	"reflect"
	"testing"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/algorithms/community"
	"github.com/garaph/garaph/dispatcher"
	"github.com/garaph/garaph/ingest"
)

// TestOptionsCarried sets every field of the options of the library, one at a time, and finds it in
// those of the package that does the work, which have no field that the library's lack.
func TestOptionsCarried(t *testing.T) {
	carried(t, func(o RunOptions) dispatcher.Options { return o.job() })
	carried(t, func(o AlgorithmOptions) algorithms.Options { return o.run() })
	carried(t, func(o ImportOptions) ingest.Options { return o.read() })
	carried(t, func(o CommunityOptions) community.Options { return o.search() })
}

func carried[A, B any](t *testing.T, to func(A) B) {
	a, b := reflect.TypeFor[A](), reflect.TypeFor[B]()
	for _, f := range reflect.VisibleFields(b) {
		if _, ok := a.FieldByName(f.Name); f.IsExported() && !ok {
			t.Errorf("%v has no field %s of %v", a, f.Name, b)
		}
	}
	for i := range a.NumField() {
		f := a.Field(i)
		if !f.IsExported() {
			continue
		}
		x := reflect.New(a).Elem()
		if fill(t, x.Field(i)); x.Field(i).IsZero() {
			t.Fatalf("%v.%s: the test has no value for it", a, f.Name)
		}
		y := reflect.ValueOf(to(x.Interface().(A)))
		for _, g := range reflect.VisibleFields(b) {
			if g.IsExported() && y.FieldByIndex(g.Index).IsZero() == (g.Name == f.Name) {
				t.Errorf("%v with %s alone: field %s of %v is %v", a, f.Name, g.Name, b, y.FieldByIndex(g.Index))
			}
		}
	}
}

// fill makes a value other than the zero value.
func fill(t *testing.T, v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.String:
		v.SetString("x")
	case reflect.Int, reflect.Int64:
		v.SetInt(3)
	case reflect.Uint8, reflect.Uint32:
		v.SetUint(3)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
	case reflect.Interface:
		v.Set(reflect.ValueOf(io.LimitReader(nil, 0)))
	case reflect.Func:
		v.Set(reflect.MakeFunc(v.Type(), func([]reflect.Value) []reflect.Value { return nil }))
	case reflect.Struct:
		fill(t, v.Field(0))
	default:
		t.Fatalf("no value of kind %v", v.Kind())
	}
}
