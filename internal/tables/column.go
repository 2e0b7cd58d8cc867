package tables

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/dispatcher"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/results"
)

// Column computes one result of vertices: numbers, which are appended to a batch, or vertices.
type Column[V any] struct {
	results.Column
	numbers func(dst *results.Values, vs []gas.Vertex, values []V)
	vertex  func(v gas.Vertex, value V) gas.VertexID // nil unless Kind is VertexID
	Null    func(v gas.Vertex, value V) bool         // nil unless Nullable
	own     bool                                     // the results are the values, as they are
	array   any                                      // the results as they are, if they are beside the values
}

// ColumnsOf returns the results of a program: its columns, its Result method, or values that
// are themselves numbers.
func ColumnsOf[V, A any](p gas.Program[V, A]) ([]Column[V], error) {
	if c, ok := p.(gas.Columned[V]); ok {
		return several(p, c.Columns())
	}
	c, err := columnOf(p)
	if err == nil {
		c.Name, err = Name(p)
	}
	if n, ok := p.(gas.Nullable[V]); ok {
		c.Nullable, c.Null = true, n.Null
	}
	return []Column[V]{c}, err
}

// Name returns the name that a program or an algorithm gives its one result, or "".
func Name(p any) (string, error) {
	n, ok := p.(gas.Named)
	if !ok {
		return "", nil
	}
	name := n.ColumnName()
	if name == "id" {
		return "", fmt.Errorf(
			"%T: its result is named %q, as the ids of vertices are; its method ColumnName should return another name", p, name,
		)
	}
	return name, nil
}

// several checks and converts the columns of a program.
func several[V any](program any, list []gas.Column[V]) ([]Column[V], error) {
	var all []Column[V]
	for i, given := range list {
		var kinds []Column[V]
		if f := given.Float32; f != nil {
			kinds = append(kinds, floats32(f))
		}
		if f := given.Float64; f != nil {
			kinds = append(kinds, floats64(f))
		}
		if f := given.Int64; f != nil {
			kinds = append(kinds, ints(f))
		}
		if f := given.Vertex; f != nil {
			kinds = append(kinds, VertexColumn(f))
		}
		same := slices.ContainsFunc(all, func(c Column[V]) bool { return c.Name == given.Name })
		if len(kinds) != 1 || same || given.Name == "" || given.Name == "id" {
			return nil, fmt.Errorf("program %T: column %d, %q: expected a name of its own other than \"id\", and one function",
				program, i+1, given.Name)
		}
		c := kinds[0]
		c.Name, c.Null, c.Nullable = given.Name, given.Null, given.Null != nil
		all = append(all, c)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("program %T has no columns; its method Columns should return one or more", program)
	}
	return all, nil
}

// columnOf returns the column of the program's Result method, or of values that are themselves
// numbers.
func columnOf[V, A any](p gas.Program[V, A]) (Column[V], error) {
	switch p := p.(type) {
	case gas.Float32Result[V]:
		return floats32(p.Result), nil
	case gas.Float64Result[V]:
		return floats64(p.Result), nil
	case gas.Int64Result[V]:
		return reachable(p.Result), nil
	case gas.VertexResult[V]:
		return VertexColumn(p.Result), nil
	}
	c, err := valueColumn[V]()
	if err != nil {
		return c, fmt.Errorf("program %T: %w", p, err)
	}
	if f := appendOwn[V](); f != nil {
		c.numbers = f
	}
	c.own = true
	return c, nil
}

// appendOwn returns a function that appends values that are numbers as they are, or nil for other types.
func appendOwn[V any]() func(dst *results.Values, _ []gas.Vertex, values []V) {
	switch any(*new(V)).(type) {
	case float32:
		return func(dst *results.Values, _ []gas.Vertex, values []V) {
			dst.F32 = append(dst.F32, any(values).([]float32)...)
		}
	case float64:
		return func(dst *results.Values, _ []gas.Vertex, values []V) {
			dst.F64 = append(dst.F64, any(values).([]float64)...)
		}
	case int64:
		return func(dst *results.Values, _ []gas.Vertex, values []V) {
			dst.I64 = append(dst.I64, any(values).([]int64)...)
		}
	}
	return nil
}

// FurtherColumn returns a further column of an algorithm, whose results are beside the values.
func FurtherColumn[T any](c algorithms.Column) Column[T] {
	switch x := c.Values.(type) {
	case []int64:
		return beside[T](c.Name, x)
	case []float32:
		return beside[T](c.Name, x)
	case []float64:
		return beside[T](c.Name, x)
	default:
		return beside[T](c.Name, x.([]gas.VertexID))
	}
}

func beside[T any, X algorithms.Value](name string, list []X) Column[T] {
	own := AlgorithmColumn[X](name)
	c := Column[T]{Column: own.Column, array: list}
	if own.vertex != nil {
		c.vertex = func(v gas.Vertex, _ T) gas.VertexID { return own.vertex(v, list[v.ID]) }
		return c
	}
	c.numbers = func(dst *results.Values, vs []gas.Vertex, _ []T) { // which are consecutive
		if len(vs) > 0 {
			own.numbers(dst, nil, list[vs[0].ID:][:len(vs)])
		}
	}
	return c
}

// AlgorithmColumn returns the column of the values of an algorithm, as they are.
func AlgorithmColumn[T algorithms.Value](name string) Column[T] {
	c := Column[T]{Column: results.Column{Name: name}, own: true, numbers: appendOwn[T]()}
	switch any(*new(T)).(type) {
	case int64:
		c.Kind = results.Int64
	case float32:
		c.Kind = results.Float32
	case float64:
		c.Kind = results.Float64
	default:
		c.Kind, c.vertex = results.VertexID, func(_ gas.Vertex, x T) gas.VertexID { return any(x).(gas.VertexID) }
	}
	return c
}

// valueColumn returns the column of values that are themselves results.
func valueColumn[V any]() (Column[V], error) {
	switch k := reflect.TypeFor[V]().Kind(); k {
	case reflect.Float32:
		return floats32(func(_ gas.Vertex, x V) float32 { return float32(reflect.ValueOf(x).Float()) }), nil
	case reflect.Float64:
		return floats64(func(_ gas.Vertex, x V) float64 { return reflect.ValueOf(x).Float() }), nil
	case reflect.Int8, reflect.Int16, reflect.Int32:
		return ints(func(_ gas.Vertex, x V) int64 { return reflect.ValueOf(x).Int() }), nil
	case reflect.Int64:
		return reachable(func(_ gas.Vertex, x V) int64 { return reflect.ValueOf(x).Int() }), nil
	case reflect.Uint8, reflect.Uint16, reflect.Uint32:
		return ints(func(_ gas.Vertex, x V) int64 { return int64(reflect.ValueOf(x).Uint()) }), nil
	default:
		return Column[V]{}, fmt.Errorf("a value of type %s is not written as it is: numbers up to 32 bits, int64 and "+
			"floats are; give the program a Result method that returns float32, float64, int64 or gas.VertexID, or Columns",
			reflect.TypeFor[V]())
	}
}

func floats32[V any](f func(gas.Vertex, V) float32) Column[V] {
	return Column[V]{
		Column: results.Column{Kind: results.Float32}, numbers: func(dst *results.Values, vs []gas.Vertex, values []V) {
			for i, v := range vs {
				dst.F32 = append(dst.F32, f(v, values[i]))
			}
		},
	}
}

func floats64[V any](f func(gas.Vertex, V) float64) Column[V] {
	return Column[V]{
		Column: results.Column{Kind: results.Float64}, numbers: func(dst *results.Values, vs []gas.Vertex, values []V) {
			for i, v := range vs {
				dst.F64 = append(dst.F64, f(v, values[i]))
			}
		},
	}
}

func ints[V any](f func(gas.Vertex, V) int64) Column[V] {
	return Column[V]{
		Column: results.Column{Kind: results.Int64}, numbers: func(dst *results.Values, vs []gas.Vertex, values []V) {
			for i, v := range vs {
				dst.I64 = append(dst.I64, f(v, values[i]))
			}
		},
	}
}

// reachable is like ints, but [gas.Unreached] is null.
func reachable[V any](f func(gas.Vertex, V) int64) Column[V] {
	c := ints(f)
	c.Nullable = true
	c.Null = func(v gas.Vertex, value V) bool { return f(v, value) == gas.Unreached }
	return c
}

// VertexColumn returns the column of results that are vertices.
func VertexColumn[V any](f func(gas.Vertex, V) gas.VertexID) Column[V] {
	return Column[V]{Column: results.Column{Kind: results.VertexID}, vertex: f}
}

// CheckFinite returns an error for results of a job that are NaN or infinite, unless they are null or the first value
// of their vertex.
func CheckFinite[V, A any](
	ctx context.Context, p gas.Program[V, A], columns []Column[V], job *dispatcher.Job[V, A],
) error {
	columns = slices.DeleteFunc(
		slices.Clone(columns), func(c Column[V]) bool { return c.Kind != results.Float32 && c.Kind != results.Float64 },
	)
	if len(columns) == 0 {
		return nil
	}
	return job.Refuse(ctx, func(from, to uint32, wrong func(uint32)) error {
		var x results.Values
		return job.ValuesOf(from, to, func(vs []gas.Vertex, values []V) error {
			for _, c := range columns {
				x.Empty()
				c.numbers(&x, vs, values)
				for i, f := range x.F32 {
					if f-f != 0 && c.refuses(p, vs[i], values[i], float64(f)) {
						wrong(vs[i].ID)
					}
				}
				for i, f := range x.F64 {
					if f-f != 0 && c.refuses(p, vs[i], values[i], f) {
						wrong(vs[i].ID)
					}
				}
			}
			return nil
		})
	})
}

// refuses reports whether a result that is not finite is an error.
func (c *Column[V]) refuses(p interface{ Init(v gas.Vertex) (V, bool) }, v gas.Vertex, value V, result float64) bool {
	if c.Null != nil && c.Null(v, value) {
		return false
	}
	var first results.Values
	begun, _ := p.Init(v)
	c.numbers(&first, []gas.Vertex{v}, []V{begun})
	return !slices.Contains(first.F64, result) && !slices.Contains(first.F32, float32(result))
}
